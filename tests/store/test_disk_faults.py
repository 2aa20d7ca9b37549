"""The store on a disk that is full, failing, locked, damaged or not to be written."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import apsw
import pytest

from lab.author import Author
from lab.faulty import FaultyDisk
from moored.errors import StoreCorrupt, StoreError, StoreFull, StoreLocked, StoreReadOnly
from moored.store.sqlite.connection import Connection
from moored.store.sqlite.store import Store

STRIDE = int(os.environ.get("FAULT_STRIDE", "7"))
"""Every which operation of a write is made to fail."""


HOLDER = """
import sys, pathlib
from moored.store.sqlite.store import Store
with Store(pathlib.Path(sys.argv[1])).write():
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def disk(request: pytest.FixtureRequest) -> Iterator[FaultyDisk]:
    yield (made := FaultyDisk(f"faulty-{request.node.name}"))
    made.unregister()


def _write(store: Store, author: Author, content: bytes) -> None:
    """One representative transaction: an episode with its indexes, a file with facts, a note and its revision."""
    with store.write() as tx:
        project, session, tree = author.begin(tx)
        new = author.episode(session, content)
        author.record(tx, project, new)
        author.index(tx, tree, f"{new.id}.py", author.fact("one"), author.fact("two"))
        note = author.remember(tx, project, f"note on {new.id}", episode=new.id)
        author.revise(tx, project, note, "another wording")
        author.embed_waiting(tx)


def _contents(path: Path) -> tuple[list[list[tuple[object, ...]]], list[str]]:
    """Every row of the memory as a fresh process finds it, and what is wrong with the store."""
    store = Store(path)
    with store.read() as view:
        tables = ("episode", "window", "file", "fact", "note", "revision", "anchor", "vector", "vector_queue")
        rows = [view.connection.rows(f"SELECT * FROM {table}") for table in tables]
    wrong = store.check(deep=True)
    store.close()
    return rows, wrong


@pytest.mark.invariant("I-01", "I-22")
def test_whichever_operation_of_the_disk_fails_a_write_is_whole_or_not_there(tmp_path: Path, disk: FaultyDisk) -> None:
    base, author = Store(tmp_path / "base.db"), Author()
    for number in range(3):
        _write(base, author, f"before {number} ".encode() * 400)
    base._idle_views.clear()
    base.close()
    before, _ = _contents(base.path)
    failures = 0
    for number in range(1, 2_000, STRIDE):
        path = tmp_path / "copy" / f"{number}.db"
        path.parent.mkdir(exist_ok=True)
        shutil.copyfile(base.path, path)
        store = Store(path, vfs=disk.name)
        store._writer().connection.set_pragma("wal_autocheckpoint", 20)
        disk.fail(number)
        try:
            _write(store, Author("later"), b"attempt " * 300)
        except StoreError:
            failures += 1
        after, wrong = _contents(path)
        assert wrong == []
        assert after == before or len(after[0]) == len(before[0]) + 1
        if not disk.failed:
            break
        _write(store, Author("again"), b"and now without a failure")
        store.close()
        assert len(_contents(path)[0][0]) == len(after[0]) + 1
    assert not disk.failed, "the write never got through all of its operations"
    assert failures > 10


def test_whichever_operation_fails_a_store_is_created_whole_or_can_be_created_later(
    tmp_path: Path, disk: FaultyDisk
) -> None:
    for number in range(1, 5_000, 2 * STRIDE):
        path = tmp_path / f"{number}.db"
        disk.fail(number)
        with suppress(StoreError):
            Store(path, vfs=disk.name).close()
        assert _contents(path)[1] == []
        if not disk.failed:
            break
    assert not disk.failed, "the creation never got through all of its operations"


@pytest.mark.invariant("I-22")
def test_a_full_disk_leaves_nothing_half_written_and_the_store_goes_on_when_there_is_room(
    tmp_path: Path, disk: FaultyDisk
) -> None:
    path = tmp_path / "moored.db"
    store, author = Store(path, vfs=disk.name), Author()
    _write(store, author, b"before")
    before, _ = _contents(path)
    disk.room = 40_000
    with pytest.raises(StoreFull, match="no room left"):
        _write(store, author, bytes(range(256)) * 4_000)
    assert _contents(path) == (before, [])
    with store.read() as view:
        assert view.episodes.count(view.projects.all()[0]) == 1
    disk.room = None
    _write(store, author, b"after")
    store.close()
    after, wrong = _contents(path)
    assert wrong == []
    assert len(after[0]) == 2


