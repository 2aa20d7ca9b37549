"""The commands of encryption say what they did, and export lays nothing open unasked."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.keyed import KEY, holding
from moored.store.keys import check_of

CANARY = "the heron nests under the east pier"


@pytest.fixture
def store(call, tmp_path: Path) -> Path:
    assert call("remember", CANARY).code == 0
    return tmp_path / "store" / "moored.db"


def test_a_store_is_encrypted_given_another_key_and_decrypted(call, store: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "first.key", tmp_path / "second.key"
    first.write_text(KEY)
    done = call("encrypt", "--key-file", str(first))
    assert done.code == 0
    assert f"with the key {check_of(KEY)} in the file {first}" in done.out
    assert "without it nothing of the store can be read" in done.out
    assert KEY not in done.out
    assert holding(store.parent, CANARY.encode()) == []
    assert f"encrypted, with the key in the file {first}" in call("status").out
    assert CANARY in call("recall", "heron").out

    done = call("rekey", "--key-file", str(second))
    assert f"the key of before, in the file {first}, is of no use any more" in done.out
    first.unlink()
    assert CANARY in call("recall", "heron").out

    assert "not encrypted any more" in call("decrypt").out
    second.unlink()
    assert CANARY in call("recall", "heron").out
    assert "with the key in" not in call("status").out


def test_a_key_is_in_one_place(call, store: Path) -> None:
    done = call("encrypt", "--keyring", "--key-variable", "X")
    assert (done.code, "one place" in done.err) == (2, True)
    assert holding(store.parent, CANARY.encode()) != []


def test_a_key_that_is_not_to_be_had_ends_a_command_with_what_to_do(call, store: Path, tmp_path: Path) -> None:
    call("encrypt", "--key-file", str(tmp_path / "store.key"))
    (tmp_path / "store.key").unlink()
    for command in (["recall", "heron"], ["remember", "x"], ["export", "-"]):
        done = call(*command)
        assert done.code == 4
        assert "MOORED_KEY" in done.err
    done = call("doctor")
    assert done.code == 5
    assert "MOORED_KEY" in done.out


def test_an_export_of_an_encrypted_store_has_to_be_asked_for(call, store: Path, tmp_path: Path) -> None:
    call("encrypt", "--key-file", str(tmp_path / "store.key"))
    done = call("export", str(tmp_path / "out.jsonl"))
    assert (done.code, "--plain" in done.err) == (2, True)
    assert not (tmp_path / "out.jsonl").exists()
    assert call("export", "-").code == 2
    assert call("export", str(tmp_path / "out.jsonl"), "--plain").code == 0
    assert CANARY in (tmp_path / "out.jsonl").read_text()
