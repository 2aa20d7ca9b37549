"""Where ids come from: an `IdSource` that was handed in.

An id is a two-letter kind, an underscore and 18 characters of Crockford's base 32: ten for the time in
milliseconds, so that ids sort by age, and eight (40 bits) of randomness.
"""

from __future__ import annotations

import os
from typing import Protocol

from moored.model.clock import Clock, SystemClock

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"

PROJECT = "pr"
TREE = "tr"
SESSION = "se"
EPISODE = "ep"
FACT = "fa"
NOTE = "no"
REVISION = "re"
PIN = "pi"
OPERATION = "op"
REMINDER = "rm"
RULE = "ru"
DISPUTE = "di"
PROPOSAL = "po"


class IdSource(Protocol):
    """Gives a new id of the kind named by its two-letter prefix."""

    def new(self, prefix: str) -> str: ...


class RandomIds:
    """Ids for real use."""

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()

    def new(self, prefix: str) -> str:
        random = int.from_bytes(os.urandom(5), "big")
        return f"{prefix}_{base32(self._clock.now(), 10)}{base32(random, 8)}"


class SequentialIds:
    """Ids for tests: the same ones in the same order at every run."""

    def __init__(self) -> None:
        self._next = 0

    def new(self, prefix: str) -> str:
        self._next += 1
        return f"{prefix}_{base32(self._next, 18)}"


def base32(number: int, width: int) -> str:
    """Write a non-negative number in Crockford's base 32, lower case, padded with zeros to `width`."""
    digits = [ALPHABET[number >> shift & 31] for shift in range(5 * (width - 1), -5, -5)]
    return "".join(digits)
