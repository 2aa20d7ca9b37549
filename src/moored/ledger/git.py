"""Calls of the `git` program that are safe in a repository nobody has vetted.

A repository's own configuration can name programs for git to run: a file-system monitor, hooks, filters, diff
drivers, signature checkers, remote helpers. Every call made here overrides those settings through git's
environment, so that reading a repository runs nothing but git. No call takes a lock, asks a question, opens a
pager, reaches a network or lasts longer than its bound. The overrides need git 2.31 or newer; an older one is
treated as if git were not installed.

Paths are relative to the directory asked about, with forward slashes; bytes that are not UTF-8 are kept as
surrogate escapes.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from moored.errors import InvalidInput, MooredError, NotFound

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

TIMEOUT = 60.0
"""Seconds that one call of git may last."""

# What the person who runs moored may have set on purpose; every other GIT_ variable describes the command of an
# outer git (a hook is called with GIT_DIR and GIT_INDEX_FILE set) and would lead this one to the wrong place.
_KEPT_VARIABLES = frozenset(
    {
        "GIT_CONFIG_GLOBAL",
        "GIT_CONFIG_SYSTEM",
        "GIT_CONFIG_NOSYSTEM",
        "GIT_CEILING_DIRECTORIES",
        "GIT_DISCOVERY_ACROSS_FILESYSTEM",
    }
)

_SAFE_SETTINGS = {
    "core.fsmonitor": "",
    "core.hooksPath": os.devnull,
    "core.quotePath": "true",
    "core.splitIndex": "false",
    "diff.external": "",
    "log.showSignature": "false",
    "log.showRoot": "true",
    "safe.bareRepository": "explicit",
    "submodule.recurse": "false",
}

_UNLISTED = re.compile(rb"could not open directory '(.*?)/?': ")


@dataclass(frozen=True, slots=True)
class Repository:
    """A work tree under git.

    `root` is the top level of the work tree, `common_dir` the real path of the directory that all work trees
    of one clone share.
    """

    root: Path
    common_dir: Path


@dataclass(frozen=True, slots=True)
class Listing:
    """What git lists below a directory.

    `paths` are the tracked files and the untracked ones that are not ignored, sorted; the index may name files
    that are not on disk. `unlisted` are the directories that git could not read.
    """

    paths: tuple[str, ...]
    unlisted: tuple[str, ...]


def repository(path: Path) -> Repository | None:
    """Find the work tree that holds `path`.

    Returns None when there is none: `path` is in no repository, in a bare one or in one that git holds unsafe
    because another user owns it, or git is not installed. A repository whose configuration places its work
    tree somewhere that does not hold its `.git` is not followed there either.
    """
    start = path if path.is_dir() else path.parent
    if shutil.which("git") is None:
        return None
    # The answer in the middle is "true" here, and parts the two paths, which may hold line feeds.
    arguments = ["--path-format=absolute", "--show-toplevel", "--is-inside-work-tree", "--git-common-dir"]
    done = call(start, ["rev-parse", *arguments])
    # A git that does not know --path-format prints it back.
    if done.returncode or done.stdout.startswith(b"--"):
        return None
    shown, _, shared = os.fsdecode(done.stdout.removesuffix(b"\n")).partition("\ntrue\n")
    top, common = Path(shown), Path(shared)
    holds_start = Path(os.path.realpath(start)).is_relative_to(os.path.realpath(top))
    if not holds_start or not (top / ".git").exists():
        return None
    return Repository(root=top, common_dir=Path(os.path.realpath(common)))


def list_tree(root: Path) -> Listing:
    """List the files below `root`, which may be the top level of a work tree or a folder in it.

    Raises:
        NotFound: `root` is not in a repository, or git is not installed.
    """
    arguments = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"]
    done = call(root, arguments)
    _require_success(root, arguments, done)
    unlisted = {os.fsdecode(match) for match in _UNLISTED.findall(done.stderr)}
    return Listing(paths=tuple(sorted(set(split_paths(done.stdout)))), unlisted=tuple(sorted(unlisted)))


def resolve(root: Path, revision: str) -> str:
    """Return the full id of the commit that `revision` (an id, branch, tag or expression) names.

    Raises:
        InvalidInput: there is no such commit.
        NotFound: `root` is not in a repository, or git is not installed.
    """
    found = _commit_id(root, revision)
    if found is None:
        run(root, ["rev-parse", "--git-dir"])
        raise InvalidInput(
            f"There is no commit {revision!r} in the repository at {root}. Name a commit, a branch or a tag of it."
        )
    return found


def head(root: Path) -> str | None:
    """Return the id of the commit that is checked out, or None while the repository has no commit.

    Raises:
        NotFound: `root` is not in a repository, or git is not installed.
    """
    found = _commit_id(root, "HEAD")
    if found is None:
        run(root, ["rev-parse", "--git-dir"])
    return found


def run(
    root: Path,
    arguments: Sequence[str],
    *,
    stdin: bytes = b"",
    settings: Mapping[str, str] | None = None,
    index: Path | None = None,
    timeout: float = TIMEOUT,
) -> bytes:
    """Run git in `root` and return what it printed.

    `settings` are added to the safe ones; `index` is read and written in place of the repository's own.

    Raises:
        NotFound: `root` is not in a repository, or git is not installed.
        MooredError: git failed, or lasted longer than `timeout` seconds.
    """
    done = call(root, arguments, stdin=stdin, settings=settings, index=index, timeout=timeout)
    _require_success(root, arguments, done)
    return done.stdout


def call(
    root: Path,
    arguments: Sequence[str],
    *,
    stdin: bytes = b"",
    settings: Mapping[str, str] | None = None,
    index: Path | None = None,
    timeout: float = TIMEOUT,
) -> subprocess.CompletedProcess[bytes]:
    """Run git in `root` like `run`, and leave it to the caller to judge how it ended."""
    try:
        return subprocess.run(  # noqa: S603  # a fixed program, a list of arguments and no shell
            command(root, arguments),
            input=stdin,
            capture_output=True,
            env=environment(settings, index),
            timeout=timeout,
            check=False,
            creationflags=NO_WINDOW,
        )
    except subprocess.TimeoutExpired as error:
        raise MooredError(
            f"git {arguments[0]} in {root} was stopped after {timeout:.0f} seconds. "
            "Try again when the disk is less busy, or ask about a smaller part."
        ) from error


NO_WINDOW: int = getattr(subprocess, "CREATE_NO_WINDOW", 0)
"""Keeps a console window from flashing up on Windows; nothing elsewhere."""


def command(root: Path, arguments: Sequence[str]) -> list[str]:
    """Return the command line of git for `root`.

    Raises:
        NotFound: git is not installed.
    """
    program = shutil.which("git")
    if program is None:
        raise NotFound("The program git was not found. Install it, or put its folder on PATH.")
    return [program, "--no-pager", "-C", str(root), *arguments]


def environment(settings: Mapping[str, str] | None = None, index: Path | None = None) -> dict[str, str]:
    """Return the environment that makes a call of git safe; the arguments are those of `run`."""
    variables = {
        name: value
        for name, value in os.environ.items()
        if not name.upper().startswith("GIT_") or name.upper() in _KEPT_VARIABLES
    }
    variables |= {
        "LC_ALL": "C",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "none",
    }
    if index is not None:
        variables["GIT_INDEX_FILE"] = str(index)
    chosen = {**_SAFE_SETTINGS, **(settings or {})}
    variables["GIT_CONFIG_COUNT"] = str(len(chosen))
    for number, (key, value) in enumerate(chosen.items()):
        variables[f"GIT_CONFIG_KEY_{number}"] = key
        variables[f"GIT_CONFIG_VALUE_{number}"] = value
    return variables


def split_paths(output: bytes) -> list[str]:
    """Split what git printed under `-z` into texts."""
    return [os.fsdecode(part) for part in output.split(b"\0") if part]


def _commit_id(root: Path, revision: str) -> str | None:
    if "\0" in revision:
        return None
    done = call(root, ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"])
    return None if done.returncode else done.stdout.decode("ascii").strip()


def _require_success(root: Path, arguments: Sequence[str], done: subprocess.CompletedProcess[bytes]) -> None:
    if done.returncode == 0:
        return
    reason = done.stderr.decode("utf-8", "replace").strip() or f"it ended with status {done.returncode}"
    if "not a git repository" in reason or "must be run in a work tree" in reason:
        raise NotFound(f"{root} is not in the work tree of a git repository. Name a folder that is.")
    raise MooredError(f"git {arguments[0]} failed in {root}: {reason.splitlines()[0]}")
