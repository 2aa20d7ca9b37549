"""What the doctor says: a check for each thing that was examined, and the diagnosis that holds them all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Condition = Literal["ok", "warning", "problem"]

SHOWN = 3
"""How many of several things are named; the others are counted."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was examined. `remedy` says what to do, empty when `state` is `ok`.

    `promise` is the id of the invariant (docs/invariants.md) that was proved of this store, or found broken in it;
    empty for everything else.
    """

    name: str
    state: Condition
    detail: str
    remedy: str = ""
    promise: str = ""

    @property
    def title(self) -> str:
        """The name, after the promise where there is one."""
        return f"{self.promise} {self.name}".lstrip()


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """All that was examined, in a fixed order. `deep` says whether everything in the store was read and compared."""

    checks: tuple[Check, ...]
    deep: bool

    @property
    def healthy(self) -> bool:
        """Whether nothing is a problem; warnings may remain."""
        return all(check.state != "problem" for check in self.checks)

    @property
    def proved(self) -> tuple[str, ...]:
        """The ids of the promises that were proved of this store, in order."""
        return tuple(sorted(check.promise for check in self.checks if check.promise and check.state == "ok"))


def some(found: Sequence[str], between: str) -> str:
    """The first of what was found, in words, and how many more there are."""
    more = len(found) - SHOWN
    return between.join(found[:SHOWN]) + (f" and {more} more" if more > 0 else "")
