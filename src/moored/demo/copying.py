"""A copy of a repository to play with, so that nothing of the user's is touched."""

from __future__ import annotations

import subprocess
from pathlib import Path

from moored.errors import InvalidInput, MooredError
from moored.ledger import git

TIMEOUT = 120.0
"""Seconds that the copy may take."""


def copy_repository(source: Path, target: Path) -> Path:
    """Clone the repository that holds `source` into the folder `target` and return its root there.

    The objects are copied, not linked. What is not committed stays behind. Raises `InvalidInput` outside a repository
    or for one without a commit, `MooredError` when it cannot be copied.
    """
    found = git.repository(source)
    if found is None or git.head(found.root) is None:
        raise InvalidInput(
            f"The demo needs a git repository with a commit, and {source} is in none. "
            "Call it in one, or name one with --project."
        )
    # git.run forbids every transport; this one copy is of a local repository that the user named.
    arguments = ["clone", "--quiet", "--no-hardlinks", "--no-tags", str(found.root), str(target)]
    try:
        done = subprocess.run(  # noqa: S603  # a fixed program, a list of arguments and no shell
            git.command(found.root, arguments),
            capture_output=True,
            env=git.environment() | {"GIT_ALLOW_PROTOCOL": "file"},
            timeout=TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise MooredError(f"{found.root} could not be copied in {TIMEOUT:.0f} seconds. Try a smaller one.") from error
    if done.returncode:
        raise MooredError(f"{found.root} could not be copied: {_last_line(done.stderr)}. Clone it yourself to see why.")
    return target


def _last_line(printed: bytes) -> str:
    return printed.decode("utf-8", "replace").strip().rpartition("\n")[2].rstrip(".")
