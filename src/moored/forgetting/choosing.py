"""What is meant by a request to forget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from moored.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from moored.model.forgetting import Selection
    from moored.model.projects import Project
    from moored.store.port import View


@dataclass(frozen=True, slots=True)
class Chosen:
    """Ids of what is to be forgotten, by kind."""

    episodes: tuple[str, ...]
    notes: tuple[str, ...]
    pins: tuple[str, ...]
    reminders: tuple[str, ...]


def choose(view: View, project: Project, selection: Selection) -> Chosen:
    """Look up what a selection means. Raises `InvalidInput` for an empty one, `NotFound` for an id that is not there.

    The whole project is its record and all its notes, pins and reminders; the project itself stays, and so does the
    ledger of its files.
    """
    if not selection.ids and not selection.narrows:
        raise InvalidInput(
            "Nothing was said about what to forget. Name ids, or a session, a time, an author, a source, or everything."
        )
    erasure = view.erasure
    ids = [_note_of(view, project, one) for one in selection.ids]
    kinds = erasure.kinds(project, ids)
    for one in ids:
        if one not in kinds:
            near = (*view.episodes.near(project, one), *view.notes.near(project, one))[:3]
            raise NotFound(f"There is nothing called {one} in this project to forget. Nothing was changed.", near=near)
    named = {kind: [one for one in ids if kinds[one] == kind] for kind in ("episode", "note", "pin", "reminder")}
    whole = selection.everything
    return Chosen(
        _each(named["episode"], erasure.chosen(project, selection)),
        _each(named["note"], erasure.notes_of(project) if whole else []),
        _each(named["pin"], erasure.pins_of(project) if whole else []),
        _each(named["reminder"], []),
    )


def _note_of(view: View, project: Project, id_: str) -> str:
    """The id of the note that a revision is of, so that either can be named; any other id as it is."""
    note = view.notes.get(project, id_, withdrawn=True)
    return note.id if note else id_


def _each(*lists: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one for names in lists for one in names))
