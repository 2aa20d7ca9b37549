"""Whatever is done before: what is forgotten is gone, and nothing of another project changes (I-06, I-10)."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forgetting.conftest import begin, rows
from lab.reading import QUESTIONS, place
from moored.memory import Memory

pytestmark = pytest.mark.invariant("I-06", "I-10")

_STEP = st.tuples(st.sampled_from(["turn", "note", "about", "revise", "hide", "undo", "forget"]), st.integers(0, 30))


def _dump(memory: Memory) -> list[object]:
    """Every answer that the store gives about a project, by its own names."""
    with memory.store.read() as view:
        here = place(view, memory.project.key)
        left_out = ("Projects", "Erasure.every_text")
        return [(name, ask(view, here, here)) for name, ask in QUESTIONS.items() if not name.startswith(left_out)]


class _World:
    """What was written into a memory: texts by the ids of what says them, each with a word that is only its own."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.turns: list[str] = []
        self.notes: list[str] = []
        self.hidden: list[str] = []
        self.words: dict[str, set[str]] = {}
        self.count = 0

    def word(self) -> str:
        self.count += 1
        return f"zwin{self.count:03}quartz"

    def do(self, step: str, number: int) -> None:
        word = self.word()
        if step == "turn":
            event = f"e{self.count}"
            told = self.memory.record(f"{word} was said", host="lab", session="s", host_event=event)
            self.turns.append(told.episode)
            self.words[told.episode] = {word}
        elif step == "note" or (step == "about" and not self.turns):
            self._note(self.memory.remember(f"{word} is noted").id, word)
        elif step == "about":
            turn = self.turns[number % len(self.turns)]
            self._note(self.memory.remember(f"{word} is about a turn", about=[turn]).id, word)
        elif step == "revise" and self.notes:
            note = self.notes[number % len(self.notes)]
            self.memory.revise(note, f"{word} is what it says now")
            self.words[note].add(word)
        elif step == "hide" and self.notes:
            note = self.notes.pop(number % len(self.notes))
            self.hidden.append(self.memory.forget(note).operation)
        elif step == "undo" and self.hidden:
            operation = self.hidden.pop(number % len(self.hidden))
            self.notes += [note for note in self.memory.undo(operation).notes if note in self.words]
        elif step == "forget" and (self.turns or self.notes):
            self._forget(number)

    def _note(self, note: str, word: str) -> None:
        self.notes.append(note)
        self.words[note] = {word}

    def _forget(self, number: int) -> None:
        every = [*self.turns, *self.notes]
        target = every[number % len(every)]
        done = self.memory.forget(target, hard=True)
        held = rows(self.memory)
        for id_ in (target, *done.plan.notes):
            assert id_ not in held
            for word in self.words.pop(id_, ()):
                assert word not in held
        self.turns = [turn for turn in self.turns if turn != target]
        self.notes = [note for note in self.notes if note in self.words]


@settings(max_examples=12, deadline=None)
@given(steps=st.lists(_STEP, min_size=4, max_size=12))
def test_what_is_forgotten_is_gone_whatever_was_done_before_and_another_project_is_as_it_was(
    steps: list[tuple[str, int]],
) -> None:
    with TemporaryDirectory() as folder:
        store = Path(folder) / "moored.db"
        other = begin(Path(folder) / "quay", store)
        other.record("a turn of the quay", host="lab", session="s", host_event="e1")
        kept = other.remember("boats of the quay have two ropes", about=["quay.py::moor"])
        other.revise(kept.id, "boats of the quay have three ropes")
        ours = begin(Path(folder) / "harbour", store)
        before = _dump(other)
        world = _World(ours)
        for step, number in [*steps, ("note", 0), ("forget", 0)]:
            world.do(step, number)
        assert _dump(other) == before
        with ours.store.read() as view:
            assert {note.id for note in view.notes.all(ours.project)} == set(world.notes)
        assert ours.store.check(deep=True) == []
        other.close()
        ours.close()


def test_a_process_that_had_it_in_memory_does_not_answer_with_it_any_more(tmp_path: Path) -> None:
    text = "the crane of berth xylophonequartz swings at noon"
    server = begin(tmp_path / "harbour", tmp_path / "moored.db")
    note = server.remember(text)
    other = server.remember("boats are moored with ropes at noon")
    server.upkeep()
    assert server.recall(text).hits[0].id == note.id
    hand = begin(tmp_path / "harbour", tmp_path / "moored.db")
    hand.forget(note.id, hard=True)
    assert [hit.id for hit in server.recall(text).hits] in ([], [other.id])
    assert server.recall("boats ropes noon").hits[0].id == other.id
    assert server.remember(text).outcome == "new"
    hand.close()
    server.close()
