"""What stands behind a note: its verdict now, its numbers with what made them, and what was done to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.atlas.contested import contested
from moored.atlas.notes_seen import get
from moored.atlas.state import state
from moored.atlas.verdict import judge
from moored.errors import InvalidInput
from moored.model.notes import State
from moored.model.state import Counts, Explained, NoteState, Stated

if TYPE_CHECKING:
    from moored.ledger.sight import Sight
    from moored.model.projects import Project
    from moored.store.port import View

ORDERS = (*NoteState._fields, "newest")
"""By what the notes of a project can be listed."""


def explain(sight: Sight, view: View, project: Project, note_id: str, now: int) -> Explained:
    """Everything about one note, one that was withdrawn as well. Raises `NotFound`."""
    note = get(view, project, note_id, withdrawn=True)
    (judged,) = contested(view, project, [judge(sight, view, project, note)])
    use = view.states.uses(project, [note.id]).get(note.id)
    counts = view.states.counts(project, [note.id]).get(note.id, Counts())
    return Explained(
        judged,
        state(judged, use, counts, now),
        use.uses if use else 0,
        use.last_at if use else None,
        tuple(view.states.ratings(project, note.id)),
        tuple(view.operations.of_note(project, note.id)),
    )


def listing(sight: Sight, view: View, project: Project, by: str, now: int) -> list[Stated]:
    """The notes of a project that were not replaced, with their state, the highest first by one of `ORDERS`.

    What is unknown comes last; what is equal stands newest first. Raises `InvalidInput` for another order.
    """
    if by not in ORDERS:
        raise InvalidInput(f"Notes are listed by {', '.join(ORDERS[:-1])} or {ORDERS[-1]}, not by '{by}'.")
    judged = contested(view, project, [judge(sight, view, project, note) for note in view.notes.all(project)])
    standing = [one for one in judged if one.verdict.state is not State.SUPERSEDED]
    ids = [one.note.id for one in standing]
    uses, counts = view.states.uses(project, ids), view.states.counts(project, ids)
    made: list[Stated] = []
    for one in standing:
        use = uses.get(one.note.id)
        made.append(Stated(one, state(one, use, counts[one.note.id], now), use.uses if use else 0))
    made.sort(key=lambda one: one.judged.note.head.row, reverse=True)
    if by != "newest":
        made.sort(key=lambda one: _value(one, by), reverse=True)
    return made


def _value(one: Stated, by: str) -> float:
    value = getattr(one.state, by).value
    return -1.0 if value is None else value
