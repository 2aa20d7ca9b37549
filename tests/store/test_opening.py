"""Opening: how connections are set up, migrations, and stores that can only be read."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from lab.author import Author
from lab.faulty import FaultyDisk
from lab.schema import RECORDED, dump
from moored.errors import StoreCorrupt, StoreError, StoreReadOnly, StoreTooNew
from moored.model.clock import ManualClock
from moored.store.sqlite import store as store_module
from moored.store.sqlite.connection import PRAGMAS, WRITER_PRAGMAS, Connection
from moored.store.sqlite.migrations import MIGRATIONS
from moored.store.sqlite.store import Store

NOBODY = 65_534


def _filled(path: Path) -> Store:
    store, author = Store(path, clock=ManualClock()), Author()
    with store.write() as tx:
        project, session, _ = author.begin(tx)
        author.record(tx, project, author.episode(session, b"content"))
    return store


def _close_at_rest(store: Store) -> None:
    """Close so that the last connection is the writing one, which empties the log and takes it away."""
    with store.write():
        pass
    store.close()


def _steps(path: Path) -> list[str]:
    with Store(path).read() as view:
        return [row[0] for row in view.connection.rows("SELECT name FROM migration ORDER BY row")]


@pytest.mark.parametrize("read_only", [True, False], ids=["reading", "writing"])
def test_every_connection_is_set_up_the_same_way(store: Store, read_only: bool) -> None:
    connection = store._connect(read_only=read_only)
    expected: dict[str, str | int] = {"journal_mode": "wal", "busy_timeout": 5_000}
    expected |= PRAGMAS if read_only else PRAGMAS | WRITER_PRAGMAS
    assert {name: connection.pragma(name) for name in expected} == expected
    connection.close()


def test_a_relaxed_transaction_does_not_relax_the_next_one(store: Store) -> None:
    with store.write(store_module.Durability.GROUP) as tx:
        assert tx.connection.pragma("synchronous") == 1
    with store.write() as tx:
        assert tx.connection.pragma("synchronous") == 2


@pytest.mark.invariant("I-11")
def test_a_view_cannot_write(store: Store) -> None:
    def write() -> None:
        with store.read() as view:
            view.connection.execute("INSERT INTO meta VALUES ('key', 'value')")

    with pytest.raises(StoreReadOnly, match="Reading goes on"):
        write()
    with store.read() as view:
        assert view.connection.rows("SELECT * FROM meta") == []


@pytest.mark.invariant("I-11")
def test_a_store_opened_for_reading_answers_and_refuses_to_be_written(tmp_path: Path) -> None:
    _filled(tmp_path / "moored.db").close()
    store = Store(tmp_path / "moored.db", read_only=True)
    with store.read() as view:
        assert view.episodes.count(view.projects.all()[0]) == 1
    with pytest.raises(StoreReadOnly, match="for reading only"), store.write():
        pass
    store.close()
    with pytest.raises(StoreReadOnly, match="no store at"):
        Store(tmp_path / "missing.db", read_only=True)
    assert not (tmp_path / "missing.db").exists()


READER = f"""
import os, sys
from pathlib import Path
from moored.errors import StoreReadOnly
from moored.store.sqlite.store import Store
os.setgroups([])
os.setgid({NOBODY})
os.setuid({NOBODY})
store = Store(Path(sys.argv[1]))
for _ in range(2):
    with store.read() as view:
        print(view.episodes.count(view.projects.all()[0]))
assert store.check(deep=True) == []
try:
    with store.write():
        print("wrote")
except StoreReadOnly as error:
    print("refused")
