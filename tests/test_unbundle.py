"""Taking in a bundle gives an equal store, changes nothing that is there, and is all or nothing."""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from moored.embed.fake import HashingEmbedder
from moored.errors import InvalidInput, MooredError, NotFound
from moored.memory import Memory, open_memory
from moored.model.clock import ManualClock
from moored.model.ids import RandomIds
from moored.store.port_bundle import PARTS
from moored.store.sqlite.store import Store
from moored.unbundle import Unbundled, unbundle
from test_note_life import NoteLife, answers

CANARY = "the heron nests under the east pier"
NUMBERS = re.compile(r"\b(row|seq)=\d+|\d+(?=: JudgedNote)")
"""The numbers of rows, which are each store's own."""


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with opened(tmp_path) as one:
        yield one


def opened(folder: Path, store: str = "moored.db", project: str = "work") -> Memory:
    root = folder / project
    root.mkdir(exist_ok=True)
    (root / "whole.py").write_text("def one():\n    return [1, 2, 3]\n")
    memory = open_memory(root, store=folder / store, clock=ManualClock(), ids=RandomIds(), embedder=HashingEmbedder())
    memory.index()
    return memory


def fill(memory: Memory) -> None:
    memory.record("Said by a person: the winch is worn", session="s1", host="shell", host_event="1")
    memory.record(b"\xff\x00 bytes", role="tool", session="s1", host="shell")
    memory.record("41 passed", role="tool", tool_name="bash", tool_input="make test", exit_status=0)
    note = memory.remember("It counts", about=["whole.py::one"], tags=["sums"])
    memory.revise(note.id, "It counts to three")
    memory.rate(note.id, useful=True, because="so it is")
    memory.remember("The winch takes two tons")
    memory.remember("The winch takes three tons")
    memory.pin("Keep it small")
    memory.unpin(memory.pin("Keep it large").id)
    memory.alias("whole", "all of it")
    memory.remind("Look again", when="editing whole.py")
    memory.add_rule("damp", "text~winch")


def taken(file: Path, store: Path) -> Unbundled:
    with closing(Store(store)) as one:
        return unbundle(one, file)


def told(memory: Memory) -> str:
    return NUMBERS.sub("#", repr(answers(memory)))


