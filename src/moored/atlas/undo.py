"""Undo: taking one operation back, alone, so that every question has the answer again that it had before (I-09).

What an operation changed of notes is given back in reverse: the head moves to the revision that it had, a note that
was begun is withdrawn. The episodes that only it brought in are hidden, and its rows in other tables count no more. The
undo is an operation too, so that it can be undone. One law holds for all of them: an operation stands unless one that
stands has taken it back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.atlas.indexing import put_in_index, take_from_index
from moored.errors import InvalidInput, NotFound
from moored.model.operations import FORGET, UNDO, Operation, Undone
from moored.record.operations import under_way

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.model.clock import Clock
    from moored.model.ids import IdSource
    from moored.model.notes import Note
    from moored.model.operations import Change
    from moored.model.projects import Project
    from moored.store.port import Store, Transaction


def undo(store: Store, project: Project, operation_id: str, *, actor: str, clock: Clock, ids: IdSource) -> Undone:
    """Take an operation back.

    Raises `NotFound`, and `InvalidInput` for one that was undone already, that cannot be undone, or whose notes were
    changed since by others that stand: they are named. Then nothing was changed.
    """
    with store.write() as transaction:
        chain = _chain(transaction, project, operation_id)
        operation = chain[0]
        changes = transaction.operations.changes(project, operation.id)
        with under_way(
            transaction, project, UNDO, actor=actor, asked=True, undoes=operation.id, clock=clock, ids=ids
        ) as own:
            touched = _give_back(transaction, project, operation, changes, own)
            for place, one in enumerate(chain):
                transaction.operations.set_undone(project, one.id, None if place % 2 else clock.now())
            hidden, shown = _episodes(transaction, project, chain[-1], stands=len(chain) % 2 == 0)
            return Undone(own, operation.id, hidden, shown, touched)


def _chain(transaction: Transaction, project: Project, operation_id: str) -> list[Operation]:
    """An operation that stands, what it took back, what that had taken back, and so on.

    When the first is taken back, each second one of them stands again, and the others do not.
    """
    chain = [_standing(transaction, project, operation_id)]
    while undone := transaction.operations.get(project, chain[-1].undoes):
        chain.append(undone)
        if len(chain) % 2 and undone.undone_at is not None:
            by = next(one.id for one in transaction.operations.all(project) if one.undoes == undone.id and _stands(one))
            raise InvalidInput(
                f"The operation {operation_id} cannot be undone alone: {undone.id} would be taken back by it, and was "
                f"taken back by {by} since. Nothing was changed. Undo first: {by}."
            )
    if len(chain) > 1 and chain[-1].kind == FORGET:
        raise InvalidInput(
            f"The operation {operation_id} brought back what {chain[-1].id} had taken out. Nothing was changed: "
            "`forget` it again."
        )
    return chain


def _stands(operation: Operation) -> bool:
    return operation.undone_at is None


def _standing(transaction: Transaction, project: Project, operation_id: str) -> Operation:
    operation = transaction.operations.get(project, operation_id)
    if operation is None:
        known = tuple(item.id for item in transaction.operations.all(project))[-3:]
        raise NotFound(f"There is no operation {operation_id} in this project.", near=known)
    if operation.undone_at is not None:
        raise InvalidInput(f"The operation {operation.id} was undone already. Nothing was changed.")
    if operation.lasting:
        raise InvalidInput(
            f"The operation {operation.id} ({operation.kind}) cannot be undone: what it took out is gone for good. "
            "Nothing was changed."
        )
    return operation


def _give_back(
    transaction: Transaction, project: Project, operation: Operation, changes: Sequence[Change], own: str
) -> tuple[str, ...]:
    """Give notes back what they were before an operation; return the ids of the notes that it had changed."""
    touched = tuple(dict.fromkeys(change.note for change in changes))
    before = {note: transaction.notes.get(project, note, withdrawn=True) for note in touched}
    for change in reversed(changes):
        if note := transaction.notes.restore(project, change, own):
            _refuse(transaction, project, operation, note)
    for note_id in touched:
        _index_again(transaction, project, before[note_id], transaction.notes.get(project, note_id, withdrawn=True))
    return touched


def _refuse(transaction: Transaction, project: Project, operation: Operation, note: str) -> None:
    later = transaction.operations.later(project, operation.id, note)
    first = f"Undo first: {', '.join(later)}." if later else "An undo of a later change put it there."
    raise InvalidInput(
        f"The operation {operation.id} cannot be undone alone: the note {note} was changed since. Nothing was "
        f"changed. {first}"
    )


def _index_again(transaction: Transaction, project: Project, before: Note | None, after: Note | None) -> None:
    """Let what a note says now be found in place of what it said."""
    if before and after and (before.head.row, bool(before.withdrawn)) != (after.head.row, bool(after.withdrawn)):
        if not before.withdrawn:
            take_from_index(transaction, before.head.row)
        if not after.withdrawn:
            put_in_index(transaction, project, after.head.row, after.head)


def _episodes(transaction: Transaction, project: Project, operation: Operation, *, stands: bool) -> tuple[int, int]:
    """Hide the episodes of an operation that stands no more, or show those of one that stands again.

    What was forgotten is shown when that does not stand.
    """
    if stands or operation.kind == FORGET:
        return 0, transaction.operations.show(project, operation.id)
    return transaction.operations.hide(project, operation.id), 0