store.close()
"""


@pytest.mark.invariant("I-11")
@pytest.mark.skipif(not hasattr(os, "setuid") or os.geteuid() != 0, reason="only root can become another user")
@pytest.mark.parametrize("state", ["at rest", "with its log", "in use", "after a cut"])
def test_a_store_in_a_folder_that_cannot_be_written_answers_all_the_same(state: str) -> None:
    # Not in tmp_path, which only its owner can enter.
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        path = Path(folder) / "data" / "moored.db"
        store = _filled(path)
        if state == "at rest":
            _close_at_rest(store)
        elif state == "with its log":
            reader = Store(path, read_only=True)
            store.close()
            reader.close()
        elif state == "after a cut":
            (cut := Path(folder) / "cut").mkdir()
            for name in ("moored.db", "moored.db-wal"):
                shutil.copyfile(path.with_name(name), cut / name)
            path = cut / "moored.db"
        sides = {file.name.removeprefix("moored.db") for file in path.parent.iterdir()}
        path.parent.chmod(0o755)
        for file in path.parent.iterdir():
            file.chmod(0o644)
        found = subprocess.run([sys.executable, "-c", READER, str(path)], capture_output=True, text=True, timeout=60)
        assert (found.stdout, found.stderr) == ("1\n1\nrefused\n", "")
        store.close()
    assert sides == {"at rest": {""}, "after a cut": {"", "-wal"}}.get(state, {"", "-wal", "-shm"})


def test_a_new_store_has_the_schema_that_was_released() -> None:
    """A released migration is never edited: add a step. Renew the file with `python tests/lab/schema.py`."""
    assert dump() == RECORDED.read_text(encoding="utf-8")


NEXT = ("m9001_next", "CREATE TABLE next (row INTEGER PRIMARY KEY) STRICT;")
LAST = ("m9002_last", "ALTER TABLE next ADD COLUMN name TEXT;")
BROKEN = ("m9002_last", "ALTER TABLE next ADD COLUMN name TEXT; INSERT INTO missing VALUES (1);")


def _backups(path: Path) -> list[Path]:
    return sorted(path.parent.glob(f"{path.name}.before-*"))


def test_an_older_store_is_copied_and_then_brought_up_to_date(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "moored.db"
    _filled(path).close()
    known = [name for name, _ in MIGRATIONS]
    monkeypatch.setattr(store_module, "MIGRATIONS", (*MIGRATIONS, NEXT, LAST))
    assert _steps(path) == [*known, "m9001_next", "m9002_last"]
    (backup,) = _backups(path)
    assert backup.name.startswith("moored.db.before-m9001_next-2")
    assert oct(backup.stat().st_mode & 0o777) == "0o600"
    monkeypatch.undo()
    assert _steps(backup) == known
    copy = Store(backup)
    assert copy.check(deep=True) == []
    with copy.read() as view:
        assert view.episodes.count(view.projects.all()[0]) == 1
    copy.close()


def test_a_step_that_fails_leaves_the_store_as_it_was_and_is_made_at_the_next_opening(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "moored.db"
    _filled(path).close()
    with Store(path).read() as view:
        before = view.connection.rows("SELECT * FROM sqlite_schema")
    monkeypatch.setattr(store_module, "MIGRATIONS", (*MIGRATIONS, NEXT, BROKEN))
    with pytest.raises(StoreError, match="missing"):
        Store(path)
    monkeypatch.undo()
    with Store(path).read() as view:
        assert view.connection.rows("SELECT * FROM sqlite_schema") == before
    monkeypatch.setattr(store_module, "MIGRATIONS", (*MIGRATIONS, NEXT, LAST))
    assert _steps(path)[-2:] == ["m9001_next", "m9002_last"]


KILLED = """
import os, signal, sys
from pathlib import Path
from moored.store.sqlite import store
kill = lambda: os.kill(os.getpid(), signal.SIGKILL)
store.MIGRATIONS = (*store.MIGRATIONS, ("m9001_next", "CREATE TABLE next (row INTEGER PRIMARY KEY) STRICT;"))
applied = store.Connection.execute
def execute(self, sql, values=()):
    if sql.startswith("INSERT INTO migration"):
        if values[0] == sys.argv[2]:
            kill()
    return applied(self, sql, values)
