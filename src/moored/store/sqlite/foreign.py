"""SQL of the databases in which other programs keep their sessions. They are only read; nothing is left beside them."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import quote

import apsw

from moored.errors import InvalidInput

if TYPE_CHECKING:
    from pathlib import Path

PATIENCE_MS = 2_000
"""How long a lock of the program whose database it is is waited for."""


def opencode_sessions(path: Path) -> list[tuple[str, str, str, str]]:
    """Id, parent's id (or empty), folder and time of the last change of every session, oldest first."""
    with _opened(path) as db:
        rows = db.execute("SELECT id, parent_id, directory, time_updated FROM session ORDER BY time_created, id")
        return [(str(id_), parent or "", folder or "", str(changed)) for id_, parent, folder, changed in rows]


def opencode_messages(path: Path, session: str) -> Iterator[dict[str, Any]]:
    """The messages of a session in order: `info` of each and its `parts`, as `opencode export` has them."""
    with _opened(path) as db:
        messages = db.execute("SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id", (session,))
        for message, data in messages:
            parts = db.execute("SELECT id, data FROM part WHERE message_id = ? ORDER BY id", (message,))
            yield {
                "info": {"id": message, **_object(data)},
                "parts": [{"id": part, **_object(content)} for part, content in parts],
            }


def cursor_blobs(path: Path) -> Iterator[bytes]:
    """The blobs of a chat of Cursor's command line, in the order in which they were written."""
    with _opened(path) as db:
        for (data,) in db.execute("SELECT data FROM blobs ORDER BY rowid"):
            yield data if isinstance(data, bytes) else str(data).encode()


@contextmanager
def _opened(path: Path) -> Generator[Any]:
    """A connection for reading. A database without a log is opened as one that nobody changes, so no lock is needed.

    Raises `InvalidInput` for a file that is no such database.
    """
    log = path.with_name(path.name + "-wal")
    immutable = "" if log.exists() and log.stat().st_size else "&immutable=1"
    # Any: the stubs of apsw leave its row types unknown.
    db: Any = None
    try:
        name = f"file:{quote(str(path))}?mode=ro{immutable}"
        db = apsw.Connection(name, apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
        db.set_busy_timeout(PATIENCE_MS)
        yield db
    except apsw.Error as error:
        raise InvalidInput(f"The database {path} cannot be read: {error}. Nothing was read from it.") from error
    finally:
        if db is not None:
            db.close()


def _object(data: str | bytes | None) -> dict[str, Any]:
    try:
        value: object = json.loads(data or "{}")
    except (ValueError, RecursionError):
        return {}
    return cast(dict[str, Any], value) if isinstance(value, dict) else {}
