"""What was said otherwise since shows on every surface, and is not written anywhere."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from moored.cli import render, shapes
from moored.context.entries import hit_entry
from moored.memory import Memory, open_memory
from moored.model.clock import ManualClock
from moored.model.episodes import Trust
from moored.model.ids import SequentialIds
from moored.model.notes import State
from moored.server.tools_reading import recall as recall_tool

DAY = 86_400_000
OLD = "The response time of the crane API is 800 ms."
NEW = "The response time of the crane API is now 250ms."
ASKED = "What is the response time of the crane API?"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    (tmp_path / "tree").mkdir()
    with open_memory(
        tmp_path / "tree", store=tmp_path / "moored.db", clock=ManualClock(), ids=SequentialIds(), dense=False
    ) as opened:
        yield opened


@pytest.fixture
def said(memory: Memory) -> tuple[str, str]:
    """The ids of the older and the newer turn."""
    return memory.record(OLD, occurred_at=DAY).episode, memory.record(NEW, occurred_at=2 * DAY).episode


def test_the_command_the_tool_and_the_brief_tell_what_replaced_it(memory: Memory, said: tuple[str, str]) -> None:
    older, newer = said
    reason = f"said otherwise since, in {newer} of 1970-01-03: 250 ms, not 800 ms"
    answer = memory.recall(ASKED)
    assert [hit.id for hit in answer.hits] == [newer, older]
    shown = "\n".join(render.recall(answer))
    assert f"2. [superseded: value] episode {older}" in shown
    assert f"why: {reason}\n   now: {newer}: {NEW}" in shown
    assert shapes.hit(answer.hits[1])["verdict"] == {
        "state": "superseded",
        "change": "value",
        "reason": reason,
        "current": f"{newer}: {NEW}",
    }
    assert reason in recall_tool(memory, ASKED, 1_500, None, (), (), 0, "", "").text
    assert f"- {older} [superseded] said by user" in hit_entry(answer.hits[1]).text


def test_asking_writes_nothing_and_the_turn_itself_stays_as_it_was(memory: Memory, said: tuple[str, str]) -> None:
    before = memory.show(said[0])
    memory.recall(ASKED)
    assert memory.show(said[0]) == before
    assert not memory.operations()


def test_data_corrects_no_user_but_what_is_data_too_in_no_words_of_its_own(memory: Memory) -> None:
    memory.record(OLD, occurred_at=DAY)
    newer = memory.record(NEW, occurred_at=2 * DAY, trust=Trust.DATA).episode
    assert {hit.verdict.state for hit in memory.recall(ASKED).hits} == {State.CURRENT}
    imported = memory.record(OLD.replace("800", "900"), occurred_at=DAY, trust=Trust.DATA).episode
    verdict = next(hit.verdict for hit in memory.recall(ASKED).hits if hit.id == imported)
    assert (verdict.state, verdict.current) == (State.SUPERSEDED, newer)