store.Connection.execute = execute
store.Store(Path(sys.argv[1]))
"""


@pytest.mark.parametrize("step", [name for name, _ in MIGRATIONS])
def test_a_creation_that_is_killed_in_the_middle_of_a_step_is_made_at_the_next_opening(
    tmp_path: Path, step: str
) -> None:
    path = tmp_path / "moored.db"
    assert subprocess.run([sys.executable, "-c", KILLED, str(path), step], timeout=60).returncode == -9
    assert _steps(path) == [name for name, _ in MIGRATIONS]
    assert _backups(path) == []
    store = Store(path)
    assert store.check(deep=True) == []
    store.close()


def test_an_upgrade_that_is_killed_leaves_the_store_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "moored.db"
    _filled(path).close()
    assert subprocess.run([sys.executable, "-c", KILLED, str(path), "m9001_next"], timeout=60).returncode == -9
    assert _steps(path) == [name for name, _ in MIGRATIONS]
    assert len(_backups(path)) == 1
    monkeypatch.setattr(store_module, "MIGRATIONS", (*MIGRATIONS, NEXT))
    assert _steps(path)[-1] == "m9001_next"


def test_a_store_of_a_newer_program_is_refused_and_left_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "moored.db"
    monkeypatch.setattr(store_module, "MIGRATIONS", (*MIGRATIONS, NEXT))
    _close_at_rest(_filled(path))
    monkeypatch.undo()
    before = path.read_bytes()
    for read_only in (False, True):
        with pytest.raises(StoreTooNew, match="m9001_next"):
            Store(path, read_only=read_only)
    assert path.read_bytes() == before
    assert _backups(path) == []


def test_an_older_store_that_cannot_be_written_is_not_half_understood(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "moored.db"
    _close_at_rest(_filled(path))
    before = path.read_bytes()
    monkeypatch.setattr(store_module, "MIGRATIONS", (*MIGRATIONS, NEXT))
    with pytest.raises(StoreReadOnly, match="older moored"):
        Store(path, read_only=True)
    assert path.read_bytes() == before


def test_a_backup_is_whole_or_not_there(store: Store, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    target.with_name("copy.db.partial").write_bytes(b"left by a copy that was interrupted")
    store.backup(target)
    copy = Store(target)
    assert copy.check(deep=True) == []
    copy.close()
    assert not target.with_name("copy.db.partial").exists()


def test_a_backup_that_fails_leaves_no_file_with_its_name(tmp_path: Path) -> None:
    disk = FaultyDisk("faulty-backup")
    _filled(tmp_path / "moored.db").close()
    store = Store(tmp_path / "moored.db", vfs=disk.name)
    disk.fail(5)
    with pytest.raises(StoreError):
        store.backup(tmp_path / "copy.db")
    assert not (tmp_path / "copy.db").exists()
    store.close()
    disk.unregister()


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    (tmp_path / "moored.db").touch()
    assert _steps(tmp_path / "moored.db") == [name for name, _ in MIGRATIONS]


def test_a_store_that_was_taken_out_of_its_log_mode_is_put_back_at_the_first_write(tmp_path: Path) -> None:
    path = tmp_path / "moored.db"
    _close_at_rest(_filled(path))
    foreign = sqlite3.connect(path)
    foreign.execute("PRAGMA journal_mode = delete")
    foreign.close()
    store = Store(path)
    with store.write() as tx:
        assert tx.connection.pragma("journal_mode") == "wal"
    store.close()


def test_a_database_that_another_program_marked_as_its_own_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "moored.db"
    foreign = sqlite3.connect(path)
    foreign.executescript("PRAGMA application_id = 7; CREATE TABLE t (x)")
    foreign.close()
    with pytest.raises(StoreCorrupt, match="not a moored store"):
        Store(path)


def test_a_connection_makes_no_file_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="unable to open"):
        Connection(tmp_path / "missing.db")
    assert list(tmp_path.iterdir()) == []
