"""Absorbing: taking what hooks captured out of the inbox into the record and the ledger.

Entries go through admission in the order in which they were captured, in batches of one transaction each, and are
removed when the transaction is on the disk: an absorber may be killed at any point, and what it does twice it records
once (I-17). One absorber works at a time per store. An entry that the record refuses is set aside and counted; one
whose project cannot be told at the moment waits; neither holds up the others.

A folder that no project knows yet becomes one, so that nothing has to be set up before something can be kept: the
repository that it is in, or else the folder itself, also when it is gone by now. `python -m moored.absorb STORE` is the
process that hooks leave behind when no server runs; it ends by itself.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import closing
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from moored.errors import InvalidInput, MooredError, StoreError
from moored.hosts import log
from moored.ledger.keeper import Keeper
from moored.model.characters import is_unicode
from moored.model.clock import SystemClock
from moored.model.episodes import Channel, Event, Role
from moored.model.forgetting import FORGOTTEN
from moored.model.ids import RandomIds
from moored.model.projects import Project, Tree
from moored.record.admission import WITHHELD, Admitted, admit, write_all
from moored.record.inbox import Entry, Inbox
from moored.scope import as_set, belonging
from moored.settings import FILE_NAME, Place, Settings, locate, read_settings
from moored.store.durability import Durability

if TYPE_CHECKING:
    from moored.model.clock import Clock
    from moored.model.ids import IdSource
    from moored.store.port import Store

BATCH = 100
"""Entries that are written in one transaction."""

BATCH_SIZE = 4 * 1024 * 1024
"""Bytes of files after which a batch is written."""

QUICK = 1024 * 1024
"""Bytes of the largest entry that is taken in before something is read or written."""

LINGER = 2.0
"""Seconds that the absorber's process waits for more before it ends, so that a burst of events starts one process."""

LOOK = 0.1
"""Seconds between two looks into the inbox while lingering."""

LIFETIME = 900.0
"""Seconds after which the absorber's process ends whatever it does. Another goes on where it was."""

PATIENCE = 5.0
"""Seconds that the absorber's process waits for another writer of the store, and for another absorber."""

POLL = 0.01
"""Seconds between two attempts to begin."""

VECTORS = 2_000
"""Texts that the absorber's process gives their vectors before it ends; upkeep gives them to the others."""

VECTORS_AT_A_TIME = 16
"""Texts that get their vectors before it looks again whether something was captured."""


@dataclass(slots=True)
class Absorbed:
    """The account of one absorbing.

    `recorded` and `duplicates` count entries that the record holds now, `withheld` those of which nothing was to be
    kept, `failed` those that it refused and that were set aside, `held` those that wait on because they cannot be read
    or their project cannot be told now. `left` counts what waits when it ended, `held` among them. `busy` says that
    another absorber was at work, so that nothing was done here. `changed` are the files that tools wrote, relative to
    the root of their tree, for each root.
    """

    recorded: int = 0
    duplicates: int = 0
    withheld: int = 0
    failed: int = 0
    held: int = 0
    left: int = 0
    busy: bool = False
    changed: dict[str, set[str]] = field(default_factory=dict[str, set[str]])

    @property
    def taken(self) -> int:
        """How many entries left the inbox."""
        return self.recorded + self.duplicates + self.withheld + self.failed


class Unsettled(Exception):
    """To which project something belongs cannot be told until the settings there are mended."""


@dataclass(frozen=True, slots=True)
class _Ready:
    """An entry that is admitted, and where it belongs."""

    file: Path
    entry: Entry
    project: Project
    tree: Tree
    admitted: Admitted


