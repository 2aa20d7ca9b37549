"""The gate: what becomes of a new note, given what its project knows already (A-04).

It compares the note with its kin (see `likeness`) and decides; `curation` carries it out. Whatever it decides, the
words of the note are in the record. No kind of word opens it, and nothing but `insist` goes around it.

- What a note in force says in the same or other words is *reinforced*; what it says besides more is *refused*.
- What says that something is another way now is the next *revision* of the note that it speaks of, if it speaks of
  all that the note says; what says a note and more is its next revision too; two that each say something more besides
  the same are *merged*.
- What cannot hold beside a note is *disputed*: both stand.
- Everything else is *new*, with links to what is related.

A note is touched only where it may be: not when it is protected, of another kind, trusted more (I-21), about other
targets, or in other tags. Where it may not be, the new note stands beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from moored.atlas.curation import merged_text
from moored.atlas.kin import kin
from moored.atlas.likeness import Compared, Likeness, compare, is_step
from moored.atlas.notes_seen import trust_of
from moored.atlas.writing import targets
from moored.model.episodes import Trust
from moored.model.notes import AnchorRole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.atlas.writing import Prepared
    from moored.model.notes import Anchor, Note
    from moored.model.projects import Project
    from moored.store.port import View

LINKS = 3
"""Related notes that a new one is linked with."""

LINKED = 0.5
"""Part of its words that a related note has to share to be linked, if it has no target in common."""

_SAYS_IT = (Likeness.SAME, Likeness.NEAR)
_AGAINST = (Likeness.UPDATE, Likeness.CONTRADICTION)


class Outcome(StrEnum):
    """What becomes of a new note."""

    NEW = "new"
    REINFORCED = "reinforced"
    REFUSED = "refused"
    REVISED = "revised"
    MERGED = "merged"
    DISPUTED = "disputed"


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of a new note and why.

    `note` is the one that is reinforced, refuses, or is revised; `text` is what its next revision says, where that is
    not the new text alone. `against` are notes that dispute the new one, `related` those to link it with, each with the
    reason.
    """

    outcome: Outcome
    why: str = ""
    note: Note | None = None
    text: str = ""
    against: tuple[tuple[Note, str], ...] = ()
    related: tuple[tuple[Note, str], ...] = ()


def decide(view: View, project: Project, new: Prepared, kind: str, *, curates: bool) -> Decision:
    """Decide what becomes of a note. With `curates` false (a rule wrote it) nothing is revised, merged or disputed."""
    trust = new.admitted.trust
    compared = [(note, compare(note.head.text, new.text)) for note in kin(view, project, new.text)]
    alike = [(note, one) for note, one in compared if one.likeness is not Likeness.DISTINCT]
    touching = [(note, one) for note, one in alike if _touches(view, project, note, new, kind, trust)]
    related = _related(compared, new)
    if not is_step(new.text):
        for wanted in (_SAYS_IT, (Likeness.PART,)):
            for note, one in touching:
                if one.likeness in wanted and _within(note, new):
                    return _kept_out(note, one, related)
    if not curates:
        return Decision(Outcome.NEW, related=related)
    return _curated(new, kind, alike, touching, related)


def _kept_out(note: Note, one: Compared, related: tuple[tuple[Note, str], ...]) -> Decision:
    others = tuple((other, why) for other, why in related if other.id != note.id)
    if one.likeness is Likeness.PART:
        return Decision(Outcome.REFUSED, f"{note.id} says this and more", note, related=others)
    return Decision(Outcome.REINFORCED, f"{note.id} {one.reason}", note, related=others)


def _curated(
    new: Prepared,
    kind: str,
    alike: Sequence[tuple[Note, Compared]],
    touching: Sequence[tuple[Note, Compared]],
    related: tuple[tuple[Note, str], ...],
) -> Decision:
    against = tuple(
        (note, one.reason)
        for note, one in alike
        if one.likeness in _AGAINST and _same_subject(note, new) and note.kind == kind
    )
    free = [(note, one) for note, one in touching if not note.protected]
    for note, one in free:
        others = tuple(pair for pair in against if pair[0].id != note.id)
        beside = tuple(pair for pair in related if pair[0].id != note.id)
        if one.likeness is Likeness.UPDATE and one.covers and _same_subject(note, new):
            return Decision(Outcome.REVISED, f"{note.id}: {one.reason}", note, "", others, beside)
        if one.likeness is Likeness.MORE:
            return Decision(Outcome.REVISED, f"{note.id}: {one.reason}", note, "", others, beside)
    for note, one in free if not against else ():
        text = merged_text(note.head.text, new.text) if one.likeness is Likeness.RELATED else None
        if text:
            beside = tuple(pair for pair in related if pair[0].id != note.id)
            return Decision(Outcome.MERGED, f"{note.id} and this share a part", note, text, (), beside)
    if against:
        disputed = {note.id for note, _ in against}
        beside = tuple(pair for pair in related if pair[0].id not in disputed)
        return Decision(Outcome.DISPUTED, against[0][1], None, "", against, beside)
    return Decision(Outcome.NEW, related=related)


def _touches(view: View, project: Project, note: Note, new: Prepared, kind: str, trust: Trust) -> bool:
    """Whether a note may stand for the new one or be changed by it, as to kind, trust, proof and targets."""
    held = trust_of(view, project, note)
    if note.kind != kind or (trust is Trust.DATA) != (held is Trust.DATA) or held.level < trust.level:
        return False
    return new.proof in ("", note.head.proof)


def _within(note: Note, new: Prepared) -> bool:
    """Whether a note is about all that the new one is about, with all its tags."""
    return targets(new.anchors) <= targets(note.head.anchors) and set(new.tags) <= set(note.head.tags)


def _same_subject(note: Note, new: Prepared) -> bool:
    """Whether two notes may speak of one thing: not when each is about things that the other is not about."""
    mine, yours = targets(note.head.anchors), targets(new.anchors)
    return not mine or not yours or bool(mine & yours)


def _related(compared: Sequence[tuple[Note, Compared]], new: Prepared) -> tuple[tuple[Note, str], ...]:
    found: list[tuple[Note, str]] = []
    about = _about(new.anchors)
    for note, one in compared:
        common = about & _about(note.head.anchors)
        if common:
            found.append((note, f"both are about {min(common)}"))
        elif one.shared >= LINKED and one.likeness is not Likeness.DISTINCT:
            found.append((note, one.reason))
    return tuple(found[:LINKS])


def _about(anchors: Sequence[Anchor]) -> set[str]:
    return {anchor.address for anchor in anchors if anchor.role is AnchorRole.ABOUT}
