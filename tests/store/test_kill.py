"""What survives the death of a process, and what several writers at once leave behind."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from moored.model.hashing import digest
from moored.store.sqlite.store import Store

WRITER = Path(__file__).parents[1] / "lab" / "writer.py"
ROUNDS = int(os.environ.get("KILL_ROUNDS", "3"))


def _start(path: Path, durability: str, name: str, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, str(WRITER), str(path), durability, name, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def _recorded(store: Store) -> dict[str, str]:
    """The hash of what is kept under each key."""
    with store.read() as view:
        (project,) = view.projects.all()
        keys = {row[1]: row[0] for row in view.connection.rows("SELECT idempotency_key, id FROM episode")}
        return {keys[episode.id]: digest(episode.content) for episode in view.episodes.all(project)}


@pytest.mark.invariant("I-01")
@pytest.mark.parametrize("durability", ["FULL", "GROUP"])
def test_nothing_acknowledged_is_lost_when_the_writer_is_killed(tmp_path: Path, durability: str) -> None:
    for round_ in range(ROUNDS):
        seed = random.randrange(1_000_000)  # noqa: S311 - chooses a moment
        print(f"seed {seed}")  # noqa: T201 - shown when the test fails, to repeat it
        path = tmp_path / f"{round_}.db"
        process = _start(path, durability, "killed", 100_000)
        assert process.stdout is not None
        acknowledged = [process.stdout.readline()]
        moment = random.Random(seed).uniform(0.0, 0.4)  # noqa: S311 - chooses a moment
        timer = threading.Timer(moment, process.send_signal, [signal.SIGKILL])
        timer.start()
        acknowledged += process.stdout.readlines()
        timer.join()
        process.communicate(timeout=30)
        # A last line without its end was being written when the process died.
        promised = dict(line.split() for line in acknowledged if line.endswith("\n"))
        store = Store(path)
        kept = _recorded(store)
        assert promised.items() <= kept.items()
        assert len(kept) <= len(promised) + 1
        assert store.check(deep=True) == []
        store.close()


def test_a_store_whose_maker_was_killed_before_it_was_made_can_be_opened_and_used(tmp_path: Path) -> None:
    making, path = tmp_path / "making.db", tmp_path / "moored.db"
    with closing(apsw.Connection(str(making))) as maker:
        maker.execute("PRAGMA cache_size = 2")
        maker.execute("BEGIN; CREATE TABLE half (made)")
        for _ in range(50):
            maker.execute("INSERT INTO half VALUES (zeroblob(4000))")
        for suffix in ("", "-journal"):
            shutil.copyfile(f"{making}{suffix}", f"{path}{suffix}")
    assert path.stat().st_size
    store = Store(path)
    assert store.check(deep=True) == []
    with store.read() as view:
        assert view.projects.all() == []
    store.close()


def test_four_processes_create_and_write_one_store_at_once_without_an_error(tmp_path: Path) -> None:
    path = tmp_path / "data" / "moored.db"
    processes = [_start(path, "GROUP", f"writer{number}", 15) for number in range(4)]
    outputs = [process.communicate(timeout=60) for process in processes]
    assert [errors for _, errors in outputs] == [""] * 4
    promised = dict(line.split() for output, _ in outputs for line in output.splitlines())
    assert len(promised) == 60
    store = Store(path)
    assert _recorded(store) == promised
    assert store.check(deep=True) == []
    with store.read() as view:
        assert len(view.notes.all(view.projects.all()[0])) == 60
    store.close()
    assert not list(path.parent.glob("*.before-*")), "a new store needs no backup"