def absorb(
    store: Store,
    *,
    clock: Clock,
    ids: IdSource,
    seconds: float = LIFETIME,
    patience: float = 0.0,
    largest: int = sys.maxsize,
    ledger: bool = True,
) -> Absorbed:
    """Take the waiting entries of a store into it, for about `seconds`.

    `patience` is how long to wait, in seconds, for another absorber to take them and for another writer of the store.
    An entry above `largest` bytes, and those after it, are left to an absorber with more time. With `ledger` the files
    that tools wrote are read again, a repository that was never indexed is indexed, and preferences and beliefs are
    learned; without it, the files are found changed when they are next looked at, and the rest waits. A store that
    cannot be written is left alone.

    Raises the errors of the store, and `OSError` when the inbox cannot be locked; what was not recorded waits on.
    """
    inbox = Inbox(store.path)
    work = _Work(store, inbox, clock, ids, max(int(patience * 1000), 1))
    end = time.monotonic() + patience
    while not store.read_only and inbox.waiting():
        with inbox.taking() as free:
            if free:
                inbox.sweep()
                work.take(largest, time.monotonic() + seconds)
        work.done.busy = not free
        if free or time.monotonic() >= end:
            break
        time.sleep(POLL)
    if ledger:
        work.read_again()
        work.learn()
    work.done.left = len(inbox.waiting())
    return work.done


def absorb_shortly(store: Store, clock: Clock, ids: IdSource) -> Absorbed:
    """Take in what waits as far as it is quickly done, before something is read or written.

    Trouble is no error here: the record answers without what waits on, and status and doctor count it.
    """
    try:
        return absorb(store, clock=clock, ids=ids, seconds=0.4, patience=0.2, largest=QUICK, ledger=False)
    except (MooredError, OSError) as error:
        log.note(store.path, f"not absorbed: {log.describe(error)}")
        return Absorbed(left=len(Inbox(store.path).waiting()))


