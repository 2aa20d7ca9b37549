"""Putting a store under a key, another key, or none: nothing is lost, nothing stays behind, and it can be killed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import apsw
import keyring
import keyring.errors
import pytest
from keyring.backend import KeyringBackend

from lab import switcher
from lab.attacks import migrate
from lab.golden import TURNS
from lab.keyed import KEY, OTHER, holding
from moored.backup import back_up, restore
from moored.encryption import CHANGING, decrypt, encrypt, rekey
from moored.errors import InvalidInput, NotFound, StoreEncrypted, StoreLocked
from moored.forgetting.care import backups
from moored.hosts import log
from moored.memory import Memory, open_memory
from moored.record.inbox import Entry, Inbox
from moored.record.locks import locked
from moored.store.keys import SERVICE, check_of, keeping, sidecar
from moored.store.sqlite.store import Store

CANARY = "the heron nests under the east pier"
SAID = "The egret was seen by the lock gate."


@dataclass(frozen=True)
class House:
    """A store with a note, a copy that an upgrade left, and captured events that wait or were refused."""

    folder: Path

    @property
    def store(self) -> Path:
        return self.folder / "data" / "moored.db"

    @property
    def copy(self) -> Path:
        return self.store.with_name("moored.db.before-m0011_life-2026")

    @property
    def inbox(self) -> Inbox:
        return Inbox(self.store)

    def open(self) -> Memory:
        return open_memory(self.folder / "work", store=self.store, dense=False)

    def fill(self) -> None:
        (self.folder / "work").mkdir(parents=True)
        with self.open() as memory:
            memory.remember(CANARY)
            memory.store.backup(self.copy)
        refused = self.inbox.put(Entry(SAID.encode(), "user", "user", host_event="no role"))
        self.inbox.set_aside(refused)
        self.capture("p1")

    def capture(self, event: str) -> None:
        entry = Entry(SAID.encode(), "user", "user", "h", "s", f"user:{event}", cwd=str(self.folder / "work"))
        self.inbox.put(entry)

    def open_files(self) -> list[str]:
        """The files in which something of what was said lies open."""
        return sorted({*holding(self.store.parent, CANARY.encode()), *holding(self.store.parent, SAID.encode())})

    def says(self) -> list[str]:
        with self.open() as memory:
            assert memory.store.check(deep=True) == []
            memory.absorb()
            with memory.store.read() as view:
                notes = [note.head.text for note in view.notes.all(memory.project)]
                said = [
                    one.content.decode() for one in view.episodes.all(memory.project) if one.content == SAID.encode()
                ]
        return notes + said


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> House:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    made = House(tmp_path / "house")
    made.fill()
    return made


class Ring(KeyringBackend):
    """A keyring in memory."""

    priority = 1  # pyright: ignore[reportAssignmentType]

    def __init__(self) -> None:
        self.entries: dict[tuple[str, str], str] = {}
        self.locked = False

    def get_password(self, service: str, username: str) -> str | None:
        if self.locked:
            raise keyring.errors.KeyringLocked("it is locked")
        return self.entries.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        if self.locked:
            raise keyring.errors.KeyringLocked("it is locked")
        self.entries[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.entries[service, username]


@pytest.fixture
def ring() -> Iterator[Ring]:
    before, made = keyring.get_keyring(), Ring()
    keyring.set_keyring(made)
    yield made
    keyring.set_keyring(before)


def test_a_store_is_put_under_a_key_with_all_of_its_copies_and_answers_as_before(house: House, tmp_path: Path) -> None:
    assert len(house.open_files()) == 4
    done = encrypt(house.store, "file", str(tmp_path / "nowhere" / ".." / "store.key"))
    assert (done.key, done.backups, done.entries) == (f"the file {tmp_path / 'store.key'}", (str(house.copy),), 2)
    assert house.open_files() == []
    assert house.says() == [CANARY, SAID]
    assert house.open_files() == []
    assert [house.inbox.read(one).content for one in house.inbox.failed()] == [SAID.encode()]
    with closing(apsw.Connection(str(house.store))) as bare, pytest.raises(apsw.NotADBError):
        bare.execute("SELECT * FROM sqlite_schema")


def test_a_copy_of_before_can_be_put_back_in_an_encrypted_house(house: House, tmp_path: Path) -> None:
    encrypt(house.store, "file", str(tmp_path / "store.key"))
    with house.open() as memory:
        memory.remember("A later note.")
    house.copy.replace(house.store)
    assert house.says() == [CANARY]


def test_backups_in_our_care_get_the_key_and_are_restored_with_it(house: House, tmp_path: Path) -> None:
    made = back_up(house.store).file
    done = encrypt(house.store, "file", str(tmp_path / "store.key"))
    assert made in done.backups
    assert house.open_files() == []
    with house.open() as memory:
        memory.remember("A later note.")
    restore(house.store, Path(made))
    assert house.says() == [CANARY, SAID]


def test_what_was_there_is_overwritten_before_it_is_removed(house: House, tmp_path: Path) -> None:
    held = [house.store, house.copy, *house.inbox.waiting(), *house.inbox.failed()]
    files = [one.open("rb") for one in held]
    encrypt(house.store, "file", str(tmp_path / "store.key"))
    for file in files:
        with file:
            assert set(file.read()) == {0}


def test_what_stands_in_the_log_alone_is_not_lost(house: House, tmp_path: Path) -> None:
    with house.open() as memory:
        memory.absorb()
        memory.store.truncate_log()
        memory.remember("A later note.")
        assert house.store.with_name("moored.db-wal").stat().st_size > 0
        left = House(tmp_path / "left")
        shutil.copytree(house.folder, left.folder, ignore=shutil.ignore_patterns("*-shm", "work"))
    (left.folder / "work").symlink_to(house.folder / "work")
    encrypt(left.store, "file", str(tmp_path / "store.key"))
    assert not left.store.with_name("moored.db-wal").exists()
    assert left.says() == [CANARY, "A later note.", SAID]


def test_another_key_opens_everything_and_the_one_before_nothing(house: House, tmp_path: Path) -> None:
    first, second = tmp_path / "first.key", tmp_path / "second.key"
    encrypt(house.store, "file", str(first))
    done = rekey(house.store, "file", str(second))
    assert (done.before, done.key) == (f"the file {first}", f"the file {second}")
    assert (done.backups, done.entries) == ((str(house.copy),), 2)
    assert house.open_files() == []
    old = first.read_text().strip()
    for file in (house.store, house.copy, *house.inbox.waiting()):
        with closing(apsw.Connection(str(file))) as bare:
            bare.pragma("key", f"raw:{old}")
            with pytest.raises(apsw.NotADBError):
                bare.execute("SELECT * FROM sqlite_schema")
    first.unlink()
    assert house.says() == [CANARY, SAID]


def test_the_same_key_in_another_place_moves_and_rewrites_nothing(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    encrypt(house.store, "file", str(tmp_path / "store.key"))
    before = house.store.read_bytes()
    monkeypatch.setenv("HARBOUR", (tmp_path / "store.key").read_text())
    assert rekey(house.store, "variable", "HARBOUR").key == "the variable HARBOUR"
    assert house.store.read_bytes() == before
    (tmp_path / "store.key").unlink()
    assert house.says() == [CANARY, SAID]


def test_a_store_whose_key_is_taken_away_is_as_it_was(house: House, tmp_path: Path) -> None:
    before = house.open_files()
    encrypt(house.store, "file", str(tmp_path / "store.key"))
    done = decrypt(house.store)
    assert (done.key, done.backups, done.entries) == ("", (str(house.copy),), 2)
    assert not sidecar(house.store).exists()
    assert house.open_files() == before
    assert house.says() == [CANARY, SAID]


def test_what_is_captured_for_an_encrypted_store_is_sealed_and_comes_out_again(house: House, tmp_path: Path) -> None:
    encrypt(house.store, "file", str(tmp_path / "store.key"))
    house.capture("p2")
    assert house.open_files() == []
    assert house.says() == [CANARY, SAID, SAID]


def test_a_key_in_the_keyring_is_made_changed_and_taken_away(house: House, ring: Ring) -> None:
    first = encrypt(house.store, "keyring", "")
    assert list(ring.entries) == [(SERVICE, first.check)]
    assert house.open_files() == []
    second = rekey(house.store)
    assert second.taken
    assert list(ring.entries) == [(SERVICE, second.check)]
    assert house.says() == [CANARY, SAID]
    assert decrypt(house.store).taken
    assert ring.entries == {}


def test_a_keyring_that_is_locked_is_an_error_that_says_what_to_do(house: House, ring: Ring) -> None:
    ring.locked = True
    with pytest.raises(StoreEncrypted, match=r"does not take a key.*Nothing was changed"):
        encrypt(house.store, "keyring", "")
    ring.locked = False
    encrypt(house.store, "keyring", "")
    ring.locked = True
    with pytest.raises(StoreEncrypted, match=r"cannot be read.*Unlock it"):
        house.open()
    with pytest.raises(StoreEncrypted):
        house.capture("p2")
    assert house.open_files() == []
    ring.locked = False
    assert house.says() == [CANARY, SAID]


def test_without_the_library_a_keyring_is_an_error_that_names_what_to_install(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(StoreEncrypted, match=r"pip install moored\[keyring\]"):
        encrypt(house.store, "keyring", "")
    assert house.says() == [CANARY, SAID]


def test_while_the_store_is_open_its_key_cannot_change(house: House, tmp_path: Path) -> None:
    code = "import sys; from pathlib import Path; from moored.store.sqlite.store import Store\n"
    code += "store = Store(Path(sys.argv[1]))\nprint('open', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code, str(house.store)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"open\n"
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("moored.store.sqlite.switching.PATIENCE", 0.2)
            with pytest.raises(StoreLocked, match=r"is open in (process|another).*nothing was changed") as told:
                encrypt(house.store, "file", str(tmp_path / "store.key"))
        if sys.platform == "linux":
            assert f"process {other.pid}" in str(told.value)
        other.communicate()
    assert keeping(house.store).now is None
    encrypt(house.store, "file", str(tmp_path / "store.key"))
    assert house.says() == [CANARY, SAID]


def test_two_processes_do_not_change_the_key_at_once(house: House, tmp_path: Path) -> None:
    with locked(house.inbox.folder, CHANGING), pytest.raises(StoreLocked, match="changes the key"):
        encrypt(house.store, "file", str(tmp_path / "store.key"))


def test_one_that_waited_for_the_file_before_writes_nothing_into_what_is_gone(house: House, tmp_path: Path) -> None:
    late = apsw.Connection(str(house.store))
    late.set_busy_timeout(30_000)
    from moored.store.sqlite import switching

    waiting: list[threading.Thread] = []
    outcome: list[BaseException] = []

    def write() -> None:
        try:
            late.execute("CREATE TABLE late (x)")
        except apsw.Error as error:
            outcome.append(error)

    def begin_then_copy(*arguments: object) -> None:
        if not waiting:
            waiting.append(threading.Thread(target=write))
            waiting[0].start()
        copy(*arguments)  # pyright: ignore[reportArgumentType]

    copy = switching._copy
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(switching, "_copy", begin_then_copy)
        encrypt(house.store, "file", str(tmp_path / "store.key"))
    waiting[0].join()
    late.close()
    assert [type(one) for one in outcome] == [apsw.NotADBError]
    assert house.says() == [CANARY, SAID]


@pytest.mark.parametrize(
    ("place", "name", "why"),
    [
        ("variable", "NOT_SET", "no key in the variable NOT_SET.*openssl rand"),
        ("variable", "SHORT", "no key in the variable SHORT"),
        ("file", "/nowhere/at/all/store.key", "cannot be written"),
        ("file", "/", "cannot be read"),
    ],
)
def test_a_place_that_cannot_give_a_key_changes_nothing(
    house: House, monkeypatch: pytest.MonkeyPatch, place: str, name: str, why: str
) -> None:
    monkeypatch.setenv("SHORT", KEY[1:])
    with pytest.raises(InvalidInput, match=why):
        encrypt(house.store, place, name)
    assert not sidecar(house.store).exists()
    assert house.says() == [CANARY, SAID]


def test_a_key_in_the_environment_that_would_be_asked_first_is_told(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOORED_KEY", OTHER)
    (tmp_path / "store.key").write_text(KEY)
    with pytest.raises(InvalidInput, match=r"MOORED_KEY does not give.*unset it"):
        encrypt(house.store, "file", str(tmp_path / "store.key"))
    assert not sidecar(house.store).exists()


def test_what_is_done_already_or_cannot_be_asked_for_is_told(house: House, tmp_path: Path) -> None:
    key = str(tmp_path / "store.key")
    with pytest.raises(NotFound, match="moored init"):
        encrypt(tmp_path / "none.db", "file", key)
    for change in (rekey, decrypt):
        with pytest.raises(InvalidInput, match="is not encrypted"):
            change(house.store)
    encrypt(house.store, "file", key)
    with pytest.raises(InvalidInput, match=r"encrypted already.*moored rekey"):
        encrypt(house.store, "file", key)
    with pytest.raises(InvalidInput, match="Name another file or variable"):
        rekey(house.store)
    with pytest.raises(InvalidInput, match="that of the store already"):
        rekey(house.store, "file", key)


def test_where_the_key_is_can_be_said_again_when_that_was_lost(house: House, tmp_path: Path) -> None:
    key = tmp_path / "store.key"
    encrypt(house.store, "file", str(key))
    sidecar(house.store).unlink()
    with pytest.raises(StoreEncrypted):
        house.open()
    for place, name in (("keyring", ""), ("file", str(tmp_path / "none"))):
        with pytest.raises(InvalidInput, match="Name the file or the variable"):
            encrypt(house.store, place, name)
    (tmp_path / "other.key").write_text(OTHER)
    with pytest.raises(InvalidInput, match="does not open the store"):
        encrypt(house.store, "file", str(tmp_path / "other.key"))
    assert not sidecar(house.store).exists()
    key.rename(tmp_path / "moved.key")
    encrypt(house.store, "file", str(tmp_path / "moved.key"))
    assert house.says() == [CANARY, SAID]


def test_a_copy_that_no_key_opens_is_named_and_left_as_it_is(house: House, tmp_path: Path) -> None:
    broken = house.store.with_name("moored.db.before-broken")
    broken.write_bytes(b"no database, whatever was tried" * 99)
    done = encrypt(house.store, "file", str(tmp_path / "store.key"))
    assert done.left == (str(broken),)
    assert broken.read_bytes() == b"no database, whatever was tried" * 99


def test_a_copy_that_was_never_finished_is_removed_and_one_that_is_being_made_is_not(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from moored import encryption

    old, new = (house.store.with_name(f"moored.db.before-{one}.partial") for one in ("old", "new"))
    old.write_bytes(CANARY.encode())
    copies = encryption._put_copies

    def meanwhile(store: Path, *keys: object) -> object:
        new.write_bytes(b"pages")
        os.utime(new, ns=(sidecar(store).stat().st_mtime_ns + 1_000,) * 2)
        return copies(store, *keys)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(encryption, "_put_copies", meanwhile)
    encrypt(house.store, "file", str(tmp_path / "store.key"))
    assert not old.exists()
    assert new.read_bytes() == b"pages"


def test_a_full_disk_leaves_the_store_open_to_its_key_of_before(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from moored.store.sqlite import switching

    copy = switching._copy

    def full(*arguments: object) -> None:
        copy(*arguments)  # pyright: ignore[reportArgumentType]
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(switching, "_copy", full)
        with pytest.raises(OSError, match="No space"):
            encrypt(house.store, "file", str(tmp_path / "store.key"))
    assert not house.store.with_name("moored.db.changed").exists()
    assert keeping(house.store).changing
    house.capture("p2")
    with closing(Store(house.store)) as store:
        assert store.check() == []
    assert encrypt(house.store, "file", str(tmp_path / "store.key")).resumed
    assert house.says() == [CANARY, SAID, SAID]
    assert house.open_files() == []


@pytest.mark.parametrize("golden", migrate.OLDER, ids=lambda one: one.stem)
def test_an_encrypted_store_of_an_older_version_is_upgraded_and_its_copy_is_encrypted(
    tmp_path: Path, golden: Path
) -> None:
    store = migrate.laid(tmp_path / "old", golden)
    encrypt(store, "file", str(tmp_path / "store.key"))
    before = store.read_bytes()
    assert list(migrate.flaws(tmp_path / "old")) == []
    (copy,) = backups(store)
    with closing(apsw.Connection(str(copy))) as db:
        db.pragma("key", f"raw:{(tmp_path / 'store.key').read_text().strip()}")
        assert db.execute("PRAGMA quick_check").fetchall() == [("ok",)]
    assert before[:6] != b"SQLite"
    assert holding(tmp_path / "old", TURNS[0].encode()) == []


EVERY = {"encrypt": 2, "rekey": 5, "decrypt": 5}


@pytest.mark.invariant("I-17")
@pytest.mark.parametrize("what", EVERY)
def test_a_change_that_is_killed_at_any_step_loses_nothing_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    before = House(tmp_path / "before")
    before.fill()
    if what != "encrypt":
        encrypt(before.store, "file", str(tmp_path / "old.key"))
    done = subprocess.run(
        [sys.executable, switcher.__file__, str(tmp_path), what, str(EVERY[what])],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    houses = [House(one) for one in sorted(tmp_path.iterdir()) if one.name.isdigit()]
    assert len(houses) >= 60 // EVERY[what]
    unfinished = 0
    for house in houses:
        shutil.rmtree(house.folder / "work")
        (house.folder / "work").symlink_to(before.folder / "work")
        said = keeping(house.store)
        with house.open() as memory, memory.store.read() as view:
            assert [note.head.text for note in view.notes.all(memory.project)] == [CANARY]
        if said.changing:
            unfinished += 1
            assert switcher.change(house.store, what, house.folder / "new.key").resumed
        elif (said.now and said.now.check) != (None if what == "decrypt" else check_of(OTHER)):
            switcher.change(house.store, what, house.folder / "new.key")
        left = {file.name for file in house.store.parent.iterdir()} - {"moored.db-shm"}
        assert {"moored.db.changed", "moored.db.replaced", "moored.db-wal", "moored.db-journal"} & left == set()
        assert not any(house.inbox.folder.rglob("*.part"))
        assert bool(house.open_files()) == (what == "decrypt")
        assert house.says() == [CANARY, SAID]
        assert len(house.inbox.failed()) == 1
    assert unfinished >= len(houses) // 2


def check(house: House) -> tuple[str, str]:
    """What the doctor says of encryption: state and words."""
    with house.open() as memory:
        (found,) = [one for one in memory.doctor().checks if one.name == "encryption"]
    return found.state, f"{found.detail} {found.remedy}".strip()


@pytest.mark.invariant("I-22")
def test_the_doctor_tells_whether_a_store_is_encrypted_and_what_is_left_to_do(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from moored import encryption

    key = str(tmp_path / "store.key")
    assert check(house) == ("ok", "The store is not encrypted.")
    with monkeypatch.context() as patch:
        patch.setattr(encryption, "_put_entries", lambda _: sys.exit("killed"))
        with pytest.raises(SystemExit):
            encrypt(house.store, "file", key)
    state, said = check(house)
    assert (state, "was interrupted" in said, "Run `moored encrypt`" in said) == ("problem", True, True)
    encrypt(house.store, "file", key)
    state, said = check(house)
    assert (state, f"in the file {key}" in said) == ("ok", True)
    log.note(house.store, f"claude-code UserPromptSubmit: 2 {log.NOT_KEPT}: StoreEncrypted")
    state, said = check(house)
    assert (state, said.startswith("2 events were not kept")) == ("warning", True)
    with monkeypatch.context() as patch:
        patch.setattr(encryption, "_put_entries", lambda _: sys.exit("killed"))
        with pytest.raises(SystemExit):
            decrypt(house.store)
    assert "Run `moored decrypt`" in check(house)[1]
