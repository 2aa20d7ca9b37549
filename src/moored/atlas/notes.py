"""Writing notes: remember and revise.

The text is recorded as an episode first, so that a note always has something to rest on (I-03). All that one call
writes is one transaction. A revision never changes; a later one stands in front of it (I-07).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from moored.atlas.about import Resolved, command_anchor, resolve
from moored.atlas.aliases import call, checked_names
from moored.atlas.curation import carry_out
from moored.atlas.drafts import (
    AGENT,
    PERSON,
    Amendment,
    Draft,
    checked_actor,
    checked_cause,
    checked_kind,
    checked_proof,
    checked_tags,
    checked_text,
    event_of,
    require_left,
)
from moored.atlas.gate import Decision, Outcome, decide
from moored.atlas.notes_seen import get, trust_of
from moored.atlas.reanchor import same_targets
from moored.atlas.writing import Prepared, as_it_is, targets, write_next
from moored.errors import InvalidInput
from moored.ledger.sight import Sight
from moored.model.episodes import Event, Trust
from moored.model.ids import IdSource
from moored.model.notes import Anchor, AnchorRole, Note, Remembered
from moored.model.terms import fts_query, query_terms
from moored.record.admission import Admitted, admit
from moored.record.operations import under_way

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from moored.model.clock import Clock
    from moored.model.projects import Project, Tree
    from moored.store.port import Store, Transaction, View

_ACTORS = (PERSON, AGENT)

SAME_TEXT_LIMIT = 1_000
"""Notes with all the words of a new one that are compared with it."""


def remember(store: Store, tree: Tree, draft: Draft, *, clock: Clock, ids: IdSource) -> Remembered:
    """Write a new note.

    When the very same is noted already (text, kind, actor, targets), that note is answered and nothing is written but
    that it replaces `supersedes`; if a target has changed since, it gets a revision with the hashes of now. Else the
    gate decides what becomes of it (see `gate`), unless the draft insists or names what it replaces.

    Raises `EmptyText`, `TooLarge`, `InvalidInput` (also for a note that would replace one of higher trust),
    `NotFound` and `Ambiguous` (`about`, `supersedes`). Then nothing was written.
    """
    text, kind, actor = checked_text(draft.text), checked_kind(draft.kind), checked_actor(draft.actor)
    # By its proper name as a tag a note is about that thing.
    names = checked_names(draft.names)
    tags, proof, cause = checked_tags((*draft.tags, *names[:1])), checked_proof(draft.proof), checked_cause(draft.cause)
    admitted = _admitted(event_of(text, actor, draft.channel, draft.host, draft.session))
    text, account = _words(admitted), _taken_out(admitted)
    project = tree.project
    with store.read() as view:
        resolved = resolve(view, Sight(view, tree), draft.about, text)
        anchors = (*resolved.anchors, *_proof_anchors(view, project, proof))
        prepared = Prepared(text, tags, proof, cause, actor, admitted, anchors, resolved.unresolved, account=account)
        curates = actor in _ACTORS and admitted.trust is not Trust.DATA
        passed = draft.insist or bool(draft.supersedes)
        decision = Decision(Outcome.NEW) if passed else decide(view, project, prepared, kind, curates=curates)
    asked = bool(draft.supersedes) and actor in _ACTORS
    with (
        store.write() as transaction,
        under_way(transaction, project, "remember", actor=actor, asked=asked, clock=clock, ids=ids) as operation,
    ):
        older = _superseded(transaction, project, draft.supersedes, admitted.trust)
        known = None if draft.insist else _same_note(transaction, project, prepared, kind, admitted.trust)
        if known is None:
            done = carry_out(transaction, project, kind, prepared, decision, operation, clock, ids)
        elif targets(known.head.anchors, hashes=True) == targets(anchors, hashes=True):
            done = as_it_is(known, "duplicate", prepared, f"{known.id} says the very same already")
        elif known.protected:
            why = f"{known.id} says the same and is protected: `revise` it to take its targets as they are now"
            done = as_it_is(known, "duplicate", prepared, why)
        else:
            again = replace(prepared, account=(f"{known.id} says the same; its targets have changed since", *account))
            done = write_next(transaction, project, known, again, operation, clock, ids)
        if older and older.id != done.id:
            transaction.notes.supersede(project, older.id, done.id, operation)
            done = done._replace(receipt=(*done.receipt, f"replaces {older.id}"))
        if names:
            said = get(transaction, project, done.id).head.episode
            new = call(transaction, project, names, episode=said, actor=actor, at=clock.now())
            done = done._replace(receipt=(*done.receipt, *(f"{other} is another name of {names[0]}" for other in new)))
    return done


def revise(
    store: Store,
    tree: Tree,
    note_id: str,
    amendment: Amendment,
    *,
    clock: Clock,
    ids: IdSource,
    kind: str = "revise",
    first: Callable[[Transaction, str], None] | None = None,
) -> Remembered:
    """Write the next revision of a note; nothing when it would say the same about the same targets.

    Targets that are gone are dropped, and the receipt says so; a target that moved is followed. When nothing is left,
    the note rests on its episode alone. `kind` is that of the operation; `first` is done under it, in the same
    transaction, and may refuse.

    Raises `NotFound` for an unknown note, and what `remember` raises. Then nothing was written.
    """
    actor, cause = checked_actor(amendment.actor), checked_cause(amendment.cause)
    said = None if amendment.text is None else _admitted(_event(checked_text(amendment.text), amendment))
    project = tree.project
    with store.read() as view:
        seen = get(view, project, note_id)
        text = seen.head.text if said is None else _words(said)
        tags = seen.head.tags if amendment.tags is None else checked_tags(amendment.tags)
        proof = seen.head.proof if amendment.proof is None else checked_proof(amendment.proof)
        resolved, account = _targets_of_revision(view, Sight(view, tree), seen, amendment, text, said is not None)
        anchors = (*resolved.anchors, *_proof_anchors(view, project, proof))
    admitted = admit(_event(text, amendment))
    episode = seen.head.episode if text == seen.head.text else ""
    account = (*account, *_taken_out(said or admitted))
    prepared = Prepared(text, tags, proof, cause, actor, admitted, anchors, resolved.unresolved, episode, account)
    asked = actor in _ACTORS
    with (
        store.write() as transaction,
        under_way(transaction, project, kind, actor=actor, asked=asked, clock=clock, ids=ids) as operation,
    ):
        note = get(transaction, project, note_id)
        if note.head.id == seen.head.id:
            if first:
                first(transaction, operation)
            _require_trust(transaction, project, note, admitted.trust, "revise")
            same_words = (note.head.text, note.head.tags, note.head.proof) == (text, tags, proof)
            if same_words and targets(note.head.anchors, hashes=True) == targets(anchors, hashes=True):
                return as_it_is(note, "unchanged", prepared, f"{note.head.id} says so already")
            return write_next(transaction, project, note, prepared, operation, clock, ids)
    # Someone else revised it meanwhile, and what was left as it is has to be read again.
    return revise(store, tree, note_id, amendment, clock=clock, ids=ids, kind=kind, first=first)


def _event(text: str, amendment: Amendment) -> Event:
    return event_of(text, amendment.actor, amendment.channel, amendment.host, amendment.session)


def _admitted(event: Event) -> Admitted:
    """Admit the words of a note. Raises `EmptyText` when nothing is left of them."""
    admitted = admit(event)
    require_left(admitted.withheld)
    return admitted


def _taken_out(admitted: Admitted) -> tuple[str, ...]:
    """The line of the account that says what admission took out of the words."""
    return (f"taken out: {', '.join(admitted.redacted)}",) if admitted.redacted else ()


def _words(admitted: Admitted) -> str:
    """What admission let through of a text: a note says no more than the record does."""
    return admitted.event.content.decode()


def _targets_of_revision(
    view: View, sight: Sight, note: Note, amendment: Amendment, text: str, reworded: bool
) -> tuple[Resolved, tuple[str, ...]]:
    if amendment.about is not None:
        return resolve(view, sight, amendment.about, text), ()
    kept, account = same_targets(view, sight, note)
    if not reworded:
        return Resolved(kept, ()), account
    named = resolve(view, sight, (), text)
    known = {(anchor.path, anchor.name) for anchor in kept}
    fresh = tuple(anchor for anchor in named.anchors if (anchor.path, anchor.name) not in known)
    return Resolved((*kept, *fresh), named.unresolved), account


def _proof_anchors(view: View, project: Project, proof: str) -> tuple[Anchor, ...]:
    anchor = command_anchor(view, project, proof, AnchorRole.PROOF) if proof else None
    return (anchor,) if anchor else ()


def _superseded(view: View, project: Project, note_id: str, trust: Trust) -> Note | None:
    if not note_id:
        return None
    note = get(view, project, note_id)
    if note.superseded_by and view.notes.get(project, note.superseded_by):
        newest = note.superseded_by
        raise InvalidInput(
            f"The note {note_id} was replaced by {newest} already. Nothing was written: replace {newest} instead."
        )
    _require_trust(view, project, note, trust, "replace")
    return note


def _require_trust(view: View, project: Project, note: Note, trust: Trust, what: str) -> None:
    """Words of a document or a tool change nothing that a person or an agent said (I-21)."""
    held = trust_of(view, project, note)
    if trust is Trust.DATA and held.level > trust.level:
        raise InvalidInput(
            f"What came in as data cannot {what} the note {note.id}, which is trusted as '{held}'. Nothing was "
            "written: let a person or an agent say it."
        )


def _same_note(view: View, project: Project, new: Prepared, kind: str, trust: Trust) -> Note | None:
    """The note that stands and says the very same about the same targets, whatever their hashes."""
    for note in _with_words(view, project, new.text):
        head = note.head
        alike = (note.kind, head.text, head.actor, head.tags, head.proof)
        if (
            alike == (kind, new.text, new.actor, new.tags, new.proof)
            and not note.superseded_by
            and targets(head.anchors) == targets(new.anchors)
            and trust_of(view, project, note) is trust
        ):
            return note
    return None


def _with_words(view: View, project: Project, text: str) -> Iterable[Note]:
    terms = query_terms(text)
    if not terms:
        return view.notes.all(project)
    every = " AND ".join(fts_query([term]) for term in terms)
    found = view.search.postings("revision", project, every, SAME_TEXT_LIMIT)
    return view.notes.by_heads(project, sorted(posting.row for posting in found)).values()
