"""No answer depends on what a process was asked before: only on what the store holds (I-23)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from moored.embed.fake import HashingEmbedder
from moored.memory import Memory, open_memory
from moored.model.clock import ManualClock
from moored.model.ids import SequentialIds

TEXTS = (
    "The winch is greased before each tide.",
    "The winch is not greased before each tide.",
    "The crane is moored at the north quay.",
    "The crane is moored at the south quay.",
    "Ships are tarred in spring.",
    "The harbour master counts the ropes.",
)
QUESTIONS = ("winch", "crane north quay", "tar")

DEEDS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["remember", "record"]), st.integers(0, len(TEXTS) - 1)),
        st.tuples(st.sampled_from(["revise", "forget", "erase", "undo"]), st.integers(0, 5)),
        st.tuples(st.sampled_from(["embed", "ask"]), st.just(0)),
    ),
    min_size=4,
    max_size=14,
)


def do(memory: Memory, deed: str, which: int) -> None:
    """Do one thing, to the note or operation of that place from the newest, if there is one."""
    notes = [one.judged.note.id for one in memory.notes()]
    standing = [one.id for one in memory.operations() if one.undone_at is None and not one.lasting]
    match deed:
        case "remember":
            memory.remember(TEXTS[which])
        case "record":
            memory.record(TEXTS[which], role="user", host="lab", session=str(which % 2))
        case "revise" if which < len(notes):
            memory.revise(notes[which], f"{memory.note(notes[which]).head.text} It is so.")
        case "forget" | "erase" if which < len(notes):
            memory.forget(notes[which], hard=deed == "erase")
        case "undo" if standing and not which:
            memory.undo(standing[-1])
        case "embed":
            memory.upkeep()
        case _:
            pass


def asked(memory: Memory) -> Sequence[object]:
    return [memory.recall(question) for question in QUESTIONS]


@pytest.mark.invariant("I-23")
@settings(max_examples=25, deadline=None)
@given(deeds=DEEDS)
@example(deeds=[("remember", 0), ("remember", 4), ("embed", 0), ("ask", 0), ("undo", 0), ("undo", 0)])
@example(deeds=[("record", 0), ("record", 1), ("embed", 0), ("remember", 2), ("forget", 0), ("undo", 0), ("embed", 0)])
def test_who_asked_all_along_and_who_opens_the_store_now_have_the_same_answers(deeds: list[tuple[str, int]]) -> None:
    """One process writes, one has asked after every deed, and one has not asked at all."""
    with TemporaryDirectory() as folder:
        clock, ids = ManualClock(), SequentialIds()
        (root := Path(folder) / "harbour").mkdir()

        def opened() -> Memory:
            store = Path(folder) / "moored.db"
            return open_memory(root, store=store, clock=clock, ids=ids, embedder=HashingEmbedder())

        with opened() as writer, opened() as reader:
            for deed, which in deeds:
                do(writer, deed, which)
                told = asked(reader)
                if deed == "ask":
                    assert asked(writer) == told
            with opened() as fresh:
                assert repr(asked(reader)) == repr(asked(writer)) == repr(asked(fresh))