def parts(file: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(file) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def packed(file: Path, found: dict[str, bytes]) -> Path:
    """Write a bundle by hand, with a manifest that fits."""
    manifest = json.loads(found["manifest.json"])
    for one in manifest["parts"]:
        data = found[f"{one['part']}.jsonl"]
        one |= {"rows": data.count(b"\n"), "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as out:
        for name, data in (found | {"manifest.json": json.dumps(manifest).encode()}).items():
            out.writestr(name, data)
    return file


def changed(file: Path, part: str, change: Callable[[list[dict[str, Any]]], object]) -> Path:
    """The bundle with another content of one part, and a manifest that fits."""
    found = parts(file)
    rows = [json.loads(line) for line in found[f"{part}.jsonl"].splitlines()]
    change(rows)
    found[f"{part}.jsonl"] = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    return packed(file.with_name("changed.zip"), found)


class BundledLife(NoteLife):
    """Whatever life notes had, a bundle of them gives a store that is equal, and so is its bundle."""

    def teardown(self) -> None:
        folder, memory = Path(self.folder.name), self.homes[0].memory
        before = [told(home.memory) for home in self.homes]
        memory.bundle(folder / "first.zip", everything=True)
        taken(folder / "first.zip", folder / "copy.db")
        for at, home in enumerate(self.homes):
            with open_memory(
                home.memory.tree.root,
                store=folder / "copy.db",
                create=False,
                clock=memory.clock,
                ids=memory.ids,
                embedder=HashingEmbedder(),
            ) as copy:
                if at == 0:
                    copy.bundle(folder / "again.zip", everything=True)
                    assert (folder / "again.zip").read_bytes() == (folder / "first.zip").read_bytes()
                    again = taken(folder / "first.zip", folder / "copy.db")
                    assert (again.new, again.left_out, again.others) == ({}, {}, {})
                assert told(copy) == before[at]
                assert copy.store.check(deep=True) == []
        super().teardown()


TestBundledLife = pytest.mark.invariant("I-17")(BundledLife.TestCase)
TestBundledLife.settings = settings(max_examples=4, stateful_step_count=15, deadline=None)


def test_what_was_done_can_be_undone_in_the_other_store(memory: Memory, tmp_path: Path) -> None:
    fill(memory)
    done = memory.operations()[-1]
    memory.bundle(tmp_path / "out.zip")
    taken(tmp_path / "out.zip", tmp_path / "copy.db")
    with opened(tmp_path, "copy.db") as copy:
        assert told(copy) == told(memory)
        assert copy.operations()[-1].id == done.id
        revised = next(one.id for one in memory.operations() if one.kind == "revise")
        before = told(memory)
        for one in (memory, copy):
            one.undo(revised)
        assert told(copy) == told(memory) != before


def test_files_that_are_read_again_are_the_same_facts(memory: Memory, tmp_path: Path) -> None:
    fill(memory)
    memory.bundle(tmp_path / "out.zip")
    taken(tmp_path / "out.zip", tmp_path / "copy.db")
    with opened(tmp_path, "copy.db") as copy:
        copy.index()
        facts: list[list[str]] = []
        for one in (memory, copy):
            with one.store.read() as view:
                facts.append([fact.id for fact in view.facts.in_file(one.tree, "whole.py", gone=True)])
        assert facts[0] == facts[1] != []


def test_a_bundle_joins_other_projects_and_what_is_there_of_its_own(memory: Memory, tmp_path: Path) -> None:
    with opened(tmp_path, "copy.db", "other") as other:
        other.remember(CANARY)
        before = told(other)
        fill(memory)
        memory.bundle(tmp_path / "part.zip")
        taken(tmp_path / "part.zip", tmp_path / "copy.db")
        note = memory.notes()[0].judged.note
        memory.protect(note.id, "it was agreed")
        memory.remember("Said since then")
        memory.bundle(tmp_path / "whole.zip")
        done = taken(tmp_path / "whole.zip", tmp_path / "copy.db")
        assert told(other) == before
        assert done.new["note"] == 1
        assert done.others["note"] == 1
        assert done.conflicts == (f"note {note.id}",)
    with opened(tmp_path, "copy.db") as copy:
        texts = {one.judged.note.head.text for one in copy.notes()}
        assert texts == {one.judged.note.head.text for one in memory.notes()}
        assert copy.note(note.id).protected == ""
        assert copy.store.check(deep=True) == []


@pytest.mark.invariant("I-10", "I-12")
def test_what_was_forgotten_here_does_not_come_back(memory: Memory, tmp_path: Path) -> None:
    fill(memory)
    memory.record(CANARY, session="s1", host="shell", host_event="7")
    note = memory.remember("What the egret said by the gate")
    memory.bundle(tmp_path / "out.zip")
    episode = memory.recall("heron").hits[0].id
    memory.forget(episode, hard=True)
    memory.forget(note.id, hard=True)
    done = taken(tmp_path / "out.zip", tmp_path / "moored.db")
    assert done.left_out["episode"] == 2
    assert done.left_out["note"] == 1
    memory.store.truncate_log()
    held = b"".join(one.read_bytes() for one in tmp_path.glob("moored.db*"))
    assert b"heron" not in held
    assert b"egret" not in held
    assert memory.store.check(deep=True) == []


@pytest.mark.invariant("I-12", "I-20")
def test_a_secret_in_a_bundle_is_taken_out_on_the_way_in(memory: Memory, tmp_path: Path) -> None:
    memory.remember("The winch takes two tons")
    memory.bundle(tmp_path / "out.zip")
    secret = "ghp_" + "0123456789abcdefABCDEF0123456789abcd"

    def put(rows: list[dict[str, Any]]) -> None:
        rows[0]["text"] = f"The token is {secret} today"

    taken(changed(tmp_path / "out.zip", "revision", put), tmp_path / "copy.db")
    with opened(tmp_path, "copy.db") as copy:
        assert "The token is" in copy.notes()[0].judged.note.head.text
    assert secret.encode() not in b"".join(one.read_bytes() for one in tmp_path.glob("copy.db*"))


def _set(**values: object) -> Callable[[list[dict[str, Any]]], None]:
    return lambda rows: rows[0].update(values)


HOSTILE: dict[str, tuple[str, Callable[[list[dict[str, Any]]], object]]] = {
    "another content": ("episode", _set(content="something else was said")),
    "more trust than its channel": ("episode", _set(channel="document", trust="user")),
    "an unknown role": ("episode", _set(role="oracle")),
    "no such time": ("episode", _set(occurred_at=10**18)),
    "a wrong type": ("episode", _set(tool_input=7)),
    "a nested value": ("revision", _set(text=["x"])),
    "a missing column": ("note", lambda rows: rows[0].pop("kind")),
    "a column too many": ("note", _set(owner="me")),
    "an extractor of its own": ("fact", _set(extractor="mine")),
    "an anchor with another hash": ("anchor", _set(body_hash="0" * 32)),
    "a note of a rule that nobody asked": ("pin", _set(actor="robot")),
    "an unknown project": ("episode", _set(project="pr_none")),
    "half a character": ("pin", _set(text="\ud800")),
    "a number that is none": ("rule", _set(factor=-1)),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_bundle_changes_nothing(memory: Memory, tmp_path: Path, name: str) -> None:
    fill(memory)
    memory.bundle(tmp_path / "out.zip")
    with opened(tmp_path, "copy.db", "other") as other:
        other.remember(CANARY)
        other.bundle(tmp_path / "before.zip", everything=True)
        with pytest.raises(InvalidInput, match="Nothing was changed"):
            taken(changed(tmp_path / "out.zip", *HOSTILE[name]), tmp_path / "copy.db")
        other.bundle(tmp_path / "after.zip", everything=True)
        assert (tmp_path / "before.zip").read_bytes() == (tmp_path / "after.zip").read_bytes()
        assert other.store.check(deep=True) == []
        other.revise(other.notes()[0].judged.note.id, "The guards stand")


def test_what_is_no_bundle_is_told_so(memory: Memory, tmp_path: Path) -> None:
    fill(memory)
    memory.bundle(tmp_path / "out.zip")
    found = parts(tmp_path / "out.zip")
    newer = found | {"manifest.json": found["manifest.json"].replace(b'"version": 1', b'"version": 9')}
    for name, content in {"newer.zip": newer, "more.zip": found | {"extra.jsonl": b""}}.items():
        with pytest.raises(InvalidInput, match=r"Nothing was changed"):
            taken(packed(tmp_path / name, content), tmp_path / "copy.db")
    (tmp_path / "text.zip").write_text("no zip at all")
    with pytest.raises(InvalidInput, match="no whole bundle"):
        taken(tmp_path / "text.zip", tmp_path / "copy.db")
    with pytest.raises(NotFound, match="no file"):
        taken(tmp_path / "missing.zip", tmp_path / "copy.db")


def test_a_part_that_swells_when_it_is_unpacked_is_refused(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.bundle(tmp_path / "out.zip")
    found = parts(tmp_path / "out.zip")
    monkeypatch.setattr("moored.unbundle.LONGEST", 100_000)
    with pytest.raises(InvalidInput, match="densely"):
        taken(packed(tmp_path / "bomb.zip", found | {"pin.jsonl": b" " * 10_000_000}), tmp_path / "copy.db")
    line = bytes(range(256)).replace(b"\n", b"") * 1_000
    with pytest.raises(InvalidInput, match="longer than"):
        taken(packed(tmp_path / "long.zip", found | {"pin.jsonl": line}), tmp_path / "copy.db")


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_damaged_bundle_is_refused_or_nothing_of_it_was_lost(tmp_path: Path, data: st.DataObject) -> None:
    whole = tmp_path / "whole.zip"
    if not whole.exists():
        with opened(tmp_path) as memory:
            fill(memory)
            memory.bundle(whole)
    content = bytearray(whole.read_bytes())
    at = data.draw(st.integers(0, len(content) - 1))
    if data.draw(st.booleans()):
        del content[at:]
    else:
        content[at] ^= 1 << data.draw(st.integers(0, 7))
    (tmp_path / "damaged.zip").write_bytes(content)
    with closing(Store(Path(mkdtemp(dir=tmp_path)) / "copy.db")) as store:
        try:
            unbundle(store, tmp_path / "damaged.zip")
        except MooredError:
            with store.read() as view:
                assert view.projects.all() == []
        else:
            with store.read() as view:
                held = {part: len(list(view.bundle.rows(part, one))) for one in view.projects.all() for part in PARTS}
            manifest = json.loads(parts(whole)["manifest.json"])
            assert held == {one["part"]: one["rows"] for one in manifest["parts"]}
