"""Which files of a tree are worth reading, and whether one has changed since it was read.

In a git work tree the list is git's own: tracked files and untracked ones that are not ignored. Elsewhere the
tree is walked, `.gitignore` files are honoured all the same, and folders that tools fill (`node_modules`,
`.venv`, caches) are left out. No file is opened here but by `read_text_candidate`.

Paths are relative to the root, with forward slashes; bytes that are not UTF-8 are kept as surrogate escapes.
Links are never followed: what a link inside the tree points to is listed under its own name.
"""

from __future__ import annotations

import errno
import os
import stat
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from moored.errors import NotFound
from moored.ledger.disk import Seen, seen_as
from moored.ledger.git import list_tree, repository
from moored.ledger.ignore import (
    CACHE_TAG,
    TOOL_FOLDERS,
    Patterns,
    begins_private_key,
    ignored,
    is_secret,
    read_patterns,
    tree_patterns,
)
from moored.model.projects import MAX_FILE_SIZE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_HEAD = 8192
Reason = Literal[
    "binary",
    "broken link",
    "gone",
    "link",
    "link loop",
    "link out of the tree",
    "name is not UTF-8",
    "nested repository",
    "secret",
    "special file",
    "too large",
    "unreadable",
]
"""Why a path is not read. `gone` says that the file went away between the walk and the reading."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file or folder that is not read, and why."""

    path: str
    reason: Reason


@dataclass(frozen=True, slots=True)
class Walk:
    """Everything found below a root, sorted by path. `by_git` says that git made the list."""

    files: tuple[Seen, ...]
    skipped: tuple[Skipped, ...]
    by_git: bool

    @property
    def counts(self) -> dict[Reason, int]:
        """How many paths were skipped for each reason that occurred."""
        tally: Counter[Reason] = Counter(item.reason for item in self.skipped)
        return {reason: tally[reason] for reason in sorted(tally)}


def walk(root: Path, *, max_file_size: int = MAX_FILE_SIZE, extra_ignored: Sequence[str] = ()) -> Walk:
    """List the files below `root` that are worth reading, and what was skipped.

    `extra_ignored` are further patterns in the syntax of `.gitignore`, relative to `root`; they, and those of
    `.mooredignore`, hold for tracked files too. What is ignored is not listed as skipped. Where git lists nothing, as
    in a folder that the repository around it ignores, the folder is walked as if there were no git.

    Raises:
        NotFound: `root` is not a directory.
        InvalidInput: one of `extra_ignored` is not a pattern.
        MooredError: `.mooredignore` is there and cannot be read.
    """
    if not root.is_dir():
        raise NotFound(f"{root} is not a directory, so there is nothing to read in it. Name the project's folder.")
    scan = _Scan(os.path.realpath(root), max_file_size, tree_patterns(root, extra_ignored))
    listing = list_tree(root) if repository(root) else None
    by_git = listing is not None and bool(listing.paths)
    if listing is not None and by_git:
        scan.take_listed(listing.paths)
        for folder in listing.unlisted:
            scan.skip(folder, "unreadable")
    else:
        scan.take_tree()
    return Walk(
        files=tuple(sorted(scan.files, key=lambda seen: seen.path)),
        skipped=tuple(Skipped(path, reason) for path, reason in sorted(scan.skipped.items())),
        by_git=by_git,
    )


def read_text_candidate(root: Path, seen: Seen, *, max_file_size: int = MAX_FILE_SIZE) -> bytes | Skipped:
    """Read a file that may be text, or say why not.

    A file counts as binary when its first 8 KiB hold a zero byte, as git decides; UTF-16 is binary by this. A
    text that begins as a private key is skipped as a secret.
    """
    content = _read_regular(f"{root}{os.sep}{seen.path}", max_file_size)
    if not isinstance(content, bytes):
        return Skipped(seen.path, content)
    if b"\0" in content[:_HEAD]:
        return Skipped(seen.path, "binary")
    if begins_private_key(content[:_HEAD]):
        return Skipped(seen.path, "secret")
    return content


