"""Does a preference or a belief still have what it rests on? Looked up when it is asked; nothing is stored (I-04)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.model.notes import Change, Note, State, Verdict
from moored.model.profiles import BELIEF, KINDS, LEAST_PIECES, PREFERENCE, PROFILE
from moored.model.text import shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.model.profiles import Piece
    from moored.model.projects import Project
    from moored.store.port import View

SHOWN = 200
"""Characters that are shown of what was said since."""


def is_learned(note: Note) -> bool:
    """Whether a rule wrote what a note says now; one that a person reworded rests on that person's word."""
    return note.kind in KINDS and note.head.actor == PROFILE


def standing(view: View, project: Project, note: Note) -> Verdict:
    """The verdict on a note that was learned: stale when too little of what it rests on is left, or it was unsaid.

    Otherwise it is `unverifiable`, as all that was said and has nothing in the tree to check.
    """
    return judged_by(view, project, note, view.profiles.pieces(project, [note.id])[note.id])


def judged_by(view: View, project: Project, note: Note, pieces: Sequence[Piece]) -> Verdict:
    """The same, by pieces that are at hand."""
    left = [piece for piece in pieces if piece.stands]
    many = f"rests on {len(left)} of {len(pieces)} piece{'' if len(pieces) == 1 else 's'}"
    if not left:
        return Verdict(State.STALE, Change.GONE, f"it {many} any more", "gone")
    if note.kind == BELIEF:
        if len({piece.occasion for piece in left}) < LEAST_PIECES:
            reason = f"it {many} any more, and a belief needs {LEAST_PIECES} from different sessions or days"
            return Verdict(State.STALE, Change.PARTLY_GONE, reason)
        if newer := _unsaid(view, project, note, max(piece.at for piece in left)):
            reason = f"said otherwise since, in {newer.head.episode}"
            return Verdict(State.STALE, Change.VALUE, reason, shorten(newer.head.text, SHOWN))
    return Verdict(State.UNVERIFIABLE, Change.NONE, f"it {many} of evidence; nothing in the tree to check")


def _unsaid(view: View, project: Project, belief: Note, last: int) -> Note | None:
    """The newest preference in force that was stated after a belief's last evidence and leaves no room for it."""
    # What reads words has many patterns, and most verdicts need none of them.
    from moored.atlas.profile.wording import key_of, stated
    from moored.model.preferences import excludes

    held = stated(belief)
    if held is None:
        return None
    against = [
        note
        for note in view.profiles.notes(project)
        if note.kind == PREFERENCE and not note.superseded_by and key_of(note) == key_of(belief)
        if (said := stated(note)) and excludes(said, held)
    ]
    pieces = view.profiles.pieces(project, [note.id for note in against])
    newer = [note for note in against if any(one.stands and one.at > last for one in pieces[note.id])]
    return newer[-1] if newer else None
