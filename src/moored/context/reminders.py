"""Reminders in a brief: right after the pins, within the budget, each with why it is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.context.pack import Block, Entry

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from datetime import tzinfo

    from moored.model.projects import Project, Tree
    from moored.model.reminders import Due
    from moored.store.port import View

HEADING = "Reminders:"
REMINDED = "reminders"
"""As what the entries of a block of reminders are counted."""


def due_now(
    view: View,
    project: Project,
    tree: Tree,
    *,
    now: int,
    zone: tzinfo,
    prompt: str = "",
    paths: Sequence[str] = (),
    symbols: Callable[[], Collection[tuple[str, str]]] = tuple,
) -> tuple[Due, ...]:
    """The reminders that are to be told before a prompt, before an edit, or, with neither, when a session begins.

    Where there are none, nothing is loaded to find that out.
    """
    if not view.reminders.standing(project):
        return ()
    from moored.atlas.reminders import Situation, due

    return due(view, project, tree, Situation(now, zone, paths, symbols, prompt, "prompt" if prompt else ""))


def reminder_block(due: Sequence[Due], proposals: int = 0) -> Block:
    """The reminders as a part of a brief, and how many wait to be accepted."""
    entries = [Entry(one.id, _written(one)) for one in due]
    if proposals:
        were = "reminder was" if proposals == 1 else "reminders were"
        entries.append(
            Entry("", f"- {proposals} {were} proposed from what the user said: `moored remind --proposed` lists them")
        )
    return Block(HEADING, "reminder", entries, REMINDED)


def _written(one: Due) -> str:
    from moored.model.reminders import told

    return told(one)