class _Work:
    """What one absorbing does, with what it has found out so far."""

    def __init__(self, store: Store, inbox: Inbox, clock: Clock, ids: IdSource, patience_ms: int) -> None:
        self.done = Absorbed()
        self._store = store
        self._inbox = inbox
        self._clock = clock
        self._ids = ids
        self._patience_ms = patience_ms
        self._places: dict[str, tuple[Project, Tree]] = {}
        self._trees: dict[str, Tree] = {}
        self._fed: dict[Project, None] = {}

    def take(self, largest: int, end: float) -> None:
        """Record what waits, oldest first, until `end` (of the monotonic clock) or an entry above `largest` bytes."""
        batch: list[_Ready] = []
        size = 0
        for file in self._inbox.waiting():
            bytes_ = _size(file)
            if bytes_ > largest or time.monotonic() >= end:
                break
            ready = self._ready(file)
            if ready is not None:
                batch.append(ready)
                size += bytes_
            if len(batch) >= BATCH or size >= BATCH_SIZE:
                self._record(batch)
                batch, size = [], 0
        if batch:
            self._record(batch)

    def _record(self, ready: list[_Ready]) -> None:
        """Record a batch in one transaction; if something in it is refused there, each entry in one of its own."""
        try:
            self._write(ready)
        except Exception as error:
            if not _is_about_an_entry(error):
                raise
            if len(ready) > 1:
                for one in ready:
                    self._record([one])
            else:
                self._refuse(ready[0].file, error)

    def read_again(self) -> None:
        """Let the ledger read the files that tools wrote, and a repository that it never read."""
        for root, tree in self._trees.items():
            try:
                self._read_tree(tree, self.done.changed.get(root, set()))
            except MooredError as error:
                # The next look at the tree finds the same files changed.
                log.note(self._store.path, f"the ledger did not follow: {log.describe(error)}")

    def learn(self) -> None:
        """Learn what users prefer, and what they do again and again, in the projects of which something came in."""
        from moored.atlas.profile.learning import learn_all

        for project in self._fed:
            try:
                learn_all(self._store, project, clock=self._clock, ids=self._ids, patience_ms=self._patience_ms)
            except MooredError as error:
                # What was not read waits on, and is read the next time.
                log.note(self._store.path, f"not learned: {log.describe(error)}")

    def _read_tree(self, tree: Tree, changed: set[str]) -> None:
        keeper = Keeper(self._store, tree, clock=self._clock, ids=self._ids)
        with self._store.read() as view:
            indexed = view.facts.has_files(tree)
            known = {path for path in changed if view.facts.file(tree, path)}
        if indexed and changed == known:
            if known:
                keeper.index(known)
        elif indexed or _is_clone(Path(tree.root)):
            # A file that is new to the ledger: only a look at all of the tree knows what is ignored.
            keeper.index()

    def _ready(self, file: Path) -> _Ready | None:
        """Admit an entry, or set it aside, or let it wait."""
        try:
            entry = self._inbox.read(file)
            event = _event(entry, file)
            return _Ready(file, entry, *self._belonging(entry.cwd), admit(event))
        except FileNotFoundError:
            return None
        except (OSError, Unsettled) as error:
            self.done.held += 1
            log.note(self._store.path, f"{file.name} waits: {log.describe(error)}")
        except StoreError:
            raise
        except Exception as error:  # noqa: BLE001 - what fails on one entry must not hold up the others
            self._refuse(file, error)
        return None

    def _refuse(self, file: Path, error: Exception) -> None:
        self._inbox.set_aside(file)
        self.done.failed += 1
        log.note(self._store.path, f"{file.name} was set aside: {log.describe(error)}")

    def _belonging(self, cwd: str) -> tuple[Project, Tree]:
        """The project and tree of a folder. Raises as `place_of`, and the errors of the store."""
        if cwd not in self._places:
            place = place_of(Path(cwd))
            project, tree = belonging(
                self._store, place, self._clock, self._ids, create=True, patience_ms=self._patience_ms
            )
            self._places[cwd] = project, as_set(tree, place.settings)
        return self._places[cwd]

    def _write(self, ready: list[_Ready]) -> None:
        """Record, and remove what is recorded once it is on the disk, since then nothing else holds it."""
        with self._store.write(Durability.FULL, patience_ms=self._patience_ms) as transaction:
            recorded = [
                account
                for project, entries in groupby(ready, key=lambda one: one.project)
                for account in write_all(
                    transaction, project, [one.admitted for one in entries], self._clock, self._ids
                )
            ]
        for one, account in zip(ready, recorded, strict=True):
            self._inbox.remove(one.file)
            self.done.duplicates += account.outcome == "duplicate"
            self.done.withheld += account.outcome in (WITHHELD, FORGOTTEN)
            self.done.recorded += account.outcome == "recorded"
            self._trees[one.tree.root] = one.tree
            self._fed[one.project] = None
            if paths := _below(one.tree, one.entry):
                self.done.changed.setdefault(one.tree.root, set()).update(paths)


def place_of(cwd: Path) -> Place:
    """Where what happened in a folder belongs, also when the folder is gone by now.

    Then it belongs to the repository, or the folder with settings, that it was in, if that is still there, and else to
    a project of its own: never to whatever folder happens to remain above it.

    Raises `Unsettled` when the settings there cannot be understood, `ValueError` for a name that no store keeps.
    """
    if not is_unicode(str(cwd)) or "\0" in str(cwd):
        raise ValueError("the name of its folder is not UTF-8")
    folder = cwd
    while not folder.is_dir() and folder != folder.parent:
        folder = folder.parent
    try:
        place = locate(folder)
    except InvalidInput as error:
        raise Unsettled(str(error)) from error
    if folder == cwd or not place.key.startswith("dir:") or (place.root / FILE_NAME).is_file():
        return place
    return Place(f"dir:{cwd}", cwd.name, cwd, Settings())


def _event(entry: Entry, file: Path) -> Event:
    """The event of an entry. One that the host gave no id is known again by its file."""
    return Event(
        content=entry.content,
        role=Role(entry.role),
        channel=Channel(entry.channel),
        host=entry.host,
        session=entry.session,
        host_event=entry.host_event or f"inbox:{file.stem}",
        tool_name=entry.tool_name,
        tool_input=entry.tool_input,
        exit_status=entry.exit_status,
        occurred_at=entry.occurred_at,
    )


