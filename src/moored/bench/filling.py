"""Putting a case into a store of its own, through the same ways in as everything else (I-12)."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from moored.bench.cases import Message
from moored.memory import Memory
from moored.model.clock import ManualClock
from moored.model.episodes import Event
from moored.model.ids import SequentialIds
from moored.record.admission import WITHHELD, admit, write_all
from moored.settings import Place, Settings
from moored.store.durability import Durability
from moored.store.sqlite.store import Store

if TYPE_CHECKING:
    from pathlib import Path

    from moored.bench.cases import Case, Written
    from moored.embed.port import Embedder

HOST = "bench"


class Filled(NamedTuple):
    """A memory that holds a case. `names` gives the set's own id for the id of an episode or note.

    `asked_at` is when it is asked, in milliseconds since the epoch. `vectors` counts the windows and
    notes that got their vector; times are in seconds.
    """

    memory: Memory
    names: dict[str, str]
    asked_at: int
    vectors: int
    recording: float
    encoding: float


@contextmanager
def filled(case: Case, folder: Path, embedder: Embedder) -> Generator[Filled]:
    """A memory in a new store in the folder, filled with the items of a case.

    Ids and times are the same at every run. Messages without a text, or of which admission keeps nothing, are left out.
    """
    tree = folder / "tree"
    tree.mkdir(parents=True)
    clock, ids = ManualClock(min(item.at for item in case.items), step=0), SequentialIds()
    store = Store(folder / "moored.db", clock=clock)
    place = Place(f"id:{case.name}", case.name, tree, Settings())
    with Memory(store, place, clock=clock, ids=ids, embedder=embedder, create=True) as memory:
        began = time.perf_counter()
        names: dict[str, str] = {}
        for session, items in groupby(case.items, key=_session):
            if session is None:
                names.update(_notes(memory, clock, items))
            else:
                names.update(_episodes(memory, clock, ids, items))
        recorded = time.perf_counter()
        memory.upkeep()
        encoded = time.perf_counter()
        with store.read() as view:
            vectors = view.vectors.models(memory.project).get(embedder.model, 0)
        yield Filled(memory, names, case.asked_at, vectors, recorded - began, encoded - recorded)


def _session(item: Message | Written) -> str | None:
    return item.session if isinstance(item, Message) else None


def _episodes(
    memory: Memory, clock: ManualClock, ids: SequentialIds, items: Iterator[Message | Written]
) -> Iterator[tuple[str, str]]:
    """Record one session in one transaction; give the id of each episode and what the set calls it."""
    messages = [item for item in items if isinstance(item, Message) and item.text.strip()]
    admitted = [admit(event(message)) for message in messages]
    with memory.store.write(Durability.GROUP) as transaction:
        recorded = write_all(transaction, memory.project, admitted, clock, ids)
    for account, message in zip(recorded, messages, strict=True):
        if account.outcome != WITHHELD:
            yield account.episode, message.id


def _notes(memory: Memory, clock: ManualClock, items: Iterator[Message | Written]) -> Iterator[tuple[str, str]]:
    for item in items:
        if not isinstance(item, Message):
            clock.advance(item.at - clock.now())
            yield memory.remember(item.text, kind=item.kind, tags=item.tags).id, item.id


def event(message: Message) -> Event:
    """A message as it is recorded."""
    return Event(
        content=message.text.encode("utf-8", "surrogatepass"),
        role=message.role,
        author=message.author,
        host=HOST,
        session=message.session,
        host_event=message.id,
        occurred_at=message.at,
    )
