"""Where reminders are told: when a session begins, before a prompt, before an edit, and beside an answer."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lab import hooks
from moored.memory import Memory, open_memory
from moored.model.clock import ManualClock
from moored.model.ids import SequentialIds
from moored.model.tokens import count_tokens
from moored.record.inbox import Inbox

DAY = 86_400_000


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "crane.py").write_text("def lift():\n    return [1, 2, 3]\n")
    return folder


@pytest.fixture
def memory(tmp_path: Path, root: Path, clock: ManualClock) -> Iterator[Memory]:
    with open_memory(root, store=tmp_path / "m.db", clock=clock, ids=SequentialIds(), dense=False) as opened:
        opened.index()
        yield opened


def test_before_an_edit_it_is_told_with_the_reason(memory: Memory) -> None:
    made = memory.remind("Oil the gears first", when="editing crane.py")
    told = memory.before_edit(["crane.py"])
    assert f"{made.id} (because you are editing crane.py): Oil the gears first" in told.text
    assert told.reminded == (made.id,)


def test_before_an_edit_a_symbol_is_met_where_the_edit_touches_it(memory: Memory, root: Path) -> None:
    (root / "crane.py").write_text("def lift():\n    return [1, 2, 3]\n\n\ndef lower():\n    return [4, 5, 6]\n")
    memory.index()
    memory.remind("Lift has no brake", when="symbol: lift")
    assert memory.before_edit(["crane.py"], text='{"old_string": "[4, 5, 6]"}').text == ""
    assert "Lift has no brake" in memory.before_edit(["crane.py"], text='{"old_string": "[1, 2, 3]"}').text


def test_before_a_prompt_it_is_told_even_where_the_prompt_asks_for_nothing_else(memory: Memory) -> None:
    memory.remind("Ask Anna first", when="keyword: start")
    told = memory.before_prompt("ok, start", host="h", session="s")
    assert 'because the prompt says "start"' in told.text
    assert memory.before_prompt("ok, go on", host="h", session="s").text == ""


def test_at_the_start_of_a_session_it_stands_right_after_the_pins(memory: Memory, clock: ManualClock) -> None:
    memory.pin("Never lift above the mast")
    memory.remember("The crane swings north")
    memory.remind("Renew the licence", when="tomorrow")
    assert "Renew" not in memory.start(host="h", session="s").text
    clock.advance(2 * DAY)
    told = memory.start(host="h", session="s").text
    assert told.index("Never lift") < told.index("Renew the licence") < told.index("swings north")


def test_the_start_of_a_session_says_that_reminders_were_proposed(memory: Memory) -> None:
    memory.record("When we touch crane.py, remember to oil the gears.", role="user")
    told = memory.start(host="h", session="s").text
    assert "1 reminder was proposed from what the user said: `moored remind --proposed` lists them" in told


def test_an_answer_brings_what_the_question_calls_up_and_counts_it_once(memory: Memory) -> None:
    made = memory.remind("Migrate first", when="keyword: deploy")
    (one,) = memory.recall("how do we deploy").reminders
    assert (one.text, one.why) == ("Migrate first", 'because the question says "deploy"')
    assert [(known.id, known.fired) for known in memory.reminders()] == [(made.id, 1)]
    assert memory.recall("how do we deploy").reminders == ()


def test_a_brief_counts_nothing_before_it_is_handed_out(memory: Memory) -> None:
    memory.remind("Oil the gears first", when="editing crane.py")
    first = memory.before_edit(["crane.py"])
    assert memory.before_edit(["crane.py"]) == first
    memory.told(first.reminded)
    assert memory.before_edit(["crane.py"]).text == ""
    assert [one.fired for one in memory.reminders()] == [1]


def test_the_last_time_that_one_is_told_says_so(memory: Memory) -> None:
    memory.remind("Oil the gears", when="crane.py", most=2)
    memory.told(memory.before_edit(["crane.py"]).reminded)
    memory.clock.advance(DAY)  # type: ignore[attr-defined] - a manual clock
    assert "told 2 of 2 times, this was the last" in memory.before_edit(["crane.py"]).text


def test_what_had_no_room_does_not_count_as_told(memory: Memory) -> None:
    small = memory.remind("Oil", when="crane.py")
    large = memory.remind("Oil every gear " * 60, when="crane.py")
    told = memory.before_edit(["crane.py"], budget=200)
    assert told.reminded == (small.id,)
    assert large.id in told.omitted


def test_what_an_answer_has_no_room_for_is_said_and_not_counted(memory: Memory) -> None:
    memory.remind("Migrate first", when="keyword: deploy")
    memory.remind("Migrate every table " * 80, when="keyword: deploy")
    answer = memory.recall("how do we deploy", budget=300)
    assert [one.text for one in answer.reminders] == ["Migrate first"]
    assert "reminders: 1 more had no room" in answer.receipt.degraded
    assert [one.fired for one in memory.reminders()] == [1, 0]


@pytest.mark.invariant("I-11")
def test_where_the_store_cannot_be_written_it_is_told_all_the_same(memory: Memory, tmp_path: Path, root: Path) -> None:
    memory.remind("Migrate first", when="keyword: deploy")
    with open_memory(root, store=tmp_path / "m.db", read_only=True, create=False, dense=False) as reading:
        assert [one.text for one in reading.recall("how do we deploy").reminders] == ["Migrate first"]
    assert [one.fired for one in memory.reminders()] == [0]


@pytest.mark.invariant("I-06")
def test_asking_another_project_calls_up_nothing_of_ours(memory: Memory, tmp_path: Path, root: Path) -> None:
    memory.remind("Ours", when="keyword: deploy")
    other = tmp_path / "other"
    other.mkdir()
    with open_memory(other, store=tmp_path / "m.db", dense=False) as beside:
        assert beside.recall("how do we deploy").reminders == ()
        assert memory.recall("how do we deploy", project=beside.project.id).reminders == ()


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(budget=st.integers(0, 700), lengths=st.lists(st.integers(1, 120), min_size=1, max_size=4))
def test_no_surface_goes_over_its_budget(memory: Memory, budget: int, lengths: list[int]) -> None:
    for one in memory.reminders():
        memory.finish_reminder(one.id)
    for words in lengths:
        memory.remind("gear " * words, when="file: crane.py")
        memory.remind("gear " * words, when="keyword: lift")
    memory.clock.advance(DAY)  # type: ignore[attr-defined] - a manual clock
    for told in (
        memory.before_edit(["crane.py"], budget=budget),
        memory.before_prompt("where does it lift", host="h", session="s", budget=budget),
        memory.start(host="h", session="s", budget=budget),
    ):
        assert told.tokens == count_tokens(told.text) <= budget
    answer = memory.recall("where does it lift", budget=budget)
    assert answer.receipt.tokens <= answer.receipt.budget == budget
    assert sum(one.tokens for one in answer.reminders) <= budget


# Hooks


def test_a_hook_tells_it_and_counts_it_once_the_host_has_it(tmp_path: Path, root: Path) -> None:
    store = tmp_path / "data" / "moored.db"
    with Inbox(store).attending():
        with open_memory(root, store=store, dense=False) as memory:
            memory.index()
            memory.remind("Oil the gears first", when="editing crane.py")
        called = hooks.ask(store, "PreToolUse", hooks.edit(root, "crane.py"))
        assert "Oil the gears first" in called.text
        with open_memory(root, store=store, dense=False) as memory:
            assert [one.fired for one in memory.reminders()] == [1]
        assert hooks.ask(store, "PreToolUse", hooks.edit(root, "crane.py", use="toolu_3")).text == ""


def test_where_there_are_none_nothing_is_loaded_to_find_that_out(memory: Memory, tmp_path: Path, root: Path) -> None:
    memory.remember("The crane swings north", about=["crane.py"])
    script = f"""
