"""What `remember` takes with gate and curation, by how many notes the project has, and beside other projects.

Notes are sentences of words whose frequency falls off as in language, with the words that notes share: services, ports,
paths, decisions. Each is remembered through `Memory.remember`, durable, with the default model; what fills the store is
written many notes to a transaction.
"""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from bench.report import Section, table
from moored.atlas.drafts import event_of
from moored.atlas.writing import Prepared, write_new
from moored.memory import Memory, open_memory
from moored.record.admission import admit
from moored.record.operations import under_way

SIZES = (5_000, 50_000)
GOALS = {5_000: 30.0, 50_000: 60.0}
"""Milliseconds that the median may take."""

BULK = 500
ROUNDS = 40
WARM_UP = 5
OTHERS = (("5 other projects", (1_000,) * 5), ("one of 45,000 more", (45_000,)))
"""What the smallest has beside it in the same store, one after the other: its name, and the notes of each project."""

_FRAMES = (
    "The {0} service listens on port {n}, see {1}/{2}.py.",
    "Decision: use {0} for {1} because {2} was too slow with {n} rows.",
    "Do not call {0}.{1} before {2} is ready; it fails after {n} seconds.",
    "{0} of {1} is kept for {n} days and then moved to {2}.",
    "Lesson: the {0} test of {1} needs {2} on host {3}-{n}.",
    "The user prefers {0} over {1} when writing {2} for {3}.",
)


class Took(NamedTuple):
    """Milliseconds by the clock, which other programs stretch, and those that the processor worked."""

    clock: float
    processor: float


class Words:
    """Makes notes: the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)  # noqa: S311 - makes up words
        made = random.Random(5)  # noqa: S311 - makes up words
        self._words = ["".join(made.choices("abcdefghiklmnoprstuvw", k=made.randint(4, 9))) for _ in range(8_000)]
        self._weights = [1 / (10 + rank) for rank in range(len(self._words))]

    def note(self) -> str:
        """A sentence or two."""
        words = self._chance.choices(self._words, self._weights, k=4)
        return self._chance.choice(_FRAMES).format(*words, n=self._chance.randint(2, 9_999))


def run(*, large: bool = True) -> Section:
    """Measure at each size, and at the smallest beside other projects; 45,000 notes and more only if `large`."""
    rows: list[list[str]] = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for size in SIZES if large else SIZES[:1]:
            with _opened(folder / f"of{size}", folder / f"{size}.db") as memory:
                fill(memory, size)
                rows += [_row(f"{size:,} notes, {kind}", took, GOALS[size]) for kind, took in measure(memory)]
        store = folder / f"{SIZES[0]}.db"
        for seed, (name, others) in enumerate(OTHERS if large else OTHERS[:1], 99):
            for number, size in enumerate(others):
                with _opened(folder / f"other{size}-{number}", store) as memory:
                    fill(memory, size)
            with _opened(folder / f"of{SIZES[0]}", store) as memory:
                rows += [
                    _row(f"{SIZES[0]:,} notes beside {name}, {kind}", took, GOALS[SIZES[0]])
                    for kind, took in measure(memory, seed)
                ]
    head = ("`remember` with gate and curation", "goal", "median", "highest", "processor", "met")
    return Section("admission", "What a note takes", table(head, rows))


def fill(memory: Memory, size: int) -> None:
    """Write so many notes, without the gate."""
    words = Words(size)
    clock, ids, project = memory.clock, memory.ids, memory.project
    for begin in range(0, size, BULK):
        with (
            memory.store.write() as transaction,
            under_way(transaction, project, "fill", actor="bench", clock=clock, ids=ids) as operation,
        ):
            for _ in range(min(BULK, size - begin)):
                text = words.note()
                admitted = admit(event_of(text, "agent", None, "", ""))
                new = Prepared(text, (), "", "filled", "bench", admitted, (), ())
                write_new(transaction, project, "note", new, operation, clock, ids)
    # Vectors of the first pass, as each note would have had at once.
    memory.filling.at_once()


def measure(memory: Memory, seed: int = 7) -> list[tuple[str, list[Took]]]:
    """What each call takes: of notes that are new, and of the same with another number, and again."""
    words = Words(seed)
    fresh = [words.note() for _ in range(ROUNDS + WARM_UP)]
    took = {
        "new": [_timed(memory, text) for text in fresh],
        "another number": [_timed(memory, f"{text} At least {seed} of them.") for text in fresh],
        "said again": [_timed(memory, text.lower()) for text in fresh],
    }
    return [(kind, times[WARM_UP:]) for kind, times in took.items()]


def _timed(memory: Memory, text: str) -> Took:
    begin, worked = time.perf_counter(), time.process_time()
    memory.remember(text)
    return Took((time.perf_counter() - begin) * 1_000, (time.process_time() - worked) * 1_000)


def _opened(tree: Path, store: Path) -> Memory:
    tree.mkdir(exist_ok=True)
    return open_memory(tree, store=store)


def _row(name: str, took: list[Took], goal: float) -> list[str]:
    median = statistics.median(one.clock for one in took)
    highest = max(one.clock for one in took)
    worked = statistics.median(one.processor for one in took)
    met = "yes" if median <= goal else "**no**"
    return [name, f"{goal:g} ms", f"{median:.1f} ms", f"{highest:.1f} ms", f"{worked:.1f} ms", met]
