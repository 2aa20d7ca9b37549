"""What a server does besides answering: it keeps the ledger current, takes in what hooks captured, gives waiting texts
their vectors, and answers hooks over a private socket.

But for the socket, all of it begins when the memory has been opened by a first question. It is done in threads that
end with the server, and vectors wait while a request is being handled.
"""

from __future__ import annotations

import subprocess
import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Self

from moored.errors import MooredError
from moored.model.clock import SystemClock
from moored.record.inbox import Inbox
from moored.record.locks import locked
from moored.settings import FILE_NAME

if TYPE_CHECKING:
    from moored.backup import Schedule
    from moored.ledger.refresh import Refreshed
    from moored.memory import Memory
    from moored.server.app import MemoryServer

EVERY_S = 30.0
"""How long the inbox and the waiting texts are left alone when nobody says that there is something."""

BATCH = 16
"""Texts that get their vectors before requests are looked at again."""

PAUSE_S = 0.05
"""How long a request in progress is waited for before the next look whether it has ended."""

SWITCH_S = 0.001
"""How long a thread may run before another gets its turn: a request must not wait for an index that is being made."""

LISTEN_AFTER_S = 1.0
"""How long after its start a server begins to listen to hooks: what that takes is not to delay its first answer."""

BACKING_UP = "backing-up"
"""The file in the inbox's folder that is locked by the one server which has a backup made."""

BACKUP_S = 600.0
"""How long after one look whether a backup is due comes the next."""

ENDING_S = 0.5
"""How long the threads may take to notice that they are to end."""


class Background:
    """The work of one server beside its requests."""

    def __init__(self, server: MemoryServer, store: Path) -> None:
        self._server = server
        self._store = store
        self._stop = threading.Event()
        self._poked = threading.Event()
        self._replaced = threading.Event()
        self._threads: list[threading.Thread] = []
        self._interval = sys.getswitchinterval()

    def __enter__(self) -> Self:
        sys.setswitchinterval(SWITCH_S)
        self._start(self._listen)
        self._server.access.when_open(self._begin)
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """End the threads; one that is in the middle of a file is left to end with the process."""
        self._stop.set()
        self._replaced.set()
        self._poked.set()
        for thread in self._threads:
            thread.join(ENDING_S)
        sys.setswitchinterval(self._interval)

    def _begin(self, memory: Memory) -> None:
        """Look after a memory, and no more after the one before it, the store of which was replaced."""
        if self._stop.is_set():
            return
        self._replaced.set()
        replaced = self._replaced = threading.Event()
        self._start(self._look_after, memory, replaced)
        self._start(self._back_up, memory, replaced)
        _contained(self._begin_to_watch, memory, replaced)

    def _begin_to_watch(self, memory: Memory, replaced: threading.Event) -> None:
        if is_watched(memory):
            self._server.access.reading.clear()
            self._start(self._watch, memory, replaced)

    def _start(self, do: Callable[..., None], *given: object) -> None:
        name = f"moored-{do.__name__.strip('_').replace('_', '-')}"
        thread = threading.Thread(target=_contained, args=(do, *given), name=name, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _listen(self) -> None:
        """Answer hooks until the server ends."""
        if self._stop.wait(LISTEN_AFTER_S):
            return
        from moored.embed.choice import embedder
        from moored.server.live import Live
        from moored.server.live_briefs import Briefs

        briefs = Briefs(self._store, embedder)
        with Live(self._store, brief=briefs, absorb=self._poke):
            self._stop.wait()
        briefs.close()

    def _poke(self) -> None:
        """Look into the inbox now. The memory is opened for it if need be: somebody is at work here."""
        self._take_in(self._server.access.memory())
        self._poked.set()

    def _watch(self, memory: Memory, ended: threading.Event) -> None:
        """Watch a tree, and again when its folder, which was taken away, is back."""
        root = Path(memory.tree.root)
        while not ended.is_set():
            try:
                _contained(memory.watch, ended, self._read)
            finally:
                if ended is self._replaced:  # else the next watch reads already
                    self._server.access.reading.set()
            if root.is_dir():
                return
            while not ended.wait(EVERY_S) and not root.is_dir():
                pass

    def _read(self, done: Refreshed) -> None:
        self._server.access.reading.set()
        if done.born or done.changed or done.moved or done.gone or done.removed:
            self._server.changes.tell_from_thread(("map", "stale", "brief", "status"))

    def _look_after(self, memory: Memory, ended: threading.Event) -> None:
        _contained(load_model, memory)
        while not ended.is_set():
            _contained(self._take_in, memory)
            _contained(self._give_vectors, memory)
            memory.uses.keep()
            self._poked.wait(EVERY_S)
            self._poked.clear()

    def _back_up(self, memory: Memory, ended: threading.Event) -> None:
        """Have the store backed up when that is due, if the user asked for it."""
        from moored.backup import scheduled

        if schedule := scheduled():
            while not ended.is_set() and not memory.store.read_only:
                _contained(back_up_if_due, self._store, schedule)
                ended.wait(BACKUP_S)

    def _take_in(self, memory: Memory) -> None:
        if memory.absorb().taken:
            self._server.changes.tell_from_thread(("status", "brief"))

    def _give_vectors(self, memory: Memory) -> None:
        if memory.store.read_only:
            return
        with Inbox(self._store).embedding() as free:
            while free and not self._stop.is_set():
                while not self._server.order.idle and not self._stop.is_set():
                    self._stop.wait(PAUSE_S)
                if memory.upkeep(limit=BATCH) < BATCH:
                    return


def back_up_if_due(store: Path, schedule: Schedule) -> None:
    """Let another process back a store up, so that no request waits for it, unless one does already or it is not due.

    Raises `MooredError` with what that process says when there is no backup in the end.
    """
    from moored.backup import is_due

    with locked(Inbox(store).folder, BACKING_UP) as free:
        if not free or not is_due(store, schedule, SystemClock()):
            return
        command = [sys.executable, "-m", "moored", "--store", str(store), "backup", "--keep", str(schedule.keep)]
        done = subprocess.run(  # noqa: S603 - our own program
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
    if done.returncode:
        raise MooredError(f"No backup was made. {done.stderr.strip()}")


def _contained(do: Callable[..., None], *given: object) -> None:
    """Do something of which an error is told to the log and ends nothing else."""
    try:
        do(*given)
    except MooredError as error:
        sys.stderr.write(f"moored: {error}\n")
    except Exception:  # noqa: BLE001  # the edge of a thread: answers are right without it
        traceback.print_exc(file=sys.stderr)


def load_model(memory: Memory) -> None:
    """Load the configured model before a question has to wait for it, where there is anything to compare it with."""
    from moored.embed.choice import embedder

    model = embedder(memory.settings.embedding)
    with memory.store.read() as view:
        held = view.vectors.models(memory.project)
    if model is not None and model.model in held:
        model.passages([])


def is_watched(memory: Memory) -> bool:
    """Whether a server reads a tree by itself: a work tree of git, one with settings of its own, or one that was read.

    A folder that is nothing of that may hold anything, and the home folder or the root holds everything.
    """
    root = Path(memory.tree.root)
    home = Path.home()
    if root == home or root in home.parents or memory.store.read_only:
        return False
    if not memory.project.key.startswith("dir:") or (root / FILE_NAME).exists():
        return True
    with memory.store.read() as view:
        return view.facts.has_files(memory.tree)
