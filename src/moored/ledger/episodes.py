"""Facts of episodes: what tool output says, and the outcome of commands."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

from moored.ledger.reconcile import number
from moored.model.facts import ExtractedFact, Extraction, FactKind, Span
from moored.model.hashing import digest
from moored.model.ids import FACT, IdSource
from moored.model.text import fold
from moored.store.rows import NewFact

if TYPE_CHECKING:
    from moored.model.projects import Project
    from moored.store.port import Transaction


def command_of(tool_input: str) -> str:
    """The command line in a tool's input, white space folded; empty when the input is not one.

    Hosts hand in either the line itself or a JSON object with it under `command` or `cmd`, as text or as a list.
    """
    stripped = tool_input.strip()
    if not stripped.startswith("{"):
        return fold(stripped.removeprefix("$ "))
    try:
        fields = json.loads(stripped)
    except (ValueError, RecursionError):
        return ""
    command = fields.get("command") or fields.get("cmd") or ""
    if isinstance(command, list):
        command = " ".join(str(part) for part in cast(list[object], command))
    return fold(command) if isinstance(command, str) else ""


def outcome(command: str, exit_status: int) -> ExtractedFact:
    """The fact that a command ended with this status."""
    value = f"exit {exit_status}"
    return ExtractedFact(FactKind.COMMAND, command, value, digest(value), Span(0, 0, 0, 0), trivial=True)


def write_episode_facts(
    transaction: Transaction,
    project: Project,
    episode: int,
    extraction: Extraction,
    ran: ExtractedFact | None,
    *,
    at: int,
    ids: IdSource,
) -> int:
    """Write what was read from an episode, and the command that it ran as its latest outcome; return how many facts."""
    new = [NewFact(ids.new(FACT), now.ordinal, now.extracted, "output") for now in number(extraction.facts)]
    if not new and ran is None:
        return 0
    known = transaction.facts.command(project, ran.name) if ran else None
    with transaction.ledger_writer() as ledger:
        if new:
            ledger.add(project, new, at, episode=episode)
        if ran and known is None:
            ledger.add(project, [NewFact(ids.new(FACT), 0, ran, "command")], at, episode=episode)
        elif ran and known:
            change = "same outcome" if known.body_hash == ran.body_hash else f"{known.value} became {ran.value}"
            ledger.change(known, ran, 0, change, at, path="", episode=episode)
    return len(new) + (ran is not None)
