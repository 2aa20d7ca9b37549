"""Promises that the demo shows: each is checked when it is told, and a broken one ends the demo."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from moored.errors import MooredError


class PromiseBroken(MooredError):
    """Something that moored promises was not so."""

    exit_code = 6


class Promises:
    """Counts the promises that were kept."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self.kept = 0

    def __call__(self, promise: str, holds: bool) -> None:
        """Say that a promise is kept. Raises `PromiseBroken` when it is not."""
        if not holds:
            self.broken(promise)
        self.kept += 1
        self._say(f"   kept: {promise}")

    def broken(self, promise: str) -> NoReturn:
        """End the demo. Raises `PromiseBroken`."""
        raise PromiseBroken(
            f"This promise was broken: {promise}. Please report it with what was printed before; "
            "`moored demo --keep` leaves the store for a look."
        )
