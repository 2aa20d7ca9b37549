"""Facts of episodes: what tool output says, and the outcome of commands."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from moored.ledger.reconcile import number
from moored.model.facts import ExtractedFact, Extraction, FactKind, Span
from moored.model.hashing import digest
from moored.model.ids import FACT, IdSource
from moored.store.rows import NewFact

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.model.projects import Project
    from moored.store.port import LedgerWriter, Transaction


def outcome(command: str, exit_status: int) -> ExtractedFact:
    """The fact that a command ended with this status."""
    value = f"exit {exit_status}"
    return ExtractedFact(FactKind.COMMAND, command, value, digest(value), Span(0, 0, 0, 0), trivial=True)


class EpisodeFacts(NamedTuple):
    """What was read from an episode (its number), the command that it ran, and when it was recorded."""

    episode: int
    extraction: Extraction
    ran: ExtractedFact | None
    at: int


def write_episode_facts(
    transaction: Transaction, project: Project, episodes: Sequence[EpisodeFacts], ids: IdSource
) -> list[int]:
    """Write what was read from episodes, and the commands that they ran as their latest outcome.

    Returns how many facts each has. The ledger is opened once for all, because SQLite prepares every statement anew
    after each opening.
    """
    if not any(one.extraction.facts or one.ran for one in episodes):
        return [0] * len(episodes)
    with transaction.ledger_writer() as ledger:
        return [_write(transaction, ledger, project, one, ids) for one in episodes]


def _write(transaction: Transaction, ledger: LedgerWriter, project: Project, one: EpisodeFacts, ids: IdSource) -> int:
    new = [NewFact(ids.new(FACT), now.ordinal, now.extracted, "output") for now in number(one.extraction.facts)]
    if new:
        ledger.add(project, new, one.at, episode=one.episode)
    if ran := one.ran:
        known = transaction.facts.command(project, ran.name, hidden=True)
        if known is None:
            ledger.add(project, [NewFact(ids.new(FACT), 0, ran, "command")], one.at, episode=one.episode)
        else:
            change = "same outcome" if known.body_hash == ran.body_hash else f"{known.value} became {ran.value}"
            ledger.change(known, ran, 0, change, one.at, path="", episode=one.episode)
    return len(new) + (one.ran is not None)
