"""An attack on what is promised: what it does, how often it is to be done, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Trial:
    """What one trial of an attack showed.

    `times` is how often it attacked, in the attack's unit. `flaws` are the promises that did not hold, in words. Of
    `figures` that have a limit none may be above it.
    """

    times: int
    flaws: tuple[str, ...] = ()
    figures: Mapping[str, float] = field(default_factory=dict[str, float])


@dataclass(frozen=True, slots=True)
class Attack:
    """One way to try what the `promises` (ids of docs/invariants.md) say.

    `trial` attacks with a seed, in an empty folder of its own; the same seed does the same as far as the machine lets
    it. `wanted` is how many times the long form attacks, in `unit`s, and `short` are the seeds of the short form.
    `limits` are the greatest figures that are promised, by name; a name ends with its unit.
    """

    name: str
    promises: tuple[str, ...]
    how: str
    unit: str
    trial: Callable[[int, Path], Trial]
    wanted: int
    short: tuple[int, ...] = (1,)
    limits: Mapping[str, float] = field(default_factory=dict[str, float])

    def flaws(self, trial: Trial) -> tuple[str, ...]:
        """What a trial found to be worse than promised."""
        above = (
            f"{name}: {trial.figures[name]:g}, promised {limit:g}"
            for name, limit in self.limits.items()
            if trial.figures.get(name, 0) > limit
        )
        return (*trial.flaws, *above)
