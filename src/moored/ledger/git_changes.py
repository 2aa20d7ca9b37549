"""What differs between a work tree and a commit, as git sees it.

The comparison is with HEAD, or with the point where the work tree left another branch: everything done since,
committed or not. Filters that a repository's configuration defines (large-file storage among them) are not run,
so a file that such a filter rewrites may be listed although git itself would call it unchanged.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from moored.errors import InvalidInput
from moored.ledger import git

if TYPE_CHECKING:
    from collections.abc import Iterator

STATUSES = {
    "A": "added",
    "C": "copied",
    "D": "deleted",
    "M": "modified",
    "R": "renamed",
    "T": "type changed",
    "U": "unmerged",
}
"""git's letters for what happened to a file, in words."""

_DIFF = ["diff", "-M", "--no-color", "--no-ext-diff", "--no-textconv", "--no-relative", "--ignore-submodules=all"]


@dataclass(frozen=True, slots=True)
class FileChange:
    """What happened to one file.

    `status` is one of the words of `STATUSES` or `untracked`; `old_path` is empty unless the file was renamed
    or copied. `added` and `deleted` count lines and are None where they are not known: a binary file, or a
    listing that does not count.
    """

    status: str
    path: str
    old_path: str = ""
    added: int | None = None
    deleted: int | None = None


def changed_files(root: Path, base: str | None = None) -> tuple[FileChange, ...]:
    """Return the files that differ from HEAD, or from where the work tree left `base`, sorted by path.

    `root` is the top level of a work tree. Staged, unstaged, deleted, renamed and untracked files are included,
    ignored ones and submodules are not. With `base` (a commit, branch or tag) the comparison is with the merge
    base of it and HEAD. In a repository without commits every file is new.

    Raises:
        InvalidInput: there is no commit `base`.
        NotFound: `root` is not in a repository, or git is not installed.
    """
    changes = {change.path: change for change in _tracked_changes(root, base)}
    untracked = git.run(root, ["ls-files", "-z", "--others", "--exclude-standard"])
    for path in git.split_paths(untracked):
        if not path.endswith("/"):
            changes.setdefault(path, FileChange("untracked", path))
    return tuple(sorted(changes.values(), key=lambda change: change.path))


def status_word(letter: str) -> str:
    """Return the word for git's status, which may carry a similarity (`R100`)."""
    return STATUSES.get(letter[:1], "modified")


def _tracked_changes(root: Path, base: str | None) -> Iterator[FileChange]:
    parts = iter(git.split_paths(_diff(root, base, ["--name-status", "-z"])))
    for letter in parts:
        old_path = next(parts) if letter[0] in "RC" else ""
        yield FileChange(status_word(letter), next(parts), old_path)


def _diff(root: Path, base: str | None, arguments: list[str]) -> bytes:
    """Compare the work tree with `base`, on a copy of the index.

    `git diff` writes the index when it finds files touched but equal, and the lock it takes for that could make
    another git fail. The copy keeps the time of the original, by which git tells which entries it may trust.
    """
    compared = compared_with(root, base)
    settings = _without_filters(root)
    located = git.run(root, ["rev-parse", "--path-format=absolute", "--git-path", "index"])
    index = Path(os.fsdecode(located.removesuffix(b"\n")))
    with tempfile.TemporaryDirectory(prefix="moored-") as folder:
        copy = Path(folder, "index")
        if index.exists():
            shutil.copy2(index, copy)
        return git.run(root, [*_DIFF, *arguments, compared, "--"], settings=settings, index=copy)


def compared_with(root: Path, base: str | None) -> str:
    """Return the id of the commit with which the work tree is compared: HEAD, or where the work tree left `base`.

    Without any commit it is that of the empty tree. Raises `InvalidInput` when there is no such `base`.
    """
    current = git.head(root)
    if current is None:
        if base is not None:
            raise InvalidInput(
                f"The repository at {root} has no commit yet, so nothing in it can be compared with {base!r}. "
                "Leave the base out."
            )
        empty_tree = git.run(root, ["hash-object", "-t", "tree", "--stdin"])
        return empty_tree.decode("ascii").strip()
    if base is None:
        return current
    target = git.resolve(root, base)
    # Histories without a common commit have no merge base: the comparison is then with `base` itself.
    shared = git.call(root, ["merge-base", target, current])
    return shared.stdout.decode("ascii").strip() or target


def _without_filters(root: Path) -> dict[str, str]:
    """Return the settings that disarm every content filter the configuration defines.

    Comparing a file with the index would otherwise run the program that its `clean` or `process` filter names.
    """
    pattern = r"^filter\..*\.(clean|smudge|process|required)$"
    listed = git.call(root, ["config", "-z", "--name-only", "--get-regexp", pattern])
    return {key: "false" if key.endswith(".required") else "" for key in git.split_paths(listed.stdout)}
