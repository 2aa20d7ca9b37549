"""Carrying out what the gate decided, in the transaction and under the operation of the `remember` (A-05).

Nothing is cut and nothing is written over: a note gets its next revision, and what it rested on before is an anchor of
that one too, so that both lineages are kept.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from moored.atlas.drafts import MAX_TEXT
from moored.atlas.likeness import Likeness, compare
from moored.atlas.writing import Prepared, as_it_is, record_words, write_new, write_next
from moored.model.ids import DISPUTE, IdSource
from moored.model.kin import Related
from moored.model.notes import AnchorRole
from moored.model.text import shorten

if TYPE_CHECKING:
    from collections.abc import Iterable

    from moored.atlas.gate import Decision
    from moored.model.clock import Clock
    from moored.model.notes import Anchor, Note, Remembered
    from moored.model.projects import Project
    from moored.store.port import Transaction

TOLD = 5
"""Notes that come back with a save."""

TOLD_CHARACTERS = 120
"""Characters that are told of each: with `TOLD` about 200 tokens."""

_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_SAID = (Likeness.SAME, Likeness.NEAR, Likeness.PART)


def merged_text(older: str, newer: str) -> str | None:
    """Both texts as one, or None where they are not two compatible parts of one thing.

    They are when a sentence of one says the same as a sentence of the other, each has more, and nothing is at odds. The
    older text comes whole, then the sentences of the newer that it does not say.
    """
    mine, yours = _sentences(older), _sentences(newer)
    if len(mine) < 2 or len(yours) < 2:
        return None
    likes = [[compare(one, other).likeness for one in mine] for other in yours]
    if any(like in (Likeness.UPDATE, Likeness.CONTRADICTION) for row in likes for like in row):
        return None
    fresh = [other for other, row in zip(yours, likes, strict=True) if not any(like in _SAID for like in row)]
    if not fresh or len(fresh) == len(yours):
        return None
    text = "\n".join((older.rstrip(), *fresh))
    return text if len(text.encode()) <= MAX_TEXT else None


def carry_out(
    transaction: Transaction,
    project: Project,
    kind: str,
    new: Prepared,
    decision: Decision,
    operation: str,
    clock: Clock,
    ids: IdSource,
) -> Remembered:
    """Do what was decided. A note that was changed meanwhile is left as it is, and the new one stands beside it."""
    note = decision.note and transaction.notes.get(project, decision.note.id)
    if decision.note and (note is None or note.head.id != decision.note.head.id or note.superseded_by):
        decision = replace(decision, outcome="new", note=None)
    match decision.outcome:
        case "reinforced" | "refused" if note:
            done = _keep_words(transaction, project, new, note, decision, operation, clock, ids)
        case "revised" | "merged" if note and not note.protected:
            done = _next(transaction, project, new, note, decision, operation, clock, ids)
        case _:
            done = write_new(transaction, project, kind, new, operation, clock, ids)
    return _beside(transaction, project, done, decision, operation, clock, ids)


def _keep_words(
    transaction: Transaction,
    project: Project,
    new: Prepared,
    note: Note,
    decision: Decision,
    operation: str,
    clock: Clock,
    ids: IdSource,
) -> Remembered:
    """Keep the words in the record; where the note says the same, they are evidence for it."""
    episode = record_words(transaction, project, new, operation, clock, ids)
    done = as_it_is(note, str(decision.outcome), new, decision.why)
    if decision.outcome == "reinforced":
        transaction.kin.reinforce(project, note.id, episode, "same", operation, clock.now())
        count = len(transaction.kin.evidence(project, note.id))
        return done._replace(receipt=(*done.receipt, f"episode {episode} is evidence for it, the {_nth(count)}"))
    how = f"its words are episode {episode}; nothing else was written. `insist` makes it a note of its own"
    return done._replace(receipt=(*done.receipt, how))


def _next(
    transaction: Transaction,
    project: Project,
    new: Prepared,
    note: Note,
    decision: Decision,
    operation: str,
    clock: Clock,
    ids: IdSource,
) -> Remembered:
    """Write the next revision of a note, which rests on the words of both."""
    tags = tuple(dict.fromkeys((*note.head.tags, *new.tags)))
    anchors = (*new.anchors, *_others(note.head.anchors, new.anchors))
    account = (f"the next revision of {decision.why}", *new.account)
    cause = f"{decision.outcome} with what was remembered"
    said = replace(
        new,
        text=decision.text or new.text,
        tags=tags,
        anchors=anchors,
        account=account,
        cause=cause,
        proof=new.proof or note.head.proof,
    )
    done = write_next(transaction, project, note, said, operation, clock, ids)
    return done._replace(outcome=str(decision.outcome))


def _others(older: Iterable[Anchor], newer: Iterable[Anchor]) -> list[Anchor]:
    """The anchors of a note that a newer text does not bring itself."""
    known = {(one.role, one.path, one.name) for one in newer if one.role is not AnchorRole.SOURCE}
    return [one for one in older if one.role is AnchorRole.SOURCE or (one.role, one.path, one.name) not in known]


def _beside(
    transaction: Transaction,
    project: Project,
    done: Remembered,
    decision: Decision,
    operation: str,
    clock: Clock,
    ids: IdSource,
) -> Remembered:
    """Record the disputes and links of what was decided, and tell what is beside the note."""
    at = clock.now()
    told: list[Related] = []
    account = list(done.receipt)
    opponents = transaction.kin.opponents(project, [done.id]).get(done.id, ())
    standing = {one.note: one.dispute for one in opponents if not one.newer}
    for other, reason in decision.against:
        dispute = standing.get(other.id)
        if dispute is None:
            dispute = ids.new(DISPUTE)
            transaction.kin.dispute(project, dispute, done.id, other.id, reason, operation, at)
        account.append(f"disputed by {other.id}: {reason}. Both stand until `resolve {dispute}`")
        told.append(_told(other, f"disputes it: {reason}"))
    written = done.outcome not in ("reinforced", "refused")
    disputing = {other.id for other, _ in decision.against}
    for other, reason in decision.related:
        if other.id in disputing:
            continue
        if written:
            transaction.kin.link(project, done.id, other.id, "related", reason, operation, at)
        told.append(_told(other, reason))
    outcome = "disputed" if decision.against and done.outcome == "new" else done.outcome
    return done._replace(outcome=outcome, receipt=tuple(account), related=tuple(told[:TOLD]))


def _told(note: Note, why: str) -> Related:
    return Related(note.id, shorten(note.head.text, TOLD_CHARACTERS), why)


def _sentences(text: str) -> list[str]:
    return [sentence for sentence in _SENTENCE.split(text) if sentence.strip()]


def _nth(count: int) -> str:
    return f"{count}{'th' if 10 <= count % 100 <= 20 else {1: 'st', 2: 'nd', 3: 'rd'}.get(count % 10, 'th')}"
