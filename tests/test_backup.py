"""Backups: of one moment while others write, proven, rotated, and put back whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from lab.keyed import KEY, OTHER, holding, keep
from moored.backup import VARIABLE, Schedule, back_up, is_due, restore, scheduled
from moored.encryption import rekey
from moored.errors import InvalidInput, MooredError, NotFound, StoreCorrupt, StoreEncrypted, StoreLocked
from moored.forgetting.care import backups, kept_in
from moored.memory import Memory, open_memory
from moored.model.clock import ManualClock
from moored.model.ids import RandomIds
from moored.record.inbox import Entry, Inbox
from moored.store.sqlite import connection, switching

CANARY = "the heron nests under the east pier"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    with opened(tmp_path / "home" / "moored.db") as memory:
        memory.remember(CANARY)
    return tmp_path / "home" / "moored.db"


def opened(store: Path) -> Memory:
    root = store.parent.parent / "work"
    root.mkdir(exist_ok=True)
    return open_memory(root, store=store, clock=ManualClock(), ids=RandomIds(), dense=False)


def told(store: Path) -> list[str]:
    with opened(store) as memory:
        return [one.judged.note.head.text for one in memory.notes()]


def test_a_backup_is_of_one_moment_whatever_is_written_while_it_is_made(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(store) as memory:
        flush, written = os.fsync, 0

        def write_between(descriptor: int) -> None:
            nonlocal written
            flush(descriptor)
            written += 1
            memory.remember(f"Written while it was copied, {written}")

        monkeypatch.setattr(connection, "PAGES", 20)
        monkeypatch.setattr(connection.os, "fsync", write_between)
        done = back_up(store, tmp_path / "copy.db")
        monkeypatch.undo()
        assert written > 5
        assert len(memory.notes()) == 1 + written
    assert done.contents.notes == 1
    restore(store, tmp_path / "copy.db")
    assert told(store) == [CANARY]


def test_a_backup_is_for_its_owner_only_and_has_nothing_beside_it(store: Path, tmp_path: Path) -> None:
    done = back_up(store)
    assert Path(done.file).parent == kept_in(store)
    assert [one.name for one in kept_in(store).iterdir()] == [Path(done.file).name]
    if os.name == "posix":
        assert (kept_in(store).stat().st_mode & 0o777, Path(done.file).stat().st_mode & 0o777) == (0o700, 0o600)


def test_a_copy_that_is_not_equal_gets_no_name(store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = connection.copy_pages

    def altered(db: Any, target: Path, key: str | None) -> None:
        whole(db, target, key)
        content = target.read_bytes()
        assert content.count(b"heron") > 0
        target.write_bytes(content.replace(b"heron", b"goose"))

    monkeypatch.setattr(connection, "copy_pages", altered)
    with pytest.raises(StoreCorrupt, match="not equal"):
        back_up(store, tmp_path / "copy.db")
    assert list(tmp_path.glob("copy.db*")) == []


def test_of_the_backups_in_a_folder_the_newest_stay(store: Path, tmp_path: Path) -> None:
    clock, folder = ManualClock(), tmp_path / "shelf"
    folder.mkdir()
    (folder / "moored.db").write_text("not named by a time")
    (folder / "other-2020-01-01T000000000Z.db").write_text("of another store")
    (folder / "moored-2020-01-01T000000000Z.db.partial").write_text("never finished")
    made: list[str] = []
    for _ in range(4):
        made.append(back_up(store, folder, keep=2, clock=clock).file)
        clock.advance(1)
    names = {one.name for one in folder.iterdir()}
    assert names == {"moored.db", "other-2020-01-01T000000000Z.db", *(Path(one).name for one in made[2:])}


def test_what_hooks_captured_is_in_a_backup(store: Path, tmp_path: Path) -> None:
    entry = Entry(b"The egret was seen by the lock gate", "user", "user", "h", "s", "user:1")
    Inbox(store).put(entry._replace(cwd=str(tmp_path / "work")))
    assert back_up(store, tmp_path / "copy.db").contents.episodes == 2


def test_nothing_is_written_over_and_nothing_is_made_of_no_store(store: Path, tmp_path: Path) -> None:
    (tmp_path / "copy.db").write_text("mine")
    with pytest.raises(InvalidInput, match="there already"):
        back_up(store, tmp_path / "copy.db")
    with pytest.raises(InvalidInput, match="not one"):
        back_up(store, tmp_path / "other.db", keep=2)
    with pytest.raises(NotFound, match="no store"):
        back_up(tmp_path / "nothing.db")
    with pytest.raises(MooredError, match="cannot be written"):
        back_up(store, tmp_path / "nowhere" / "copy.db")
    assert (tmp_path / "copy.db").read_text() == "mine"
    assert not (tmp_path / "nothing.db").exists()


def test_restoring_keeps_what_was_there_and_can_be_taken_back(store: Path, tmp_path: Path) -> None:
    back_up(store, tmp_path / "copy.db")
    with opened(store) as memory:
        memory.remember("Said afterwards")
    done = restore(store, tmp_path / "copy.db")
    assert told(store) == [CANARY]
    assert backups(store) == [Path(done.kept)]
    restore(store, Path(done.kept), clock=ManualClock())
    assert sorted(told(store)) == ["Said afterwards", CANARY]


def test_a_store_comes_back_where_there_is_none(store: Path, tmp_path: Path) -> None:
    back_up(store, tmp_path / "copy.db")
    there = tmp_path / "other" / "moored.db"
    done = restore(there, tmp_path / "copy.db")
    assert (done.kept, told(there)) == ("", [CANARY])
    if os.name == "posix":
        assert there.stat().st_mode & 0o777 == 0o600


def test_a_damaged_backup_changes_nothing(store: Path, tmp_path: Path) -> None:
    back_up(store, tmp_path / "copy.db")
    content = (tmp_path / "copy.db").read_bytes()
    with opened(store) as memory:
        memory.remember("Said afterwards")
    damaged = {
        "cut.db": content[: len(content) // 2],
        "noise.db": os.urandom(len(content)),
        "empty.db": b"",
        "altered.db": content.replace(b"heron", b"goose"),
    }
    for name, data in damaged.items():
        (tmp_path / name).write_bytes(data)
        with pytest.raises(StoreCorrupt):
            restore(store, tmp_path / name)
    with pytest.raises(NotFound, match="no backup"):
        restore(store, tmp_path / "missing.db")
    assert sorted(told(store)) == ["Said afterwards", CANARY]
    assert [one.name for one in store.parent.iterdir() if ".before-" in one.name or ".changed" in one.name] == []


def test_a_store_that_is_open_is_not_replaced(store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    back_up(store, tmp_path / "copy.db")
    monkeypatch.setattr(switching, "PATIENCE", 0.0)
    with opened(store) as memory:
        memory.remember("Said afterwards")
        with pytest.raises(StoreLocked, match="nobody has it open"):
            restore(store, tmp_path / "copy.db")
        memory.remember("And after that")
        assert len(memory.notes()) == 3


def test_a_damaged_store_is_replaced_and_kept(store: Path, tmp_path: Path) -> None:
    back_up(store, tmp_path / "copy.db")
    noise = b"\xa5" * 8192
    store.write_bytes(noise)
    done = restore(store, tmp_path / "copy.db")
    assert Path(done.kept).read_bytes() == noise
    assert told(store) == [CANARY]


def test_a_restore_that_fails_at_the_last_step_leaves_the_store(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    back_up(store, tmp_path / "copy.db")

    def broken(path: Path, new: Path, old: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(switching, "_replace", broken)
    with pytest.raises(MooredError, match="No space left"):
        restore(store, tmp_path / "copy.db")
    monkeypatch.undo()
    assert told(store) == [CANARY]


def test_a_backup_of_an_encrypted_store_is_under_its_key_and_comes_back_only_there(tmp_path: Path) -> None:
    store = tmp_path / "home" / "moored.db"
    store.parent.mkdir()
    file = keep(store)
    with opened(store) as memory:
        memory.remember(CANARY)
    done = back_up(store)
    back_up(store, tmp_path / "copy.db")
    assert done.contents.notes == 1
    assert holding(tmp_path, CANARY.encode()) == []

    plain = tmp_path / "plain" / "moored.db"
    with opened(plain):
        pass
    with pytest.raises(StoreEncrypted, match="is encrypted, and the store"):
        restore(plain, tmp_path / "copy.db")
    back_up(plain, tmp_path / "open.db")
    with pytest.raises(StoreEncrypted, match=r"and the backup .* is not"):
        restore(store, tmp_path / "open.db")

    restore(store, tmp_path / "copy.db")
    assert told(store) == [CANARY]
    second = file.with_name("second.key")
    second.write_text(OTHER)
    rekey(store, "file", str(second))
    file.write_text(KEY[::-1])
    restore(store, Path(done.file))
    assert told(store) == [CANARY]
    with pytest.raises(StoreEncrypted, match="another key"):
        restore(store, tmp_path / "copy.db")


def test_what_is_forgotten_for_good_is_in_no_backup_of_ours(store: Path, tmp_path: Path) -> None:
    back_up(store)
    with opened(store) as memory:
        (note,) = memory.notes()
        memory.forget(note.judged.note.id, hard=True)
    assert holding(store.parent, CANARY.encode()) == []


def test_a_backup_is_due_when_the_newest_is_older_than_was_asked(store: Path) -> None:
    clock, schedule = ManualClock(step=0), Schedule(3_600_000, 2)
    assert is_due(store, schedule, clock)
    back_up(store, clock=clock)
    assert not is_due(store, schedule, clock)
    clock.advance(3_599_999)
    assert not is_due(store, schedule, clock)
    clock.advance(1)
    assert is_due(store, schedule, clock)


@pytest.mark.parametrize(
    ("asked", "schedule"),
    [
        ("", None),
        ("12h", Schedule(43_200_000, 7)),
        ("1d keep 30", Schedule(86_400_000, 30)),
        (" 2w ", Schedule(1_209_600_000, 7)),
    ],
)
def test_the_environment_says_when_and_how_many(
    asked: str, schedule: Schedule | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, asked)
    assert scheduled() == schedule


@pytest.mark.parametrize("asked", ["daily", "0d", "1d keep 0", "1m", "1d keep", "d"])
def test_what_is_no_time_is_told_so(asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, asked)
    with pytest.raises(InvalidInput, match="1d keep 7"):
        scheduled()
