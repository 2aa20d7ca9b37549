"""The memory behind a server, opened when it is first needed and not before."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

from moored.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from moored.memory import Memory


Identity = tuple[int, int, bool]


class Access:
    """Opens a memory at the first question and keeps it open. Its methods may be called from any thread.

    So a server answers its client's first words before any store, migration or model is touched. An error of opening
    is that of the call which needed the memory; the next call tries again. Where the file of the store was taken away,
    or another put in its place, as a backup is, it is opened anew: what was written to the old one would be lost.
    Likewise where it can be written that could only be read, or the other way round.

    `reading` is clear while the tree is being read for the first time by this server, and set otherwise.
    """

    def __init__(self, open_: Callable[[], Memory]) -> None:
        self._open = open_
        self._guard = threading.Lock()
        self._memory: Memory | None = None
        self._file: Identity | None = None
        self._closed = False
        self._told: list[Callable[[Memory], None]] = []
        self.reading = threading.Event()
        self.reading.set()

    def memory(self) -> Memory:
        """The memory, opened if it is not. Raises what opening raises, and `StoreError` after `close`."""
        with self._guard:
            if self._closed:
                raise StoreError("This server is ending. Ask again when it has been started anew.")
            if self._memory is not None and identity(self._memory.store.path) == self._file:
                return self._memory
            # One that is replaced is not closed: another thread may be in the middle of it. It ends with its last use.
            memory = self._memory = self._open()
            self._file = identity(memory.store.path)
            told = tuple(self._told)
        for tell in told:
            tell(memory)
        return memory

    def when_open(self, tell: Callable[[Memory], None]) -> None:
        """Have `tell` called whenever the memory is opened, in the thread that does, and at once if it is open."""
        with self._guard:
            self._told.append(tell)
            memory = self._memory
        if memory is not None:
            tell(memory)

    def close(self) -> None:
        """Close the memory if it was opened. It can be called again."""
        with self._guard:
            self._closed = True
            memory, self._memory = self._memory, None
        if memory is not None:
            memory.close()


def identity(file: Path) -> Identity | None:
    """Which file it is that stands under a name, and whether it can be written; None when there is none."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, os.access(file, os.W_OK) and os.access(file.parent, os.W_OK)
