"""What hooks ask of a server that runs already, over a private Unix socket.

One of the servers of a store listens; when it ends, however it ends, another takes its place. The place is given by a
lock on a file beside the socket, which the system frees with its holder, so that a socket left behind is known to be
nobody's.

A request is one line of JSON and gets one line of JSON:

- `{"do": "ping"}` is answered with `{"ok": true}`;
- `{"do": "absorb"}` likewise, at once; what waits in the inbox is absorbed afterwards;
- `{"do": "brief", ...}` is answered as `moored.server.live_briefs` says.

Every request also carries `store`, the real path of the store's file. What cannot be answered gets
`{"error": "..."}`. Where there are no Unix sockets nothing listens, and hooks do without.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import selectors
import socket
import threading
from collections.abc import Callable, Generator, Mapping
from pathlib import Path
from time import monotonic
from typing import Any, Self, cast

from moored.errors import MooredError
from moored.hosts.live import AVAILABLE, is_own, is_private, read_line, socket_path

TAKEOVER_SECONDS = 1.0
"""How often a server looks whether the place is free, and its holder whether it still has it."""

REQUEST_SECONDS = 2.0
"""How long a client may take to send its request, and to take its answer."""

AT_ONCE = 16
"""Requests that are answered at the same time; what comes beyond is turned away."""

QUEUED = 64
"""Clients that may wait to be let in."""

Answer = Callable[[Mapping[str, Any]], Mapping[str, Any]]

logger = logging.getLogger(__name__)


class Live:
    """The service of one server. `start` and `stop` may be called from any thread, each once.

    `brief` answers requests for briefs, from several threads. `absorb` takes in what waits in the inbox; it is called
    in a thread of its own, and once for all requests that came while it was at work.
    """

    def __init__(
        self, store: Path, *, brief: Answer, absorb: Callable[[], object], pause: float = TAKEOVER_SECONDS
    ) -> None:
        self.store = os.path.realpath(store)
        self.path = socket_path(store)
        self.listening = threading.Event()
        self._brief = brief
        self._absorb = absorb
        self._pause = pause
        self._stop = threading.Event()
        self._poked = threading.Event()
        self._free = threading.BoundedSemaphore(AT_ONCE)
        self._threads = [
            threading.Thread(target=work, name=f"moored-live-{work.__name__.strip('_')}", daemon=True)
            for work in (self._run, self._take_in)
        ]

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Begin to listen, or to wait for the place."""
        if AVAILABLE:
            self._wake, self._waker = socket.socketpair()
            for thread in self._threads:
                thread.start()

    def stop(self) -> None:
        """Give the place up. What is being answered or absorbed at this moment goes on."""
        if not AVAILABLE:
            return
        self._stop.set()
        self._poked.set()
        self._waker.close()
        self._threads[0].join()
        self._wake.close()

    def _run(self) -> None:
        """Take the place whenever it is free, and answer while it is ours."""
        while not self._stop.is_set():
            with contextlib.suppress(OSError), _place(self.path) as place:
                if place is not None:
                    self._listen(place)
            self._stop.wait(self._pause)

    def _listen(self, place: int) -> None:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener, selectors.DefaultSelector() as ready:
            self.path.unlink(missing_ok=True)
            listener.bind(str(self.path))
            self.path.chmod(0o600)
            own = self.path.stat().st_ino
            listener.listen(QUEUED)
            listener.setblocking(False)
            ready.register(listener, selectors.EVENT_READ)
            ready.register(self._wake, selectors.EVENT_READ)
            self.listening.set()
            try:
                while not self._stop.is_set() and _stands(self.path, own) and _holds(_lock_file(self.path), place):
                    for key, _ in ready.select(self._pause):
                        if key.fileobj is listener:
                            self._accept(listener)
            finally:
                self.listening.clear()
                if _stands(self.path, own):
                    self.path.unlink(missing_ok=True)

    def _accept(self, listener: socket.socket) -> None:
        try:
            connection, _ = listener.accept()
        except OSError:
            return  # the client has gone already
        if not self._free.acquire(blocking=False):
            connection.close()
            return
        threading.Thread(target=self._serve, args=(connection,), name="moored-live-answer", daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            with connection, contextlib.suppress(OSError, ValueError, RecursionError):
                if not is_own(connection):
                    return
                request = json.loads(read_line(connection, monotonic() + REQUEST_SECONDS))
                answer = self._answer(request)
                connection.settimeout(REQUEST_SECONDS)
                connection.sendall(json.dumps(answer).encode() + b"\n")
        finally:
            self._free.release()

    def _answer(self, request: object) -> Mapping[str, Any]:
        if not isinstance(request, dict):
            return {"error": "A request is a JSON object."}
        asked = cast(dict[str, Any], request)
        if asked.get("store") != self.store:
            return {"error": f"This server serves the store {self.store}."}
        match asked.get("do"):
            case "ping":
                return {"ok": True}
            case "absorb":
                self._poked.set()
                return {"ok": True}
            case "brief":
                try:
                    return self._brief(asked)
                except MooredError as error:
                    return {"error": str(error)}
                except Exception:
                    logger.exception("A brief for a hook failed")
                    return {"error": "The brief failed. The server's log says why."}
            case other:
                return {"error": f"There is nothing to do called {other!r}. There are ping, absorb and brief."}

    def _take_in(self) -> None:
        """Absorb after each poke. What could not be absorbed stays in the inbox for the next one."""
        while True:
            self._poked.wait()
            self._poked.clear()
            if self._stop.is_set():
                return
            try:
                self._absorb()
            except Exception:
                logger.exception("What waits in the inbox could not be absorbed")


@contextlib.contextmanager
def _place(path: Path) -> Generator[int | None]:
    """Hold the lock of a socket's place: its open file, or None where another holds it or the folder is not safe."""
    import fcntl

    path.parent.mkdir(mode=0o700, exist_ok=True)
    if not is_private(path.parent):
        yield None
        return
    lock = os.open(_lock_file(path), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield None
            return
        # Whoever swept the folder between opening and locking left a lock on a file that no one else will find.
        yield lock if _holds(_lock_file(path), lock) else None
    finally:
        os.close(lock)


def _lock_file(path: Path) -> Path:
    return path.with_suffix(".lock")


def _holds(file: Path, opened: int) -> bool:
    """Whether an open file is the one that stands under its name, and not one that was swept away."""
    return _stands(file, os.fstat(opened).st_ino)


def _stands(file: Path, inode: int) -> bool:
    try:
        return file.lstat().st_ino == inode
    except OSError:
        return False
