"""Where time comes from: always a `Clock` that was handed in, never the system directly."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Protocol


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


class LocalZone(tzinfo):
    """The zone of this machine, by its C library. `str` gives its name, where it is known.

    `zoneinfo` would read the same data, but loads a good part of the standard library first: too much for a hook.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __str__(self) -> str:
        return self._name

    def utcoffset(self, dt: datetime | None) -> timedelta | None:
        return dt.replace(tzinfo=None).astimezone().utcoffset() if dt else None

    def dst(self, _: datetime | None, /) -> None:
        """Not known: the C library tells the whole offset alone."""

    def tzname(self, dt: datetime | None) -> str | None:
        return dt.replace(tzinfo=None).astimezone().tzname() if dt else None

    def fromutc(self, dt: datetime) -> datetime:
        there = dt.replace(tzinfo=UTC).astimezone()
        local = there.replace(tzinfo=self)
        # In the hour that comes twice, the second has the offset that the first has not.
        return local if local.utcoffset() == there.utcoffset() else local.replace(fold=1)


def local_zone() -> tzinfo:
    """The zone of this machine, with its changes of the clock."""
    name = os.environ.get("TZ", "").removeprefix(":")
    with suppress(OSError, ValueError):
        link = "" if name else os.path.realpath("/etc/localtime")
        name = name or link.partition("/zoneinfo/")[2]
    return LocalZone(name)


def iso(at: int) -> str:
    """Render milliseconds since the epoch as RFC 3339 UTC with millisecond precision."""
    moment = datetime.fromtimestamp(at / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
