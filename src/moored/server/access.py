"""The memory behind a server, opened when it is first needed and not before."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from moored.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable

    from moored.memory import Memory


class Access:
    """Opens a memory at the first question and keeps it open. Its methods may be called from any thread.

    So a server answers its client's first words before any store, migration or model is touched. An error of opening
    is that of the call which needed the memory; the next call tries again.

    `reading` is clear while the tree is being read for the first time by this server, and set otherwise.
    """

    def __init__(self, open_: Callable[[], Memory]) -> None:
        self._open = open_
        self._guard = threading.Lock()
        self._memory: Memory | None = None
        self._closed = False
        self._waiting: list[Callable[[Memory], None]] = []
        self.reading = threading.Event()
        self.reading.set()

    def memory(self) -> Memory:
        """The memory, opened if it is not. Raises what opening raises, and `StoreError` after `close`."""
        with self._guard:
            if self._closed:
                raise StoreError("This server is ending. Ask again when it has been started anew.")
            if self._memory is not None:
                return self._memory
            memory = self._memory = self._open()
            waiting, self._waiting = self._waiting, []
        for tell in waiting:
            tell(memory)
        return memory

    def when_open(self, tell: Callable[[Memory], None]) -> None:
        """Have `tell` called, once, in the thread that opens the memory, or at once if it is open."""
        with self._guard:
            memory = self._memory
            if memory is None:
                self._waiting.append(tell)
                return
        tell(memory)

    def close(self) -> None:
        """Close the memory if it was opened. It can be called again."""
        with self._guard:
            self._closed = True
            memory, self._memory = self._memory, None
        if memory is not None:
            memory.close()