def test_a_disk_too_full_to_create_a_store_is_reported_as_full(tmp_path: Path, disk: FaultyDisk) -> None:
    disk.room = 8_192
    with pytest.raises(StoreFull, match="no room left"):
        Store(tmp_path / "moored.db", vfs=disk.name)
    disk.room = None
    store = Store(tmp_path / "moored.db", vfs=disk.name)
    assert store.check(deep=True) == []
    store.close()


def test_a_write_on_a_file_system_that_became_read_only_says_so_and_reading_goes_on(
    tmp_path: Path, disk: FaultyDisk
) -> None:
    store, author = Store(tmp_path / "moored.db", vfs=disk.name), Author()
    _write(store, author, b"before")
    disk.frozen = True
    with pytest.raises(StoreReadOnly, match="Reading goes on"):
        _write(store, author, b"after")
    with store.read() as view:
        assert view.episodes.count(view.projects.all()[0]) == 1
    store.close()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the holder is known from /proc/locks")
def test_a_store_that_another_process_holds_is_reported_with_its_number(tmp_path: Path) -> None:
    path = tmp_path / "moored.db"
    store = Store(path, busy_timeout_ms=30)
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            HOLDER,
            str(path),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(StoreLocked, match=f"process {holder.pid}, "), store.write():
        pass
    with store.read() as view:
        assert view.projects.all() == []
    holder.communicate("", timeout=30)
    _write(store, Author(), b"now")
    store.close()


def _overwrite(offset: int, junk: bytes) -> Callable[[bytes], bytes]:
    return lambda data: data[:offset] + junk + data[offset + len(junk) :]


@pytest.mark.invariant("I-22")
@pytest.mark.parametrize(
    "damage",
    [
        _overwrite(0, b"not a database!!"),
        _overwrite(16, b"\0\0"),
        _overwrite(100, b"\xff" * 3_996),
        lambda data: data[:100],
        lambda _: b"just a text file, and a short one\n",
        lambda _: b"a text file of some length\n" * 2_000,
    ],
    ids=["header", "page size", "schema page", "cut short", "short text", "long text"],
)
def test_a_damaged_or_foreign_file_is_reported_and_left_as_it_is(
    tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / "moored.db"
    sound = Store(path)
    _write(sound, Author(), b"content")
    sound._idle_views.clear()
    sound.close()
    for side in tmp_path.glob("*-*"):
        side.unlink()
    path.write_bytes(damage(path.read_bytes()))
    damaged = path.read_bytes()
    with pytest.raises(StoreCorrupt, match="left as it is"):
        Store(path)
    assert path.read_bytes() == damaged


@pytest.mark.invariant("I-22")
def test_a_damaged_page_is_an_error_for_who_reads_it_and_found_by_the_check(tmp_path: Path) -> None:
    path = tmp_path / "moored.db"
    sound = Store(path)
    for number in range(60):
        _write(sound, Author(f"a{number}"), b"%d some content " % number * 100)
    with sound.read() as view:
        project = view.projects.all()[0]
    del view
    sound.close()
    with closing(sqlite3.connect(path)) as plain:
        plain.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        root: int = plain.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'episode_time'").fetchone()[0]
    path.write_bytes(_overwrite((root - 1) * 4_096, b"\xff" * 4_096)(path.read_bytes()))
    damaged = path.read_bytes()
    store = Store(path)

    def count() -> int:
        with store.read() as view:
            return view.episodes.count(project)

    with pytest.raises(StoreCorrupt, match="damaged"):
        count()
    assert store.check(deep=True) != []
    store.close()
    assert path.read_bytes() == damaged


def test_a_foreign_database_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    foreign = apsw.Connection(str(path))
    foreign.execute("CREATE TABLE recipe (title); INSERT INTO recipe VALUES ('soup')")
    foreign.close()
    before = path.read_bytes()
    with pytest.raises(StoreCorrupt, match="not a moored store"):
        Store(path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["other.db"]


def test_a_folder_that_is_a_file_is_an_error_in_words(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("not a folder")
    with pytest.raises(StoreError, match="cannot be created"):
        Store(tmp_path / "data" / "moored.db")


def test_a_folder_given_as_the_store_is_an_error_in_words(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is a folder"):
        Store(tmp_path)


@pytest.mark.timeout(20)
def test_a_writer_of_little_patience_is_told_at_once_that_the_store_is_locked(tmp_path: Path) -> None:
    path = tmp_path / "moored.db"
    with Store(path).write():
        pass
    store = Store(path, busy_timeout_ms=600_000)
    with closing(Connection(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreLocked), store.write(patience_ms=10):
            pass
        other.execute("ROLLBACK")
    with store.write(patience_ms=10):
        pass
    store.close()
