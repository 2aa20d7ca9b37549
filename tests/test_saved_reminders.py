"""Reminders that come back with a save: called up by its words, within few tokens, and counted as told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from moored.memory import Memory, open_memory
from moored.model.clock import ManualClock
from moored.model.ids import SequentialIds
from moored.model.tokens import count_tokens

SAVED = 200


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    root = tmp_path / "work"
    root.mkdir()
    (root / "crane.py").write_text("def lift():\n    return [1, 2, 3]\n")
    with open_memory(root, store=tmp_path / "m.db", clock=ManualClock(), ids=SequentialIds(), dense=False) as opened:
        opened.index()
        yield opened


def _fired(memory: Memory) -> dict[str, int]:
    return {one.id: one.fired for one in memory.reminders()}


def test_a_note_that_says_its_words_brings_a_reminder_back_and_counts_it(memory: Memory) -> None:
    made = memory.remind("Migrate before anything else", when="keyword: deploy staging")
    (one,) = memory.remember("We deploy to staging on Mondays.").reminders
    assert (one.id, one.text) == (made.id, "Migrate before anything else")
    assert one.why == 'because the note says "deploy" and "staging"'
    assert _fired(memory) == {made.id: 1}


def test_a_note_that_names_a_file_brings_its_reminder_back(memory: Memory) -> None:
    memory.remind("Oil the gears", when="editing crane.py")
    (one,) = memory.remember("The gears in crane.py squeak.").reminders
    assert one.why == "because the note names crane.py"


def test_other_words_bring_nothing_back_and_count_nothing(memory: Memory) -> None:
    made = memory.remind("Migrate first", when="keyword: deploy")
    assert memory.remember("The winch slips in the rain.").reminders == ()
    assert _fired(memory) == {made.id: 0}


def test_a_reminder_is_not_told_again_by_the_next_save(memory: Memory) -> None:
    memory.remind("Migrate first", when="keyword: deploy")
    assert memory.remember("We deploy on Mondays.").reminders
    assert memory.remember("Only Anna may deploy the harbour.").reminders == ()


def test_what_is_known_already_brings_reminders_back_all_the_same(memory: Memory) -> None:
    memory.remember("We deploy on Mondays.")
    memory.remind("Migrate first", when="keyword: deploy")
    again = memory.remember("We deploy on Mondays.")
    assert again.outcome == "duplicate"
    assert [one.text for one in again.reminders] == ["Migrate first"]


def test_the_next_revision_of_a_note_brings_reminders_back_but_not_its_own(memory: Memory) -> None:
    note = memory.remember("The crane swings north.").id
    memory.remind("Look at the wind", when="keyword: swings", note=note)
    other = memory.remind("Ask the harbour master", when="keyword: swings")
    assert [one.id for one in memory.revise(note, "The crane swings south.").reminders] == [other.id]


def test_anew_with_the_same_words_it_calls_up_nothing_by_them(memory: Memory) -> None:
    note = memory.remember("The crane swings north.", about=["crane.py::lift"]).id
    memory.remind("Ask the harbour master", when="keyword: swings")
    assert memory.revise(note).reminders == ()


def test_reminders_and_related_notes_take_200_tokens_at_most_and_what_is_left_out_is_counted(memory: Memory) -> None:
    for number in range(9):
        memory.remember(f"`lift` of hall {number} {'groans and ' * 20}stops.", about=["crane.py::lift"], insist=True)
    for number in range(4):
        memory.remind(f"Hall {number}: {'oil the gears ' * 8}", when="keyword: lift")
    done = memory.remember("The motor of `lift` is new.", about=["crane.py::lift"])
    assert 0 < len(done.reminders) < 4
    assert done.related
    spent = sum(one.tokens for one in done.reminders)
    assert spent <= SAVED // 2
    assert spent + sum(count_tokens(f"{one.id} {one.text} {one.why}") for one in done.related) <= SAVED
    left_out = 4 - len(done.reminders)
    assert any(line.startswith(f"{left_out} more reminder") for line in done.receipt)
    assert sum(_fired(memory).values()) == len(done.reminders)


def test_a_reminder_alone_may_take_all_of_the_room(memory: Memory) -> None:
    memory.remind("oil the gears " * 35, when="keyword: hoist")
    (one,) = memory.remember("A hoist is on order.").reminders
    assert SAVED // 2 < one.tokens <= SAVED
