"""Seeding a project: what its tree says becomes notes, and doing it again brings them up to date (A-12).

The words come from documents, so they are data: admitted like everything else, quoted wherever they are shown, and no
ground for anything of higher trust (I-12, I-20, I-21). Each note has a key. A key that says the same leaves its note
untouched, one that says something else makes its next revision, and the note of a key that is gone is withdrawn. What
somebody made their own is left alone. All that a run changes is one operation, which can be undone.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from moored.atlas.about import fact_anchors
from moored.atlas.drafts import checked_tags, checked_text, event_of
from moored.atlas.indexing import put_in_index, take_from_index
from moored.atlas.lookup import Target
from moored.atlas.writing import Prepared, record_words, targets, write_new, write_next
from moored.ledger.sight import Sight
from moored.model.excerpts import excerpt, holds, is_excerpt
from moored.model.facts import FactKind
from moored.model.operations import UNDO
from moored.model.seeding import SEED, Seeded, SeededNote, SeedOutcome
from moored.record.admission import admit
from moored.record.operations import under_way
from moored.seeding.reading import Read, read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.model.clock import Clock
    from moored.model.ids import IdSource
    from moored.model.notes import Anchor, Note
    from moored.model.projects import Project, Tree
    from moored.seeding.found import Seed
    from moored.store.port import Store, Transaction, View

MOST = 60
"""Notes that one run leaves in force unless asked for more or fewer."""

TOKENS = 6_000
"""Tokens that they have together."""

_CHANGES = frozenset({SeedOutcome.NEW, SeedOutcome.REVISED, SeedOutcome.RESTORED})


class _Ready(NamedTuple):
    """A seed with its words admitted and its targets as they are on disk now."""

    key: str
    prepared: Prepared
    tokens: int
    about: tuple[str, ...]


class _Plan(NamedTuple):
    """What is to become of the note of a key, the note there is, and why."""

    outcome: SeedOutcome
    note: Note | None = None
    why: str = ""


def seed(
    store: Store,
    tree: Tree,
    *,
    most: int = MOST,
    tokens: int = TOKENS,
    dry_run: bool = False,
    clock: Clock,
    ids: IdSource,
) -> Seeded:
    """Read a tree as the ledger knows it into at most `most` notes of at most `tokens` tokens together.

    With `dry_run` nothing is written, and the account says what would be.
    """
    project = tree.project
    with store.read() as view:
        found = read(view, tree, most=most, tokens=tokens)
        sight = Sight(view, tree)
        ready = [_made_ready(sight, one, size) for one, size in found.seeds]
        if dry_run:
            told = [*_planned(view, project, ready), *_leftover(view, project, found, ready)]
            return _account("", True, [note for _, note, _ in told], found)
    with store.write() as transaction:
        with under_way(transaction, project, SEED, actor=SEED, clock=clock, ids=ids) as operation:
            planned = _planned(transaction, project, ready)
            gone = _leftover(transaction, project, found, ready)
            notes = [
                _carried_out(transaction, project, plan, note, one, operation, clock, ids)
                for plan, note, one in planned
            ]
            for plan, _, _ in gone:
                if plan.outcome is SeedOutcome.WITHDRAWN and plan.note:
                    take_from_index(transaction, plan.note.head.row)
                    transaction.notes.withdraw(project, plan.note.id, operation)
        did = transaction.operations.get(project, operation) is not None
    return _account(operation if did else "", False, [*notes, *(note for _, note, _ in gone)], found)


def _made_ready(sight: Sight, one: Seed, tokens: int) -> _Ready:
    """Admit the words of a seed, and take its targets as they are on disk now."""
    # Named by its key, a text that was seeded before is the episode that it was, and one that was forgotten stays so.
    event = event_of(checked_text(one.text), SEED, None, "", "")._replace(host_event=f"{SEED}:{one.key}")
    admitted = admit(event)
    anchors: dict[tuple[str, str, str, str], Anchor] = {}
    for fact in one.about:
        for found in fact_anchors(sight, Target(fact.path, fact.name, (fact,))):
            anchor = _taking_up(sight, one, found)
            anchors.setdefault((anchor.path, anchor.name, anchor.signature_hash, anchor.body_hash), anchor)
    text = admitted.event.content.decode()
    prepared = Prepared(text, checked_tags(one.tags), "", "seeded", SEED, admitted, tuple(anchors.values()), ())
    addresses = tuple(dict.fromkeys(anchor.address for anchor in prepared.anchors))
    return _Ready(one.key, prepared, tokens, addresses)


def _taking_up(sight: Sight, one: Seed, anchor: Anchor) -> Anchor:
    """An anchor with what the seed takes from its file, where all of that stands in it as it was taken."""
    if one.taken is None or anchor.kind is not FactKind.FILE:
        return anchor
    value = excerpt(one.taken)
    return anchor._replace(value=value) if holds(value, sight.text(anchor.path)) else anchor


def _planned(view: View, project: Project, ready: list[_Ready]) -> list[tuple[_Plan, SeededNote, _Ready]]:
    """What is to become of each seed, as the atlas stands in this view."""
    known = view.seeds.all(project)
    planned: list[tuple[_Plan, SeededNote, _Ready]] = []
    for one in ready:
        plan = _decided(view, project, known.get(one.key, ""), one.prepared)
        note = plan.note.id if plan.note else ""
        told = SeededNote(one.key, plan.outcome, note, one.prepared.text, one.tokens, one.about, plan.why)
        planned.append((plan, told, one))
    return planned


def _decided(view: View, project: Project, note_id: str, new: Prepared) -> _Plan:
    note = view.notes.get(project, note_id, withdrawn=True) if note_id else None
    if note is None:
        return _Plan(SeedOutcome.NEW)
    if why := _taken(view, project, note):
        return _Plan(SeedOutcome.LEFT, note, why)
    if not note.withdrawn and _says(note, new):
        return _Plan(SeedOutcome.UNCHANGED, note)
    if note.protected:
        return _Plan(SeedOutcome.LEFT, note, f"it is protected: {note.protected}")
    return _Plan(SeedOutcome.RESTORED if note.withdrawn else SeedOutcome.REVISED, note)


def _taken(view: View, project: Project, note: Note) -> str:
    """Why a note is not the seed's to change any more; empty while it is."""
    if note.head.actor != SEED:
        return f"it was reworded by {note.head.actor}"
    if note.superseded_by:
        return f"it was replaced by {note.superseded_by}"
    if note.withdrawn:
        operation = view.operations.get(project, note.withdrawn)
        if operation is None or operation.kind not in (SEED, UNDO):
            return f"it was taken out by {operation.kind if operation else 'an operation'} {note.withdrawn}"
    return ""


