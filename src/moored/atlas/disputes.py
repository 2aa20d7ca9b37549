"""Disputes: two notes that cannot both hold, and how one is settled.

A person or an agent says which note holds: the other is then superseded by it. Or both do: then neither is marked any
more. Nothing else settles a dispute, and the one that lost keeps its history. Where a file states the value in which
they differ it is told with them (see `fact_settles`), and proposed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from moored.atlas.drafts import AGENT, PERSON
from moored.atlas.fact_settles import Stated, stated
from moored.atlas.notes_seen import get
from moored.errors import InvalidInput, NotFound
from moored.model.kin import BOTH, Dispute
from moored.record.operations import under_way

if TYPE_CHECKING:
    from moored.ledger.sight import Sight
    from moored.model.clock import Clock
    from moored.model.ids import IdSource
    from moored.model.notes import Note
    from moored.model.projects import Project
    from moored.store.port import Store, View


class Disputed(NamedTuple):
    """An open dispute with both notes, the newer first, and what a file states of it now; None where none does."""

    dispute: Dispute
    newer: Note
    older: Note
    fact: Stated | None


class Resolved(NamedTuple):
    """How a dispute was settled: which note holds (or `both`), which was superseded, by which operation."""

    dispute: str
    outcome: str
    superseded: str
    operation: str


def disputes(view: View, sight: Sight) -> tuple[Disputed, ...]:
    """The open disputes of a project, oldest first."""
    project = sight.tree.project
    found: list[Disputed] = []
    for one in view.kin.disputes(project):
        newer, older = get(view, project, one.note), get(view, project, one.other)
        found.append(Disputed(one, newer, older, stated(view, sight, newer, older)))
    return tuple(found)


def resolve(
    store: Store, project: Project, dispute_id: str, holds: str, *, actor: str, clock: Clock, ids: IdSource
) -> Resolved:
    """Settle a dispute: `holds` is the id of the note that holds, or `both`.

    Raises `NotFound` for a dispute that is not open, `InvalidInput` for a note that is no side of it, and for an actor
    that is neither a person nor an agent. Then nothing was changed.
    """
    if actor not in (PERSON, AGENT):
        raise InvalidInput(f"Only a person or an agent settles a dispute, not '{actor}'. Nothing was changed.")
    with (
        store.write() as transaction,
        under_way(transaction, project, "resolve", actor=actor, asked=True, clock=clock, ids=ids) as operation,
    ):
        known = {one.id: one for one in transaction.kin.disputes(project)}
        one = known.get(dispute_id)
        if one is None:
            raise NotFound(f"There is no open dispute {dispute_id} in this project.", near=tuple(known)[-3:])
        sides = (one.note, one.other)
        if holds != BOTH and holds not in sides:
            raise InvalidInput(
                f"'{holds}' is no side of the dispute {dispute_id}. Nothing was changed: name {sides[0]}, {sides[1]} "
                f"or `{BOTH}`."
            )
        loser = "" if holds == BOTH else next(side for side in sides if side != holds)
        transaction.kin.settle(project, dispute_id, holds, operation)
        if loser:
            transaction.notes.supersede(project, loser, holds, operation)
    return Resolved(dispute_id, holds, loser, operation)
