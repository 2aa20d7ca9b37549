"""Removing a file so that what stood in it is overwritten first.

On a disk of flash memory, and on a file system that copies on writing, the old blocks may live on: only the system that
keeps them could overwrite them.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

CHUNK = 1 << 20


def blot(file: Path) -> None:
    """Overwrite a file with zeros, flush them to the disk, and remove it. A file that is not there is no error.

    Not for a database that this process has open: closing the file would end its locks. Raises `OSError`.
    """
    with suppress(FileNotFoundError):
        descriptor = os.open(file, os.O_WRONLY | getattr(os, "O_BINARY", 0))
        try:
            overwrite(descriptor)
        finally:
            os.close(descriptor)
        file.unlink()


def overwrite(descriptor: int) -> None:
    """Overwrite all of an open file with zeros, and flush them. Its size stays."""
    left = os.fstat(descriptor).st_size
    os.lseek(descriptor, 0, os.SEEK_SET)
    while left:
        left -= os.write(descriptor, bytes(min(left, CHUNK)))
    os.fsync(descriptor)
