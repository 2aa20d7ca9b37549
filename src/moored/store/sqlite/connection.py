"""Connections: how every one of them is set up, and who may write the ledger on it."""

from __future__ import annotations

import os
import time
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import apsw

from moored.errors import StoreReadOnly
from moored.store.sqlite.migrations.m0003_ledger import GUARDED

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Sequence
    from pathlib import Path

APPLICATION_ID = 0x6D6F6F72
"""Marks a file as a moored store ("moor" in ASCII)."""

BUSY_TIMEOUT_MS = 5_000
"""How long a connection waits for a lock of another one before it gives up."""

PRAGMAS: dict[str, str | int] = {"trusted_schema": 0, "cell_size_check": 1, "temp_store": 2, "cache_size": -16_000}
"""Set on every connection."""

WRITER_PRAGMAS: dict[str, str | int] = {
    "journal_mode": "wal",
    "foreign_keys": 1,
    "secure_delete": 1,
    "synchronous": 2,
    "fullfsync": 1,
    "checkpoint_fullfsync": 1,
    "journal_size_limit": 16 * 1024 * 1024,
}
"""Set on every connection that can write.

`synchronous` 2 is FULL; a relaxed transaction sets 1 (NORMAL) for itself. The two `fullfsync` make a flush reach the
disk on macOS, where a plain one stops at the drive's cache; elsewhere they mean nothing.
"""

CIPHER = "chacha20"
"""What encrypts the pages of a store that has a key, and proves that they are whole (ChaCha20-Poly1305)."""

STATEMENTS = 400
"""Prepared statements that are kept on a connection: one recall runs about a hundred different ones."""

PAGES = 1_000
"""Pages that are copied in one step, between which others have their turn."""

PAUSE = 0.1
"""Seconds for which a copy lets others have the disk after one step at most."""

_WRITES = {apsw.SQLITE_INSERT, apsw.SQLITE_UPDATE, apsw.SQLITE_DELETE}


