"""Watch: what changes on disk reaches the ledger, once, and only what is read at all."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from typing import Any

import pytest

from moored.errors import MooredError, StoreLocked
from moored.ledger.refresh import Refreshed
from moored.memory import Memory, open_memory
from moored.watch import Rounds, watch

BOUND = 15.0


@pytest.fixture
def memory(tmp_path: Path):
    root = tmp_path / "work"
    root.mkdir()
    (root / "one.py").write_text("def one():\n    return [1, 2, 3]\n")
    (root / ".gitignore").write_text("*.log\n")
    with open_memory(root, store=tmp_path / "moored.db", dense=False) as opened:
        yield opened


@contextmanager
def watching(
    memory: Memory,
) -> Iterator[tuple[Queue[Refreshed], Queue[MooredError], threading.Event, threading.Thread]]:
    stop = threading.Event()
    done: Queue[Refreshed] = Queue()
    failed: Queue[MooredError] = Queue()
    thread = threading.Thread(target=watch, args=(memory, stop, done.put, failed.put), daemon=True)
    thread.start()
    try:
        yield done, failed, stop, thread
    finally:
        stop.set()
        thread.join(BOUND)


def names(memory: Memory, path: str) -> set[str]:
    with memory.store.read() as view:
        return {fact.name for fact in view.facts.in_file(memory.tree, path)}


def until(done: Queue[Refreshed], reached: Callable[[], bool]) -> None:
    while not reached():
        done.get(timeout=BOUND)


def test_a_change_on_disk_reaches_the_ledger(memory: Memory) -> None:
    with watching(memory) as (done, _, stop, thread):
        assert done.get(timeout=BOUND).parsed == 2
        (Path(memory.tree.root) / "one.py").write_text("def another():\n    return [4, 5, 6]\n")
        until(done, lambda: "another" in names(memory, "one.py"))
        (Path(memory.tree.root) / "new.py").write_text("def fresh():\n    return [7, 8, 9]\n")
        until(done, lambda: "fresh" in names(memory, "new.py"))
        (Path(memory.tree.root) / "one.py").unlink()
        until(done, lambda: not names(memory, "one.py"))
        stop.set()
        thread.join(BOUND)
        assert not thread.is_alive()


def test_an_error_of_one_round_does_not_end_the_watch(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    real, calls = memory.index, iter([True])

    def index(**arguments: object) -> Refreshed:
        if next(calls, False):
            raise StoreLocked("held")
        return real(**arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(memory, "index", index)
    with watching(memory) as (done, failed, _, _):
        assert str(failed.get(timeout=BOUND)) == "held"
        (Path(memory.tree.root) / "two.py").write_text("def two():\n    return [1, 2, 3]\n")
        done.get(timeout=BOUND)
        assert "one" in names(memory, "one.py")


def test_a_root_that_goes_away_ends_the_watch(memory: Memory) -> None:
    with watching(memory) as (done, failed, _, thread):
        done.get(timeout=BOUND)
        root = Path(memory.tree.root)
        root.rename(root.with_name("elsewhere"))
        assert "is gone" in str(failed.get(timeout=BOUND))
        thread.join(BOUND)
        assert not thread.is_alive()


class Recorder:
    """Stands between the rounds and the memory, and notes which paths are read."""

    def __init__(self, memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls: list[list[str] | None] = []
        real = memory.index

        def index(*, paths: list[str] | None = None) -> Refreshed:
            self.calls.append(paths)
            return real(paths=paths)

        monkeypatch.setattr(memory, "index", index)


def test_a_known_file_is_read_alone(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    recorder, rounds = Recorder(memory, monkeypatch), Rounds(memory)
    rounds.run()
    rounds.note([Path("one.py")])
    rounds.run()
    assert recorder.calls == [None, ["one.py"]]


def test_an_ignored_file_is_looked_over_once_and_never_read(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    recorder, rounds = Recorder(memory, monkeypatch), Rounds(memory)
    rounds.run()
    (Path(memory.tree.root) / "noise.log").write_text("noise\n")
    for _ in range(3):
        rounds.note([Path("noise.log")])
        rounds.run()
    assert recorder.calls == [None, None]
    assert not names(memory, "noise.log")


def test_a_folder_of_a_tool_is_passed_over(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    recorder, rounds = Recorder(memory, monkeypatch), Rounds(memory)
    rounds.run()
    rounds.note([Path("node_modules/x/index.js")])
    assert rounds.run() is None
    assert recorder.calls == [None]


def test_a_changed_ignore_file_makes_everything_be_looked_over(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    recorder, rounds = Recorder(memory, monkeypatch), Rounds(memory)
    rounds.run()
    (Path(memory.tree.root) / "noise.log").write_text("noise\n")
    rounds.note([Path("noise.log")])
    rounds.run()
    (Path(memory.tree.root) / ".gitignore").write_text("*.tmp\n")
    rounds.note([Path(".gitignore")])
    rounds.run()
    assert recorder.calls == [None, None, None]
    assert names(memory, "noise.log")


def test_what_could_not_be_read_is_read_the_next_time(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    rounds = Rounds(memory)
    rounds.run()
    rounds.note([Path("one.py")])
    with monkeypatch.context() as patch:

        def locked(**_: object) -> Refreshed:
            raise StoreLocked("held")

        patch.setattr(memory, "index", locked)
        with pytest.raises(StoreLocked):
            rounds.run()
    recorder = Recorder(memory, monkeypatch)
    rounds.run()
    assert recorder.calls == [["one.py"]]


def test_what_could_not_be_read_is_tried_again_though_nothing_changes(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, tried = memory.index, list[int]()

    def locked_at_first(**how: Any) -> Refreshed:
        tried.append(1)
        if len(tried) == 1:
            raise StoreLocked("Another process writes.")
        return real(**how)

    monkeypatch.setattr(memory, "index", locked_at_first)
    monkeypatch.setattr("moored.watch.RETRY", 1)
    with watching(memory) as (done, failed, _, _):
        assert isinstance(failed.get(timeout=BOUND), StoreLocked)
        assert done.get(timeout=BOUND).parsed == 2
