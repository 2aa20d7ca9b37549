"""Whether other notes contradict a note: what holds by its source is disputed as long as a dispute about it is open."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from moored.atlas.verdict import SHOWN
from moored.model.notes import Change, State, Verdict
from moored.model.text import shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.model.kin import Opponent
    from moored.model.notes import JudgedNote
    from moored.model.projects import Project
    from moored.store.port import View

CONTESTABLE = (State.CURRENT, State.UNVERIFIABLE)
"""Verdicts in the place of which a dispute is told; what is stale or superseded says more by that."""


def contested(view: View, project: Project, judged: Sequence[JudgedNote]) -> list[JudgedNote]:
    """Judged notes, with those as disputed that hold but are a side of an open dispute."""
    open_to = [one.note.id for one in judged if one.verdict.state in CONTESTABLE and not one.note.withdrawn]
    opponents = view.kin.opponents(project, open_to) if open_to else {}
    return [
        one._replace(verdict=disputed(opponents[one.note.id])) if one.note.id in opponents else one for one in judged
    ]


def disputed(others: Sequence[Opponent]) -> Verdict:
    """The verdict on a note that other notes in force contradict: who, since when, and what they say."""
    first = others[0]
    side = "newer" if first.newer else "older"
    day = datetime.fromtimestamp(first.at / 1_000, UTC).date().isoformat()
    more = f", and {len(others) - 1} more" if len(others) > 1 else ""
    reason = f"disputed by the {side} {first.note} of {day}{more}: {first.reason} ({first.dispute})"
    return Verdict(State.DISPUTED, Change.NONE, reason, shorten(first.text, SHOWN))
