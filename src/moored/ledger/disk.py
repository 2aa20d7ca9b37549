"""One file on disk: what the file system says of it, and whether it is as it was when it was read.

Nothing is opened here: an unchanged file costs one `lstat`. Paths are relative to the root, with forward slashes.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from moored.errors import MooredError

if TYPE_CHECKING:
    from moored.model.files import IndexedFile

RACY_WINDOW_NS = 2_000_000_000
"""Two seconds: the coarsest time stamp of a file system in use (FAT)."""

_MAX_INODE = 2**63 - 1


class Seen(NamedTuple):
    """A regular file as the file system describes it: bytes, and times in nanoseconds since the epoch."""

    path: str
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


def stat_of(root: Path, path: str) -> Seen | None:
    """Look at one file below `root`; None when there is no regular file that `walk` would reach.

    A link is not one, nor is a file behind a linked folder or a path that leads out of `root`.

    Raises:
        MooredError: the file system does not say, or `root` itself is not there (a disk that is not mounted), so the
            file is neither known to be there nor to be gone.
    """
    parts = path.split("/")
    if Path(path).is_absolute() or ".." in parts or "\0" in path:
        return None
    full = os.fspath(root)
    try:
        for part in parts[:-1]:
            full = f"{full}{os.sep}{part}"
            if not stat.S_ISDIR(os.lstat(full).st_mode):
                return None
        info = os.lstat(f"{full}{os.sep}{parts[-1]}")
    except (FileNotFoundError, NotADirectoryError):
        if not root.is_dir():
            raise MooredError(f"The folder {root} is gone, so nothing is known of {path} in it.") from None
        return None
    except UnicodeEncodeError:
        return None  # no file can be called so
    except OSError as error:
        raise MooredError(f"{path} in {root} cannot be looked at: {error.strerror}. Check its permissions.") from error
    return seen_as(path, info) if stat.S_ISREG(info.st_mode) else None


def unchanged(seen: Seen, known: IndexedFile) -> bool:
    """Tell whether a file surely holds what it held when it was hashed.

    It does when size, times and inode are equal and the file was not written around the moment of hashing: a
    write within the granularity of the file system's clock would leave the times as they were (git calls such
    an entry racy). False means that it may have changed and is to be hashed again.
    """
    if (seen.size, seen.mtime_ns, seen.ctime_ns, seen.inode) != (
        known.size,
        known.mtime_ns,
        known.ctime_ns,
        known.inode,
    ):
        return False
    settled = known.indexed_at_ns - RACY_WINDOW_NS
    # A program can set any modification time, also one to come; only one near the hashing is a sign of a write.
    written_around = settled <= seen.mtime_ns <= known.indexed_at_ns + RACY_WINDOW_NS
    return seen.ctime_ns < settled and not written_around


def seen_as(path: str, info: os.stat_result) -> Seen:
    """A regular file with what `lstat` says of it."""
    # Some file systems number with all 64 bits, more than a signed column holds.
    return Seen(path, info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_ino & _MAX_INODE)
