"""A memory with a bit of everything in it, of which something is to be forgotten."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from moored.embed.fake import HashingEmbedder
from moored.memory import Memory, open_memory
from moored.model.clock import ManualClock
from moored.model.episodes import Episode
from moored.model.ids import RandomIds
from moored.model.notes import Revision

SAID = "the winch of berth Quagmire-7781 is opened with xylophonequartz and salt"
"""What is forgotten in these tests: its words stand nowhere else."""

RARE = ("Quagmire-7781", "xylophonequartz")


def begin(root: Path, store: Path) -> Memory:
    root.mkdir(parents=True, exist_ok=True)
    (root / "quay.py").write_text("def moor(ship):\n    return ship.tie(4)\n", encoding="utf-8")
    clock = ManualClock()
    memory = open_memory(root, store=store, clock=clock, ids=RandomIds(clock), embedder=HashingEmbedder())
    memory.index()
    return memory


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    opened = begin(tmp_path / "harbour", tmp_path / "data" / "moored.db")
    yield opened
    opened.close()


def say(memory: Memory, text: str, event: str, *, session: str = "first", role: str = "user", **more: object) -> str:
    """Record a turn as a host does; return its id."""
    at = memory.clock.now()
    told = memory.record(text, role=role, host="lab", session=session, host_event=event, occurred_at=at, **more)  # type: ignore[arg-type] - passed on
    return told.episode


def raw(memory: Memory) -> dict[str, bytes]:
    """The bytes of every file beside the store, read when no log is left to be written into it."""
    memory.store.truncate_log()
    folder = memory.store.path.parent
    return {str(file): file.read_bytes() for file in folder.rglob("*") if file.is_file() and file.suffix != ".lock"}


def rows(memory: Memory) -> str:
    """Everything that any table of the store holds, its indexes as FTS5 keeps them among it."""
    told: list[str] = []
    with memory.store.read() as view:
        tables = view.connection.rows("SELECT name FROM sqlite_schema WHERE type = 'table'")
        for (table,) in tables:
            if not table.endswith(("_fts", "_trigram")):
                told += [f"{table}: {row}" for row in view.connection.rows(f"SELECT * FROM {table}")]
    return "\n".join(told)


def references(memory: Memory, table: str) -> set[str]:
    """The tables that point at rows of a table."""
    with memory.store.read() as view:
        tables = view.connection.rows(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
        )
        return {
            name
            for (name,) in tables
            for key in view.connection.rows(f"PRAGMA foreign_key_list ({name})")
            if key[2] == table
        }


def head(memory: Memory, note_id: str) -> Revision:
    """The newest revision of a note that is in force."""
    with memory.store.read() as view:
        note = view.notes.get(memory.project, note_id)
    assert note is not None
    return note.head


def episode(memory: Memory, episode_id: str) -> Episode:
    """A visible episode."""
    with memory.store.read() as view:
        found = view.episodes.get(memory.project, episode_id)
    assert found is not None
    return found
