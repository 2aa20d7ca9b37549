"""Speed and size, each figure in a process of its own, against the goals that moored sets itself.

The tree is the source distribution of Django 5.2, several thousand files. Texts are made of its docstrings by a seeded
generator (`bench.texts`).
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.report import Section, table
from bench.sources import unpacked

ROOT = Path(__file__).resolve().parent.parent
DJANGO = ("Django", "5.2")
SMALL = (1_500, 3_500)
LARGE = (5_000, 95_000)
"""Notes and episodes of the two sizes of store; every note has one of the episodes."""


@dataclass(frozen=True, slots=True)
class Figure:
    """What was measured: by the clock, and how much of the processor it took (the same for sizes).

    `goal` is the most that the median by the clock may be, None where there is no goal.
    """

    name: str
    unit: str
    samples: Sequence[tuple[float, float]]
    goal: float | None = None

    def row(self) -> list[str]:
        clock, processor = zip(*self.samples, strict=True)
        median = statistics.median(clock)
        goal, met = "", ""
        if self.goal is not None:
            goal, met = f"{self.goal:,g} {self.unit}", "yes" if median <= self.goal else "**no**"
        highest = f"{_highest(clock):,.4g}" if len(clock) > 1 else ""
        used = "" if self.unit == "MB" else f"{statistics.median(processor):,.4g} {self.unit}"
        return [self.name, goal, f"{median:,.4g} {self.unit}", highest, used, str(len(clock)), met]


def run(*, large: bool = True) -> Section:
    """Measure everything; the store of 100,000 episodes and notes, which takes minutes to fill, only if `large`."""
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        shutil.copytree(unpacked(*DJANGO), folder / "tree")
        files = sum(file.is_file() for file in (folder / "tree").rglob("*"))
        figures += _indexing(folder)
        figures.append(Figure("durable `record` of 2 KB", "ms", _samples("record", folder)["record"], 10))
        fill(folder, *SMALL)
        figures += _recalling(folder, "5,000", 15)
        figures.append(Figure("open a store, in process", "ms", _samples("opening", folder)["open"], 150))
        figures.append(Figure("`moored status`, whole process", "ms", _status(folder), 150))
        memory = _samples("recall-memory", folder)["recall MB"]
        figures.append(Figure("resident memory after three recalls over 5,000", "MB", memory, 250))
        fill(folder, LARGE[0], 0)
        for name, samples in _samples("remember", folder).items():
            figures.append(Figure(f"`remember` at {LARGE[0]:,} notes, {name}", "ms", samples, 25))
        if large:
            fill(folder, *LARGE)
            figures += _recalling(folder, "100,000", 40)
    figures.append(Figure("size of the default install", "MB", _install_size(), 320))
    return _section(figures, files)


def _indexing(folder: Path) -> list[Figure]:
    rounds = [_samples("index", folder) for _ in range(3)]
    again = _samples("reindex", folder)
    return [
        Figure("full index of Django 5.2", "s", _seconds(*(one["index"] for one in rounds)), 30),
        Figure("full index of Django 5.2, peak memory", "MB", [one["index MB"][0] for one in rounds], 500),
        Figure("index again, nothing changed", "s", _seconds(again["nothing changed"]), 1.5),
        Figure("index again, one file changed", "s", _seconds(again["one file changed"]), 1.7),
    ]


def _recalling(folder: Path, size: str, goal: float) -> list[Figure]:
    found = _samples("recall", folder)
    return [
        Figure(f"warm `recall` over {size} episodes and notes", "ms", found["recall"], goal),
        Figure(f"first `recall` over {size} of a process", "ms", found["first recall"]),
        Figure(f"resident memory after 135 recalls over {size}", "MB", found["recall MB"], 250),
    ]


def _seconds(*rounds: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    return [(clock / 1000, processor / 1000) for samples in rounds for clock, processor in samples]


def fill(folder: Path, notes: int, episodes: int) -> None:
    print(f"filling a store: {notes:,} notes, {episodes:,} episodes", flush=True)
    _samples("notes", folder, notes)
    if episodes:
        _samples("episodes", folder, episodes)


def _samples(name: str, folder: Path, *numbers: int) -> dict[str, list[tuple[float, float]]]:
    """Run one figure in its own process."""
    command = [sys.executable, "-m", "bench.figures", name, str(folder), *map(str, numbers)]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    samples: dict[str, list[tuple[float, float]]] = json.loads(done.stdout.splitlines()[-1])
    medians = ", ".join(f"{what} {statistics.median(one[0] for one in found):,.4g}" for what, found in samples.items())
    print(f"measured: {name}" + (f": {medians}" if medians else ""), flush=True)
    return samples


def _status(folder: Path) -> list[tuple[float, float]]:
    """Time the whole program, from its start to its end, with the processes that it starts."""
    program = Path(sys.executable).with_name("moored")
    environment = {**os.environ, "MOORED_STORE": str(folder / "moored.db")}
    # An installed program has its bytecode beside it; the first samples, which are dropped, put it there.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    samples: list[tuple[float, float]] = []
    for _ in range(25):
        began, before = time.perf_counter(), os.times()
        subprocess.run([program, "status"], cwd=folder / "tree", env=environment, check=True, capture_output=True)
        clock, after = time.perf_counter() - began, os.times()
        used = after.children_user + after.children_system - before.children_user - before.children_system
        samples.append((1000 * clock, 1000 * used))
    return samples[3:]


def _install_size() -> list[tuple[float, float]]:
    """What a default install adds to a fresh environment, in MB."""
    print("measuring: install", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run([sys.executable, "-m", "venv", scratch], check=True)
        before = _size(Path(scratch))
        python = Path(scratch, "Scripts/python.exe" if sys.platform == "win32" else "bin/python")
        subprocess.run([python, "-m", "pip", "install", "--quiet", str(ROOT)], check=True, stderr=subprocess.DEVNULL)
        size = (_size(Path(scratch)) - before) / 1e6
        return [(size, size)]


def _size(folder: Path) -> int:
    return sum(file.lstat().st_size for file in folder.rglob("*") if file.is_file())


def _highest(samples: Sequence[float]) -> float:
    """The value that 95 of 100 samples do not exceed."""
    return statistics.quantiles(samples, n=20, method="inclusive")[-1]


def _section(figures: Sequence[Figure], files: int) -> Section:
    text = (
        f"Medians; each figure in a process of its own. The tree is the source distribution of Django 5.2, {files:,} "
        f"files. The stores hold {SMALL[0]:,} notes with {SMALL[1]:,} episodes, and {LARGE[0]:,} with {LARGE[1]:,}; "
        "the notes are about functions and classes of the tree, so each answer checks files on disk. Half of the "
        "questions name a symbol. The processor column is the time that the work itself takes, which the load of other "
        "programs stretches by the clock; goals are by the clock. `record`, `remember` and `recall` "
        "include the vectors unless it is said otherwise."
    )
    head = ["figure", "goal", "median", "95th percentile", "processor, median", "samples", "met"]
    return Section("speed", "Speed and size", [text, "", *table(head, [figure.row() for figure in figures])])
