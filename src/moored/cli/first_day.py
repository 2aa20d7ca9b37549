"""What set-up does for the project that it is called in, so that its memory is not empty on the first day."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from moored.cli.progress import progress
from moored.cli.session import Session

if TYPE_CHECKING:
    from moored.memory import Memory

NO_PROJECT = "This folder is no project: it is not under git and has no .moored.toml. `moored init` begins one."
OFFER = "Import the transcripts that your agents keep of this project, and its git history?"
LATER = "`moored import auto` brings in the transcripts that your agents keep, `moored import git` the history."


def begin(session: Session, bring_in: bool | None, *, may_ask: bool) -> tuple[dict[str, Any] | None, list[str]]:
    """Begin the memory of the project, read its files, and import what there was before, as asked or answered.

    Returns the account as JSON, None where the folder is no project, and as lines.
    """
    from moored.cli import render, shapes
    from moored.settings import FILE_NAME, locate

    place = locate(session.path)
    if place.key.startswith("dir:") and not (place.root / FILE_NAME).is_file():
        return None, [NO_PROJECT]
    if bring_in is None and may_ask and sys.stdin.isatty() and sys.stdout.isatty():
        bring_in = click.confirm(OFFER, default=True)
    with session.creating() as memory:
        with progress("reading") as advance:
            done = memory.index(progress=advance)
        lines = [f"{memory.project.name} ({memory.project.id}) is kept in {memory.store.path}", *render.refreshed(done)]
        shape = {"project": memory.project.id, "name": memory.project.name, "root": memory.tree.root}
        shape |= {"index": shapes.plain(done), "imported": None}
        if not bring_in:
            return shape, [*lines, *([LATER] if bring_in is None else [])]
        shape["imported"], said = _import(memory, git=place.key.startswith("git:"))
        return shape, [*lines, *said]


def _import(memory: Memory, *, git: bool) -> tuple[dict[str, Any], list[str]]:
    from moored.cli.render_care import counted

    with progress("importing transcripts") as advance:
        brought = memory.import_transcripts(progress=advance)
    operations = [one.operation for one in brought.projects if one.operation]
    events = sum(one.recorded for one in brought.projects)
    lines = [f"{counted(events, 'event')} of {counted(brought.transcripts, 'transcript')} recorded"]
    commits = 0
    if git:
        with progress("importing commits") as advance:
            history = memory.import_git(progress=lambda number: advance(number, None))
        operations += [history.operation] if history.operation else []
        commits = history.recorded
        lines.append(f"{counted(commits, 'commit')} recorded")
    lines += [f"  `moored undo {operation}` takes them out again" for operation in operations]
    shape = {"transcripts": brought.transcripts, "events": events, "commits": commits, "operations": operations}
    return shape, lines
