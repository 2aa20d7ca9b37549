"""Writing the revision of a note: its words into the record, the revision, its anchors, and what finds it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from moored.atlas.indexing import put_in_index, take_from_index
from moored.atlas.protection import why_protected
from moored.atlas.verdict import called
from moored.model.episodes import Trust
from moored.model.ids import NOTE, REVISION, IdSource
from moored.model.notes import Anchor, AnchorRole, Note, Remembered, Revision, Unresolved
from moored.record.admission import Admitted, write

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.model.clock import Clock
    from moored.model.projects import Project
    from moored.store.port import Transaction


@dataclass(frozen=True, slots=True)
class Prepared:
    """A revision before it is written. `episode` is that of its words if they are in the record already, else empty."""

    text: str
    tags: tuple[str, ...]
    proof: str
    cause: str
    actor: str
    admitted: Admitted
    anchors: tuple[Anchor, ...]
    unresolved: tuple[Unresolved, ...]
    episode: str = ""
    account: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Derived:
    """A note before it is derived. `episodes` are what it rests on; the first holds its words, or what they say."""

    text: str
    tags: tuple[str, ...]
    cause: str
    actor: str
    episodes: tuple[str, ...]


def targets(anchors: Sequence[Anchor], *, hashes: bool = False) -> frozenset[tuple[str, ...]]:
    """What anchors point at, by identity, without the episode of the note itself; with `hashes`, as it was too."""
    return frozenset(
        (a.role, a.path, a.kind or "", a.name, a.episode, *((a.signature_hash, a.body_hash) if hashes else ()))
        for a in anchors
        if a.role is not AnchorRole.SOURCE
    )


def write_new(
    transaction: Transaction, project: Project, kind: str, new: Prepared, operation: str, clock: Clock, ids: IdSource
) -> Remembered:
    """Write a note with its first revision."""
    note_id = ids.new(NOTE)
    revision, account = _revision(transaction, project, note_id, None, new, operation, clock, ids)
    protected = why_protected(kind, new.text) if new.admitted.trust is not Trust.DATA else ""
    row = transaction.notes.add(project, note_id, kind, revision, operation, protected)
    put_in_index(transaction, project, row, revision)
    if protected:
        account = (*account, f"protected: {protected}")
    return Remembered(note_id, revision.id, "new", revision.anchors, new.unresolved, account)


def write_next(
    transaction: Transaction, project: Project, note: Note, new: Prepared, operation: str, clock: Clock, ids: IdSource
) -> Remembered:
    """Write the next revision of a note."""
    revision, account = _revision(transaction, project, note.id, note.head, new, operation, clock, ids)
    take_from_index(transaction, note.head.row)
    row = transaction.notes.revise(project, note, revision, operation)
    put_in_index(transaction, project, row, revision)
    return Remembered(note.id, revision.id, "revised", revision.anchors, new.unresolved, account)


def write_derived(
    transaction: Transaction,
    project: Project,
    kind: str,
    new: Derived,
    operation: str,
    clock: Clock,
    ids: IdSource,
) -> str:
    """Write a note that a rule derives from what is in the record already; return its id. No episode is written."""
    note_id = ids.new(NOTE)
    hashes = [(one, transaction.episodes.hash_of(project, one) or "") for one in new.episodes]
    anchors = tuple(Anchor(AnchorRole.SOURCE, episode=one, body_hash=content_hash) for one, content_hash in hashes)
    revision = Revision(
        0, ids.new(REVISION), note_id, 1, new.text, new.tags, new.cause, new.actor, new.episodes[0], "", clock.now(),
        anchors,
    )  # fmt: skip
    row = transaction.notes.add(project, note_id, kind, revision, operation)
    put_in_index(transaction, project, row, revision)
    return note_id


def record_words(
    transaction: Transaction, project: Project, new: Prepared, operation: str, clock: Clock, ids: IdSource
) -> str:
    """Keep the words of a note in the record, as brought in by an operation; return the id of the episode."""
    episode = write(transaction, project, new.admitted, clock, ids).episode
    transaction.operations.attribute(project, operation, [episode])
    return episode


def _revision(
    transaction: Transaction,
    project: Project,
    note_id: str,
    parent: Revision | None,
    new: Prepared,
    operation: str,
    clock: Clock,
    ids: IdSource,
) -> tuple[Revision, tuple[str, ...]]:
    """Record the words, and make the revision that rests on them."""
    episode = new.episode or record_words(transaction, project, new, operation, clock, ids)
    content_hash = transaction.episodes.hash_of(project, episode) or ""
    source = Anchor(AnchorRole.SOURCE, episode=episode, body_hash=content_hash)
    revision = Revision(
        0, ids.new(REVISION), note_id, parent.number + 1 if parent else 1, new.text, new.tags, new.cause, new.actor,
        episode, new.proof, clock.now(), (source, *new.anchors),
    )  # fmt: skip
    addresses = ", ".join(dict.fromkeys(called(a) for a in new.anchors if a.role is AnchorRole.ABOUT))
    account = (
        f"its words are episode {episode}",
        f"about {addresses}" if addresses else "about nothing in the tree: it rests on what was said",
        *new.account,
    )
    return revision, account


def as_it_is(note: Note, outcome: str, new: Prepared, why: str) -> Remembered:
    """The answer where a note stays as it is."""
    return Remembered(note.id, note.head.id, outcome, note.head.anchors, new.unresolved, (why, *new.account))
