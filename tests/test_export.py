"""Export: all of one project and nothing of another, byte for byte, in one order."""

from __future__ import annotations

import base64
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from moored.errors import MooredError
from moored.export import export
from moored.memory import Memory, open_memory
from moored.model.clock import ManualClock
from moored.model.episodes import Event, Role
from moored.model.ids import RandomIds, SequentialIds
from moored.record.admission import admit, write


@pytest.fixture
def memory(tmp_path: Path):
    root = tmp_path / "work"
    root.mkdir()
    (root / "whole.py").write_text("def one():\n    return [1, 2, 3]\n")
    with open_memory(
        root, store=tmp_path / "moored.db", clock=ManualClock(), ids=SequentialIds(), dense=False
    ) as opened:
        opened.index()
        yield opened


def exported(memory: Memory, *, facts: bool = False) -> bytes:
    stream = io.BytesIO()
    with memory.store.read() as view:
        export(view, memory.tree, stream, ManualClock(), facts=facts)
    return stream.getvalue()


def lines(memory: Memory, *, facts: bool = False) -> list[dict[str, Any]]:
    return [json.loads(line) for line in exported(memory, facts=facts).splitlines()]


def content(line: dict[str, Any]) -> bytes:
    return base64.b64decode(line["content"]) if line["encoding"] == "base64" else line["content"].encode()


def fill(memory: Memory) -> None:
    memory.record("Said by a person", session="s1", host="shell")
    memory.record(b"\xff\x00 bytes", role="tool", session="s1", host="shell")
    memory.record("Said elsewhere", session="s2", host="shell")
    note = memory.remember("It counts", about=["whole.py::one"], tags=["sums"])
    memory.revise(note.id, "It counts to three")
    memory.pin("Keep it small")
    memory.alias("whole", "all of it")


def test_the_manifest_comes_first_and_the_end_says_that_nothing_is_missing(memory: Memory) -> None:
    fill(memory)
    found = lines(memory)
    assert (found[0]["type"], found[0]["format"], found[0]["version"]) == ("manifest", "moored-export", 1)
    assert found[-1]["type"] == "end"
    for kind in ("session", "episode", "note", "pin", "operation"):
        number = sum(line["type"] == kind for line in found)
        assert found[0]["counts"][f"{kind}s"] == found[-1]["counts"][f"{kind}s"] == number
    assert found[-1]["counts"]["revisions"] == 2
    assert found[0]["counts"]["aliases"] == found[-1]["counts"]["aliases"] == 1


def test_another_name_is_told_with_whose_word_it_is(memory: Memory) -> None:
    fill(memory)
    (told,) = (line for line in lines(memory) if line["type"] == "alias")
    assert (told["name"], told["alias"], told["origin"], told["episode"]) == ("whole", "all of it", "person", "")


def test_a_reminder_is_told_with_how_often_it_was_told(memory: Memory) -> None:
    fill(memory)
    made = memory.remind("Count again", when="keyword: sums")
    memory.told([made.id])
    found = lines(memory)
    (told,) = (line for line in found if line["type"] == "reminder")
    assert (told["id"], told["kind"], told["pattern"], told["told"]) == (made.id, "keyword", "sums", 1)
    assert found[0]["counts"]["reminders"] == found[-1]["counts"]["reminders"] == 1


def test_all_that_was_done_to_notes_is_told(memory: Memory) -> None:
    said = memory.remember("The winch is greased before each tide, see `winch_oil()`.").id
    memory.remember("Before each tide the winch is greased, see `winch_oil()`.")
    against = memory.remember("The winch is not greased before each tide, see `winch_oil()`.").id
    memory.protect(said, "the harbour master says so")
    memory.rate(said, useful=False, because="it is greased at noon")
    memory.add_rule("damp", "text~winch", reason="it is known by now")
    dispute = memory.disputes()[0].dispute.id
    memory.resolve(dispute, "both")
    proposal = memory.review().proposals[0].proposal.id
    memory.reject(proposal, "it holds as it is")
    found = lines(memory)
    by_type = {
        kind: [line for line in found if line["type"] == kind] for kind in ("note", "rule", "dispute", "proposal")
    }
    note = next(line for line in by_type["note"] if line["id"] == said)
    assert note["protected"] == "the harbour master says so"
    assert [one["kind"] for one in note["evidence"]] == ["same"]
    assert [(one["useful"], one["reason"]) for one in note["ratings"]] == [(False, "it is greased at noon")]
    (rule,) = by_type["rule"]
    assert (rule["action"], rule["condition"], rule["reason"]) == ("damp", "text~winch", "it is known by now")
    (told,) = by_type["dispute"]
    assert (told["id"], told["note"], told["other"], told["outcome"]) == (dispute, against, said, "both")
    (told,) = (line for line in by_type["proposal"] if line["id"] == proposal)
    assert (told["note"], told["decision"], told["because"]) == (said, "rejected", "it holds as it is")
    assert all(line["actor"] and line["asked"] in (True, False) for line in found if line["type"] == "operation")
    for kind in ("rules", "disputes", "proposals", "notes", "operations"):
        assert found[0]["counts"][kind] == found[-1]["counts"][kind] == sum(line["type"] == kind[:-1] for line in found)


def test_a_reminder_that_is_only_proposed_is_told_as_that(memory: Memory) -> None:
    memory.record("Remind me tomorrow at 9 to oil the winch.", role="user", host="lab", session="monday")
    assert [line["proposed"] for line in lines(memory) if line["type"] == "reminder"] == [True]


