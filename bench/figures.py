"""One figure of `bench.speed` a process: `python -m bench.figures <name> <folder>` prints its samples as JSON.

The folder holds the tree to measure on (`tree`) and the store (`moored.db`), which earlier figures have filled.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

import moored
from bench.texts import Writer, words_of
from moored.model.clock import SystemClock
from moored.model.episodes import Event, Role
from moored.model.ids import RandomIds
from moored.record.admission import admit, write
from moored.store.durability import Durability

EPISODE_SIZE = 2_048
BULK = 500
"""Episodes that one transaction takes when a store is filled."""

QUERIES = 120
WARM_UP = 15

Sample = tuple[float, float]
"""Milliseconds by the clock and of the processor; for memory twice the same number of megabytes."""

Samples = dict[str, list[Sample]]
"""Samples by what was measured."""


def index(folder: Path) -> Samples:
    """A first index of the whole tree into a new store."""
    with moored.open(folder / "tree", store=folder / "moored.db") as memory:
        took = timed(memory.index)
    return {"index": [took], "index MB": [(peak(), peak())]}


def reindex(folder: Path) -> Samples:
    """Index again: with nothing changed, and with a function added to one file."""
    changed = folder / "tree" / "django" / "db" / "models" / "query.py"
    text = changed.read_text(encoding="utf-8")
    samples: Samples = {"nothing changed": [], "one file changed": []}
    with moored.open(folder / "tree", store=folder / "moored.db") as memory:
        memory.index()
        for round_ in range(9):
            samples["nothing changed"].append(timed(memory.index))
            changed.write_text(f"{text}\n\ndef added_in_round(a):\n    return a + {round_}\n", encoding="utf-8")
            samples["one file changed"].append(timed(memory.index))
        changed.write_text(text, encoding="utf-8")
        memory.index()
    return samples


def record(folder: Path) -> Samples:
    """A durable record of an event of 2 KB, each in its own transaction."""
    writer = Writer(words_of(folder / "tree", "django"), 1)
    with moored.open(folder / "tree", store=folder / "record.db") as memory:
        texts = [writer.sized(EPISODE_SIZE) for _ in range(220)]
        samples = [timed(lambda text=text: memory.record(text)) for text in texts]
    return {"record": samples[20:]}


def notes(folder: Path, total: int) -> None:
    """Fill the store up to `total` notes through `Memory.remember`; their vectors follow in one go."""
    with moored.open(folder / "tree", store=folder / "moored.db", dense=False) as memory:
        known = memory.status().counts.notes
        writer = Writer(words_of(folder / "tree", "django"), 100 + known)
        for number in range(known, total):
            text, about = writer.note(number)
            memory.remember(text, about=[about])
    with moored.open(folder / "tree", store=folder / "moored.db") as memory:
        memory.upkeep()


def episodes(folder: Path, total: int) -> None:
    """Fill the store up to `total` episodes through the record's own admission, many a transaction."""
    writer = Writer(words_of(folder / "tree", "django"), total)
    clock = SystemClock()
    ids = RandomIds(clock)
    with moored.open(folder / "tree", store=folder / "moored.db") as memory:
        missing = total - memory.status().counts.episodes
        while missing > 0:
            drafts = [writer.episode() for _ in range(min(BULK, missing))]
            events = [admit(Event(text.encode(), Role(role))) for role, text in drafts]
            with memory.store.write(Durability.GROUP) as transaction:
                for admitted in events:
                    write(transaction, memory.project, admitted, clock, ids)
            missing -= len(drafts)
        memory.upkeep()


def recall(folder: Path) -> Samples:
    """Warm recall: the process has answered before. Every other question names a symbol."""
    writer = Writer(words_of(folder / "tree", "django"), 7)
    questions = [writer.query() for _ in range(QUERIES + WARM_UP)]
    del writer
    with moored.open(folder / "tree", store=folder / "moored.db") as memory:
        cold = timed(lambda: memory.recall(questions[0]))
        samples = [timed(lambda question=question: memory.recall(question)) for question in questions]
    return {"recall": samples[WARM_UP:], "first recall": [cold], "recall MB": [(resident(), resident())]}


def recall_memory(folder: Path) -> Samples:
    """Resident memory of a process that has done nothing but recall."""
    with moored.open(folder / "tree", store=folder / "moored.db") as memory:
        for question in ("Where is the queryset cloned?", "Why does ModelForm.save fail?", "cache timeout"):
            memory.recall(question)
        return {"recall MB": [(resident(), resident())]}


def remember(folder: Path) -> Samples:
    """One more note at a time, with its vector and without."""
    words = words_of(folder / "tree", "django")
    samples: Samples = {}
    for name, dense in (("with vector", True), ("without vector", False)):
        writer = Writer(words, 31 + dense)
        with moored.open(folder / "tree", store=folder / "moored.db", dense=dense) as memory:
            drafts = [writer.note(random.getrandbits(40)) for _ in range(70)]
            found = [timed(lambda d=draft: memory.remember(d[0], about=[d[1]])) for draft in drafts]
        samples[name] = found[10:]
    return samples


def opening(folder: Path) -> Samples:
    """Open and close a store in a process that has done so before."""

    def once() -> None:
        moored.open(folder / "tree", store=folder / "moored.db").close()

    once()
    return {"open": [timed(once) for _ in range(40)]}


def timed(work: Callable[[], object]) -> Sample:
    """How long it takes, in milliseconds, and how much of the processor it uses meanwhile."""
    began, used = time.perf_counter(), time.process_time()
    work()
    return 1000 * (time.perf_counter() - began), 1000 * (time.process_time() - used)


def peak() -> float:
    """The most memory that this process has had resident, in MB (10^6 bytes)."""
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def resident() -> float:
    """The memory that this process has resident now, in MB (10^6 bytes); its peak where that is not told."""
    status = Path("/proc/self/status")
    if not status.exists():
        return peak()
    line = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) * 1024 / 1e6


def main(name: str, folder: Path, *numbers: str) -> None:
    """Measure one figure and print its samples."""
    if name == "index":
        for old in folder.glob("moored.db*"):
            old.unlink()
    print(json.dumps(_FIGURES[name](folder, *(int(number) for number in numbers)) or {}))


_FIGURES: dict[str, Callable[..., Samples | None]] = {
    "index": index,
    "reindex": reindex,
    "record": record,
    "notes": notes,
    "episodes": episodes,
    "recall": recall,
    "recall-memory": recall_memory,
    "remember": remember,
    "opening": opening,
}

if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:])