def _says(note: Note, new: Prepared) -> bool:
    """Whether a note says this already, about the same targets as they are now."""
    head = note.head
    return (head.text, head.tags, _rests_on(head.anchors)) == (new.text, new.tags, _rests_on(new.anchors))


def _rests_on(anchors: Sequence[Anchor]) -> tuple[frozenset[tuple[str, ...]], frozenset[tuple[str, str]]]:
    """What a note rests on, as it was: facts by their hashes, files from which an excerpt was taken by that."""
    taken = [one for one in anchors if is_excerpt(one.value)]
    others = [one for one in anchors if one not in taken]
    return targets(others, hashes=True), frozenset((one.path, one.value) for one in taken)


def _leftover(view: View, project: Project, found: Read, ready: list[_Ready]) -> list[tuple[_Plan, SeededNote, None]]:
    """What is to become of the notes of keys that this run does not write; not where it is not known what they say."""
    keys = {one.key for one in ready}
    gone: list[tuple[_Plan, SeededNote, None]] = []
    for key, note_id in view.seeds.all(project).items():
        topic, _, of = key.partition(":")
        note = view.notes.get(project, note_id) if key not in keys else None
        if note is None or topic in found.without or of.partition("#")[0] in found.unread:
            continue
        why = _taken(view, project, note) or (f"it is protected: {note.protected}" if note.protected else "")
        if why:
            plan = _Plan(SeedOutcome.LEFT, note, f"nothing says it any more; {why}")
        else:
            room = "there was no room for it" if key in found.no_room else "nothing says it any more"
            plan = _Plan(SeedOutcome.WITHDRAWN, note, room)
        about = tuple(dict.fromkeys(anchor.address for anchor in note.head.anchors if anchor.path))
        gone.append((plan, SeededNote(key, plan.outcome, note.id, note.head.text, 0, about, plan.why), None))
    return gone


def _carried_out(
    transaction: Transaction,
    project: Project,
    plan: _Plan,
    told: SeededNote,
    one: _Ready,
    operation: str,
    clock: Clock,
    ids: IdSource,
) -> SeededNote:
    """Write what is to be written of one seed."""
    if plan.outcome not in _CHANGES:
        return told
    note, new = plan.note, one.prepared
    if note and plan.outcome is SeedOutcome.RESTORED:
        _restore(transaction, project, note, operation)
        if _says(note, new):
            return told
    episode = record_words(transaction, project, new, operation, clock, ids)
    if not episode:
        return told._replace(outcome=SeedOutcome.LEFT, why="its words were forgotten")
    said = replace(new, episode=episode, cause="seeded again" if note else new.cause)
    if note:
        write_next(transaction, project, note, said, operation, clock, ids)
        return told
    written = write_new(transaction, project, SEED, said, operation, clock, ids)
    transaction.seeds.put(project, one.key, written.id)
    return told._replace(note=written.id)


def _restore(transaction: Transaction, project: Project, note: Note, operation: str) -> None:
    """Let a withdrawn note be told again, with the episode that holds its words."""
    for change in transaction.operations.changes(project, note.withdrawn):
        if (change.note, change.field) == (note.id, "withdrawn"):
            transaction.notes.restore(project, change, operation)
    transaction.operations.attribute(project, operation, [note.head.episode])
    put_in_index(transaction, project, note.head.row, note.head)


def _account(operation: str, dry_run: bool, notes: list[SeededNote], found: Read) -> Seeded:
    return Seeded(operation, dry_run, tuple(notes), found.tokens, found.omitted, found.unknown)
