"""Small encrypted files under the key of a store: what is captured for it before it is in it."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import apsw

from moored.store.sqlite.connection import give_key

if TYPE_CHECKING:
    from pathlib import Path

PAGE = 1024
"""Bytes of a page: most of what is captured is small."""


def seal(file: Path, data: bytes, key: str) -> None:
    """Write data to a new file that only this key opens, and flush it to the disk. Raises `OSError`."""
    try:
        # Any: the stubs of apsw leave its row types unknown.
        db: Any = apsw.Connection(str(file), apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
        with closing(db):
            give_key(db, key)
            file.chmod(0o600)
            db.execute(f"PRAGMA page_size = {PAGE}; PRAGMA journal_mode = off; PRAGMA synchronous = full").fetchall()
            db.execute("BEGIN; CREATE TABLE sealed (data BLOB)")
            db.execute("INSERT INTO sealed VALUES (?)", (data,))
            db.execute("COMMIT")
    except apsw.Error as error:
        raise OSError(f"{file} cannot be written: {error}") from error


def unseal(file: Path, key: str) -> bytes:
    """The data of such a file. Raises `ValueError` when it is none or is under another key, `OSError`."""
    try:
        db: Any = apsw.Connection(str(file), apsw.SQLITE_OPEN_READONLY)
        with closing(db):
            give_key(db, key)
            return db.execute("SELECT data FROM sealed").fetchall()[0][0]
    except apsw.CantOpenError as error:
        raise OSError(f"{file} cannot be read: {error}") from error
    except (apsw.Error, LookupError) as error:
        raise ValueError(f"{file} is not an entry under the key of the store: {error}") from error
