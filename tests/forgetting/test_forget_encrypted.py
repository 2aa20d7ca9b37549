"""Forgetting in an encrypted store: the scan reads what is decrypted, in every file, and tells what it cannot read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from forgetting.conftest import RARE, SAID, begin, say
from lab.keyed import KEY, OTHER, holding, keep
from moored.forgetting.care import files
from moored.forgetting.proving import prove
from moored.forgetting.scanning import scan
from moored.memory import Memory
from moored.record.inbox import Entry, Inbox

pytestmark = pytest.mark.invariant("I-10")

PIECES = [SAID.encode(), RARE[0].encode()]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    path = tmp_path / "data" / "moored.db"
    keep(path)
    opened = begin(tmp_path / "harbour", path)
    yield opened
    opened.close()


def seen(memory: Memory, keys: tuple[str, ...] = (KEY,)) -> dict[str, bool]:
    """The files in our care by name, and whether something of what was said was found in them."""
    return {Path(one.file).name: bool(one.places) for one in scan(files(memory.store.path), PIECES, keys)}


def test_the_scan_sees_what_is_there_in_the_file_its_log_its_copies_and_what_was_captured(memory: Memory) -> None:
    say(memory, SAID, "e1")
    path = memory.store.path
    assert seen(memory)["moored.db-wal"]
    memory.store.truncate_log()
    memory.store.backup(path.with_name("moored.db.before-m0011_life-2026"))
    entry = Inbox(path).put(Entry(SAID.encode(), "user", "user"))
    found = seen(memory)
    assert {name for name, is_there in found.items() if is_there} == {
        "moored.db",
        "moored.db.before-m0011_life-2026",
        entry.name,
    }
    assert holding(path.parent, SAID.encode()) == []


def test_what_is_forgotten_is_in_no_decrypted_page(memory: Memory) -> None:
    turn = say(memory, SAID, "e1")
    memory.remember("Ships are tied with four lines")
    memory.store.backup(memory.store.path.with_name("moored.db.before-m0011_life-2026"))
    assert seen(memory)["moored.db.before-m0011_life-2026"]
    done = memory.forget(turn, hard=True)
    assert done.proof is not None
    assert done.proof.found == ()
    assert done.proof.size > 100_000
    assert not any(seen(memory).values())
    assert "moored.db.before-m0011_life-2026" not in seen(memory)
    assert memory.store.check(deep=True) == []


def test_residue_in_bytes_that_no_row_uses_is_found_and_goes(memory: Memory) -> None:
    path = memory.store.path
    memory.close()
    with closing(apsw.Connection(str(path))) as db:
        db.pragma("key", f"raw:{KEY}")
        db.pragma("secure_delete", 0)
        db.execute("CREATE TABLE scrap (x)")
        db.execute("INSERT INTO scrap VALUES (?)", (SAID,))
        db.execute("DROP TABLE scrap")
    again = begin(path.parent.parent / "harbour", path)
    again.store.truncate_log()
    assert seen(again)["moored.db"]
    note = again.remember(SAID)
    done = again.forget(note.id, hard=True)
    assert done.proof is not None
    assert done.proof.found == ()
    assert not any(seen(again).values())
    again.close()


def test_an_encrypted_copy_that_no_key_opens_is_not_called_clean(memory: Memory, tmp_path: Path) -> None:
    with closing(apsw.Connection(str(memory.store.path.with_name("moored.db.before-other")))) as db:
        db.pragma("key", f"raw:{OTHER}")
        db.execute("CREATE TABLE scrap (x)")
    proof = prove(memory.store, PIECES)
    assert len(proof.found) == 1
    assert "moored.db.before-other cannot be read" in proof.found[0]


def test_without_a_key_nothing_encrypted_is_called_clean(memory: Memory) -> None:
    say(memory, SAID, "e1")
    memory.store.truncate_log()
    (hit,) = scan([memory.store.path], PIECES)
    assert (hit.places, "it is encrypted" in hit.trouble) == ((), True)
    (hit,) = scan([memory.store.path], PIECES, [OTHER])
    assert (hit.places, "it is encrypted" in hit.trouble) == ((), True)
