"""Doctor: it finds what is wrong, says what to do, and answers whatever the state of the store."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from moored.doctor import Check, Diagnosis, diagnose, explain, place
from moored.doctor.machine import damaged_files
from moored.doctor.place import file_system_of
from moored.errors import NotFound, StoreCorrupt, StoreFull, StoreLocked, StoreReadOnly, StoreTooNew
from moored.memory import Memory, open_memory


class Usage(NamedTuple):
    total: int
    used: int
    free: int


@pytest.fixture
def memory(tmp_path: Path):
    root = tmp_path / "work"
    root.mkdir()
    (root / "whole.py").write_text("def one():\n    return [1, 2, 3]\n")
    with open_memory(root, store=tmp_path / "moored.db", dense=False) as opened:
        opened.index()
        yield opened


def check(found: Diagnosis, name: str) -> Check:
    return next(one for one in found.checks if one.name == name)


def test_a_sound_store_has_no_problem(memory: Memory) -> None:
    found = memory.doctor(deep=True)
    assert found.healthy
    assert {one.state for one in found.checks} == {"ok"}


def test_every_finding_has_a_remedy(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.store.path.chmod(0o644)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(10, 9, 1))
    found = memory.doctor()
    states = {one.name: one.state for one in found.checks if one.state != "ok"}
    assert states == {"file mode": "warning", "free space": "problem", "git": "warning"}
    assert all(one.remedy for one in found.checks if one.state != "ok")
    assert not found.healthy


def test_a_file_beside_the_store_that_others_can_read_is_named(memory: Memory) -> None:
    copy = memory.store.path.with_name("moored.db.before-m0007-2026")
    copy.write_bytes(b"")
    copy.chmod(0o604)
    found = check(memory.doctor(), "file mode")
    assert found.state == "warning"
    assert f"{copy} (mode 604)" in found.detail
    copy.chmod(0o600)
    assert check(memory.doctor(), "file mode").state == "ok"


def test_a_disk_that_fills_up_is_a_warning_first(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(10, 9, place.LOW_SPACE - 1))
    assert check(memory.doctor(), "free space").state == "warning"


def test_files_that_were_parsed_in_part_are_named(memory: Memory) -> None:
    for number in range(5):
        (Path(memory.tree.root) / f"broken{number}.py").write_text("def two(:\n")
    memory.index()
    found = check(memory.doctor(), "parsing")
    assert found.state == "warning"
    assert "5 of 6 files" in found.detail
    assert "broken0.py" in found.detail
    assert "and 2 more" in found.detail


def test_a_tree_that_is_gone_is_a_problem(memory: Memory) -> None:
    shutil.rmtree(memory.tree.root)
    assert check(memory.doctor(), "tree").state == "problem"


@pytest.mark.invariant("I-16")
def test_an_index_that_disagrees_is_found_by_a_deep_look_alone(memory: Memory) -> None:
    recorded = memory.record("Said")
    with memory.store.write() as transaction:
        seq = transaction.episodes.seq(memory.project, recorded.episode)
        assert seq is not None
        transaction.search.remove("window", 1)
    assert check(memory.doctor(), "integrity").state == "ok"
    diagnosis = memory.doctor(deep=True)
    found = check(diagnosis, "indexes")
    assert (found.state, found.promise) == ("problem", "I-16")
    assert "full-text" in found.detail
    assert "I-16" not in diagnosis.proved
    assert "I-17" in diagnosis.proved


@pytest.mark.parametrize(
    ("error", "name"),
    [
        (StoreTooNew("It is newer."), "store"),
        (StoreCorrupt("It is damaged."), "store"),
        (StoreLocked("It is held."), "store"),
        (StoreReadOnly("It cannot be written."), "store"),
        (StoreFull("No room."), "store"),
        (NotFound("No memory of this."), "project"),
    ],
)
def test_why_a_store_could_not_be_opened_comes_first(tmp_path: Path, error: Any, name: str) -> None:
    found = explain(tmp_path / "moored.db", error)
    first = found.checks[0]
    assert (first.name, first.state, first.detail) == (name, "problem", str(error))
    assert first.remedy
    assert {"SQLite", "embedding model", "git", "free space"} <= {one.name for one in found.checks}


def test_a_store_of_a_newer_moored_is_explained(memory: Memory, tmp_path: Path) -> None:
    import apsw

    memory.close()
    foreign = apsw.Connection(str(memory.store.path))
    foreign.execute("INSERT INTO migration (name, at) VALUES ('m9999_later', 1)")
    foreign.close()
    with pytest.raises(StoreTooNew) as caught:
        open_memory(tmp_path / "work", store=memory.store.path)
    found = explain(memory.store.path, caught.value)
    assert "m9999_later" in found.checks[0].detail
    assert "Upgrade" in found.checks[0].remedy


def test_an_error_of_the_store_during_a_check_is_its_finding(memory: Memory) -> None:
    memory.close()
    found = memory.doctor()
    assert check(found, "integrity").state == "problem"
    assert check(found, "journal").state == "problem"


def test_the_innermost_mount_decides_the_type_of_file_system(tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    deep = tmp_path / "a share"
    deep.mkdir()
    escaped = str(deep).replace(" ", "\\040")
    mounts.write_text(f"/dev/x / ext4 rw 0 0\nserver:/x {escaped} nfs4 rw 0 0\n")
    assert file_system_of(deep, mounts) == "nfs4"
    assert file_system_of(tmp_path, mounts) == "ext4"
    assert file_system_of(tmp_path, tmp_path / "none") is None


def test_a_network_file_system_is_a_warning(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place, "file_system_of", lambda _: "nfs4")
    assert check(memory.doctor(), "file system").state == "warning"


def test_a_damaged_model_is_named(tmp_path: Path) -> None:
    assert damaged_files(tmp_path) == ["SHA256SUMS"]
    (tmp_path / "SHA256SUMS").write_text(f"{'0' * 64}  vectors.npy\n{'0' * 64}  vocab.txt\n")
    (tmp_path / "vocab.txt").write_text("word\n")
    assert damaged_files(tmp_path) == ["vectors.npy", "vocab.txt"]


def test_vectors_of_another_model_are_a_warning(memory: Memory) -> None:
    from moored.embed import HashingEmbedder
    from moored.embed.index import fill

    memory.record("Said")
    fill(memory.store, HashingEmbedder(), limit=10)

    found = check(diagnose(memory.store, memory.tree, HashingEmbedder(32)), "vectors")
    assert found.state == "warning"
    assert "1 of hashing-64@1; 1 text has none of hashing-32@1" in found.detail
    assert check(diagnose(memory.store, memory.tree, HashingEmbedder()), "vectors").state == "ok"
