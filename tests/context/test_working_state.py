"""The working state of long, foreign and odd sessions, and what stopped holding, in a store of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock, patch

import pytest

from moored.context.attention import JUDGED, attention
from moored.context.start import READS
from moored.context.working_state import CALLS, WorkingState, working_state
from moored.ledger.extract import extract_file
from moored.ledger.sight import TOO_MUCH, Sight
from moored.memory import Memory, open_memory
from moored.model.clock import ManualClock
from moored.model.episodes import Channel, Event, Role
from moored.model.ids import SequentialIds
from moored.model.notes import State
from moored.recall.policy import HURRY
from moored.record.admission import admit, write
from moored.store.durability import Durability
from moored.store.port import View


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    root = tmp_path / "quay"
    root.mkdir()
    with open_memory(root, store=tmp_path / "m.db", clock=ManualClock(), ids=SequentialIds(), dense=False) as opened:
        yield opened


def record(memory: Memory, *events: Event) -> list[str]:
    with memory.store.write(Durability.GROUP) as transaction:
        return [write(transaction, memory.project, admit(e), memory.clock, memory.ids).episode for e in events]


def tool(name: str, output: str = "ok", status: int | None = None, session: str = "s1", **given: object) -> Event:
    return Event(
        output.encode(), Role.TOOL, host="h", session=session, tool_name=name, tool_input=json.dumps(given),
        exit_status=status,
    )  # fmt: skip


def said(text: str, role: Role = Role.USER, session: str = "s1", **fields: object) -> Event:
    return Event(text.encode(), role, host="h", session=session, **fields)  # type: ignore[arg-type]


def state_of(view: View, memory: Memory) -> WorkingState | None:
    session = view.projects.session(memory.project, "h", "s1")
    assert session is not None
    return working_state(view, memory.project, session)


def test_a_session_that_is_not_known_has_no_state(memory: Memory) -> None:
    assert memory.start(host="h", session="s1", source="resume").text == ""


def test_a_command_counts_by_its_last_outcome_and_an_unknown_one_stays_unknown(memory: Memory) -> None:
    record(
        memory,
        tool("Bash", "boom", 1, command="make a"),
        tool("Bash", "fine", 0, command="make a"),
        tool("Bash", "fine", 0, command="make b"),
        tool("Bash", "boom\nat the end\n", 2, command="make b"),
        tool("Bash", "who knows", None, command="make c"),
    )
    with memory.store.read() as view:
        state = state_of(view, memory)
    assert state is not None
    assert [(r.command, r.exit_status, r.runs) for r in state.commands] == [
        ("make b", 2, 2), ("make c", None, 1), ("make a", 0, 2),
    ]  # fmt: skip
    assert [(f.what, f.exit_status, f.detail) for f in state.failures] == [("make b", 2, ("boom", "at the end"))]
    told = memory.start(host="h", session="s1", source="compact").text
    assert "- make c: exit status unknown" in told
    assert "- make b: exit 2" in told


def test_a_failed_test_run_says_which_tests_failed(memory: Memory) -> None:
    output = (
        "".join(f"FAILED tests/test_a.py::test_{n} - assert {n}\n" for n in range(5))
        + "===== 5 failed, 2 passed in 0.10s =====\n"
    )
    record(memory, tool("Bash", output, 1, command="pytest"))
    with memory.store.read() as view:
        state = state_of(view, memory)
    assert state is not None
    (failure,) = state.failures
    assert "pytest.failed: 5" in failure.detail[0]
    assert any("tests/test_a.py::test_0" in line for line in failure.detail)
    assert failure.detail[-1] == "and 2 more tests"


def test_files_are_told_newest_first_with_how_often_they_were_written(memory: Memory) -> None:
    record(
        memory,
        tool("Edit", file_path="a.py"),
        tool("Read", file_path="r.py"),
        tool("Edit", file_path="b.py"),
        tool("Edit", file_path="a.py"),
        tool("Edit", "<tool_use_error>no", file_path="c.py"),
    )
    with memory.store.read() as view:
        state = state_of(view, memory)
    assert state is not None
    assert [(f.path, f.writes, f.reads) for f in state.files] == [("a.py", 2, 0), ("b.py", 1, 0), ("r.py", 0, 1)]


def test_automation_is_no_task_and_small_talk_no_latest_prompt(memory: Memory) -> None:
    record(
        memory,
        said("Mend the winch."),
        said("ok"),
        said("A task has ended.", channel=Channel.DOCUMENT),
        said("Now the crane."),
        said("thanks"),
    )
    with memory.store.read() as view:
        state = state_of(view, memory)
    assert state is not None
    assert state.first is not None
    assert (state.first.text, [one.text for one in state.latest]) == ("Mend the winch.", ["Now the crane."])


def test_sub_agents_stand_apart(memory: Memory) -> None:
    record(
        memory,
        said("Mend the winch."),
        tool("Edit", file_path="of-agent.py", session="s1/one"),
        said("Done.", Role.ASSISTANT, "s1/one"),
        said("Not of it.", Role.ASSISTANT, "s10"),
        said("What I say.", Role.ASSISTANT),
    )
    with memory.store.read() as view:
        state = state_of(view, memory)
        latest = [span.session.name for span in view.sessions.latest(memory.project, 9)]
    assert state is not None
    assert [(agent.name, agent.episodes, agent.last and agent.last.text) for agent in state.agents] == [
        ("one", 2, "Done.")
    ]
    assert state.files == ()
    assert state.last is not None
    assert state.last.text == "What I say."
    assert latest == ["s1"]


def test_a_session_of_many_episodes_is_read_within_bounds(memory: Memory) -> None:
    first = record(memory, said("Mend the winch."))[0]
    for start in range(0, CALLS + 500, 500):
        record(memory, *(tool("Edit", file_path=f"f{n % 40}.py") for n in range(start, start + 500)))
    with memory.store.read() as view:
        state = state_of(view, memory)
    assert state is not None
    assert state.partial
    assert state.first is not None
    assert state.first.episode == first
    assert sum(file.writes for file in state.files) == CALLS
    assert "(older calls not looked at)" in memory.start(host="h", session="s1", source="compact").text


def test_more_changed_notes_than_are_judged_are_counted(memory: Memory) -> None:
    module = Path(memory.tree.root, "m.py")
    module.write_text("".join(f"def f{n}():\n    return [{n}, 'a', 'b']\n" for n in range(JUDGED + 5)))
    memory.index()
    for number in range(JUDGED + 5):
        memory.remember(f"Number {number}.", about=[f"m.py::f{number}"])
    module.write_text(module.read_text().replace("'a'", "'c'"))
    with memory.store.read() as view:
        found = attention(view, Sight(view, memory.tree), memory.project, 0)
    assert (len(found.notes), found.unjudged, found.older) == (JUDGED, 5, 0)
    assert all(one.verdict.state is State.STALE for one in found.notes)
    told = memory.start(host="h", session="s1", budget=20_000)
    assert "5 more about changed files were not judged" in told.text
    assert told.degraded == ("verdicts: 5 more notes about changed files were not judged",)


@pytest.mark.invariant("I-22")
def test_after_a_change_of_branch_little_is_read_and_nothing_is_said_that_is_not_known(memory: Memory) -> None:
    root = Path(memory.tree.root)
    paths = [root / f"m{number}.py" for number in range(READS + 20)]
    for number, path in enumerate(paths):
        path.write_text(f"def f{number}(a):\n    return [a, {number}, 'x']\n")
    memory.index()
    for number, path in enumerate(paths):
        memory.remember(f"Number {number} is right.", about=[f"{path.name}::f{number}"])
    for number, path in enumerate(paths):
        path.write_text(f"def g{number}(a):\n    return [a, {number}, 'y']\n")
    extract = Mock(wraps=extract_file)
    with patch("moored.ledger.extract.extract_file", extract):
        told = memory.start(host="h", session="s", budget=20_000)
        assert extract.call_count <= READS
        before = memory.before_prompt("Is number 3 right?", host="h", session="s")
        assert extract.call_count <= READS + HURRY
    assert "[current]" not in told.text + before.text
    assert "were not judged" in told.text
    assert "- no_" in before.text
    assert "[unverifiable] note" in before.text
    assert TOO_MUCH in before.text
    assert all(one.verdict.state is State.STALE for one in memory.stale().notes)
    memory.index()
    assert "[stale]" in memory.before_prompt("Is number 3 right?", host="h", session="s").text


@pytest.mark.invariant("I-04")
def test_what_stopped_holding_is_what_a_judgement_of_every_note_finds(memory: Memory) -> None:
    root = Path(memory.tree.root)
    for number in range(6):
        (root / f"m{number}.py").write_text(f"def f{number}(a):\n    return [a, {number}, 'x']\n")
    memory.index()
    for number in range(6):
        memory.remember(f"Number {number} is right.", about=[f"m{number}.py::f{number}"], proof="make test")
    memory.record("ok", role="tool", tool_name="Bash", tool_input="make test", exit_status=0)
    (root / "m0.py").write_text("def f0(a):\n    return [a, 0, 'y']\n")
    (root / "m1.py").unlink()
    (root / "m2.py").rename(root / "moved.py")
    (root / "m3.py").write_text("# a comment\ndef f3(a):\n    return [a, 3, 'x']\n")
    for index in (False, True):
        if index:
            memory.index()
        with memory.store.read() as view:
            found = attention(view, Sight(view, memory.tree), memory.project, 0)
        whole = [one for one in memory.stale().notes if one.verdict.state is State.STALE]
        assert {one.note.id: one.verdict for one in found.notes} == {one.note.id: one.verdict for one in whole}
        assert len(found.notes) == 3


def test_notes_are_judged_in_the_tree_that_is_asked(memory: Memory, tmp_path: Path) -> None:
    here = Path(memory.tree.root)
    (here / "m.py").write_text("def f(a):\n    return [a, 1, 'x']\n")
    (here / ".moored.toml").write_text('project = "both"\n')
    there = tmp_path / "other"
    there.mkdir()
    (there / ".moored.toml").write_text('project = "both"\n')
    (there / "m.py").write_text("def f(a):\n    return [a, 1, 'y']\n")
    ids = SequentialIds()
    with open_memory(here, store=tmp_path / "two.db", clock=ManualClock(), ids=ids, dense=False) as one:
        one.index()
        note = one.remember("It is x.", about=["m.py::f"]).id
        with open_memory(there, store=tmp_path / "two.db", clock=ManualClock(), ids=ids, dense=False) as two:
            two.index()
            assert f"- {note} [stale]" in two.start(host="h", session="s").text
        assert f"- {note} [current]" in one.start(host="h", session="s").text
