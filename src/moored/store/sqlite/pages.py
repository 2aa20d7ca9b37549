"""The bytes of an encrypted database as they are without its key: every page, also what no row uses, and of its log.

For a process of its own: what it opens and closes would end the locks of a process that has the database open.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

import apsw

from moored.store.keys import looks_encrypted
from moored.store.sqlite.connection import fitting, give_key

if TYPE_CHECKING:
    from pathlib import Path

LOG = "-wal"
JOURNAL = "-journal"
"""What SQLite adds to the name of a database for its log, and for what a rollback would put back."""

CHUNK = 1 << 26
"""Bytes that are decrypted at once, a multiple of every size of a page."""

_MAIN, _LOG = 0, 1
_LOG_HEAD, _FRAME_HEAD = 32, 24


def is_encrypted(file: Path) -> bool:
    """Whether the bytes of a file tell nothing: an encrypted database, or the log or journal of one."""
    for end in (LOG, JOURNAL):
        if file.name.endswith(end):
            return looks_encrypted(file.with_name(file.name.removesuffix(end)))
    return looks_encrypted(file)


def decrypted(file: Path, keys: Sequence[str]) -> Iterator[bytes]:
    """The pages of such a file, some at a time. Raises `OSError` when they cannot be read with one of these keys."""
    if file.name.endswith(JOURNAL):
        raise OSError("a rollback journal of an encrypted database cannot be looked through")
    database = file.with_name(file.name.removesuffix(LOG))
    if not keys:
        raise OSError("it is encrypted, and the store has no key")
    try:
        # Any: the stubs of apsw leave its row types unknown.
        db: Any = apsw.Connection(str(database), apsw.SQLITE_OPEN_READONLY)
        with closing(db):
            give_key(db, fitting(database, keys))
            size = db.pragma("page_size")
            # A snapshot that is held keeps others from writing over the log meanwhile.
            db.execute("BEGIN; SELECT count(*) FROM sqlite_schema").fetchall()
            yield from _log(db, file, size) if file != database else _pages(db, file)
    except apsw.Error as error:
        raise OSError(f"it is encrypted, and cannot be read with the key of the store ({error})") from error


def _pages(db: Any, file: Path) -> Iterator[bytes]:
    for at in range(0, file.stat().st_size, CHUNK):
        yield db.read("main", _MAIN, at, min(CHUNK, file.stat().st_size - at))[1]


def _log(db: Any, file: Path, size: int) -> Iterator[bytes]:
    for at in range(_LOG_HEAD, file.stat().st_size - _FRAME_HEAD, size + _FRAME_HEAD):
        yield db.read("main", _LOG, at + _FRAME_HEAD, size)[1]