def test_a_note_that_was_taken_out_of_answers_is_told_with_what_took_it_out(memory: Memory) -> None:
    note = memory.remember("Ropes are coiled to the left.").id
    undo = memory.undo(memory.operations()[-1].id).operation
    (told,) = (line for line in lines(memory) if line["type"] == "note")
    assert (told["id"], told["withdrawn"]) == (note, undo)


@pytest.mark.invariant("I-10")
def test_nothing_that_was_forgotten_is_told_not_even_while_it_can_be_restored(memory: Memory) -> None:
    kept = memory.remember("Ropes are coiled to the left.").id
    lamp = memory.record("The lamp is lit at dusk.", host="lab", session="monday").episode
    about = memory.remember("The lamp saves oil.", about=[lamp, "whole.py::one"]).id
    memory.rate(about, useful=True, because="the lamp was dark")
    oil = memory.remember("Only a whale passes the strait.").id
    memory.forget(lamp)
    memory.forget(oil)
    found = exported(memory, facts=True)
    assert b"at dusk" not in found
    assert b"whale" not in found
    told = lines(memory)
    assert [line["id"] for line in told if line["type"] == "note"] == [kept, about]
    assert told[0]["counts"]["episodes"] == told[-1]["counts"]["episodes"]
    assert told[0]["counts"]["sessions"] == told[-1]["counts"]["sessions"]
    memory.undo(memory.operations()[-1].id)
    assert b"whale" in exported(memory)


@pytest.mark.invariant("I-01")
@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(said=st.binary(min_size=1, max_size=200).filter(lambda said: said.strip()))
def test_every_content_comes_out_byte_for_byte(memory: Memory, said: bytes) -> None:
    recorded = memory.record(said)
    found = next(line for line in lines(memory) if line.get("id") == recorded.episode)
    assert content(found) == said


def test_who_said_it_is_told_where_it_is_known(memory: Memory) -> None:
    memory.record("Said by nobody in particular")
    with memory.store.write() as transaction:
        admitted = admit(Event(b"Said by Ada", Role.USER, author="Ada"))
        write(transaction, memory.project, admitted, ManualClock(), RandomIds())
    assert [line.get("author") for line in lines(memory) if line["type"] == "episode"] == [None, "Ada"]


def test_a_session_comes_before_its_episodes_once(memory: Memory) -> None:
    fill(memory)
    sessions = [line["name"] for line in lines(memory) if line["type"] == "session"]
    assert sessions[:2] == ["s1", "s2"]
    assert len(sessions) == len(set(sessions))


def test_a_note_has_all_its_revisions_with_their_anchors(memory: Memory) -> None:
    fill(memory)
    note = next(line for line in lines(memory) if line["type"] == "note")
    assert [revision["text"] for revision in note["revisions"]] == ["It counts", "It counts to three"]
    assert all(any(anchor["name"] == "one" for anchor in revision["anchors"]) for revision in note["revisions"])


def test_what_an_undone_import_brought_in_is_there_and_marked(memory: Memory) -> None:
    recorded = memory.record("Imported")
    with memory.store.write() as transaction:
        transaction.operations.begin(memory.project, "op_1", "import git", "history", 1, actor="import")
        transaction.operations.attribute(memory.project, "op_1", [recorded.episode])
    memory.undo("op_1")
    found = lines(memory)
    assert [line["hidden"] for line in found if line["type"] == "episode"] == [True]
    assert next(line for line in found if line["type"] == "operation")["undone_at"] is not None


def test_facts_come_with_their_history_when_asked_for(memory: Memory) -> None:
    assert not [line for line in lines(memory) if line["type"] == "fact"]
    memory.record(b'{"failed": 1}', role="tool")
    (Path(memory.tree.root) / "whole.py").write_text("def one():\n    return [4, 5, 6]\n")
    memory.index()
    found = [line for line in lines(memory, facts=True) if line["type"] == "fact"]
    one = next(line for line in found if line["name"] == "one")
    assert [version["until"] is None for version in one["history"]] == [False, True]
    assert any(line["name"] == "failed" for line in found)


@pytest.mark.invariant("I-06")
def test_nothing_of_another_project_is_written(memory: Memory, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    with open_memory(other, store=memory.store.path, dense=False) as second:
        second.record("What nobody else may see")
        second.pin("A pin of its own")
    assert b"nobody" not in exported(memory, facts=True)
    assert b"of its own" not in exported(memory, facts=True)


@pytest.mark.invariant("I-23")
def test_the_same_store_is_written_in_the_same_way(memory: Memory) -> None:
    fill(memory)
    assert exported(memory, facts=True) == exported(memory, facts=True)


def test_a_file_is_whole_and_for_its_owner_only(memory: Memory, tmp_path: Path) -> None:
    fill(memory)
    target = tmp_path / "memory.jsonl"
    counts = memory.export(target)
    assert counts.episodes >= 3
    assert target.stat().st_mode & 0o777 == 0o600
    assert json.loads(target.read_text().splitlines()[-1])["type"] == "end"
    assert not list(tmp_path.glob("*.partial"))


def test_a_file_that_cannot_be_written_is_an_error_and_leaves_nothing(memory: Memory, tmp_path: Path) -> None:
    with pytest.raises(MooredError, match="cannot be written"):
        memory.export(tmp_path / "nowhere" / "memory.jsonl")


def test_a_failure_half_way_leaves_no_file(memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(memory)

    class Broken(RuntimeError):
        pass

    def broken(*_: object) -> None:
        raise Broken

    monkeypatch.setattr("moored.export._pin", broken)
    with pytest.raises(Broken):
        memory.export(tmp_path / "memory.jsonl")
    assert not list(tmp_path.glob("memory.jsonl*"))
