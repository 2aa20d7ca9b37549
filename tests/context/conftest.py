"""A store with one project."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from moored.context.pins import pin
from moored.model.clock import ManualClock
from moored.model.ids import PROJECT, SequentialIds
from moored.model.notes import Pin
from moored.model.projects import Project
from moored.store.sqlite.store import Store


@dataclass(frozen=True)
class Board:
    """Where pins are pinned."""

    store: Store
    project: Project
    clock: ManualClock
    ids: SequentialIds

    def pin(self, text: str, *, actor: str = "person", **fields: object) -> Pin:
        return pin(self.store, self.project, text, actor=actor, clock=self.clock, ids=self.ids, **fields)  # pyright: ignore[reportArgumentType]

    def pins(self) -> list[Pin]:
        with self.store.read() as view:
            return view.pins.all(self.project)


@pytest.fixture
def board(tmp_path: Path) -> Iterator[Board]:
    clock, ids = ManualClock(), SequentialIds()
    store = Store(tmp_path / "moored.db", clock=clock)
    with store.write() as transaction:
        project = transaction.projects.add(ids.new(PROJECT), "id:board", "board", clock.now())
    yield Board(store, project, clock, ids)
    store.close()
