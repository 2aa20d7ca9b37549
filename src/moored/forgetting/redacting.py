"""Redaction: a part of what was said goes, the rest stays where it stood."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from moored.errors import InvalidInput, NotFound
from moored.ledger.episodes import EpisodeFacts, write_episode_facts
from moored.model.episodes import Channel, Event, Role, Trust
from moored.model.forgetting import REDACTED, Plan
from moored.model.hashing import digest
from moored.model.text import fold, shorten
from moored.record.admission import admit
from moored.store.port_erasure import ErasableEpisode, ReplacedEpisode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.model.clock import Clock
    from moored.model.ids import IdSource
    from moored.model.projects import Project
    from moored.store.port import Transaction, View

SHORTEST = 4
"""Characters of the shortest text that can be taken out: a shorter one stands in every other word."""


def forms(text: str) -> tuple[str, ...]:
    """A text in the forms in which it may have been recorded: as it is, and inside JSON."""
    if len(text) < SHORTEST or REDACTED in text:
        raise InvalidInput(
            f"A text to be taken out has at least {SHORTEST} characters and holds no '{REDACTED}'. Nothing was changed."
        )
    return spellings(text)


def spellings(text: str) -> tuple[str, ...]:
    """A text as it is, and inside JSON."""
    return tuple(dict.fromkeys((text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1])))


def plan(view: View, project: Project, ids: Sequence[str], texts: Sequence[str]) -> Plan:
    """The episodes that hold a text, wherever they are in the project.

    Raises `NotFound` for an id of no episode, and when neither they nor anything else in the record holds the text.
    """
    kinds = view.erasure.kinds(project, ids)
    if wrong := [one for one in ids if kinds.get(one) != "episode"]:
        near = view.episodes.near(project, wrong[0])
        raise NotFound(f"{wrong[0]} is no episode of this project. Nothing was changed.", near=near)
    holding = view.erasure.holding(project, texts)
    if missing := [one for one in ids if one not in holding]:
        raise NotFound(f"The episode {missing[0]} does not hold that text. Nothing was changed.")
    found = view.erasure.episodes(project, holding)
    shown = tuple((one.id, _beginning(one, texts)) for one in found[:20])
    token = digest("\n".join(("redact", *texts, *holding)))[:12]
    return Plan(tuple(holding), (), (), (), (), (), (), (), shown, token)


def redact(
    transaction: Transaction,
    project: Project,
    operation: str,
    plan: Plan,
    texts: Sequence[str],
    clock: Clock,
    ids: IdSource,
) -> dict[str, int]:
    """Take a text out of the episodes of a plan, and of everything else that repeats it; say how many rows changed."""
    erasure = transaction.erasure
    for old in erasure.episodes(project, plan.episodes):
        asked = without(old.tool_input, texts)
        event = Event(
            _bytes_without(old.content, texts), Role(old.role), Channel(old.channel), Trust(old.trust), old.host,
            old.session, old.host_event, without(old.tool_name, texts), asked, old.exit_status,
            occurred_at=old.occurred_at, author=without(old.author, texts),
        )  # fmt: skip
        admitted = admit(event)
        kept = admitted.event
        new = ReplacedEpisode(
            old.id, kept.content, admitted.content_hash, admitted.tokens, kept.tool_name, kept.tool_input, kept.author
        )
        recommand = asked != old.tool_input
        transaction.erasure.replace_episode(project, operation, new, admitted.windows, clock.now(), commands=recommand)
        facts = EpisodeFacts(old.seq, admitted.extraction, admitted.ran if recommand else None, old.occurred_at)
        write_episode_facts(transaction, project, [facts], ids)
    return erasure.redact_rows(project, operation, dict.fromkeys(texts, REDACTED))


def without(text: str, texts: Sequence[str]) -> str:
    """A text without these."""
    for one in texts:
        text = text.replace(one, REDACTED)
    return text


def _bytes_without(content: bytes, texts: Sequence[str]) -> bytes:
    for one in texts:
        content = content.replace(one.encode("utf-8", "surrogatepass"), REDACTED.encode())
    return content


def _beginning(episode: ErasableEpisode, texts: Sequence[str]) -> str:
    said = episode.content.decode("utf-8", "replace") or episode.tool_input
    return shorten(fold(without(said, texts)), 80)
