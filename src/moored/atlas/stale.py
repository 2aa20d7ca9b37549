"""Every note of a project with its verdict, and what to run again to prove those that do not hold any more."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from moored.atlas.contested import contested
from moored.atlas.verdict import WORST_FIRST, judge
from moored.model.notes import Change, JudgedNote, State

if TYPE_CHECKING:
    from collections.abc import Mapping

    from moored.ledger.sight import Sight
    from moored.model.projects import Project
    from moored.store.port import View

_ORDER = (State.STALE, State.DISPUTED, State.UNVERIFIABLE, State.SUPERSEDED)


@dataclass(frozen=True, slots=True)
class Proof:
    """The command that proved a note when it was written. Run again, it proves or disproves the note anew."""

    note: str
    command: str


@dataclass(frozen=True, slots=True)
class StaleReport:
    """How many notes of a project still hold.

    `total` counts all notes, `judged` those of which could be said whether they hold: neither replaced nor
    unverifiable. `rate` is the part of `judged` that does not hold, None when nothing could be judged. `notes` are
    all that are not current, worst first; `proofs` the commands of the stale ones that have one.
    """

    total: int
    judged: int
    states: Mapping[State, int]
    changes: Mapping[Change, int]
    rate: float | None
    notes: tuple[JudgedNote, ...]
    proofs: tuple[Proof, ...]


def stale(sight: Sight, view: View, project: Project) -> StaleReport:
    """Judge every note of a project in the tree of `sight`."""
    judged = contested(view, project, [judge(sight, view, project, note) for note in view.notes.all(project)])
    states = Counter(one.verdict.state for one in judged)
    known = len(judged) - states[State.SUPERSEDED] - states[State.UNVERIFIABLE]
    lost = sorted((one for one in judged if one.verdict.state is not State.CURRENT), key=_worst_first)
    outdated = [one for one in lost if one.verdict.state is State.STALE]
    return StaleReport(
        total=len(judged),
        judged=known,
        states=dict(states),
        changes=dict(Counter(one.verdict.change for one in outdated)),
        rate=(known - states[State.CURRENT]) / known if known else None,
        notes=tuple(lost),
        proofs=tuple(Proof(one.note.id, one.note.head.proof) for one in outdated if one.note.head.proof),
    )


def _worst_first(one: JudgedNote) -> tuple[int, int, int]:
    return _ORDER.index(one.verdict.state), WORST_FIRST.index(one.verdict.change), one.note.head.row