def _below(tree: Tree, entry: Entry) -> set[str]:
    """The files of an entry that are in its tree, relative to the root."""
    root = os.path.realpath(tree.root)
    found: set[str] = set()
    for path in entry.paths:
        real = Path(os.path.realpath(Path(entry.cwd, path)))
        if real.is_relative_to(root):
            found.add(real.relative_to(root).as_posix())
    return found


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0


def _is_about_an_entry(error: Exception) -> bool:
    """Whether an error while writing comes from what was written, and not from the store or the disk."""
    if isinstance(error, StoreError):
        import apsw

        return isinstance(error.__cause__, apsw.ConstraintError | apsw.TooBigError | apsw.MismatchError)
    return not isinstance(error, OSError | MemoryError)


def _is_clone(root: Path) -> bool:
    """Whether a folder is a repository to be indexed unasked. A home folder under git is not: it holds everything."""
    return (root / ".git").exists() and root != Path(os.path.realpath(Path.home()))


def main() -> None:
    """The process that a hook leaves behind: absorb until nothing has come for a moment, then end.

    It looks into the inbox once more after it stopped attending, so that an entry whose hook saw it there is not left.
    """
    os.closerange(3, 256)  # What a host left open in its children is not to be held open here.
    if hasattr(os, "nice"):
        os.nice(10)
    bound = threading.Timer(LIFETIME, os._exit, (0,))
    bound.daemon = True
    bound.start()
    store = Path(sys.argv[1]).absolute()
    os.chdir(store.anchor)  # The folder in which the host works is not to be held either.
    inbox = Inbox(store)
    try:
        held: list[Path] = []
        while inbox.waiting() != held:
            with inbox.attending() as free:
                if not free:
                    return
                held = _attend(store, inbox)
    except (MooredError, OSError) as error:
        log.note(store, f"not absorbed: {log.describe(error)}")


def _attend(path: Path, inbox: Inbox) -> list[Path]:
    """Absorb what is there and what comes; return what has to wait, when nothing has come for `LINGER` seconds."""
    from moored.store.sqlite.store import Store as SqliteStore

    clock = SystemClock()
    ids = RandomIds(clock)
    with closing(SqliteStore(path, clock=clock)) as store:
        while True:
            before = inbox.waiting()
            if absorb(store, clock=clock, ids=ids, patience=PATIENCE).taken:
                _give_vectors(store, inbox)
            # What came meanwhile is not held: it has not been looked at.
            held = [file for file in inbox.waiting() if file in before]
            end = time.monotonic() + LINGER
            while inbox.waiting() == held:
                if time.monotonic() >= end:
                    return held
                time.sleep(LOOK)


def _give_vectors(store: Store, inbox: Inbox) -> None:
    """Give every text a first vector, and then those of each project's own model, until something else is captured."""
    from moored.embed.choice import embedder, first_embedder
    from moored.embed.index import fill

    fill(store, first_embedder(), limit=VECTORS, first=True)
    waiting, left = inbox.waiting(), VECTORS
    with inbox.embedding() as free:
        for project, root in _projects_that_wait(store) if free else ():
            try:
                model = embedder(read_settings(root / FILE_NAME).embedding)
                while model is not None and left > 0 and inbox.waiting() == waiting:
                    done = fill(store, model, limit=VECTORS_AT_A_TIME, project=project)
                    left -= done
                    if done < VECTORS_AT_A_TIME:
                        break
            except MooredError as error:
                # The texts of this project wait on; those of others are no worse for it.
                log.note(store.path, f"no vectors for {root}: {log.describe(error)}")


def _projects_that_wait(store: Store) -> list[tuple[Project, Path]]:
    """The projects with texts that wait for a vector and a folder that is there, where their settings are."""
    with store.read() as view:
        projects = [project for project in view.projects.all() if view.vectors.count_waiting(project)]
        roots = [(project, Path(tree.root)) for project in projects for tree in view.projects.trees(project)]
    there = {project: root for project, root in reversed(roots) if root.is_dir()}
    return list(there.items())


if __name__ == "__main__":
    main()
