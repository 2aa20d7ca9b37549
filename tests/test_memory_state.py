"""Use, ratings and what is explained of a note, through the facade: none of it changes an answer."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from moored.embed.fake import HashingEmbedder
from moored.errors import InvalidInput, NotFound
from moored.memory import Memory, open_memory
from moored.model.clock import ManualClock
from moored.model.ids import SequentialIds
from moored.model.notes import State
from moored.model.recall import Recall

CODE = "def lift(weight, retries=3):\n    return [pull(weight) for _ in range(retries)]\n"
NOTE = "Lifting is retried three times because the winch slips, see `crane.py::lift`."
QUESTION = "why is lifting retried when the winch slips"
DAY = 86_400_000


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def memory(tmp_path: Path, clock: ManualClock) -> Iterator[Memory]:
    root = tmp_path / "quay"
    root.mkdir()
    (root / "crane.py").write_text(CODE)
    with opened(root, clock) as memory:
        memory.index()
        yield memory


def opened(root: Path, clock: ManualClock, **fields: object) -> Memory:
    made = {"clock": clock, "ids": SequentialIds(), "embedder": HashingEmbedder(), **fields}
    return open_memory(root, store=root.parent / "moored.db", **made)  # type: ignore[arg-type]


def said(answer: Recall) -> list[tuple[object, ...]]:
    return [(hit.id, hit.score, hit.text, hit.verdict, hit.signals) for hit in answer.hits]


def test_telling_a_note_counts_as_a_use_once_the_answer_is_given(memory: Memory) -> None:
    note = memory.remember(NOTE).id
    assert memory.explain(note).state.heat.value == 0
    memory.recall(QUESTION)
    memory.brief(QUESTION)
    found = memory.explain(note)
    assert found.uses == 2
    assert found.used_at is not None
    assert found.state.heat.value == pytest.approx(2.0, abs=1e-6)


@pytest.mark.invariant("I-11")
def test_a_question_does_not_write_before_it_is_answered(memory: Memory) -> None:
    note = memory.remember(NOTE).id
    memory.recall(QUESTION)
    with memory.store.read() as view:
        assert view.states.uses(memory.project, [note]) == {}
    assert memory.uses.keep() == 1
    with memory.store.read() as view:
        assert view.states.uses(memory.project, [note])[note].uses == 1


@pytest.mark.invariant("I-11")
def test_ten_thousand_recalls_do_not_change_what_recall_answers(memory: Memory, clock: ManualClock) -> None:
    hot = memory.remember(NOTE).id
    memory.remember("The winch slips when it is cold.")
    before = said(memory.recall(QUESTION))
    for _ in range(20):
        memory.recall("lift")
    memory.uses.add([hot] * 10_000, clock.now())
    assert memory.uses.keep()
    assert said(memory.recall(QUESTION)) == before
    assert memory.explain(hot).uses > 10_000


@pytest.mark.invariant("I-11")
def test_a_store_that_cannot_be_written_answers_all_the_same_and_counts_nothing(
    memory: Memory, tmp_path: Path, clock: ManualClock
) -> None:
    note = memory.remember(NOTE).id
    answer = said(memory.recall(QUESTION))
    with opened(tmp_path / "quay", clock, read_only=True, create=False) as reader:
        assert said(reader.recall(QUESTION)) == answer
        assert reader.uses.keep() == 0
        assert reader.explain(note).uses == 0


def test_a_use_that_another_writer_holds_up_is_kept_for_later(memory: Memory, clock: ManualClock) -> None:
    note = memory.remember(NOTE).id
    memory.uses.add([note], clock.now())
    holding, release = threading.Event(), threading.Event()

    def hold() -> None:
        with memory.store.write():
            holding.set()
            assert release.wait(10)

    holder = threading.Thread(target=hold)
    holder.start()
    assert holding.wait(10)
    assert memory.uses.keep() == 0
    release.set()
    holder.join()
    memory.uses.add([note], clock.now())
    assert memory.uses.keep() == 1
    assert memory.explain(note).uses == 2


def test_heat_falls_with_time_alone_however_often_it_is_asked_for(memory: Memory, clock: ManualClock) -> None:
    note = memory.remember(NOTE).id
    memory.recall(QUESTION)
    for _ in range(28):
        clock.advance(DAY)
        memory.explain(note)
        memory.upkeep()
    assert memory.explain(note).state.heat.value == pytest.approx(0.25, abs=1e-3)


def test_a_rating_is_an_operation_with_its_reason_and_can_be_undone(memory: Memory) -> None:
    note = memory.remember(NOTE).id
    before = memory.explain(note).state.confidence
    rated = memory.rate(note, useful=True, because="it saved  the afternoon")
    assert (rated.times_useful, rated.times_useless) == (1, 0)
    found = memory.explain(note)
    assert (found.state.confidence.value or 0) > (before.value or 1)
    assert [(one.useful, one.reason, one.actor) for one in found.ratings] == [
        (True, "it saved the afternoon", "person")
    ]
    assert rated.operation in {one.id for one in memory.operations()}
    memory.undo(rated.operation)
    assert memory.explain(note).state.confidence == before
    assert memory.explain(note).ratings == ()


def test_a_rating_does_not_make_a_stale_note_current_nor_move_it_in_an_answer(memory: Memory) -> None:
    stale = memory.remember(NOTE).id
    other = memory.remember("The winch slips when lifting is retried in the cold.").id
    Path(memory.tree.root, "crane.py").write_text(CODE.replace("retries=3", "retries=5"))
    before = said(memory.recall(QUESTION))
    for _ in range(30):
        memory.rate(stale, useful=True)
        memory.rate(other, useful=False)
    assert said(memory.recall(QUESTION)) == before
    assert memory.explain(stale).judged.verdict.state is State.STALE
    assert (memory.explain(stale).state.confidence.value or 1) <= 0.35


def test_a_secret_in_the_reason_of_a_rating_is_taken_out(memory: Memory) -> None:
    note = memory.remember(NOTE).id
    memory.rate(note, useful=False, because="it names ghp_" + "abcdefghij" * 3 + "012345")
    assert "ghp_" not in memory.explain(note).ratings[0].reason


def test_only_a_person_or_an_agent_rates_and_only_what_there_is(memory: Memory) -> None:
    note = memory.remember(NOTE).id
    with pytest.raises(InvalidInput, match="person or an agent"):
        memory.rate(note, useful=True, actor="seed")
    with pytest.raises(InvalidInput, match="at most 200"):
        memory.rate(note, useful=True, because="x " * 200)
    with pytest.raises(NotFound):
        memory.rate("no_nothing", useful=True)
    with pytest.raises(NotFound):
        memory.explain("no_nothing")
    assert memory.explain(note).ratings == ()


@pytest.mark.invariant("I-06")
def test_notes_of_another_project_are_neither_counted_nor_explained(memory: Memory, tmp_path: Path) -> None:
    (tmp_path / "marina").mkdir()
    note = memory.remember(NOTE).id
    with open_memory(tmp_path / "marina", store=tmp_path / "moored.db", embedder=HashingEmbedder()) as other:
        theirs = other.remember("The winch slips here as well when lifting is retried.").id
        assert other.recall(QUESTION, project=memory.project.id).hits
        other.uses.add([note], 1)
        other.uses.keep()
        with pytest.raises(NotFound):
            other.explain(note)
        assert [one.judged.note.id for one in other.notes()] == [theirs]
    assert memory.explain(note).uses == 0


def test_notes_are_listed_by_what_is_asked_for(memory: Memory) -> None:
    plain = memory.remember("The tide tables are printed on Mondays.").id
    decision = memory.remember("We chose steel ropes, see `crane.py::lift`.", kind="decision").id
    memory.recall("when are the tide tables printed", limit=1)
    memory.rate(decision, useful=False)

    def order(by: str) -> list[str]:
        return [one.judged.note.id for one in memory.notes(by=by)]

    assert order("newest") == [decision, plain]
    assert order("heat") == [plain, decision]
    assert order("importance") == [decision, plain]
    assert order("confidence") == [plain, decision]
    assert order("stability") == [decision, plain], "what cannot be checked comes last"
    with pytest.raises(InvalidInput, match="not by 'score'"):
        order("score")


def test_what_is_explained_names_the_operations_that_changed_the_note(memory: Memory) -> None:
    note = memory.remember(NOTE).id
    memory.revise(note, NOTE + " It is logged.")
    found = memory.explain(note)
    assert len(found.operations) == 2
    assert all(one.id in {known.id for known in memory.operations()} for one in found.operations)
    assert "1 later revision" in found.state.stability.inputs
