"""Looking a note up by its id."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.errors import NotFound
from moored.model.episodes import Trust

if TYPE_CHECKING:
    from moored.model.notes import Note
    from moored.model.projects import Project
    from moored.store.port import View


def get(view: View, project: Project, note_id: str, *, withdrawn: bool = False) -> Note:
    """The note of this id, on request also one that was withdrawn. Raises `NotFound` with ids that resemble it."""
    note = view.notes.get(project, note_id, withdrawn=withdrawn)
    if note is None and (gone := view.notes.get(project, note_id, withdrawn=True)):
        raise NotFound(
            f"The note {note_id} was taken out of every answer by {gone.withdrawn}: `history` shows it, and `undo` of "
            "that operation brings it back."
        )
    if note is None:
        near = view.notes.near(project, note_id)
        raise NotFound(f"There is no note {note_id} in this project.", near=near)
    return note


def trust_of(view: View, project: Project, note: Note) -> Trust:
    """How far a note is trusted: as far as the episode that holds its words (I-21)."""
    episode = view.episodes.standing(project, note.head.episode)
    return episode.trust if episode else Trust.DATA
