"""The latest commits of a tree's repository, with the paths that they touched counted from the root of the tree."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from moored.errors import MooredError, NotFound
from moored.ledger import git, git_log

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.seeding.components import Component

LATEST = 300
"""Commits that are looked at, the newest first."""

MOST_FILES = 200
"""A commit that touches more says little of any of them: it renames, formats or vendors."""


class Past(NamedTuple):
    """The latest commits, newest first, and why there are none where that is not known; empty when it is."""

    commits: tuple[Touched, ...] = ()
    unknown: str = ""


class Touched(NamedTuple):
    """A commit: its id, who wrote it and when (milliseconds), what it says of itself, and the paths that it touched."""

    sha: str
    author: str
    at: int
    subject: str
    paths: tuple[str, ...]


def latest(root: Path) -> Past:
    """The latest commits that touch a tree. Without a repository there are none; where git fails, it is said why."""
    try:
        repository = git.repository(root)
        if repository is None:
            return Past()
        inside = Path(os.path.realpath(root)).relative_to(os.path.realpath(repository.root)).as_posix()
        prefix = "" if inside == "." else f"{inside}/"
        found = [_touched(one, prefix) for one in git_log.commits(root, limit=LATEST, reverse=False)]
    except NotFound:
        return Past()
    except MooredError as error:
        return Past(unknown=f"the history could not be read: {error}")
    return Past(tuple(one for one in found if one.paths))


def of_component(past: Past, parts: Sequence[Component]) -> dict[str, list[Touched]]:
    """The commits that touched each component; the root has them all."""
    found: dict[str, list[Touched]] = {}
    for part in parts:
        prefix = f"{part.folder}/" if part.folder else ""
        commits = [one for one in past.commits if any(path.startswith(prefix) for path in one.paths)]
        if commits:
            found[part.folder] = commits
    return found


def month(commit: Touched) -> str:
    """The month of a commit."""
    return datetime.fromtimestamp(commit.at / 1000, UTC).strftime("%Y-%m")


def _touched(commit: git_log.Commit, prefix: str) -> Touched:
    paths = tuple(one.path.removeprefix(prefix) for one in commit.files if one.path.startswith(prefix))
    few = paths if len(paths) <= MOST_FILES else ()
    return Touched(commit.sha, commit.author, commit.committed_at, commit.subject, few)
