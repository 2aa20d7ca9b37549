"""Locks that are files in a folder, and end with the process that holds them.

Standard library only: hooks load it.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


def make_private(folder: Path) -> None:
    """Make a folder, for its owner only, if it is not there."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


@contextmanager
def locked(folder: Path, name: str) -> Generator[bool]:
    """Hold a lock, a file in a folder, for the length of the block; tell whether it was free. Never waits.

    It ends with the process that holds it. Raises `OSError` when the folder cannot be written.
    """
    make_private(folder)
    with (folder / name).open("ab") as file:
        yield _try_lock(file)


@contextmanager
def waited(folder: Path, name: str, *, alone: bool) -> Generator[None]:
    """Hold a lock for the length of the block, after waiting for it: `alone`, or with others that are not alone.

    Raises `OSError` as `locked`.
    """
    make_private(folder)
    with (folder / name).open("ab") as file:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        yield


def _try_lock(file: BinaryIO) -> bool:
    """Lock a file for this process alone, without waiting. The system takes the lock back when the file is closed."""
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
