"""How long it takes to forget a note with 50 derivatives in a store of a gigabyte, proof included.

One note is forgotten for a while and one for good. The store is made of turns with full-text entries and vectors of
random numbers, and of long tool outputs of random bytes of which only the beginning is indexed: it takes a minute or
two to make.
"""

from __future__ import annotations

import os
import random
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from bench.report import Section, table
from moored.memory import Memory, open_memory
from moored.model.episodes import Event, Role
from moored.record.admission import Admitted, admit, write_all
from moored.store.durability import Durability
from moored.store.rows import NewVector

DERIVATIVES = 50
TURNS = 20_000
"""Turns of some 60 words that are indexed and have vectors."""

OUTPUT = 96 * 1024
"""Bytes of one long tool output."""

BULK = 500
DIMENSION = 384
"""Dimension of the vectors, as that of the default model."""

MODEL = "bench-384"
GIGABYTE = 1024**3
GOAL = 5.0
"""Seconds for forgetting for good, proof included."""


def make(folder: Path, size: float) -> None:
    """Make a store of about so many gigabytes."""
    chance = random.Random(11)  # noqa: S311 - makes up words
    words = ["".join(chance.choices("abcdefghijklmnoprstuvw", k=chance.randint(3, 9))) for _ in range(20_000)]
    with _opened(folder) as memory:
        for begin in range(0, TURNS, BULK):
            events = [
                Event(
                    " ".join(chance.choices(words, k=60)).encode(), (Role.USER, Role.ASSISTANT)[at % 2], host="bench",
                    session=f"s{begin}", host_event=f"t{at}",
                )
                for at in range(begin, begin + BULK)
            ]  # fmt: skip
            _write(memory, events)
        _embed(memory)
        while memory.store.path.stat().st_size < size * GIGABYTE:
            events = []
            for _ in range(40):
                name = chance.randbytes(4).hex()
                content = os.urandom(OUTPUT * 3 // 4)
                asked = f'{{"command": "list {name}"}}'
                events.append(
                    Event(content, Role.TOOL, host="bench", session="outputs", tool_name="Bash", tool_input=asked)
                )
            _write_bare(memory, events)


def _write(memory: Memory, events: list[Event]) -> None:
    admitted = [admit(event) for event in events]
    with memory.store.write(Durability.GROUP) as transaction:
        write_all(transaction, memory.project, admitted, memory.clock, memory.ids)


def _write_bare(memory: Memory, events: list[Event]) -> None:
    """Record outputs of which only the beginning is indexed, which makes a large store quickly."""
    whole: list[Admitted] = []
    for event in events:
        begun = admit(event._replace(content=event.content[:200]))
        whole.append(replace(begun, event=begun.event._replace(content=event.content), windows=begun.windows[:1]))
    with memory.store.write(Durability.GROUP) as transaction:
        write_all(transaction, memory.project, whole, memory.clock, memory.ids)


def _embed(memory: Memory) -> None:
    chance = random.Random(7)  # noqa: S311 - makes up vectors
    while True:
        with memory.store.write(Durability.GROUP) as transaction:
            waiting = transaction.vectors.waiting(2_000)
            if not waiting:
                return
            transaction.vectors.put(
                NewVector(*text, MODEL, DIMENSION, 0.01, chance.randbytes(DIMENSION), chance.randbytes(48), b"")
                for text in waiting
            )


def derive(memory: Memory) -> str:
    """Write a note and 50 that repeat it; return its id."""
    stamp = os.urandom(6).hex()
    text = f"the cranes of berth {stamp} are greased by the night shift before the first tide of the week"
    note = memory.remember(text)
    with memory.store.read() as view:
        found = view.notes.get(memory.project, note.id)
    if found is None:
        raise LookupError(f"the note {note.id} is not there")
    for number in range(DERIVATIVES):
        memory.remember(f"Case {number} of {stamp}: {text}, as seen on day {number * 17}", about=[found.head.episode])
    return note.id


def _opened(folder: Path) -> Memory:
    (folder / "tree").mkdir(parents=True, exist_ok=True)
    return open_memory(folder / "tree", store=folder / "moored.db", dense=False)


def run(size: float = 1.0, folder: Path | None = None) -> Section:
    """Make the store, unless it is there, forget, and say how long it took."""
    with tempfile.TemporaryDirectory() as made:
        where = folder or Path(made)
        file = where / "moored.db"
        if not file.exists() or file.stat().st_size < size * GIGABYTE * 0.98:
            make(where, size)
        with _opened(where) as memory:
            rows = [_forget(memory, hard=hard) for hard in (False, True)]
    head = ("how", "goes", "store", "preview", "forgetting", "goal", "met", "scanned")
    said = (
        f"A note with {DERIVATIVES} notes that repeat it is forgotten in a store of turns with full-text entries, "
        "vectors and long tool outputs. The time of the second line is until it is proven to be gone."
    )
    lines = [said, "", *table(head, rows)]
    return Section("forgetting", "Forgetting", lines)


def _forget(memory: Memory, *, hard: bool) -> list[object]:
    note = derive(memory)
    memory.store.truncate_log()
    began = time.perf_counter()
    shown = memory.forget(note, hard=hard, preview=True)
    previewed = time.perf_counter()
    done = memory.forget(note, hard=hard, token=shown.plan.token)
    took = time.perf_counter() - previewed
    gone = len(done.plan.notes) + len(done.plan.episodes)
    return [
        "for good" if hard else "for a while",
        f"{gone} notes and episodes",
        f"{memory.store.path.stat().st_size / GIGABYTE:.2f} GB",
        f"{previewed - began:.2f} s",
        f"{took:.2f} s",
        f"{GOAL:.0f} s" if hard else "",
        ("yes" if took <= GOAL else "**no**") if hard else "",
        f"{done.proof.size / GIGABYTE:.2f} GB, {done.proof.fragments} pieces" if done.proof else "",
    ]