class _Scan:
    """Collects what one walk finds."""

    def __init__(self, root: str, max_file_size: int, extra: Patterns | None) -> None:
        self.files: list[Seen] = []
        self.skipped: dict[str, Reason] = {}
        self._root = root
        self._max_file_size = max_file_size
        self._extra = extra
        self._entered: dict[str, bool] = {"": True}

    def skip(self, path: str, reason: Reason) -> None:
        self.skipped.setdefault(path, reason)

    def take_listed(self, paths: Iterable[str]) -> None:
        """Take paths that git listed: of files, links and nested repositories."""
        for listed in paths:
            path = listed.removesuffix("/")
            if not self._extra_ignored(path) and self._enters(path.rpartition("/")[0]):
                self._take(path)

    def take_tree(self) -> None:
        """Walk the tree without git."""
        folders: list[tuple[str, tuple[Patterns, ...]]] = [("", ())]
        while folders:
            folder, chain = folders.pop()
            try:
                with os.scandir(self._full(folder)) as listed:
                    entries = {entry.name: entry.is_dir(follow_symlinks=False) for entry in listed}
            except FileNotFoundError:
                continue
            except OSError:
                self.skip(folder, "unreadable")
                continue
            if folder and ".git" in entries:
                self.skip(folder, "nested repository")
                continue
            if folder and CACHE_TAG in entries:
                continue
            if ".gitignore" in entries:
                text = _read_regular(self._full(_join(folder, ".gitignore")), self._max_file_size)
                if isinstance(text, bytes):
                    chain = (*chain, read_patterns(folder, text.decode("utf-8", "surrogateescape")))
            for name, is_folder in entries.items():
                path = _join(folder, name)
                shown = path + "/" if is_folder else path
                if name == ".git" or self._extra_ignored(shown) or ignored(shown, chain):
                    continue
                if not is_folder:
                    self._take(path)
                elif name not in TOOL_FOLDERS:
                    folders.append((path, chain))

    def _extra_ignored(self, path: str) -> bool:
        return self._extra is not None and self._extra.verdict(path) is True

    def _full(self, path: str) -> str:
        return f"{self._root}{os.sep}{path}" if path else self._root

    def _take(self, path: str) -> None:
        full = self._full(path)
        try:
            info = os.lstat(full)
        except (FileNotFoundError, NotADirectoryError):
            return
        except OSError:
            self.skip(path, "unreadable")
            return
        if stat.S_ISLNK(info.st_mode):
            self.skip(path, self._link_reason(full))
        elif stat.S_ISDIR(info.st_mode):
            self.skip(path, "nested repository")
        elif not stat.S_ISREG(info.st_mode):
            self.skip(path, "special file")
        elif is_secret(path.rpartition("/")[2]):
            self.skip(path, "secret")
        elif info.st_size > self._max_file_size:
            self.skip(path, "too large")
        else:
            self.files.append(seen_as(path, info))

    def _enters(self, folder: str) -> bool:
        """Tell whether a folder that git named is still one of this tree's own, and skip it if not.

        The index may name files below a folder that has since been replaced by a link or a nested repository.
        """
        unknown: list[str] = []
        while folder not in self._entered:
            unknown.append(folder)
            folder = folder.rpartition("/")[0]
        entered = self._entered[folder]
        for below in reversed(unknown):
            entered = entered and self._is_own_folder(below)
            self._entered[below] = entered
        return entered

    def _is_own_folder(self, folder: str) -> bool:
        full = self._full(folder)
        try:
            mode = os.lstat(full).st_mode
        except FileNotFoundError:
            return False
        except OSError:
            self.skip(folder, "unreadable")
            return False
        if stat.S_ISLNK(mode):
            self.skip(folder, self._link_reason(full))
            return False
        if os.path.lexists(f"{full}{os.sep}.git"):
            self.skip(folder, "nested repository")
            return False
        return stat.S_ISDIR(mode)

    def _link_reason(self, full: str) -> Reason:
        try:
            target = os.path.realpath(full, strict=True)
        except FileNotFoundError:
            return "broken link"
        except OSError as error:
            return "link loop" if error.errno == errno.ELOOP else "unreadable"
        inside = target == self._root or target.startswith(self._root.rstrip(os.sep) + os.sep)
        return "link" if inside else "link out of the tree"


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _read_regular(full: str, limit: int) -> bytes | Reason:
    """Read a regular file without following a link or waiting for a pipe's other end."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        with os.fdopen(os.open(full, flags), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return "special file"
            content = file.read(limit + 1)
    except (FileNotFoundError, NotADirectoryError):
        return "gone"
    except OSError as error:
        return "link" if error.errno == errno.ELOOP else "unreadable"
    return content if len(content) <= limit else "too large"
