"""What a preference or belief still says when some of what it rests on is forgotten."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from moored.atlas.profile.wording import belief_text, habit_text, is_habit, stated
from moored.model.preferences import same
from moored.model.profiles import BELIEF
from moored.record.preferences import preferences

if TYPE_CHECKING:
    from collections.abc import Collection

    from moored.model.notes import Note
    from moored.model.projects import Project
    from moored.store.port import View


class Remaining(NamedTuple):
    """The words of what is left, and the episode that holds them."""

    text: str
    episode: str


def remaining(view: View, project: Project, note: Note, gone: Collection[str]) -> Remaining | None:
    """What a learned note says by the newest of its evidence that stays; None when none does.

    `gone` are the episodes that are forgotten. Nothing of their words is taken over.
    """
    held = stated(note)
    pieces = view.profiles.pieces(project, [note.id])[note.id]
    left = [piece.episode for piece in pieces if piece.stands and piece.episode not in gone]
    if held is None or not left:
        return None
    if is_habit(note):
        return Remaining(habit_text(held.key, held.value), left[-1])
    for episode in reversed(left):
        found = view.episodes.get(project, episode)
        for said in preferences(found.text) if found else ():
            if same(said, held) and (note.kind == BELIEF or not said.correction):
                return Remaining(belief_text(said) if note.kind == BELIEF else said.text, episode)
    return None
