"""A process that is killed while it forgets has forgotten everything or nothing, and the next one finishes its work."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from forgetting.conftest import RARE, SAID, begin, raw, rows
from moored.errors import StoreLocked
from moored.forgetting.forget import NotProven
from moored.memory import Memory
from moored.store.sqlite.connection import Connection

pytestmark = pytest.mark.invariant("I-10", "I-01")

FORGETTER = Path(__file__).parents[1] / "lab" / "forgetter.py"
ROUNDS = 5


def _kill_while_it_forgets(memory: Memory, note: str, after: float) -> None:
    """Let another process forget a note, and kill it so many seconds after it began."""
    process = subprocess.Popen(
        [sys.executable, FORGETTER, memory.tree.root, str(memory.store.path), note],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    process.stdin.write("\n")
    process.stdin.flush()
    timer = threading.Timer(after, process.send_signal, [signal.SIGKILL])
    timer.start()
    process.communicate(timeout=30)
    timer.join()


def test_kill_9_in_the_middle_of_forgetting_leaves_all_or_nothing(tmp_path: Path) -> None:
    chance = random.Random(3)  # noqa: S311 - chooses a moment
    for number in range(ROUNDS):
        memory = begin(tmp_path / f"harbour{number}", tmp_path / str(number) / "moored.db")
        note = memory.remember(SAID, about=["quay.py::moor"])
        derived = memory.remember(f"They say: {SAID}", about=[note.anchors[0].episode])
        memory.upkeep()
        _kill_while_it_forgets(memory, note.id, chance.uniform(0.0, 0.12))
        assert memory.store.check(deep=True) == []
        held = rows(memory)
        here = [note.id in held, derived.id in held, RARE[1] in held]
        assert here in ([True] * 3, [False] * 3)
        if not here[0]:
            memory.finish_forgetting()
            assert not [file for file, data in raw(memory).items() if RARE[1].encode()[2:] in data.lower()]
        memory.close()


def test_what_a_killed_process_left_to_be_done_to_the_files_is_done_by_the_next(memory: Memory) -> None:
    note = memory.remember(SAID)
    backup = memory.store.path.with_name(f"{memory.store.path.name}.before-m0011_life-2026")
    memory.store.backup(backup)

    class Killed(BaseException):
        pass

    def killed(*_: object) -> None:
        raise Killed

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("moored.forgetting.forget._files_away", killed)
        with pytest.raises(Killed):
            memory.forget(note.id, hard=True)
    assert backup.exists()
    assert note.id not in rows(memory)
    assert memory.finish_forgetting()
    assert not backup.exists()
    assert not memory.finish_forgetting()


@pytest.mark.parametrize("step", ["DELETE FROM anchor", "DELETE FROM episode", "INSERT INTO window_fts (window_fts"])
def test_an_error_in_the_middle_takes_everything_back(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    note = memory.remember(SAID, about=["quay.py::moor"])
    before = rows(memory)
    found = [hit.id for hit in memory.recall("xylophonequartz").hits]
    execute, rows_of = Connection.execute, Connection.rows

    def failing(connection: Connection, sql: str, values: object = ()) -> object:
        if sql.startswith(step):
            raise RuntimeError("the lights went out")
        return execute(connection, sql, values)  # type: ignore[arg-type] - passed on

    def failing_rows(connection: Connection, sql: str, *values: object) -> object:
        if sql.startswith(step):
            raise RuntimeError("the lights went out")
        return rows_of(connection, sql, *values)

    with monkeypatch.context() as patch:
        patch.setattr(Connection, "execute", failing)
        patch.setattr(Connection, "rows", failing_rows)
        with pytest.raises(RuntimeError, match="lights"):
            memory.forget(note.id, hard=True)
    assert rows(memory) == before
    assert [hit.id for hit in memory.recall("xylophonequartz").hits] == found == [note.id]
    assert memory.store.check(deep=True) == []
    memory.forget(note.id, hard=True)
    assert RARE[1] not in rows(memory)


def test_doctor_says_that_an_erasure_is_to_be_finished(memory: Memory) -> None:
    def told() -> str:
        return next(check.state for check in memory.doctor().checks if check.name == "forgetting")

    assert told() == "ok"
    with memory.store.write() as transaction:
        transaction.erasure.set_unfinished('{"operation": "op_1", "files": []}')
    assert told() == "problem"
    assert memory.finish_forgetting()
    assert told() == "ok"


def test_a_reader_that_stands_in_the_way_of_the_log_is_told_of_and_the_work_is_finished_without_it(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory.store, "_busy_timeout_ms", 50)
    memory.remember("Boats are moored with four ropes")
    memory.store.truncate_log()
    reader = Connection(memory.store.path, read_only=True)
    note = memory.remember(SAID)
    reader.execute("BEGIN")
    reader.rows("SELECT count(*) FROM note")
    with pytest.raises(NotProven, match="db-wal holds"):
        memory.forget(note.id, hard=True)
    assert note.id not in rows(memory)
    with pytest.raises(StoreLocked, match="reading the store"):
        memory.finish_forgetting()
    reader.close()
    assert memory.finish_forgetting()
    assert not [file for file, data in raw(memory).items() if RARE[1].encode()[2:] in data.lower()]
