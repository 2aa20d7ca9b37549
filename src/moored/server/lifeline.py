"""Lifeline: a server on a pipe ends with its host.

The end of its input tells of that, unless the pipe is held open by someone else, such as a sibling that inherited it.
So the parent process is watched as well: by a descriptor that becomes readable when it ends where the system has one
(Linux), by a handle (Windows), and else by asking now and then who the parent is. The kernel's own signal for it
(`PR_SET_PDEATHSIG`) is not used: it fires when the thread that started the server ends, though the host lives on.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import threading
from collections.abc import Callable

POLL_S = 0.5
"""How often the parent is asked for where nothing tells of its end."""

GRACE_S = 1.5
"""How long the end may take before the process is ended as it stands. Nothing that was acknowledged is lost by that."""


class Lifeline:
    """Ends the process when its parent ends, or on SIGTERM or SIGINT.

    `close` lets go of what is open; it has `GRACE_S` for it.
    """

    def __init__(self, close: Callable[[], None]) -> None:
        self._close = close
        self._parent = os.getppid()
        self._ending = threading.Lock()
        self._armed = threading.Lock()

    def watch(self) -> None:
        """Begin. To be called in the main thread, early: a parent that ended before cannot be told from a new one."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._on_signal)
        self._in_thread(self._follow)

    def arm(self) -> None:
        """Have the process end within `GRACE_S`, whatever still runs in it."""
        if self._armed.acquire(blocking=False):
            timer = threading.Timer(GRACE_S, _leave)
            timer.daemon = True
            timer.start()

    def end(self) -> None:
        """End the process."""
        if self._ending.acquire(blocking=False):
            self.arm()
            with contextlib.suppress(Exception):
                self._close()
            _leave()

    def _on_signal(self, *_: object) -> None:
        self._in_thread(self.end)

    def _follow(self) -> None:
        wait_for_end(self._parent)
        self.end()

    def _in_thread(self, do: Callable[[], None]) -> None:
        threading.Thread(target=do, name=f"moored-{do.__name__.strip('_')}", daemon=True).start()


def wait_for_end(parent: int) -> None:
    """Return when the parent of this process has ended."""
    if sys.platform == "win32":
        _wait_for_handle(parent)
        return
    try:
        descriptor = os.pidfd_open(parent)
    except (AttributeError, OSError):
        _ask_for(parent)
        return
    try:
        # It may have ended, and its number been given to another, before the descriptor was there.
        if os.getppid() == parent:
            select.select([descriptor], [], [])
    finally:
        os.close(descriptor)


def _ask_for(parent: int) -> None:
    never = threading.Event()
    while os.getppid() == parent:
        never.wait(POLL_S)


def _wait_for_handle(parent: int) -> None:
    """Windows: wait for the process itself, for ever where it may not be looked at.

    The numbers are `SYNCHRONIZE` and `INFINITE` of its API.
    """
    if sys.platform == "win32":
        import ctypes

        kernel = ctypes.windll.kernel32
        handle = kernel.OpenProcess(0x0010_0000, False, parent)
        if not handle:
            threading.Event().wait()
        kernel.WaitForSingleObject(handle, 0xFFFF_FFFF)
        kernel.CloseHandle(handle)


def _leave() -> None:
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.flush()
    os._exit(0)