class Connection:
    """A connection that writes the ledger only inside `ledger_writer` (I-02).

    Two locks: the authorizer refuses to prepare a statement that writes the ledger's tables, and the triggers
    on them ask `moored_ledger()`, which only such a connection defines, so that a foreign one fails too. A connection
    that is opened for reading writes nothing at all, and needs no authorizer.

    `unguarded` says that it reads without locks, because it cannot make any where the store is.
    """

    def __init__(
        self,
        path: Path,
        *,
        key: str | None = None,
        read_only: bool = False,
        vfs: str | None = None,
        busy_timeout_ms: int = BUSY_TIMEOUT_MS,
    ) -> None:
        self.unguarded = read_only and _cannot_be_guarded(path)
        if read_only:
            name, flags = f"file:{quote(str(path))}?mode=ro", apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        else:
            name, flags = str(path), apsw.SQLITE_OPEN_READWRITE
        pragmas = PRAGMAS if read_only else PRAGMAS | WRITER_PRAGMAS
        if self.unguarded and not _log(path).exists():
            name += "&immutable=1"
        elif self.unguarded and os.name == "posix":
            if key:
                # The file systems of SQLite that lock nothing do not know ciphers.
                raise StoreReadOnly(
                    f"The encrypted store {path} has a log beside it and cannot be locked in its folder, so that it "
                    "cannot be read there. Give write permission to the folder, or copy both to one of your own."
                )
            # Reads the log with an index of its own, in memory, which SQLite does only under an exclusive lock.
            vfs, pragmas = "unix-none", {"locking_mode": "exclusive", **PRAGMAS}
        # Any: the stubs of apsw leave its buffer type unknown.
        self._db: Any = apsw.Connection(name, flags, vfs, STATEMENTS)
        self._in_ledger_writer = False
        self._key = key
        give_key(self._db, key)
        self._db.set_busy_timeout(busy_timeout_ms)
        self.rows("".join(f"PRAGMA {name} = {value};" for name, value in pragmas.items()))
        self._db.create_scalar_function("moored_ledger", self._may_write_ledger, 0, flags=apsw.SQLITE_INNOCUOUS)
        if not read_only:
            self._db.authorizer = _deny_ledger

    def _may_write_ledger(self) -> int:
        return int(self._in_ledger_writer)

    @contextmanager
    def ledger_writer(self) -> Generator[None]:
        """Open the ledger's tables for writing on this connection, for the length of the block."""
        self._in_ledger_writer = True
        self._db.authorizer = None
        try:
            yield
        finally:
            self._in_ledger_writer = False
            self._db.authorizer = _deny_ledger

    def execute(self, sql: str, values: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """Run one or more statements; the rows come as they are read, and what follows one that gives rows as well."""
        return self._db.execute(sql, values)

    def executemany(self, sql: str, values: Iterable[Sequence[object]]) -> None:
        """Run a statement once for each sequence of values."""
        self._db.executemany(sql, values)

    def rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """Run a statement and return all its rows."""
        return list(self._db.execute(sql, values))

    def row(self, sql: str, *values: object) -> tuple[Any, ...] | None:
        """Run a statement and return its first row, or None."""
        return next(iter(self._db.execute(sql, values)), None)

    def value(self, sql: str, *values: object) -> Any:
        """Run a statement and return the first column of its first row; it must have one."""
        return self.rows(sql, *values)[0][0]

    def pragma(self, name: str) -> Any:
        """The value of a pragma."""
        return self._db.pragma(name)

    def set_pragma(self, name: str, value: str | int) -> Any:
        """Set a pragma, and return what it answers."""
        return self._db.pragma(name, value)

    def set_busy_timeout(self, milliseconds: int) -> None:
        """How long a statement waits for a lock that another connection holds."""
        self._db.set_busy_timeout(milliseconds)

    def last_insert_rowid(self) -> int:
        return self._db.last_insert_rowid()

    def changes(self) -> int:
        """How many rows the last statement changed."""
        return self._db.changes()

    @property
    def in_transaction(self) -> bool:
        return self._db.in_transaction

    @property
    def at_rest(self) -> bool:
        """Whether the connection holds no snapshot: none of its statements is half-read."""
        return self._db.txn_state() == apsw.SQLITE_TXN_NONE

    def copy_to(self, target: Path) -> None:
        """Copy the whole database, as the transaction of this connection sees it, to a new file."""
        # Before its first read a transaction has no moment of its own, and the copy begins anew with each write.
        self.value("SELECT count(*) FROM sqlite_schema")
        copy_pages(self._db, target, self._key)

    def close(self) -> None:
        """End the connection. That the log could not be emptied on the way is no error: it is at the next occasion."""
        with suppress(apsw.Error):
            self._db.close()


def give_key(db: Any, key: str | None) -> None:
    """Give a new connection its key before anything else; None is that of a plain database."""
    if key:
        db.pragma("cipher", CIPHER)
        db.pragma("key", f"raw:{key}")


def copy_pages(db: Any, target: Path, key: str | None) -> None:
    """Copy a database page by page to a new file under the same key, which needs no log beside it.

    It is flushed bit by bit: a long flush at the end would hold up who writes meanwhile.
    """
    os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    copy: Any = apsw.Connection(str(target))
    with target.open("rb+") as file, closing(copy):
        give_key(copy, key)
        with copy.backup("main", db, "main") as work:
            while not work.done:
                work.step(PAGES)
                began = time.monotonic()
                os.fsync(file.fileno())
                # As long as the disk was taken up, it is left to those who write.
                time.sleep(min(time.monotonic() - began, PAUSE))
        copy.pragma("journal_mode", "delete")
        os.fsync(file.fileno())


def fitting(path: Path, keys: Sequence[str | None]) -> str | None:
    """The first of these keys under which a database can be read. Raises SQLite's error when there is none."""
    for key in keys[:-1]:
        with suppress(apsw.NotADBError), closing(Connection(path, key=key, read_only=True)) as connection:
            connection.value("SELECT count(*) FROM sqlite_schema")
            return key
    return keys[-1]


def take_back(path: Path, key: str | None, vfs: str | None, busy_timeout_ms: int) -> None:
    """Undo what a process left half-done that was ended before the file had its log.

    Then a journal lies beside it, and no connection that only reads can open it. Nothing else of the file changes.
    """
    if path.exists() and path.with_name(path.name + "-journal").exists():
        # Any: as in `Connection`.
        writing: Any = apsw.Connection(str(path), apsw.SQLITE_OPEN_READWRITE, vfs)
        with closing(writing):
            give_key(writing, key)
            writing.set_busy_timeout(busy_timeout_ms)
            writing.execute("SELECT count(*) FROM sqlite_schema").fetchall()


def _deny_ledger(action: int, table: str | None, *_: str | None) -> int:
    return apsw.SQLITE_DENY if action in _WRITES and table in GUARDED else apsw.SQLITE_OK


def _cannot_be_guarded(path: Path) -> bool:
    """Whether a store that nobody has open is in a folder where we cannot make the file that processes lock."""
    return not path.with_name(path.name + "-shm").exists() and not os.access(path.parent, os.W_OK)


def _log(path: Path) -> Path:
    return path.with_name(path.name + "-wal")
