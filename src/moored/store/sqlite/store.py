"""Opening a store, its migrations, and its transactions."""

from __future__ import annotations

import os
import threading
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from moored.errors import StoreCorrupt, StoreError, StoreLocked, StoreReadOnly, StoreTooNew
from moored.model.clock import Clock, SystemClock, iso
from moored.model.promises import Finding
from moored.store.durability import Durability
from moored.store.keys import keys_of
from moored.store.sqlite.aliases import Aliases
from moored.store.sqlite.bundle import Bundle
from moored.store.sqlite.check import problems
from moored.store.sqlite.connection import APPLICATION_ID, BUSY_TIMEOUT_MS, Connection, fitting, take_back
from moored.store.sqlite.copying import copy_whole
from moored.store.sqlite.episodes import Episodes
from moored.store.sqlite.erasure import Erasure
from moored.store.sqlite.facts import Facts
from moored.store.sqlite.faults import cannot_create, translated
from moored.store.sqlite.graph import Graph
from moored.store.sqlite.kin import Kin
from moored.store.sqlite.migrations import MIGRATIONS, UPGRADES
from moored.store.sqlite.notes import Notes, Pins
from moored.store.sqlite.operations import Operations
from moored.store.sqlite.profiles import Profiles
from moored.store.sqlite.projects import Projects
from moored.store.sqlite.proposals import Proposals
from moored.store.sqlite.reminders import Reminders
from moored.store.sqlite.rules import Rules
from moored.store.sqlite.search import Search
from moored.store.sqlite.seeds import Seeds
from moored.store.sqlite.sessions import Sessions
from moored.store.sqlite.states import States
from moored.store.sqlite.transcripts import Transcripts
from moored.store.sqlite.vectors import Vectors

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from moored.store.sqlite.ledger_writer import LedgerWriter
    from moored.store.sqlite.taking import Taking

IDLE_VIEWS = 8
"""How many connections for reading are kept open between reads."""

_writers: WeakValueDictionary[str, threading.RLock] = WeakValueDictionary()
_writers_guard = threading.Lock()


