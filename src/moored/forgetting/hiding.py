"""Forgetting that can be taken back: out of every answer now, out of the store when the time is over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.atlas.indexing import take_from_index
from moored.errors import InvalidInput
from moored.forgetting.erasing import rebuild
from moored.model.operations import FORGET

if TYPE_CHECKING:
    from moored.model.clock import Clock
    from moored.model.forgetting import Plan
    from moored.model.ids import IdSource
    from moored.model.operations import Operation
    from moored.model.projects import Project
    from moored.store.port import Transaction, View

WINDOW = 30 * 24 * 3_600 * 1_000
"""Milliseconds for which what was forgotten can be restored: 30 days."""


def hide(transaction: Transaction, project: Project, operation: str, plan: Plan, clock: Clock, ids: IdSource) -> None:
    """Withdraw the notes of a plan, hide its episodes, and let the notes that stay say what is left of them.

    Raises `InvalidInput` for pins and for reminders without an episode, which are not kept out of sight.
    """
    if plan.pins:
        raise InvalidInput(
            f"A pin cannot be restored: {', '.join(plan.pins)}. Nothing was changed: `unpin` takes it out of every "
            "brief, and forgetting with --hard erases it."
        )
    hidden = set(transaction.erasure.reminders_of(project, plan.episodes, plan.notes))
    if standing := [one for one in plan.reminders if one not in hidden]:
        raise InvalidInput(
            f"The reminder {standing[0]} was made of a turn that stays. Nothing was changed: `moored reminders done` "
            "ends it, and forgetting with --hard erases it."
        )
    rebuild(transaction, project, operation, plan, clock, ids)
    for note_id in plan.notes:
        note = transaction.notes.get(project, note_id, withdrawn=True)
        if note:
            if not note.withdrawn:
                take_from_index(transaction, note.head.row)
            transaction.notes.withdraw(project, note_id, operation)
    transaction.operations.hide(project, operation, plan.episodes)


def expired(view: View, project: Project, now: int) -> list[Operation]:
    """The operations that hid what can be restored no more, oldest first."""
    return [one for one in hiding(view, project) if one.started_at + WINDOW <= now]


def hiding(view: View, project: Project) -> list[Operation]:
    """The operations that hid what can be restored, or could be until it expired, oldest first."""
    return [
        one for one in view.operations.all(project) if one.kind == FORGET and not one.lasting and one.undone_at is None
    ]
