"""Status: counts that are right, and nothing that is unknown shown as zero."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from moored.cli import render_care
from moored.memory import Memory, open_memory
from moored.model.clock import ManualClock
from moored.model.ids import SequentialIds
from moored.status import size_of


@pytest.fixture
def memory(tmp_path: Path):
    root = tmp_path / "work"
    root.mkdir()
    (root / "whole.py").write_text("def one():\n    return [1, 2, 3]\n")
    (root / "partial.py").write_text("def two(:\n    return 2\n")
    with open_memory(
        root, store=tmp_path / "moored.db", clock=ManualClock(), ids=SequentialIds(), dense=False
    ) as opened:
        yield opened


def test_a_new_project_has_nothing_and_was_never_indexed(memory: Memory) -> None:
    state = memory.status()
    assert (state.counts.episodes, state.counts.files, state.counts.notes) == (0, 0, 0)
    assert state.indexed_at is None
    assert "last read never" in "\n".join(render_care.status(state))


def test_everything_that_was_written_is_counted(memory: Memory) -> None:
    memory.index()
    memory.record("Said", session="s1")
    memory.record(b'{"a": 1}', role="tool", tool_input="run", exit_status=0, session="s1")
    memory.remember("It counts", about=["whole.py::one"])
    memory.pin("Keep it small")
    counts = memory.status().counts
    assert (counts.episodes, counts.hidden, counts.notes, counts.pins) == (3, 0, 1, 1)
    assert (counts.files, counts.partial, counts.commands) == (2, 1, 1)
    assert counts.facts["function"] >= 1
    assert memory.status().waiting == 4


def test_it_says_when_files_were_read_last(memory: Memory) -> None:
    memory.index()
    at = memory.status().indexed_at
    assert at is not None
    assert at > 1_600_000_000_000


@pytest.mark.invariant("I-06")
def test_other_projects_are_a_number_and_nothing_else(memory: Memory, tmp_path: Path) -> None:
    other = tmp_path / "a-secret-name"
    other.mkdir()
    with open_memory(other, store=memory.store.path, dense=False) as second:
        second.record("What nobody else may see")
        second.pin("A pin of its own")
    state = memory.status()
    assert state.other_projects == 1
    assert (state.counts.episodes, state.counts.pins) == (0, 0)
    assert "a-secret-name" not in "\n".join(render_care.status(state))


@pytest.mark.invariant("I-22")
def test_a_size_that_cannot_be_told_is_unknown_and_not_zero(memory: Memory, tmp_path: Path) -> None:
    assert size_of(tmp_path / "nowhere" / "moored.db") is None
    shown = "\n".join(render_care.status(replace(memory.status(), store_size=None)))
    assert "unknown" in shown


def test_the_size_includes_the_log(memory: Memory) -> None:
    memory.record("Said")
    log = memory.store.path.with_name("moored.db-wal")
    assert memory.status().store_size == memory.store.path.stat().st_size + log.stat().st_size
