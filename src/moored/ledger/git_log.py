"""The history of a repository: commits with the files they touched, and the patch of one commit.

Commits are read in pages, each by its own bounded call of git, so a history of any length needs little memory
and a reader who stops early leaves no process behind.
"""

from __future__ import annotations

import os
import re
import subprocess
import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from moored.errors import MooredError, TooLarge
from moored.ledger import git
from moored.ledger.git_changes import FileChange, status_word

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import IO

MAX_PATCH = 1_000_000
"""Bytes of the largest patch that `show_patch` returns unless told otherwise."""

_PAGE = 200
_LAST_SECOND = 253_402_300_799  # 9999-12-31T23:59:59Z, the last one a datetime can hold
_FIELDS = ("%H", "%P", "%an", "%at", "%ct", "%s", "%b")
_COUNTS = re.compile(rb"(\d+|-)\t(\d+|-)\t(.*)", re.DOTALL)
_SHOWN = ["--no-color", "--no-ext-diff", "--no-textconv", "--no-relative", "--submodule=short"]


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit. Times are milliseconds since the epoch; text that is not UTF-8 has replacement characters.

    `files` are compared with the only parent, or with nothing for a first commit. A merge has none of its own:
    what it brings in belongs to the commits it joins.
    """

    sha: str
    parents: tuple[str, ...]
    author: str
    authored_at: int
    committed_at: int
    subject: str
    body: str
    files: tuple[FileChange, ...]


def commits(
    root: Path, since: str | None = None, limit: int | None = None, *, reverse: bool = True
) -> Iterator[Commit]:
    """Yield the commits that HEAD reaches, oldest first unless `reverse` is false.

    `since` is a commit, branch or tag: what it reaches is left out. `limit` keeps the newest so many. A
    repository without commits yields none. In a clone that fetches file contents on demand, renames are found
    only where the content is equal and lines are not counted, since nothing may be fetched.

    Raises:
        InvalidInput: there is no commit `since`.
        NotFound: `root` is not in a repository, or git is not installed.
    """
    current = git.head(root)
    if current is None:
        return
    wanted = ["rev-list", *(["--reverse"] if reverse else []), *([] if limit is None else [f"--max-count={limit}"])]
    excluded = [] if since is None else [f"^{git.resolve(root, since)}"]
    ids = git.run(root, [*wanted, current, *excluded, "--"]).splitlines()
    files_shown = ["--raw", "-M100%"] if _is_partial_clone(root) else ["--raw", "--numstat", "-M"]
    listed = [
        "log",
        "-z",
        "--no-walk=unsorted",
        "--stdin",
        "--encoding=UTF-8",
        "--no-notes",
        "--diff-merges=off",
        f"--format={'%x00'.join(_FIELDS)}",
        *files_shown,
        *_SHOWN,
    ]
    for start in range(0, len(ids), _PAGE):
        page = b"\n".join(ids[start : start + _PAGE]) + b"\n"
        yield from _parse_log(git.run(root, listed, stdin=page))


def show_patch(root: Path, sha: str, *, max_bytes: int = MAX_PATCH, timeout: float = git.TIMEOUT) -> bytes:
    """Return the patch of one commit as git writes it, without the message.

    For a merge it is the combined patch of what differs from every parent: how conflicts were resolved. Empty
    when the commit changed no file.

    Raises:
        InvalidInput: there is no commit `sha`.
        TooLarge: the patch is over `max_bytes`.
        NotFound: `root` is not in a repository, or git is not installed.
        MooredError: git failed, or lasted longer than `timeout` seconds.
    """
    commit = git.resolve(root, sha)
    arguments = ["show", "--format=", "--cc", "-M", *_SHOWN, commit, "--"]
    with subprocess.Popen(  # noqa: S603  # a fixed program, a list of arguments and no shell
        git.command(root, arguments),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=git.environment(),
        creationflags=git.NO_WINDOW,
    ) as process:
        watchdog = threading.Timer(timeout, process.kill)
        watchdog.start()
        try:
            patch = cast("IO[bytes]", process.stdout).read(max_bytes + 1)
            if len(patch) > max_bytes:
                process.kill()
            status = process.wait()
        finally:
            watchdog.cancel()
    if len(patch) > max_bytes:
        raise TooLarge(f"The patch of commit {commit} is over {max_bytes:,} bytes. Look at its files one by one.")
    if status:
        raise MooredError(
            f"git could not show commit {commit} in {root} within {timeout:.0f} seconds. If the clone is partial, "
            "fetch what the commit holds first."
        )
    return patch


def _is_partial_clone(root: Path) -> bool:
    pattern = r"^(extensions\.partialclone|remote\..*\.promisor)$"
    return git.call(root, ["config", "--get-regexp", pattern]).returncode == 0


def _parse_log(output: bytes) -> Iterator[Commit]:
    """Read what `git log -z --raw --numstat` printed.

    Each commit is its fields, separated by NUL, then one entry a file in raw form, then one a file with its
    counts. The three begin differently: with an id, with a colon, with digits and a tab.
    """
    parts = output.split(b"\0")
    at = 0
    while at + len(_FIELDS) <= len(parts):
        fields = parts[at : at + len(_FIELDS)]
        at += len(_FIELDS)
        files: dict[str, FileChange] = {}
        while at < len(parts):
            entry = parts[at].removeprefix(b"\n")
            if entry.startswith(b":"):
                letter = entry.rsplit(b" ", 1)[1].decode("ascii")
                paths = [os.fsdecode(part) for part in parts[at + 1 : at + (3 if letter[0] in "RC" else 2)]]
                files[paths[-1]] = FileChange(status_word(letter), paths[-1], paths[0] if len(paths) > 1 else "")
                at += 1 + len(paths)
            elif counts := _COUNTS.fullmatch(entry):
                named = counts.group(3)
                path = os.fsdecode(named or parts[at + 2])
                files[path] = replace(files[path], added=_count(counts.group(1)), deleted=_count(counts.group(2)))
                at += 1 if named else 3
            else:
                break
        yield _commit(fields, tuple(files.values()))


def _commit(fields: list[bytes], files: tuple[FileChange, ...]) -> Commit:
    sha, parents, author, authored, committed, subject, body = (part.decode("utf-8", "replace") for part in fields)
    return Commit(
        sha=sha,
        parents=tuple(parents.split()),
        author=author,
        authored_at=_milliseconds(authored),
        committed_at=_milliseconds(committed),
        subject=subject,
        body=body.rstrip("\n"),
        files=files,
    )


def _milliseconds(seconds: str) -> int:
    """Convert git's time, which a malformed commit may leave empty or beyond the calendar."""
    return min(int(seconds or 0), _LAST_SECOND) * 1000


def _count(written: bytes) -> int | None:
    """Read a number of lines; a dash stands for a binary file."""
    return None if written == b"-" else int(written)
