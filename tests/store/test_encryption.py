"""An encrypted store: nothing of it lies open, and what is wrong with its key is said and loses nothing."""

from __future__ import annotations

import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from lab.keyed import KEY, OTHER, holding, keep
from moored.errors import StoreCorrupt, StoreEncrypted, StoreReadOnly
from moored.model.clock import ManualClock
from moored.store.keys import Keeping, Kept, check_of, keeping, say, sidecar
from moored.store.sqlite.connection import PRAGMAS, WRITER_PRAGMAS, Connection
from moored.store.sqlite.store import Store

CANARY = "the heron nests under the east pier"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "moored.db"


@pytest.fixture
def key_file(path: Path) -> Path:
    return keep(path)


def open_store(path: Path) -> Store:
    return Store(path, clock=ManualClock())


def fill(store: Store, text: str = CANARY) -> None:
    with store.write() as transaction:
        transaction.projects.add("pr_1", "dir:/x", text, 1)


def name_of(store: Store) -> str:
    with store.read() as view:
        (project,) = view.projects.all()
        return project.name


@pytest.mark.usefixtures("key_file")
def test_what_is_written_can_be_read_and_lies_open_in_no_file(path: Path) -> None:
    with closing(open_store(path)) as store:
        fill(store)
        assert holding(path.parent, CANARY.encode()) == []
        assert path.with_name("moored.db-wal").stat().st_size > 0
        assert name_of(store) == CANARY
        assert store.check(deep=True) == []
    assert holding(path.parent, CANARY.encode()) == []
    with closing(open_store(path)) as store:
        assert name_of(store) == CANARY


def test_the_same_words_lie_open_in_a_plain_store(path: Path) -> None:
    with closing(open_store(path)) as store:
        fill(store)
    assert holding(path.parent, CANARY.encode()) == ["moored.db"]


@pytest.mark.usefixtures("key_file")
def test_a_copy_of_an_encrypted_store_is_encrypted_and_opens_in_its_place(path: Path) -> None:
    with closing(open_store(path)) as store:
        fill(store)
        store.backup(path.with_name("copy"))
        fill_again = CANARY + ", and the egret"
        with store.write() as transaction:
            transaction.projects.add("pr_2", "dir:/y", fill_again, 2)
    assert holding(path.parent, CANARY.encode()) == []
    path.with_name("copy").replace(path)
    with closing(open_store(path)) as store:
        assert name_of(store) == CANARY


@pytest.mark.usefixtures("key_file")
def test_writing_the_file_anew_leaves_it_encrypted(path: Path) -> None:
    with closing(open_store(path)) as store:
        fill(store)
        store.rewrite()
        assert store.truncate_log()
        assert name_of(store) == CANARY
    assert holding(path.parent, CANARY.encode()) == []


@pytest.mark.usefixtures("key_file")
@pytest.mark.parametrize("read_only", [True, False])
def test_every_connection_has_the_pragmas_of_a_plain_one(path: Path, read_only: bool) -> None:
    open_store(path).close()
    with closing(Connection(path, key=KEY, read_only=read_only)) as connection:
        for name, value in (PRAGMAS if read_only else PRAGMAS | WRITER_PRAGMAS).items():
            assert connection.pragma(name) == value, name
        assert connection.pragma("temp_store") == 2, "temporary tables and files would be on the disk"


def test_a_store_without_the_file_that_says_where_its_key_is_is_refused_untouched(path: Path, key_file: Path) -> None:
    with closing(open_store(path)) as store:
        fill(store)
    said, before = sidecar(path).read_bytes(), path.read_bytes()
    sidecar(path).unlink()
    with pytest.raises(StoreEncrypted, match=r"moored\.db\.key.*not beside it.*moored encrypt"):
        open_store(path)
    assert path.read_bytes() == before
    sidecar(path).write_bytes(said)
    with closing(open_store(path)) as store:
        assert name_of(store) == CANARY


def test_another_key_is_told_before_anything_is_opened(path: Path, key_file: Path) -> None:
    with closing(open_store(path)) as store:
        fill(store)
    before = path.read_bytes()
    key_file.write_text(OTHER)
    with pytest.raises(StoreEncrypted, match=f"not that of the store.*Put the key {check_of(KEY)} there") as told:
        open_store(path)
    assert KEY not in str(told.value)
    assert OTHER not in str(told.value)
    assert path.read_bytes() == before


