"""Running attacks in the long form: seed after seed, kept in a file so that it can be ended and go on."""

from __future__ import annotations

import json
import tempfile
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from lab.attack import Attack, Trial

SHOWN = 3
"""Flaws of an attack that the table shows."""


@dataclass(frozen=True, slots=True)
class Tally:
    """What all trials of one attack came to. `flaws` name their seeds; `figures` are the greatest of each name."""

    attack: Attack
    seeds: tuple[int, ...]
    times: int
    flaws: tuple[str, ...]
    figures: Mapping[str, float]

    @property
    def whole(self) -> bool:
        """Whether it was done as often as it is to be."""
        return self.times >= self.attack.wanted

    @property
    def held(self) -> bool:
        """Whether it was done at all, and found nothing worse than promised."""
        return bool(self.seeds) and not self.flaws


def run(attack: Attack, state: Path, *, first: int, in_time: Callable[[], bool]) -> Tally:
    """Attack with one seed after the other, from `first` on, until it was done as often as wanted or time is over.

    Each trial is kept in `state`, a file with a line of JSON for each; seeds that are in it are not tried again.
    """
    done = dict(_kept(attack, state))
    seed = first
    while sum(trial.times for trial in done.values()) < attack.wanted and in_time():
        while seed in done:
            seed += 1
        done[seed] = tried(attack, seed)
        with state.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"attack": attack.name, "seed": seed} | asdict(done[seed])) + "\n")
    return _tally(attack, done)


def tried(attack: Attack, seed: int) -> Trial:
    """One trial in a folder that is gone afterwards; what it raises is a flaw."""
    with tempfile.TemporaryDirectory(prefix=f"moored-lab-{attack.name}-", ignore_cleanup_errors=True) as folder:
        try:
            return attack.trial(seed, Path(folder))
        except Exception as error:  # noqa: BLE001 - whatever goes wrong under attack is what is looked for
            at = traceback.extract_tb(error.__traceback__)[-1]
            return Trial(1, (f"{type(error).__name__} at {Path(at.filename).name}:{at.lineno}: {error}",))


def table(tallies: Sequence[Tally]) -> list[str]:
    """The promises, how each was attacked, how often, and what came of it, in Markdown."""
    rows = (
        [
            ", ".join(tally.attack.promises),
            tally.attack.how,
            f"{tally.times:,} {tally.attack.unit}" + ("" if tally.whole else f" of {tally.attack.wanted:,}"),
            _result(tally),
            f"`make lab ATTACKS={tally.attack.name}`",
        ]
        for tally in tallies
    )
    head = ["promise", "how it was attacked", "how many times", "result", "to repeat it"]
    return ["| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows)]


def _result(tally: Tally) -> str:
    if not tally.seeds:
        return "not tried"
    figures = (
        f"{name.rpartition(', ')[0]} {value:g} {name.rpartition(', ')[2]}" for name, value in tally.figures.items()
    )
    flaws = [f"**{flaw}**".replace("|", "\\|").replace("\n", " ") for flaw in tally.flaws[:SHOWN]]
    if more := len(tally.flaws) - len(flaws):
        flaws.append(f"and {more} more")
    seeds = f"seeds {min(tally.seeds)} to {max(tally.seeds)}"
    return "; ".join([*(flaws or ["held"]), *figures, seeds])


def _kept(attack: Attack, state: Path) -> Iterator[tuple[int, Trial]]:
    for line in state.read_text(encoding="utf-8").splitlines() if state.exists() else ():
        kept = json.loads(line)
        if kept.pop("attack") == attack.name:
            yield kept.pop("seed"), Trial(kept["times"], tuple(kept["flaws"]), kept["figures"])


def _tally(attack: Attack, done: Mapping[int, Trial]) -> Tally:
    figures: dict[str, float] = {}
    for trial in done.values():
        for name, value in trial.figures.items():
            figures[name] = max(value, figures.get(name, value))
    flaws = tuple(f"seed {seed}: {flaw}" for seed, trial in sorted(done.items()) for flaw in attack.flaws(trial))
    return Tally(attack, tuple(sorted(done)), sum(trial.times for trial in done.values()), flaws, figures)
