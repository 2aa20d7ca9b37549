"""Bundles: all that cannot be derived again, nothing that was forgotten, proven by checksums."""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import apsw
import pytest

from lab.keyed import keep
from moored.errors import InvalidInput, MooredError
from moored.memory import Memory, open_memory
from moored.model.clock import ManualClock
from moored.model.ids import SequentialIds
from moored.store.port_bundle import PARTS

CANARY = "the heron nests under the east pier"

DERIVED = {
    *("file", "edge", "outline", "relink", "window", "vector_space", "vector", "vector_sign", "token_code"),
    *("vector_queue", "vector_change", "migration", "extractor", "erasure", "erased", "meta", "sqlite_sequence"),
}
"""Tables that a bundle leaves out: read from the files again, made of what is in it, or of this store alone."""


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with opened(tmp_path, "work") as one:
        yield one


def opened(folder: Path, project: str, store: str = "moored.db") -> Memory:
    root = folder / project
    root.mkdir(exist_ok=True)
    (root / "whole.py").write_text("def one():\n    return [1, 2, 3]\n")
    clock = ManualClock()
    memory = open_memory(root, store=folder / store, clock=clock, ids=SequentialIds(), dense=False)
    memory.index()
    return memory


def fill(memory: Memory) -> str:
    memory.record("Said by a person", session="s1", host="shell", host_event="1")
    memory.record(b"\xff\x00 bytes", role="tool", session="s1", host="shell")
    memory.record("41 passed", role="tool", tool_name="bash", tool_input="make test", exit_status=0)
    note = memory.remember("It counts", about=["whole.py::one"], tags=["sums"])
    memory.revise(note.id, "It counts to three")
    memory.rate(note.id, useful=True, because="so it is")
    memory.pin("Keep it small")
    memory.alias("whole", "all of it")
    memory.remind("Look again", when="editing whole.py")
    return note.id


def contents(file: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(file) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def rows(file: Path, part: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in contents(file)[f"{part}.jsonl"].splitlines()]


def test_every_table_is_in_a_bundle_or_can_be_derived(memory: Memory) -> None:
    db: Any = apsw.Connection(str(memory.store.path))
    with closing(db):
        tables = {str(row[0]) for row in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    own = {name for name in tables if "_fts" not in name and "_trigram" not in name}
    assert own == {*PARTS, *DERIVED}


def test_a_bundle_says_what_each_part_has_to_be(memory: Memory, tmp_path: Path) -> None:
    fill(memory)
    done = memory.bundle(tmp_path / "out.zip")
    found = contents(tmp_path / "out.zip")
    manifest = json.loads(found.pop("manifest.json"))
    assert (manifest["format"], manifest["version"]) == ("moored-bundle", 1)
    assert manifest["projects"] == [memory.project.id]
    assert [one["part"] for one in manifest["parts"]] == list(PARTS)
    for one in manifest["parts"]:
        data = found.pop(f"{one['part']}.jsonl")
        assert one["sha256"] == hashlib.sha256(data).hexdigest()
        assert (one["bytes"], one["rows"]) == (len(data), data.count(b"\n"))
        assert done.parts[one["part"]] == one["rows"]
    assert found == {}
    if os.name == "posix":
        assert (tmp_path / "out.zip").stat().st_mode & 0o777 == 0o600


def test_what_a_row_names_is_named_by_its_id(memory: Memory, tmp_path: Path) -> None:
    note = fill(memory)
    memory.bundle(tmp_path / "out.zip")
    (told,) = rows(tmp_path / "out.zip", "note")
    first, second = rows(tmp_path / "out.zip", "revision")
    assert (told["id"], told["head"], told["latest"]) == (note, second["id"], second["id"])
    assert (first["note"], second["parent"], first["number"]) == (note, first["id"], 1)
    anchored = {one["fact"] for one in rows(tmp_path / "out.zip", "anchor") if one["fact"]}
    assert anchored <= {one["id"] for one in rows(tmp_path / "out.zip", "fact")}
    head = [one for one in rows(tmp_path / "out.zip", "change") if one["field"] == "head"]
    assert [(one["before"], one["after"]) for one in head] == [(first["id"], second["id"])]
    ids = {one["id"] for one in rows(tmp_path / "out.zip", "operation")}
    assert {one["operation"] for one in rows(tmp_path / "out.zip", "rating")} <= ids


def test_a_content_is_byte_for_byte(memory: Memory, tmp_path: Path) -> None:
    fill(memory)
    memory.bundle(tmp_path / "out.zip")
    said = {(one["content"], one["encoding"]) for one in rows(tmp_path / "out.zip", "episode")}
    assert {("Said by a person", "utf-8"), ("/wAgYnl0ZXM=", "base64")} <= said


def test_a_bundle_is_the_same_again_when_nothing_was_changed(memory: Memory, tmp_path: Path) -> None:
    fill(memory)
    for name in ("one.zip", "two.zip"):
        memory.bundle(tmp_path / name)
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()


@pytest.mark.invariant("I-10")
def test_nothing_that_was_forgotten_is_in_a_bundle_and_it_can_still_be_restored(memory: Memory, tmp_path: Path) -> None:
    fill(memory)
    erased = memory.remember("the stork sleeps on the chimney")
    memory.forget(erased.id, hard=True)
    note = memory.remember(CANARY)
    done = memory.forget(note.id)
    memory.bundle(tmp_path / "out.zip")
    for name, data in contents(tmp_path / "out.zip").items():
        assert b"heron" not in data, name
        assert b"stork" not in data, name
    assert len(rows(tmp_path / "out.zip", "note")) == 1
    assert [one.name for one in tmp_path.iterdir() if "before-bundle" in one.name] == []
    memory.undo(done.operation)
    assert {one.judged.note.head.text for one in memory.notes()} == {CANARY, "It counts to three"}


def test_nothing_of_another_project_is_in_a_bundle_unless_all_are(memory: Memory, tmp_path: Path) -> None:
    fill(memory)
    with open_memory(tmp_path, store=tmp_path / "moored.db", clock=ManualClock(), dense=False) as other:
        other.remember(CANARY)
        memory.bundle(tmp_path / "one.zip")
        memory.bundle(tmp_path / "all.zip", everything=True)
        id_ = other.project.id.encode()
    assert all(b"heron" not in data and id_ not in data for data in contents(tmp_path / "one.zip").values())
    assert len(rows(tmp_path / "all.zip", "project")) == 2
    assert b"heron" in contents(tmp_path / "all.zip")["revision.jsonl"]


def test_a_bundle_that_cannot_be_written_leaves_no_file(memory: Memory, tmp_path: Path) -> None:
    with pytest.raises(MooredError, match="cannot be written"):
        memory.bundle(tmp_path / "nowhere" / "out.zip")


def test_a_bundle_of_an_encrypted_store_has_to_be_asked_for(tmp_path: Path) -> None:
    keep(tmp_path / "sealed.db")
    with opened(tmp_path, "work", "sealed.db") as memory:
        note = memory.remember(CANARY)
        memory.remember("Nothing else is to be said here")
        memory.forget(note.id)
        with pytest.raises(InvalidInput, match="--plain"):
            memory.bundle(tmp_path / "out.zip")
        assert not (tmp_path / "out.zip").exists()
        memory.bundle(tmp_path / "out.zip", plain=True)
    assert len(rows(tmp_path / "out.zip", "note")) == 1
    assert [one.name for one in tmp_path.iterdir() if "before-bundle" in one.name] == []