import sys
from moored.memory import open_memory
with open_memory({str(root)!r}, store={str(tmp_path / "m.db")!r}, create=False, read_only=True, dense=False) as memory:
    assert memory.before_edit(["crane.py"]).text
    memory.before_prompt("ok", host="h", session="s")
    memory.start(host="h", session="s")
heavy = {{"numpy", "moored.atlas.reminders", "moored.model.reminders", "moored.model.schedule"}}
assert not heavy & sys.modules.keys(), heavy & sys.modules.keys()
"""
    subprocess.run([sys.executable, "-c", script], check=True)


def test_what_a_user_asks_in_a_prompt_is_proposed_once_the_prompt_was_taken_in(tmp_path: Path, root: Path) -> None:
    store = tmp_path / "data" / "moored.db"
    asked = "Paint it green. When we touch crane.py, remember to oil the gears."
    with Inbox(store).attending():
        open_memory(root, store=store, dense=False).close()
        for _ in range(2):  # a host may hand a prompt in twice
            hooks.ask(store, "UserPromptSubmit", hooks.prompt(root, asked))
        assert hooks.ask(store, "PreToolUse", hooks.edit(root, "crane.py")).text == ""
        with open_memory(root, store=store, dense=False) as memory:
            (proposal,) = memory.reminders(proposed=True)
            assert proposal.text == "When we touch crane.py, remember to oil the gears."
            memory.accept_reminder(proposal.id)
        assert proposal.text in hooks.ask(store, "PreToolUse", hooks.edit(root, "crane.py", use="toolu_3")).text
