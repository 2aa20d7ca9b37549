"""Rating a note: what a person or an agent found of it once they had used it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.atlas.notes_seen import get
from moored.errors import InvalidInput
from moored.model.state import Rated, Rating
from moored.model.text import fold, shorten, well_formed
from moored.record.cleaning import cleaned_text
from moored.record.operations import under_way

if TYPE_CHECKING:
    from moored.model.clock import Clock
    from moored.model.ids import IdSource
    from moored.model.projects import Project
    from moored.store.port import Store

RATE = "rate"
"""The kind of the operation."""

MAX_REASON = 200
"""Characters of the reason of a rating."""


def rate(
    store: Store,
    project: Project,
    note_id: str,
    *,
    useful: bool,
    reason: str,
    actor: str,
    clock: Clock,
    ids: IdSource,
) -> Rated:
    """Say that a note was useful, or that it was not; it changes its confidence a little, and no answer.

    Raises `NotFound`, and `InvalidInput` for a reason that is too long and for who is neither a person nor an agent.
    """
    if actor not in ("person", "agent"):
        raise InvalidInput(f"Only a person or an agent rates a note, not '{shorten(actor, 40)}'. Nothing was changed.")
    said = cleaned_text(fold(well_formed(reason))).text
    if len(said) > MAX_REASON:
        raise InvalidInput(
            f"The reason of a rating has at most {MAX_REASON} characters, not {len(said):,}. Nothing was changed: say "
            "it in a few words, or `revise` the note."
        )
    with store.write() as transaction:
        note = get(transaction, project, note_id)
        with under_way(transaction, project, RATE, actor=actor, asked=True, clock=clock, ids=ids) as operation:
            transaction.states.rate(project, note.id, Rating(useful, said, actor, clock.now(), operation))
        counts = transaction.states.counts(project, [note.id])[note.id]
    return Rated(note.id, operation, useful, counts.useful, counts.useless)
