"""The JSON and the lines of a profile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from moored.atlas.profile.reading import meaning
from moored.cli.shapes import verdict
from moored.model.clock import iso
from moored.model.notes import State
from moored.model.text import shorten

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from moored.model.profiles import Entry

WIDTH = 160
"""Characters that are shown of what a line of a profile says."""

_TOLD = (State.STALE, State.SUPERSEDED, State.DISPUTED)
"""The states that are told; the others are those of any preference that holds."""

EVIDENCE = 6
"""Ids of episodes that are shown of what a line rests on; the JSON has all."""


def profile(entries: Sequence[Entry]) -> dict[str, Any]:
    """The answer of `profile`."""
    return {"profile": [entry(one) for one in entries]}


def entry(one: Entry) -> dict[str, Any]:
    """One line of a profile: what it says, what that means, and all that it rests on."""
    note, said = one.judged.note, one.preference
    return {
        "id": note.id,
        "kind": note.kind,
        "text": note.head.text,
        "actor": note.head.actor,
        "trust": one.trust,
        "key": one.key,
        "subject": said.subject if said else "",
        "value": said.value if said else "",
        "wanted": said.wanted if said else None,
        "over": said.over if said else "",
        "scope": said.scope if said else "",
        "superseded_by": note.superseded_by,
        "verdict": verdict(one.judged.verdict),
        "occasions": one.occasions,
        "standing": one.standing,
        "last_at": iso(one.last_at),
        "evidence": [{"episode": piece.episode, "at": iso(piece.at), "stands": piece.stands} for piece in one.pieces],
    }


def lines(entries: Sequence[Entry]) -> Iterator[str]:
    """A profile, the strongest line first, each with what it rests on."""
    if not entries:
        yield "nothing is known yet of what you prefer here"
    for one in entries:
        note, judged = one.judged.note, one.judged.verdict
        state = f" [{judged.state}]" if judged.state in _TOLD else ""
        yield f"{note.id}{state} {note.kind}, {meaning(one)}"
        yield f"  {shorten(note.head.text, WIDTH)}"
        if state:
            yield f"  {judged.reason}"
        named = [piece.episode for piece in one.pieces if piece.stands][-EVIDENCE:]
        pieces = f"{one.standing} of {len(one.pieces)} pieces of evidence, last {iso(one.last_at)[:10]}"
        yield f"  {pieces}{': ' if named else ''}{', '.join(reversed(named))}"
