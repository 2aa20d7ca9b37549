"""Deciding proposals: accepting one carries it out, rejecting one leaves the note as it is.

Each is one operation that a person or an agent asked for, so that a protected note may be changed by it (I-08), and
that its undo brings back the note and the open proposal alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.atlas.drafts import AGENT, PERSON, Amendment
from moored.atlas.indexing import take_from_index
from moored.atlas.notes import revise
from moored.atlas.notes_seen import get, trust_of
from moored.atlas.proposals import still_stands
from moored.errors import InvalidInput, NotFound
from moored.ledger.sight import Sight
from moored.model.episodes import Channel, Trust
from moored.model.proposals import ACCEPTED, REJECTED, Decided, GroundKind, Proposal, Remedy
from moored.model.text import fold, shorten, well_formed
from moored.record.cleaning import cleaned_text
from moored.record.operations import under_way

if TYPE_CHECKING:
    from moored.model.clock import Clock
    from moored.model.ids import IdSource
    from moored.model.projects import Project, Tree
    from moored.store.port import Store, Transaction, View

ACCEPT, REJECT = "accept", "reject"
"""The kinds of the operations."""

MAX_REASON = 200
"""Characters of the reason of a rejection."""

CAUSE = 300
"""Characters of the reason of a proposal that become the cause of the revision."""


def accept(
    store: Store, tree: Tree, proposal_id: str, *, text: str | None, actor: str, clock: Clock, ids: IdSource
) -> Decided:
    """Do what is proposed; with `text` the note is revised to say that instead.

    Raises `NotFound`, and `InvalidInput` for a proposal that was decided, whose evidence is not so any more, or that
    says no text where none is given. Then nothing was changed.
    """
    _require_asker(actor, "accepts")
    project = tree.project
    with store.read() as view:
        proposal = _open(view, project, proposal_id)
        if not still_stands(view, Sight(view, tree), proposal):
            raise InvalidInput(
                f"What {proposal_id} rests on has changed since it was proposed. Nothing was changed: `review` again."
            )
        held = trust_of(view, project, get(view, project, proposal.note))
    if text is None and proposal.action is Remedy.ARCHIVE:
        return _archive(store, project, proposal, actor, clock, ids)
    if text is None and not proposal.text:
        raise InvalidInput(
            f"What {proposal.note} should say does not follow from its sources, so {proposal_id} proposes no text. "
            "Nothing was changed: accept it with a text, or reject it."
        )
    # Words that come from files alone are trusted no further for being accepted unread.
    channel = Channel.DOCUMENT if text is None and held is Trust.DATA else None
    cause = shorten(f"accepted {proposal.id}: {proposal.reason}", CAUSE)
    amendment = Amendment(proposal.text if text is None else text, cause=cause, actor=actor, channel=channel)
    decided: list[str] = []

    def first(transaction: Transaction, operation: str) -> None:
        _open(transaction, project, proposal_id)
        transaction.proposals.decide(project, proposal_id, ACCEPTED, operation)
        decided.append(operation)

    done = revise(store, tree, proposal.note, amendment, clock=clock, ids=ids, kind=ACCEPT, first=first)
    return Decided(proposal_id, done.id, ACCEPTED, decided[-1], (f"{done.outcome}: {done.revision}", *done.receipt))


def reject(
    store: Store, project: Project, proposal_id: str, because: str, *, actor: str, clock: Clock, ids: IdSource
) -> Decided:
    """Leave the note as it is, for a reason; on the same evidence the same is not proposed again.

    Raises `NotFound`, and `InvalidInput` for a proposal that was decided and for no reason. Then nothing was changed.
    """
    _require_asker(actor, "rejects")
    said = cleaned_text(fold(well_formed(because))).text
    if not said or len(said) > MAX_REASON:
        raise InvalidInput(
            f"The reason of a rejection has 1 to {MAX_REASON} characters, not {len(said)}. Nothing was changed: say "
            "in a few words why the note holds as it is."
        )
    with (
        store.write() as transaction,
        under_way(transaction, project, REJECT, actor=actor, asked=True, clock=clock, ids=ids) as operation,
    ):
        proposal = _open(transaction, project, proposal_id)
        transaction.proposals.decide(project, proposal_id, REJECTED, operation, said)
    receipt = (f"{proposal.note} stays as it is", "the same is not proposed again on the same evidence")
    return Decided(proposal_id, proposal.note, REJECTED, operation, receipt)


def _archive(store: Store, project: Project, proposal: Proposal, actor: str, clock: Clock, ids: IdSource) -> Decided:
    """Take a note out of every answer, and settle the dispute that it loses by it."""
    with (
        store.write() as transaction,
        under_way(transaction, project, ACCEPT, actor=actor, asked=True, clock=clock, ids=ids) as operation,
    ):
        _open(transaction, project, proposal.id)
        transaction.proposals.decide(project, proposal.id, ACCEPTED, operation)
        note = get(transaction, project, proposal.note)
        for ground in proposal.grounds:
            if ground.kind is GroundKind.DISPUTE:
                transaction.kin.settle(project, ground.id, ground.what, operation)
                transaction.notes.supersede(project, note.id, ground.what, operation)
        take_from_index(transaction, note.head.row)
        transaction.notes.withdraw(project, note.id, operation)
    told = (f"{note.id} is in no answer any more; `history` shows it",)
    if proposal.successor:
        told = (*told, f"{proposal.successor} stands in its place")
    return Decided(proposal.id, note.id, ACCEPTED, operation, told)


def _open(view: View, project: Project, proposal_id: str) -> Proposal:
    """The proposal of an id, if it can be decided."""
    standing = {one.id: one for one in view.proposals.standing(project)}
    proposal = standing.get(proposal_id) or view.proposals.get(project, proposal_id)
    if proposal is None:
        near = tuple(one.id for one in standing.values() if not one.decided)[-3:]
        raise NotFound(f"There is no proposal {proposal_id} in this project.", near=near)
    if proposal.decided:
        how = proposal.decision or "closed, since what it rests on changed"
        raise InvalidInput(
            f"The proposal {proposal_id} was {how} ({proposal.decided}). Nothing was changed: `undo` of that operation "
            "opens it again."
        )
    if proposal_id not in standing:
        raise InvalidInput(
            f"The proposal {proposal_id} is about what {proposal.note} said before, or was taken back. Nothing was "
            "changed: `review` lists what is open."
        )
    return proposal


def _require_asker(actor: str, does: str) -> None:
    if actor not in (PERSON, AGENT):
        raise InvalidInput(
            f"Only a person or an agent {does} a proposal, not '{shorten(actor, 40)}'. Nothing was changed."
        )
