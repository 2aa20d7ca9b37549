"""Where time comes from: always a `Clock` that was handed in, never the system directly."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from datetime import tzinfo


class Clock(Protocol):
    """Gives the current time in milliseconds since the Unix epoch, UTC."""

    def now(self) -> int: ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> int:
        return time.time_ns() // 1_000_000


class ManualClock:
    """A clock for tests: moves `step` milliseconds at each reading, or when told to."""

    def __init__(self, start: int = 1_750_000_000_000, *, step: int = 1) -> None:
        self._now = start
        self._step = step

    def now(self) -> int:
        self._now += self._step
        return self._now

    def advance(self, milliseconds: int) -> None:
        self._now += milliseconds


def local_zone() -> tzinfo:
    """The zone of this machine, with its changes of the clock where its name is known; else its offset of now."""
    name = os.environ.get("TZ", "").removeprefix(":")
    with suppress(OSError, ValueError):
        link = "" if name else os.path.realpath("/etc/localtime")
        name = name or link.partition("/zoneinfo/")[2]
    if name:
        from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

        with suppress(ZoneInfoNotFoundError, ValueError, OSError):
            return ZoneInfo(name)
    return datetime.now().astimezone().tzinfo or UTC


def iso(at: int) -> str:
    """Render milliseconds since the epoch as RFC 3339 UTC with millisecond precision."""
    moment = datetime.fromtimestamp(at / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