@pytest.mark.parametrize("text", ["", "secret", KEY[:-1], KEY + "0", "g" + KEY[1:], "\u00e9"])
def test_what_is_no_key_is_told_without_telling_it(path: Path, key_file: Path, text: str) -> None:
    key_file.write_text(text)
    with pytest.raises(StoreEncrypted) as told:
        open_store(path)
    assert not text or text not in str(told.value).replace("secrets", "")
    assert not path.exists()


def test_a_key_file_that_is_gone_is_an_error_that_says_what_to_do(path: Path, key_file: Path) -> None:
    open_store(path).close()
    key_file.unlink()
    with pytest.raises(StoreEncrypted, match="MOORED_KEY"):
        open_store(path)


def test_the_environment_stands_above_what_the_store_says(
    path: Path, key_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(open_store(path)) as store:
        fill(store)
    key_file.unlink()
    monkeypatch.setenv("MOORED_KEY", KEY.upper() + "\n")
    open_store(path).close()
    monkeypatch.setenv("MOORED_KEY", OTHER)
    with pytest.raises(StoreEncrypted, match="variable MOORED_KEY"):
        open_store(path)
    monkeypatch.delenv("MOORED_KEY")
    (tmp_path / "own").write_text(KEY)
    monkeypatch.setenv("MOORED_KEY_FILE", str(tmp_path / "own"))
    with closing(open_store(path)) as store:
        assert name_of(store) == CANARY


def test_a_key_can_be_in_a_variable_of_any_name(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.parent.mkdir()
    say(path, Keeping(Kept("variable", "HARBOUR", check_of(KEY))))
    with pytest.raises(StoreEncrypted, match="the variable HARBOUR"):
        open_store(path)
    monkeypatch.setenv("HARBOUR", KEY)
    open_store(path).close()
    assert path.read_bytes()[:6] != b"SQLite"


@pytest.mark.usefixtures("key_file")
def test_a_store_with_a_log_in_a_folder_that_cannot_be_written_is_refused_with_what_to_do(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("moored.store.sqlite.connection._cannot_be_guarded", lambda _: True)
    with closing(open_store(path)) as store:
        fill(store)
        with pytest.raises(StoreReadOnly, match="copy both to one of your own"):
            name_of(store)
    with closing(Store(path, read_only=True)) as store:
        assert name_of(store) == CANARY


@pytest.mark.usefixtures("key_file")
def test_a_plain_copy_in_the_place_of_an_encrypted_store_is_told(path: Path) -> None:
    with closing(sqlite3.connect(path)) as plain:
        plain.execute("CREATE TABLE t (x)")
    with pytest.raises(StoreEncrypted, match=r"is not encrypted, although moored\.db\.key"):
        open_store(path)


@pytest.mark.usefixtures("key_file")
def test_what_was_never_a_database_is_damage_and_not_a_matter_of_keys(path: Path) -> None:
    path.write_bytes(b"no database at all, whatever the key" * 200)
    with pytest.raises(StoreCorrupt):
        open_store(path)


@pytest.mark.usefixtures("key_file")
def test_a_changed_byte_is_found_and_never_answered_from(path: Path) -> None:
    with closing(open_store(path)) as store:
        fill(store)
    data = bytearray(path.read_bytes())
    for at in range(4_096 * 2 + 100, len(data), 4_096):
        data[at] ^= 1
    path.write_bytes(data)
    with pytest.raises(StoreCorrupt):
        open_store(path)
    with closing(apsw.Connection(str(path))) as bare, pytest.raises(apsw.NotADBError):
        bare.execute("SELECT * FROM sqlite_schema")


@pytest.mark.parametrize("said", [b"", b"[]", b"{}", b'{"now": {"place": "file"}}', b"\xff"])
def test_what_is_said_beside_the_store_and_cannot_be_understood_opens_nothing(path: Path, said: bytes) -> None:
    open_store(path).close()
    sidecar(path).write_bytes(said)
    with pytest.raises(StoreEncrypted, match="cannot be understood"):
        open_store(path)


def test_what_is_said_beside_the_store_and_cannot_be_read_opens_nothing(path: Path) -> None:
    open_store(path).close()
    sidecar(path).mkdir()
    with pytest.raises(StoreEncrypted, match=r"cannot be read .*permission to read"):
        open_store(path)


@pytest.mark.usefixtures("key_file")
def test_what_is_said_beside_the_store_is_private_and_holds_no_key(path: Path) -> None:
    assert stat.S_IMODE(sidecar(path).stat().st_mode) == 0o600
    assert KEY not in sidecar(path).read_text()
    kept = keeping(path).now
    assert kept is not None
    assert (kept.place, kept.check) == ("file", check_of(KEY))
