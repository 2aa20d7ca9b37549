"""The branch that is checked out, read from git's own file, which costs a hook nothing."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

_REF = "ref: refs/heads/"


class Branch(NamedTuple):
    """A branch and when it was checked out, in milliseconds since the epoch."""

    name: str
    at: int


def checked_out(root: Path) -> Branch | None:
    """The branch of the work tree that a folder is in; None outside git and where no branch is checked out.

    Git writes `HEAD` when a branch is checked out and not when something is committed, so the time of that file tells
    when. In a linked work tree `.git` is a file that names the folder (gitrepository-layout).
    """
    for folder in (root, *root.parents):
        git = folder / ".git"
        try:
            if git.is_file():
                named = git.read_text(encoding="utf-8", errors="replace").removeprefix("gitdir:").strip()
                git = folder / named
            elif not git.is_dir():
                continue
            head = git / "HEAD"
            content = head.read_text(encoding="utf-8", errors="replace").strip()
            at = head.stat().st_mtime_ns // 1_000_000
        except OSError:
            return None
        return Branch(content.removeprefix(_REF), at) if content.startswith(_REF) else None
    return None
