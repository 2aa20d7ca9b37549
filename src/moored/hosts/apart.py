"""Processes that outlive a hook, and the plain reading and writing of its files.

A child that a hook forks, and a process that it leaves behind, hold nothing of the host's: a host that waits for its
pipes to close is not kept waiting by them, and one that ends its group of processes does not end them.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import NamedTuple

FORKS = os.name == "posix"
"""Whether a process can go on as two."""

PIPE_SIZE = 1 << 20
"""Bytes that may be on the way in a pipe that carries much."""


class Child(NamedTuple):
    """A process that was forked off to do something. `done` is a file that ends with it."""

    pid: int
    done: int

    def wait(self, end: float) -> bool:
        """Wait until it has ended, or `end` (of the monotonic clock) has come; tell which."""
        ended = readable(self.done, end)
        if ended:
            os.waitpid(self.pid, 0)
        return ended


def fork_off(work: Callable[[], None]) -> Child | None:
    """Do something in a child, which then ends; None where there is none to be had. `work` raises nothing.

    Of the host's files the child keeps stdin alone.
    """
    if not FORKS:
        return None
    done, doing = os.pipe()
    try:
        pid = os.fork()
    except OSError:
        os.close(done)
        os.close(doing)
        return None
    if pid:
        os.close(doing)
        return Child(pid, done)
    try:
        os.setsid()
        quiet(1)
        work()
    finally:
        os._exit(0)


def leave_behind(command: list[str]) -> None:
    """Start a process that goes on by itself."""
    if not FORKS:
        hand_over(command, b"")
        return
    nothing = [(os.POSIX_SPAWN_OPEN, file, os.devnull, os.O_RDWR, 0) for file in (0, 1, 2)]
    try:
        os.posix_spawn(command[0], command, os.environ, file_actions=nothing, setsid=True)
    except NotImplementedError:
        os.posix_spawn(command[0], command, os.environ, file_actions=nothing)


def hand_over(command: list[str], payload: bytes) -> None:
    """Start a process that goes on by itself, and hand it a payload on stdin."""
    import subprocess

    detached = getattr(subprocess, "DETACHED_PROCESS", 0) | getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
    null = subprocess.DEVNULL
    process = subprocess.Popen(  # noqa: S603 - our own program and a list of arguments
        command, stdin=subprocess.PIPE, stdout=null, stderr=null, creationflags=detached
    )
    if process.stdin is not None:
        process.stdin.write(payload)
        process.stdin.close()


def readable(file: int, end: float) -> bool:
    """Wait until a file can be read or is at its end, or `end` (of the monotonic clock) has come; tell which."""
    import select

    left = end - time.monotonic()
    return left > 0 and bool(select.select([file], [], [], left)[0])


def widen(pipe: int) -> None:
    """Let more be on the way in a pipe at once, where the system can (Linux): a large payload takes fewer turns."""
    if sys.platform == "linux":
        import fcntl

        try:
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE_SIZE)
        except OSError:
            return


def quiet(*files: int) -> None:
    """Let files lead nowhere."""
    null = os.open(os.devnull, os.O_RDWR)
    for file in files:
        os.dup2(null, file)


def write_out(data: bytes) -> None:
    """Write to stdout. A host that has gone away wants no answer."""
    try:
        while data:
            data = data[os.write(1, data) :]
    except OSError:
        return
