"""Watch: keep the ledger up to date while files of a tree change.

A file that the ledger knows is read again alone. Anything else that changes (a new file, a folder, a file that says
which others are ignored) makes everything be looked over, since only that applies the rules of what is read.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from moored.errors import MooredError
from moored.ledger.ignore import OWN_FILE, TOOL_FOLDERS
from moored.settings import FILE_NAME

if TYPE_CHECKING:
    from moored.ledger.refresh import Refreshed
    from moored.model.projects import Tree
    from moored.store.port import Store

DEBOUNCE_MS = 400
"""Changes that follow each other are read together, at most this long after the first."""

QUIET_MS = 50
"""How long nothing may change before changes are read earlier than that."""

POLL_MS = 200
"""How long it takes at most until `stop` is noticed."""

RETRY = 25
"""Rounds of `POLL_MS`, five seconds, after which what could not be read is tried again though nothing changed."""

MAX_UNREAD = 10_000
"""Names of ignored files that are remembered, so that a change of theirs is passed over."""

_RULES = frozenset({".gitignore", OWN_FILE, FILE_NAME})
_NEVER = frozenset({".git", ".hg", ".svn"})


class Indexed(Protocol):
    """What is kept up to date: a tree of a store, and how it is read. `Memory` is one."""

    @property
    def tree(self) -> Tree: ...
    @property
    def store(self) -> Store: ...
    def index(self, *, paths: Collection[str] | None = None) -> Refreshed: ...


def watch(
    memory: Indexed,
    stop: threading.Event,
    on_refresh: Callable[[Refreshed], None] | None = None,
    on_error: Callable[[MooredError], None] | None = None,
) -> None:
    """Bring the ledger up to date, then keep it so until `stop` is set or the tree's root is gone.

    An error of one round does not end the watch: it is handed to `on_error` (printed to stderr without one), and what
    that round was to read is read with the next change, or when a moment has passed.
    """
    from watchfiles import watch as changes_below

    root = Path(memory.tree.root)
    report = on_error or _print_error
    rounds = Rounds(memory)
    changes = changes_below(
        root,
        watch_filter=lambda _, path: not _NEVER.intersection(Path(path).relative_to(root).parts),
        debounce=DEBOUNCE_MS,
        step=QUIET_MS,
        stop_event=stop,
        rust_timeout=POLL_MS,
        yield_on_timeout=True,
        ignore_permission_denied=True,
    )
    rounds_to_wait: int | None = 0
    for batch in changes:
        if stop.is_set() or not root.is_dir():
            break
        rounds.note(Path(path).relative_to(root) for _, path in batch)
        if batch or rounds_to_wait == 0:
            rounds_to_wait = None if _run(rounds, on_refresh, report) else RETRY
        elif rounds_to_wait:
            rounds_to_wait -= 1
    if not stop.is_set():
        report(MooredError(f"The folder {root} is gone, so watching it ended."))


class Rounds:
    """What has changed and not been read yet."""

    def __init__(self, memory: Indexed) -> None:
        self._memory = memory
        self._everything = True
        self._paths: set[str] = set()
        self._unread: set[str] = set()

    def note(self, changed: Iterable[Path]) -> None:
        """Take in what changed, relative to the root."""
        for path in changed:
            if path.name in _RULES:
                self._everything = True
                self._unread.clear()
            self._paths.add(path.as_posix())

    def run(self) -> Refreshed | None:
        """Read what changed; None when nothing of it is ever read. When it raises, the same is read next time."""
        known = self._known()
        new = {path for path in self._paths - known if not TOOL_FOLDERS.intersection(path.split("/"))}
        done = None
        if self._everything or new - self._unread:
            done = self._memory.index()
            self._unread |= new - self._known()
            if len(self._unread) > MAX_UNREAD:
                self._unread.clear()
        elif known:
            done = self._memory.index(paths=sorted(known))
        self._paths.clear()
        self._everything = False
        return done

    def _known(self) -> set[str]:
        with self._memory.store.read() as view:
            return {path for path in self._paths if view.facts.file(self._memory.tree, path)}


def _run(rounds: Rounds, on_refresh: Callable[[Refreshed], None] | None, report: Callable[[MooredError], None]) -> bool:
    """Read what changed; False when that failed, so that it is tried again."""
    try:
        done = rounds.run()
    except MooredError as error:
        report(error)
        return False
    if done is not None and on_refresh:
        on_refresh(done)
    return True


def _print_error(error: MooredError) -> None:
    sys.stderr.write(f"{error}\n")
