"""Erasing: one transaction in which everything goes, or nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.atlas.indexing import put_in_index, take_from_index
from moored.forgetting.fragments import SHORTEST
from moored.forgetting.redacting import spellings
from moored.model.forgetting import REDACTED
from moored.model.ids import REVISION
from moored.model.notes import Anchor, AnchorRole, Revision
from moored.model.profiles import PROFILE
from moored.model.text import fold
from moored.record.tombstones import lines_of, new_salt, salted, session_line

if TYPE_CHECKING:
    from moored.model.clock import Clock
    from moored.model.forgetting import Plan, Rebuilt, Selection
    from moored.model.ids import IdSource
    from moored.model.projects import Project
    from moored.store.port import Transaction

REBUILT = "rebuilt without what was forgotten"
"""The cause of a revision that says what is left of a note."""

LONGEST = 1_000
"""Characters of the longest text that a reason is looked through for: hardly one is as long."""


def bury(transaction: Transaction, project: Project, operation: str, plan: Plan, selection: Selection, at: int) -> None:
    """Set the tombstones that keep what goes from coming in again."""
    episodes = transaction.erasure.episodes(project, plan.episodes)
    lines = [*lines_of(episodes), *(f"id\0{one}" for one in (*plan.notes, *plan.pins, *plan.reminders))]
    lines += [f"id\0{one.note}\0{at}" for one in plan.rebuilt]
    if selection.session or selection.everything:
        lines += [session_line(one.host, one.session) for one in episodes if one.host_event]
    salt = transaction.erasure.salt() or new_salt()
    transaction.erasure.bury(project, operation, salted(dict.fromkeys(lines), salt), at, salt)


def erase(transaction: Transaction, project: Project, operation: str, plan: Plan, clock: Clock, ids: IdSource) -> None:
    """Delete everything of a plan and what quotes it, and give the notes that stay their next revision."""
    erasure = transaction.erasure
    facts = erasure.facts_of(project, plan.episodes)
    rebuild(transaction, project, operation, plan, clock, ids)
    erased = [revision for one in plan.rebuilt for revision in one.erased]
    quoted = _quoted(transaction, project, plan)
    erasure.erase_rows(project, operation, plan.pins, plan.reminders)
    erasure.erase_notes(project, operation, plan.notes, erased, facts)
    erasure.erase_episodes(project, operation, plan.episodes, clock.now())
    erasure.redact_said(project, operation, quoted)


def texts_of(transaction: Transaction, project: Project, plan: Plan) -> list[str]:
    """What is said by the notes, pins and reminders that go with a plan, and by the revisions that notes lose."""
    erasure = transaction.erasure
    erased = {revision for one in plan.rebuilt for revision in one.erased}
    notes = [
        revision.text
        for note in (*plan.notes, *(one.note for one in plan.rebuilt))
        for revision in erasure.revisions(project, note)
        if note in plan.notes or revision.id in erased
    ]
    kept = [*erasure.texts(project, "pin", plan.pins).values()]
    return [*notes, *kept, *erasure.texts(project, "reminder", plan.reminders).values()]


def _quoted(transaction: Transaction, project: Project, plan: Plan) -> dict[str, str]:
    """What goes with a plan, as a reason may quote it whole, and what is put in its place."""
    said = [one.content.decode("utf-8", "replace") for one in transaction.erasure.episodes(project, plan.episodes)]
    lines = {line for text in (*said, *texts_of(transaction, project, plan)) for line in (text.strip(), fold(text))}
    quoted = sorted((one for one in lines if SHORTEST <= len(one) <= LONGEST), key=len, reverse=True)
    return {form: REDACTED for one in quoted for form in spellings(one)}


def rebuild(
    transaction: Transaction, project: Project, operation: str, plan: Plan, clock: Clock, ids: IdSource
) -> None:
    """Let the notes that stay without a part say what is left of them."""
    for left in plan.rebuilt:
        note = transaction.notes.get(project, left.note, withdrawn=True)
        if not left.text or note is None:
            continue
        revision = _left(transaction, project, left, note.head, plan, clock, ids)
        if not note.withdrawn:
            take_from_index(transaction, note.head.row)
        row = transaction.notes.revise(project, note, revision, operation)
        if not note.withdrawn:
            put_in_index(transaction, project, row, revision)


def _left(
    transaction: Transaction, project: Project, left: Rebuilt, head: Revision, plan: Plan, clock: Clock, ids: IdSource
) -> Revision:
    """The revision that says what is left of a note."""
    if left.like:
        (like,) = (one for one in transaction.erasure.revisions(project, left.note) if one.id == left.like)
        episode, tags, proof, anchors = like.episode, like.tags, like.proof, like.anchors
    else:
        episode, tags, proof = left.sources[-1], head.tags, ""
        anchors = head.anchors
    going = set(plan.episodes)
    facts = set(transaction.erasure.facts_of(project, plan.episodes))
    kept = [one for one in anchors if one.episode not in going and one.fact not in facts]
    if not any(one.role is AnchorRole.SOURCE and one.episode == episode for one in kept):
        content_hash = transaction.episodes.hash_of(project, episode) or ""
        kept.insert(0, Anchor(AnchorRole.SOURCE, episode=episode, body_hash=content_hash))
    actor = PROFILE if head.actor == PROFILE else "person"
    return Revision(
        0, ids.new(REVISION), left.note, head.number + 1, left.text, tags, REBUILT, actor, episode, proof,
        clock.now(), tuple(kept),
    )  # fmt: skip
