"""What encryption at rest costs: the same store twice, plain and encrypted, asked and written to in turn.

The encrypted store is a copy of the plain one that was put under a key, so that both hold the same. Each sample is
taken of one and then of the other, in changing order, so that what else the machine does falls on both.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from bench.report import Section, table
from moored.encryption import encrypt
from moored.memory import Memory, open_memory
from moored.model.episodes import Event, Role
from moored.record.admission import admit, write_all
from moored.record.inbox import Entry, Inbox
from moored.store.durability import Durability

ROOT = Path(__file__).resolve().parent.parent
TURNS = 50_000
"""Turns of some 60 words in the store."""

BULK = 500
QUESTIONS = 60
RECORDS = 200
OPENINGS = 15
RECALL_GOAL, RECORD_GOAL = 0.20, 0.35
"""By how much recall and record may be slower, of what they take in a plain store."""

_FIRST = """
import sys, time
from pathlib import Path
from moored.memory import open_memory
began = time.perf_counter()
with open_memory(sys.argv[1], store=sys.argv[2], create=False, dense=False) as memory:
    memory.recall(sys.argv[3])
    print(1000 * (time.perf_counter() - began))
"""

Pairs = list[tuple[float, float]]
"""Milliseconds in the plain store and in the encrypted one, each pair taken together."""


def run(turns: int = TURNS) -> Section:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        words = _fill(folder / "plain", folder / "work", turns)
        shutil.copytree(folder / "plain", folder / "encrypted")
        size = (folder / "plain" / "moored.db").stat().st_size
        began = time.perf_counter()
        encrypt(folder / "encrypted" / "moored.db", "file", str(folder / "store.key"))
        took = time.perf_counter() - began
        chance = random.Random(5)  # noqa: S311 - makes up questions
        questions = [" ".join(chance.choices(words, k=6)) for _ in range(QUESTIONS + OPENINGS)]
        with _both(folder) as memories:
            figures: list[tuple[str, Pairs, float | None]] = [
                ("warm `recall`", _recalling(memories, questions[:QUESTIONS]), RECALL_GOAL),
                ("durable `record` of 2 KB", _recording(memories, words), RECORD_GOAL),
            ]
            figures.append(("back up the store", _backing_up(memories, folder), None))
        figures.append(("open and first `recall` of a process", _opening(folder, questions[QUESTIONS:]), RECALL_GOAL))
        figures.append(("capture of 2 KB by a hook, into the inbox", _capturing(folder), None))
    return _section(figures, turns, size, took)


def _fill(folder: Path, work: Path, turns: int) -> list[str]:
    """Fill a store; return the words that its texts are made of."""
    work.mkdir()
    chance = random.Random(11)  # noqa: S311 - makes up words
    words = ["".join(chance.choices("abcdefghijklmnoprstuvw", k=chance.randint(3, 9))) for _ in range(20_000)]
    weights = [1 / (rank + 10) for rank in range(len(words))]
    with open_memory(work, store=folder / "moored.db", dense=False) as memory:
        for begin in range(0, turns, BULK):
            admitted = [
                admit(
                    Event(
                        " ".join(chance.choices(words, weights, k=60)).encode(), (Role.USER, Role.ASSISTANT)[at % 2],
                        host="bench", session=f"s{begin}", host_event=f"t{at}",
                    )
                )
                for at in range(begin, begin + BULK)
            ]  # fmt: skip
            with memory.store.write(Durability.GROUP) as transaction:
                write_all(transaction, memory.project, admitted, memory.clock, memory.ids)
        # As the encrypted copy is: its pages in order, none of them half empty.
        memory.store.rewrite()
    return words[:2_000]


@contextmanager
def _both(folder: Path) -> Generator[tuple[Memory, Memory]]:
    stores = (folder / "plain" / "moored.db", folder / "encrypted" / "moored.db")
    plain, encrypted = (open_memory(folder / "work", store=one, dense=False) for one in stores)
    with plain, encrypted:
        yield plain, encrypted


def _in_turn(times: int, do: Callable[[int, int], object], warm: int = 5) -> Pairs:
    """Time what `do` does as its Nth time with the plain store (0) and the encrypted one (1)."""
    pairs: Pairs = []
    for number in range(times):
        took = [0.0, 0.0]
        for which in (0, 1) if number % 2 else (1, 0):
            began = time.perf_counter()
            do(number, which)
            took[which] = 1000 * (time.perf_counter() - began)
        pairs.append((took[0], took[1]))
    return pairs[warm:]


def _recalling(memories: tuple[Memory, Memory], questions: list[str]) -> Pairs:
    return _in_turn(len(questions), lambda number, which: memories[which].recall(questions[number]))


def _recording(memories: tuple[Memory, Memory], words: list[str]) -> Pairs:
    chance = random.Random(7)  # noqa: S311 - makes up texts
    texts = [" ".join(chance.choices(words, k=330))[:2_000] for _ in range(RECORDS)]
    return _in_turn(RECORDS, lambda number, which: memories[which].record(texts[number], host_event=f"r{number}"))


def _backing_up(memories: tuple[Memory, Memory], folder: Path) -> Pairs:
    return _in_turn(7, lambda _, which: memories[which].store.backup(folder / "copy.db"), warm=1)


def _opening(folder: Path, questions: list[str]) -> Pairs:
    """In processes of their own, of which the start is left out."""
    names = ("plain", "encrypted")
    pairs: Pairs = []
    for number, question in enumerate(questions):
        took: dict[int, float] = {}
        for which in (0, 1) if number % 2 else (1, 0):
            store = folder / names[which] / "moored.db"
            command = [sys.executable, "-c", _FIRST, str(folder / "work"), str(store), question]
            done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
            took[which] = float(json.loads(done.stdout))
        pairs.append((took[0], took[1]))
    return pairs[1:]


def _capturing(folder: Path) -> Pairs:
    inboxes = [Inbox(folder / name / "moored.db") for name in ("plain", "encrypted")]
    entry = Entry(os.urandom(1_000).hex().encode(), "user", "user")
    return _in_turn(100, lambda _, which: inboxes[which].put(entry))


def _section(figures: list[tuple[str, Pairs, float | None]], turns: int, size: int, took: float) -> Section:
    rows = [
        [
            name,
            f"{statistics.median(plain for plain, _ in pairs):,.4g} ms",
            f"{statistics.median(encrypted for _, encrypted in pairs):,.4g} ms",
            f"{100 * over:+.1f} %",
            "" if goal is None else f"+{100 * goal:.0f} %",
            "" if goal is None else ("yes" if over <= goal else "**no**"),
            len(pairs),
        ]
        for name, pairs, goal in figures
        for over in [statistics.median(encrypted / plain for plain, encrypted in pairs) - 1]
    ]
    head = ["what", "plain", "encrypted", "overhead", "goal", "met", "samples"]
    about = (
        f"A store of {turns:,} turns ({size / 1e6:,.0f} MB), once plain and once encrypted, without an embedder: all "
        "that is measured is what the store does. Plain and encrypted are medians; the overhead is the median of what "
        "one sample takes more than the one it was taken with."
    )
    last = f"`moored encrypt` put the store under its key in {took:.1f} s."
    return Section("encryption", "Encryption", [about, "", *table(head, rows), "", last])
