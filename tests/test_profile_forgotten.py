"""A preference and a belief go with what they rest on, and stay, without it, where more of it is left (I-10)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from moored.memory import Memory, open_memory
from moored.model.clock import ManualClock
from moored.model.ids import SequentialIds
from moored.model.notes import State

pytestmark = pytest.mark.invariant("I-10")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    root = tmp_path / "courier"
    root.mkdir()
    with open_memory(
        root, store=tmp_path / "moored.db", clock=ManualClock(), ids=SequentialIds(), dense=False
    ) as opened:
        yield opened


def say(memory: Memory, text: str, session: str) -> str:
    return memory.record(text, host="lab", session=session, host_event=f"{session}: {text}").episode


def run(memory: Memory, session: str) -> str:
    return memory.record(
        "ok", role="tool", tool_name="Bash", tool_input="make test", exit_status=0, host="lab", session=session,
        host_event=session,
    ).episode  # fmt: skip


def texts(memory: Memory) -> list[str]:
    return [entry.judged.note.head.text for entry in memory.profile()]


@pytest.mark.parametrize("hard", [False, True])
def test_a_preference_goes_with_the_only_turn_that_states_it(memory: Memory, hard: bool) -> None:
    turn = say(memory, "I prefer quartzpm.", "one")
    assert texts(memory) == ["I prefer quartzpm."]
    memory.forget(turn, hard=hard)
    assert memory.profile(every=True) == ()
    memory.upkeep()
    assert memory.profile(every=True) == ()


@pytest.mark.parametrize("hard", [False, True])
def test_a_preference_says_what_the_turn_says_that_stays(memory: Memory, hard: bool) -> None:
    first = say(memory, "I prefer pnpm over the zyxel thing.", "one")
    second = say(memory, "I really prefer pnpm.", "two")
    memory.forget(first, hard=hard)
    (entry,) = memory.profile()
    assert (entry.judged.note.head.text, entry.judged.note.head.episode) == ("I really prefer pnpm.", second)
    assert [piece.episode for piece in entry.pieces] == [second]
    assert entry.judged.verdict.state is State.UNVERIFIABLE


def test_a_belief_stands_while_enough_is_left_and_is_stale_below(memory: Memory) -> None:
    turns = [say(memory, "No, use pnpm.", f"session {number}") for number in range(4)]
    assert texts(memory) == ["As package manager, the project uses pnpm."]
    memory.forget(turns[-1], hard=True)
    assert texts(memory) == ["As package manager, the project uses pnpm."]
    memory.forget(turns[-2], hard=True)
    assert texts(memory) == []
    (entry,) = memory.profile(every=True)
    assert entry.judged.verdict.state is State.STALE
    assert "a belief needs 3" in entry.judged.verdict.reason
    memory.forget(turns[0], hard=True)
    memory.forget(turns[1], hard=True)
    assert memory.profile(every=True) == ()


def test_a_habit_goes_with_its_runs(memory: Memory) -> None:
    runs = [run(memory, f"session {number}") for number in range(3)]
    memory.upkeep()
    assert texts(memory) == ["Tests are run with `make test`."]
    memory.forget(runs[-1], hard=True)
    assert texts(memory) == []
    for one in runs[:-1]:
        memory.forget(one, hard=True)
    assert memory.profile(every=True) == ()


def test_a_preference_that_is_forgotten_by_its_id_leaves_the_turn_and_does_not_come_back(memory: Memory) -> None:
    turn = memory.record("I prefer pnpm.", host="lab", session="one").episode
    (entry,) = memory.profile()
    memory.forget(entry.judged.note.id, hard=True)
    memory.upkeep()
    assert memory.profile(every=True) == ()
    assert memory.show(turn).id == turn  # type: ignore[union-attr] - an episode


def test_what_was_forgotten_softly_is_back_after_undo(memory: Memory) -> None:
    turn = say(memory, "I prefer pnpm.", "one")
    before = memory.profile()
    done = memory.forget(turn)
    memory.undo(done.operation)
    assert memory.profile() == before
