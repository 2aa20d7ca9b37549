"""What recall costs from a thousand to a million items: time, memory and disk, as a table and as a picture.

One store grows from size to size; each size is asked in a process of its own (`scale_figures.py`).
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.picture import Line, Panel, picture
from bench.report import Section, table
from bench.sources import unpacked
from bench.speed import DJANGO, ROOT

SIZES = (1_000, 5_000, 10_000, 100_000, 1_000_000)
GOALS = {5_000: 15, 100_000: 40, 1_000_000: 120}
"""Milliseconds that a warm recall over so many items may take in the median."""

PICTURE = ROOT / "docs" / "recall-cost.svg"


@dataclass(frozen=True, slots=True)
class Size:
    """What was measured over a store of so many items.

    Milliseconds for each question, by the clock and of the processor; `first` is the first of a process, which loads
    the model and reads the signs of all vectors. Megabytes are 10^6 bytes. `seconds` is what growing the store to this
    size took since the one before, `grown` by how many.
    """

    items: int
    vectors: int
    samples: Sequence[float]
    processor: Sequence[float]
    first: float
    memory: float
    disk: float
    grown: int
    seconds: float

    @property
    def median(self) -> float:
        return statistics.median(self.samples)

    @property
    def p95(self) -> float:
        return statistics.quantiles(self.samples, n=20, method="inclusive")[-1]


def run(sizes: Sequence[int] = SIZES, *, folder: Path | None = None, target: Path = PICTURE) -> Section:
    """Grow a store, measure each size, and draw the curve into `target`. `folder` keeps the store for another time."""
    measured: list[Size] = []
    with tempfile.TemporaryDirectory() as scratch:
        place = folder or Path(scratch)
        place.mkdir(parents=True, exist_ok=True)
        words = unpacked(*DJANGO)
        for items in sizes:
            grown = _figure("grow", place, str(words), str(items))
            asked = _figure("ask", place, str(words))
            measured.append(Size(items=items, **grown, **asked))
            print(f"measured: {items:,} items, median {measured[-1].median:.1f} ms", flush=True)
    target.write_text(drawn(measured), encoding="utf-8")
    return _section(measured)


def drawn(measured: Sequence[Size]) -> str:
    """The cost curve as SVG."""
    goals = [(float(size), float(goal)) for size, goal in GOALS.items()]
    times = Panel(
        "recall, warm",
        "items",
        "ms",
        [
            Line("median", [(one.items, one.median) for one in measured]),
            Line("95th percentile", [(one.items, one.p95) for one in measured]),
            Line("goal for the median", goals, dashed=True),
        ],
    )
    room = Panel(
        "memory and disk",
        "items",
        "MB",
        [
            Line("resident memory", [(one.items, one.memory) for one in measured]),
            Line("store on disk", [(one.items, one.disk) for one in measured]),
        ],
    )
    return picture([times, room])


def _figure(name: str, *arguments: object) -> dict[str, object]:
    command = [sys.executable, "-m", "bench.scale_figures", name, *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return found


def _section(measured: Sequence[Size]) -> Section:
    text = (
        "One store that grows. Texts are those of `speed`, recorded through admission; a part of them is encoded by "
        "the default model, and the others get vectors and token codes that scatter around those "
        "(`scale_figures.py`): the time of a question depends on how many there are and how they cluster, not on what "
        "they mean. Half of the questions name a symbol. Goals are by the clock, which other programs stretch; the "
        "processor column is what the work itself takes. The first question of a process loads the model and reads the "
        "signs of all vectors into memory."
    )
    rows = [
        [
            f"{one.items:,}",
            f"{one.vectors:,}",
            f"{one.median:.1f} ms",
            f"{GOALS[one.items]} ms" if one.items in GOALS else "",
            _met(one),
            f"{one.p95:.1f} ms",
            f"{statistics.median(one.processor):.1f} ms",
            f"{one.first:,.0f} ms",
            f"{one.memory:,.0f} MB",
            f"{one.disk:,.0f} MB",
            f"{one.grown / one.seconds:,.0f}" if one.grown else "",
        ]
        for one in measured
    ]
    head = [
        "items",
        "vectors",
        "median",
        "goal",
        "met",
        "95th percentile",
        "processor, median",
        "first",
        "memory",
        "disk",
        "items a second",
    ]
    return Section("scale", "Scale", [text, "", *table(head, rows), "", f"![cost curve](../docs/{PICTURE.name})"])


def _met(size: Size) -> str:
    if size.items not in GOALS:
        return ""
    return "yes" if size.median <= GOALS[size.items] else "**no**"
