"""What a store stands on: the SQLite that is brought along, the embedding models, git."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from moored.doctor.check import Check, some
from moored.status import sqlite_version

OLDEST_SQLITE = (3, 51, 3)
"""The first release without the race between a checkpoint and a writer that resets the log ("WAL-reset bug")."""

OLDEST_GIT = (2, 31)
"""The first git whose settings can be overridden through its environment (GIT_CONFIG_COUNT)."""


def machine() -> Iterator[Check]:
    yield _sqlite()
    yield _model()
    yield _git()


def _sqlite() -> Check:
    version = sqlite_version()
    if _numbers(version) < OLDEST_SQLITE:
        return Check("SQLite", "warning", f"Version {version} can damage a log.", "Upgrade apsw-sqlite3mc.")
    return Check("SQLite", "ok", f"Version {version}, brought along; Python {sys.version.split()[0]}.")


def _model() -> Check:
    from moored.embed.minilm import FOLDER as MINILM
    from moored.embed.static import FOLDER as STATIC

    for folder in (MINILM, STATIC):
        if wrong := damaged_files(folder):
            remedy = "Install moored again."
            return Check("embedding model", "problem", f"{some(wrong, ', ')} of {folder} differ.", remedy)
    return Check("embedding model", "ok", f"The files of {MINILM.name} and {STATIC.name} are as they were built.")


def damaged_files(folder: Path) -> list[str]:
    """The files of a model whose SHA-256 is not the one in its SHA256SUMS, or that are missing."""
    try:
        sums = (folder / "SHA256SUMS").read_text(encoding="ascii")
    except OSError:
        return ["SHA256SUMS"]
    wrong: list[str] = []
    for line in sums.splitlines():
        expected, _, name = line.partition("  ")
        file = folder / name
        if not file.is_file() or sha256(file.read_bytes()).hexdigest() != expected:
            wrong.append(name)
    return wrong


def _git() -> Check:
    program = shutil.which("git")
    remedy = "Install git 2.31 or newer. Without it, ignore rules are read by moored and history is not imported."
    if program is None:
        return Check("git", "warning", "It was not found.", remedy)
    try:
        done = subprocess.run(  # noqa: S603  # a fixed program, a list of arguments and no shell
            [program, "--version"], capture_output=True, text=True, timeout=10, check=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        return Check("git", "warning", f"{program} does not run: {error}.", remedy)
    version = done.stdout.strip().removeprefix("git version ")
    if _numbers(version) < OLDEST_GIT:
        return Check("git", "warning", f"Version {version} is too old to be called safely; it is not used.", remedy)
    return Check("git", "ok", f"Version {version}.")


def _numbers(version: str) -> tuple[int, ...]:
    numbers: list[int] = []
    for part in version.split(".")[:3]:
        digits = "".join(character for character in part if character.isdigit())
        if not digits:
            break
        numbers.append(int(digits))
    return tuple(numbers)
