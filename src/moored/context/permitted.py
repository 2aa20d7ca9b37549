"""What the rules of a project leave of notes that a brief shows without having been asked for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.atlas.notes_seen import trust_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from moored.model.episodes import Trust
    from moored.model.notes import JudgedNote
    from moored.model.projects import Project
    from moored.recall.rules import InForce
    from moored.store.port import View


def in_force(view: View, project: Project, session: str, now: int) -> InForce | None:
    """The rules that hold in a session, called by its name or id, or outside of any; None where there are none."""
    standing = view.rules.standing(project)
    if not standing:
        return None
    from moored.recall.rules import InForce, working

    return InForce(standing, working(view, project, (), session), now)


def permitted(
    view: View, project: Project, notes: Iterable[JudgedNote], rules: InForce | None
) -> Iterator[tuple[JudgedNote, Trust]]:
    """The notes that no rule refuses, one after the other, each with how far it is trusted."""
    for judged in notes:
        trust = trust_of(view, project, judged.note)
        paths = [one.path for one in judged.anchors]
        if rules is None or not rules.refuses_note(judged.note, paths, judged.verdict, trust):
            yield judged, trust
