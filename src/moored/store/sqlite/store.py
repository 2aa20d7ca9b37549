"""Opening a store, its migrations, and its transactions."""

from __future__ import annotations

import os
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from moored.errors import StoreCorrupt, StoreReadOnly, StoreTooNew
from moored.model.clock import Clock, SystemClock, iso
from moored.store.durability import Durability
from moored.store.sqlite.connection import Connection
from moored.store.sqlite.episodes import Episodes
from moored.store.sqlite.facts import Facts
from moored.store.sqlite.faults import translated
from moored.store.sqlite.graph import Graph
from moored.store.sqlite.ledger_writer import LedgerWriter
from moored.store.sqlite.migrations import MIGRATIONS
from moored.store.sqlite.notes import Notes, Pins
from moored.store.sqlite.projects import Projects
from moored.store.sqlite.search import Search
from moored.store.sqlite.vectors import Vectors

APPLICATION_ID = 0x6D6F6F72
"""Marks a file as a moored store ("moor" in ASCII)."""

_writers: dict[str, threading.RLock] = {}
_writers_guard = threading.Lock()


class View:
    """The tables as one transaction sees them."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.projects = Projects(connection)
        self.episodes = Episodes(connection)
        self.facts = Facts(connection)
        self.graph = Graph(connection)
        self.notes = Notes(connection)
        self.pins = Pins(connection)
        self.search = Search(connection)
        self.vectors = Vectors(connection)


class Transaction(View):
    """A view that can be written. Facts are written only through `ledger_writer` (I-02)."""

    @contextmanager
    def ledger_writer(self) -> Generator[LedgerWriter]:
        with self.connection.ledger_writer():
            yield LedgerWriter(self.connection)


class Store:
    """One SQLite file. Any number of processes and threads may use it; one thread of a process writes at a time.

    Reading uses connections that are opened read-only (I-11). The writing connection is opened at the first write.
    """

    def __init__(
        self, path: Path, *, clock: Clock | None = None, read_only: bool = False, vfs: str | None = None
    ) -> None:
        """Open the store at `path`, create it if it is not there, and migrate it.

        Raises `StoreTooNew` for a store of a newer moored, `StoreCorrupt` for a file that is not a sound store,
        `StoreReadOnly` when it has to be written first and cannot be.
        """
        self.path = path
        self._clock = clock or SystemClock()
        self._vfs = vfs
        self._idle_views: list[View] = []
        self._idle_guard = threading.Lock()
        self._transaction: Transaction | None = None
        with _writers_guard:
            self._writer_lock = _writers.setdefault(os.path.realpath(path), threading.RLock())
        self.read_only = read_only or not _writable(path)
        with translated(path):
            self._prepare()

    def close(self) -> None:
        """End every connection of this object. It can be called again."""
        with self._writer_lock, self._idle_guard:
            for view in self._idle_views:
                view.connection.close()
            self._idle_views.clear()
            if self._transaction is not None:
                self._transaction.connection.close()
                self._transaction = None

    @contextmanager
    def read(self) -> Generator[View]:
        """One consistent view of the store, unmoved by what others write meanwhile."""
        with translated(self.path):
            view = self._take_view()
            try:
                view.connection.execute("BEGIN")
                yield view
            finally:
                if view.connection.in_transaction:
                    view.connection.execute("ROLLBACK")
                with self._idle_guard:
                    self._idle_views.append(view)

    @contextmanager
    def write(self, durability: Durability = Durability.FULL) -> Generator[Transaction]:
        """One transaction: all of the block is kept, or, when it raises, nothing.

        Keep it short: nothing is parsed, embedded or asked of a model inside. Raises `StoreLocked` after a bounded
        wait, `StoreReadOnly`, `StoreFull`.
        """
        if self.read_only:
            raise StoreReadOnly(
                f"The store {self.path} is opened for reading only. "
                "Give write permission to the file and its folder, or choose another store."
            )
        with self._writer_lock, translated(self.path):
            if self._transaction is None:
                self._transaction = Transaction(Connection(self.path, vfs=self._vfs))
            connection = self._transaction.connection
            connection.pragma("synchronous", durability.value)
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._transaction
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def backup(self, target: Path) -> None:
        """Copy the store as it is now to a new file, while others go on writing."""
        with self.read() as view, translated(target):
            view.connection.copy_to(target)
            target.chmod(0o600)

    def check(self, *, deep: bool = False) -> list[str]:
        """What is wrong with the file, in words; empty when it is sound."""
        with self.read() as view:
            pragma = "integrity_check" if deep else "quick_check"
            found = [str(row[0]) for row in view.connection.execute(f"PRAGMA {pragma}") if row[0] != "ok"]
            found += [
                f"row {row} of {table} names a row of {parent} that is not there"
                for table, row, parent, _ in view.connection.execute("PRAGMA foreign_key_check")
            ]
        return found

    def _take_view(self) -> View:
        with self._idle_guard:
            if self._idle_views:
                return self._idle_views.pop()
        return View(Connection(self.path, read_only=True, vfs=self._vfs))

    def _prepare(self) -> None:
        if not self.path.exists() or self.path.stat().st_size == 0:
            if self.read_only:
                raise StoreReadOnly(f"There is no store at {self.path} and none can be created there for reading only.")
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(self.path, os.O_CREAT | os.O_RDWR, 0o600))
            self._migrate()
            return
        applied = self._applied()
        known = [name for name, _ in MIGRATIONS]
        if unknown := [name for name in applied if name not in known]:
            raise StoreTooNew(
                f"The store {self.path} was written by a newer moored (it has {', '.join(unknown)}). "
                "Upgrade moored to use it; it was left as it is."
            )
        if len(applied) < len(known):
            if applied:
                stamp = iso(self._clock.now()).replace(":", "").replace(".", "")
                self.backup(self.path.with_name(f"{self.path.name}.before-{known[len(applied)]}-{stamp}"))
            self._migrate()

    def _applied(self) -> list[str]:
        """Names of the migrations that the file has; refuses a file that is something else."""
        connection = Connection(self.path, read_only=True, vfs=self._vfs)
        try:
            tables = {row[0] for row in connection.rows("SELECT name FROM sqlite_schema WHERE type = 'table'")}
            mark = connection.pragma("application_id")
            if tables and mark != APPLICATION_ID:
                raise StoreCorrupt(
                    f"The file {self.path} is a database, but not a moored store. "
                    "It was left as it is: choose another path."
                )
            if "migration" not in tables:
                return []
            return [row[0] for row in connection.rows("SELECT name FROM migration ORDER BY row")]
        finally:
            connection.close()

    def _migrate(self) -> None:
        """Apply what is missing, each step in a transaction with its record. Several processes may try at once."""
        connection = Connection(self.path, vfs=self._vfs)
        try:
            connection.pragma("journal_mode", "wal")
            connection.execute("BEGIN IMMEDIATE")
            connection.pragma("application_id", APPLICATION_ID)
            connection.execute(
                "CREATE TABLE IF NOT EXISTS migration "
                "(row INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, at INTEGER NOT NULL)"
            )
            connection.execute("COMMIT")
            for name, statements in MIGRATIONS:
                connection.execute("BEGIN IMMEDIATE")
                if not connection.row("SELECT 1 FROM migration WHERE name = ?", name):
                    with connection.ledger_writer():
                        connection.execute(statements)
                    connection.execute("INSERT INTO migration (name, at) VALUES (?, ?)", (name, self._clock.now()))
                connection.execute("COMMIT")
        finally:
            connection.close()


def _writable(path: Path) -> bool:
    """Whether the file, or the nearest existing folder it would be created in, accepts writes."""
    if path.exists():
        return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
    folder = path.parent
    while not folder.exists():
        folder = folder.parent
    return os.access(folder, os.W_OK)
