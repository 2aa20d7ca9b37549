"""Where time comes from: always a `Clock` that was handed in, never the system directly."""

from __future__ import annotations

import time
from datetime import UTC, datetime
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


def iso(at: int) -> str:
    """Render milliseconds since the epoch as RFC 3339 UTC with millisecond precision."""
    moment = datetime.fromtimestamp(at / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