class View:
    """The tables as one transaction sees them."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.projects = Projects(connection)
        self.episodes = Episodes(connection)
        self.sessions = Sessions(connection)
        self.facts = Facts(connection)
        self.graph = Graph(connection)
        self.notes = Notes(connection)
        self.pins = Pins(connection)
        self.search = Search(connection)
        self.vectors = Vectors(connection)
        self.transcripts = Transcripts(connection)
        self.aliases = Aliases(connection)
        self.rules = Rules(connection)
        self.seeds = Seeds(connection)
        self.operations = Operations(connection)
        self.states = States(connection)
        self.reminders = Reminders(connection)
        self.profiles = Profiles(connection)
        self.kin = Kin(connection)
        self.proposals = Proposals(connection)
        self.erasure = Erasure(connection)
        self.bundle = Bundle(connection)


class Transaction(View):
    """A view that can be written. Facts are written only through `ledger_writer` (I-02)."""

    @contextmanager
    def ledger_writer(self) -> Generator[LedgerWriter]:
        from moored.store.sqlite.ledger_writer import LedgerWriter

        with self.connection.ledger_writer():
            yield LedgerWriter(self.connection)

    @contextmanager
    def taking(self) -> Generator[Taking]:
        """Take in a bundle. The guards of notes are away inside, and what others wait for is theirs when it ends."""
        from moored.store.sqlite.taking import Taking

        with self.connection.ledger_writer():
            yield Taking(self.connection, self.search)

    def problems(self) -> list[Finding]:
        """What a deep look finds in the store as this transaction leaves it."""
        return list(problems(self.connection, deep=True))


class Store:
    """One SQLite file. Any number of processes and threads may use it; one thread of a process writes at a time.

    Reading uses connections that are opened read-only (I-11). The writing connection is opened at the first write.
    """

    def __init__(
        self,
        path: Path,
        *,
        clock: Clock | None = None,
        read_only: bool = False,
        key_of: Path | None = None,
        vfs: str | None = None,
        busy_timeout_ms: int = BUSY_TIMEOUT_MS,
    ) -> None:
        """Open the store at `path`, create it if it is not there, and migrate it.

        `key_of` is the store of which this one is a copy: it has the same key.

        Raises `StoreTooNew` for a store of a newer moored, `StoreCorrupt` for a file that is not a sound store,
        `StoreReadOnly` when it has to be written first and cannot be, `StoreEncrypted` when its key cannot be had.
        """
        self.path = path
        self._clock = clock or SystemClock()
        self._vfs = vfs
        self._busy_timeout_ms = busy_timeout_ms
        self._idle_views: list[View] = []
        self._idle_guard = threading.Lock()
        self._transaction: Transaction | None = None
        self._closed = False
        with _writers_guard:
            self._writer_lock = _writers.setdefault(os.path.realpath(path), threading.RLock())
        self.read_only = read_only or not _writable(path)
        try:
            with translated(path):
                self._key = fitting(path, keys_of(key_of or path))
                self._prepare()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End every connection of this object; one that reads at this moment ends when it has finished.

        It can be called again. Reading or writing afterwards raises `StoreError`.
        """
        with self._writer_lock, self._idle_guard:
            self._closed = True
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
                self._give_back(view)

    @contextmanager
    def write(
        self, durability: Durability = Durability.FULL, *, patience_ms: int | None = None
    ) -> Generator[Transaction]:
        """One transaction: all of the block is kept, or, when it raises, nothing.

        Keep it short: nothing is parsed, embedded or asked of a model inside. Raises `StoreLocked` after a bounded
        wait (`patience_ms` for what is not worth a long one), `StoreReadOnly`, `StoreFull`.
        """
        if self.read_only:
            raise StoreReadOnly(
                f"The store {self.path} is opened for reading only. "
                "Give write permission to the file and its folder, or choose another store."
            )
        patience = self._busy_timeout_ms if patience_ms is None else patience_ms
        with self._writing(patience), translated(self.path):
            transaction = self._writer()
            connection = transaction.connection
            connection.set_busy_timeout(patience)
            connection.set_pragma("synchronous", durability.value)
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield transaction
                transaction.search.flush()
                connection.execute("COMMIT")
            except BaseException:
                transaction.search.discard()
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def backup(self, target: Path) -> None:
        """Copy the store as it is now to a new file, while others go on writing.

        The file appears when it is whole, and was read again and found equal to this store, row by row. The copy of
        an encrypted store is encrypted with the same key. Raises errors of the store, and `OSError`.
        """
        with self.read() as view:
            copy_whole(view.connection, target, self._key)

    def truncate_log(self) -> bool:
        """Write all of the log into the file and empty it; False when a reader holds on to some of it."""
        with self._writing(self._busy_timeout_ms), translated(self.path):
            return not self._writer().connection.value("PRAGMA wal_checkpoint(TRUNCATE)")

    def rewrite(self) -> None:
        """Write the whole file anew, without the bytes that no row uses. It needs as much room again meanwhile."""
        with self._writing(self._busy_timeout_ms), translated(self.path):
            connection = self._writer().connection
            with connection.ledger_writer():
                connection.rows("VACUUM")

    def check(self, *, deep: bool = False) -> list[Finding]:
        """What is wrong with the store; empty when it is sound.

        `deep` also reads all that is in it, and looks for what breaks a promise.
        """
        self._refuse_if_closed()
        found: list[Finding] = []
        try:
            with translated(self.path), closing(self._connect(read_only=True)) as connection:
                # A connection of its own: on one that has searched before others wrote, FTS5 checks what it
                # remembers of the index against what stands there now, and calls the difference corrupt.
                connection.execute("BEGIN")
                for problem in problems(connection, deep=deep):
                    found.append(problem)  # noqa: PERF402 - what was found before an error is kept
        except StoreCorrupt as error:
            found.append(Finding("", str(error)))
        return found

    def _take_view(self) -> View:
        with self._idle_guard:
            self._refuse_if_closed()
            if self._idle_views:
                return self._idle_views.pop()
        return View(self._connect(read_only=True))

    def _give_back(self, view: View) -> None:
        """Keep a connection for the next reader if it is fit for one.

        It is not when a statement is half-read, which holds the old snapshot, or when it reads without locks, which
        is right only while nobody writes.
        """
        connection = view.connection
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        with self._idle_guard:
            fit = connection.at_rest and not connection.unguarded
            if fit and not self._closed and len(self._idle_views) < IDLE_VIEWS:
                self._idle_views.append(view)
                return
        connection.close()

    @contextmanager
    def _writing(self, patience_ms: int) -> Generator[None]:
        """Hold the lock by which the threads of this process take turns, after a bounded wait."""
        if not self._writer_lock.acquire(timeout=patience_ms / 1000):
            raise StoreLocked(
                f"The store {self.path} is locked by another thread of this process, which held it for the whole "
                "wait. Nothing was written; try again when it has finished."
            )
        try:
            yield
        finally:
            self._writer_lock.release()

    def _writer(self) -> Transaction:
        self._refuse_if_closed()
        if self._transaction is None:
            self._transaction = Transaction(self._connect())
        return self._transaction

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise StoreError(f"The store {self.path} was closed. Open it again to use it.")

    def _connect(self, *, read_only: bool = False) -> Connection:
        return Connection(
            self.path,
            key=self._key,
            read_only=read_only,
            vfs=self._vfs,
            busy_timeout_ms=self._busy_timeout_ms,
        )

    def _prepare(self) -> None:
        if not self.read_only:
            take_back(self.path, self._key, self._vfs, self._busy_timeout_ms)
        if not self.path.exists() or self.path.stat().st_size == 0:
            if self.read_only:
                raise StoreReadOnly(f"There is no store at {self.path} and none can be created there for reading only.")
            _create(self.path)
            self._migrate()
            return
        with self.read() as view:
            pending = self._pending(view.connection)
        if pending and self.read_only:
            raise StoreReadOnly(
                f"The store {self.path} was written by an older moored and has to be upgraded first, which it is "
                "opened too narrowly for. Open it once where it can be written."
            )
        if pending:
            self._migrate()

    def _pending(self, connection: Connection) -> list[tuple[str, str]]:
        """The migrations that the file lacks; refuses a file that is something else, or newer than this program."""
        if connection.pragma("application_id") != APPLICATION_ID:
            if connection.value("SELECT count(*) FROM sqlite_schema"):
                raise StoreCorrupt(
                    f"The file {self.path} is a database, but not a moored store. "
                    "It was left as it is: choose another path."
                )
            return list(MIGRATIONS)
        applied = {row[0] for row in connection.rows("SELECT name FROM migration")}
        if unknown := sorted(applied - {name for name, _ in MIGRATIONS}):
            raise StoreTooNew(
                f"The store {self.path} was written by a newer moored (it has {', '.join(unknown)}). "
                "Upgrade moored to use it; it was left as it is."
            )
        return [(name, statements) for name, statements in MIGRATIONS if name not in applied]

    def _migrate(self) -> None:
        """Apply what is missing, with the record of each step, all in one transaction.

        So a store is never seen half-made. Several processes may try at once: the first one works, the others wait
        for the lock and find nothing left to do. An existing store is copied before it is changed.
        """
        with closing(self._connect()) as connection:
            connection.execute("BEGIN IMMEDIATE")
            pending = self._pending(connection)
            if len(pending) < len(MIGRATIONS):
                self._back_up_before(pending)
            else:
                connection.set_pragma("application_id", APPLICATION_ID)
                connection.execute(
                    "CREATE TABLE migration (row INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, at INTEGER NOT NULL)"
                )
            for name, statements in pending:
                with connection.ledger_writer():
                    connection.rows(statements)
                if upgrade := UPGRADES.get(name):
                    upgrade(connection)
                connection.execute("INSERT INTO migration (name, at) VALUES (?, ?)", (name, self._clock.now()))
            connection.execute("COMMIT")

    def _back_up_before(self, pending: list[tuple[str, str]]) -> None:
        if pending:
            stamp = iso(self._clock.now()).replace(":", "").replace(".", "")
            self.backup(self.path.with_name(f"{self.path.name}.before-{pending[0][0]}-{stamp}"))


def _create(path: Path) -> None:
    """Make the empty file and its folder, for the eyes of their owner only."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        raise cannot_create(error, path) from error


def _writable(path: Path) -> bool:
    """Whether the file, or the nearest existing folder it would be created in, accepts writes."""
    if path.exists():
        return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
    folder = path.parent
    while not folder.exists():
        folder = folder.parent
    return os.access(folder, os.W_OK)
