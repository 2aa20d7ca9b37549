"""`Memory`, of its parts, and how it is opened."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from moored.errors import NotFound
from moored.memory.care import CarePart
from moored.memory.forgetting import ForgettingPart
from moored.memory.life import LifePart
from moored.memory.recall import RecallPart
from moored.memory.record import RecordPart
from moored.memory.reminders import RemindersPart
from moored.memory.review import ReviewPart
from moored.memory.rules import RulesPart
from moored.model.clock import Clock, SystemClock
from moored.model.ids import IdSource, RandomIds
from moored.scope import recognised
from moored.settings import default_store, likely, locate
from moored.store.sqlite.store import Store as SqliteStore

if TYPE_CHECKING:
    from moored.embed.port import Embedder


class Memory(RecallPart, RecordPart, LifePart, ReviewPart, ForgettingPart, RemindersPart, RulesPart, CarePart):
    """One project's memory, seen from one of its trees. Its methods may be called from any thread.

    Writing methods return when what they wrote is durable. Reading methods never change what a memory says; what
    they notice of changed files is handed to the ledger afterwards, where the store can be written.
    """


def open_memory(
    path: str | Path = ".",
    *,
    store: str | Path | None = None,
    create: bool = True,
    read_only: bool = False,
    clock: Clock | None = None,
    ids: IdSource | None = None,
    embedder: Embedder | None = None,
    dense: bool = True,
) -> Memory:
    """Open the memory of the project that `path` belongs to.

    `store` is the file to keep it in, by default `$MOORED_STORE` or one file for all projects in the user's data
    folder. With `create` false a project that the store does not know is an error. `embedder` replaces the one that
    the settings name; `dense` false does without vectors.

    Raises `NotFound`, `InvalidInput` (settings), and the errors of the store.
    """
    path = Path(path)
    clock = clock or SystemClock()
    file = Path(store) if store else default_store()
    guess = likely(path) if file.exists() else None
    place = guess or locate(path)
    if not create and not file.exists():
        raise NotFound(f"There is no store {file} yet. Run `moored init` in the project to begin one.")
    opened = SqliteStore(file, clock=clock, read_only=read_only)
    try:
        if guess and recognised(opened, guess) is None:
            place = locate(path)
        if embedder is None and dense:
            from moored.embed.choice import embedder as configured

            embedder = configured(place.settings.embedding)
        return Memory(opened, place, clock=clock, ids=ids or RandomIds(clock), embedder=embedder, create=create)
    except BaseException:
        opened.close()
        raise
