"""A note that was said again in other words, as a question finds it: one answer, and the record keeps both."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from moored.memory import Memory, open_memory
from moored.model.clock import ManualClock
from moored.model.ids import SequentialIds
from moored.model.recall import HitKind

SAID = "The winch is greased before each tide."
AGAIN = "Before each tide the winch is greased."
ASKED = "when is the winch greased"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    (tmp_path / "tree").mkdir()
    clock = ManualClock()
    with open_memory(
        tmp_path / "tree", store=tmp_path / "moored.db", clock=clock, ids=SequentialIds(), dense=False
    ) as opened:
        yield opened


def test_what_was_said_twice_is_one_answer(memory: Memory) -> None:
    note = memory.remember(SAID)
    assert memory.remember(AGAIN).outcome == "reinforced"
    assert [hit.id for hit in memory.recall(ASKED).hits] == [note.id]


def test_when_saying_it_again_is_undone_it_is_not_heard_any_more(memory: Memory) -> None:
    note = memory.remember(SAID)
    memory.remember(AGAIN)
    memory.undo(memory.operations()[-1].id)
    assert [hit.id for hit in memory.recall(ASKED).hits] == [note.id]


def test_what_was_said_again_before_the_note_was_revised_gives_its_place_to_the_revision(memory: Memory) -> None:
    note = memory.remember(SAID)
    memory.remember(AGAIN)
    memory.revise(note.id, "The winch is greased once a week, whatever the tide.")
    answer = memory.recall("before each tide the winch is greased")
    assert [hit.id for hit in answer.hits] == [note.id]
    assert {one.reason for one in answer.receipt.omitted if one.kind is HitKind.EPISODE} == {"superseded"}


def test_the_words_of_an_archived_note_answer_no_question_until_it_is_back(memory: Memory) -> None:
    note = memory.remember(SAID)
    memory.remember(AGAIN)
    before = memory.recall(ASKED).hits
    memory.rate(note.id, useful=False, because="the winch is new")
    done = memory.accept(memory.review().proposals[0].proposal.id)
    assert memory.recall(ASKED).hits == ()
    memory.undo(done.operation)
    assert memory.recall(ASKED).hits == before


def test_words_that_another_note_says_still_answer_when_a_note_is_archived(memory: Memory) -> None:
    note = memory.remember(SAID)
    other = memory.remember(SAID, insist=True)
    memory.rate(note.id, useful=False, because="said twice")
    memory.accept(memory.review().proposals[0].proposal.id)
    assert [hit.id for hit in memory.recall(ASKED).hits] == [other.id]
