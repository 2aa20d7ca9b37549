"""Two notes that contradict each other, as a question finds them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from moored.memory import Memory, open_memory
from moored.model.clock import ManualClock
from moored.model.ids import SequentialIds
from moored.model.notes import JudgedNote, State

OLD = "SSH to the jump host is on port 22."
NEW = "By the way, since this is asked so often: ssh to the jump host is on port 49222, and never on port 22."
ASKED = "which port is ssh to the jump host on"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    (tmp_path / "tree").mkdir()
    clock = ManualClock()
    with open_memory(
        tmp_path / "tree", store=tmp_path / "moored.db", clock=clock, ids=SequentialIds(), dense=False
    ) as opened:
        yield opened


@pytest.fixture
def alone(memory: Memory) -> tuple[str, str]:
    """The ids of the older and the newer note, with no other note there."""
    return memory.remember(OLD).id, memory.remember(NEW).id


@pytest.fixture
def disputed(memory: Memory) -> tuple[str, str]:
    """The ids of the older and the newer note, among others."""
    for other in ("The jump host is rebooted on Sundays.", "Each port of the firewall has an owner.", "Use SSH keys."):
        memory.remember(other)
    return memory.remember(OLD).id, memory.remember(NEW).id


def test_both_sides_come_back_as_disputed_with_what_the_other_says(memory: Memory, disputed: tuple[str, str]) -> None:
    older, newer = disputed
    hits = {hit.id: hit for hit in memory.recall(ASKED, kinds=["note"]).hits}
    assert {hits[older].verdict.state, hits[newer].verdict.state} == {State.DISPUTED}
    assert hits[older].verdict.current == NEW
    assert hits[newer].verdict.current == OLD
    assert f"disputed by the newer {newer} of " in hits[older].verdict.reason
    assert f"disputed by the older {older} of " in hits[newer].verdict.reason


def test_the_newer_side_comes_first_though_the_older_says_it_in_fewer_words(
    memory: Memory, disputed: tuple[str, str]
) -> None:
    hits = [hit.id for hit in memory.recall("ssh jump host port", kinds=["note"]).hits]
    assert hits.index(disputed[1]) < hits.index(disputed[0])


@pytest.mark.parametrize("question", [ASKED, OLD, "port 22", "ssh", "jump host port 22"])
def test_of_two_notes_alone_the_newer_comes_first_whatever_their_scores(
    memory: Memory, alone: tuple[str, str], question: str
) -> None:
    older, newer = alone
    assert [hit.id for hit in memory.recall(question, kinds=["note"]).hits] == [newer, older]


def test_the_older_side_scores_higher_and_still_comes_second(memory: Memory, alone: tuple[str, str]) -> None:
    older, newer = alone
    first, second = memory.recall(OLD, kinds=["note"]).hits
    assert (first.id, second.id) == (newer, older)
    assert first.score < second.score


def test_the_newer_side_comes_first_before_an_edit_too(memory: Memory) -> None:
    tree = Path(memory.tree.root)
    (tree / "queue.py").write_text("def push(item):\n    return [item, 1]\n")
    memory.index()
    older = memory.remember("Use Redis for the queue, not RabbitMQ.", about=["queue.py::push", "queue.py"]).id
    newer = memory.remember("Use RabbitMQ for the queue, not Redis.", about=["queue.py"]).id
    assert [(one.newer.id, one.older.id) for one in memory.disputes()] == [(newer, older)]
    for names in ((), ("push",)):
        text = memory.before_edit(["queue.py"], names=names).text
        assert text.index(f"- {newer} [disputed]") < text.index(f"- {older} [disputed]")


def test_a_new_value_comes_back_before_the_old_which_is_marked_as_replaced(memory: Memory) -> None:
    note = memory.remember("The billing service listens on port 5432.")
    update = memory.remember("The billing service now listens on port 49222.")
    assert (update.id, update.outcome) == (note.id, "revised")
    said = memory.history(note.id)[0].episode
    answer = memory.recall("billing service port 5432")
    assert answer.hits[0].id == note.id
    assert "49222" in answer.hits[0].text
    old = [hit for hit in answer.hits if hit.id == said]
    left_out = [one.reason for one in answer.receipt.omitted if one.id == said]
    assert [hit.verdict.state for hit in old] == [State.SUPERSEDED] or left_out == ["superseded"]


def test_a_note_that_was_superseded_gives_its_place_to_the_newer(memory: Memory) -> None:
    older = memory.remember(OLD).id
    newer = memory.remember(NEW, supersedes=older).id
    assert [hit.id for hit in memory.recall(OLD, kinds=["note"]).hits] == [newer]


def test_a_settled_dispute_leaves_one_note_current_and_the_other_superseded(
    memory: Memory, disputed: tuple[str, str]
) -> None:
    older, newer = disputed
    (one,) = memory.disputes()
    memory.resolve(one.dispute.id, newer)
    hits = {hit.id: hit.verdict.state for hit in memory.recall(ASKED, kinds=["note"]).hits}
    assert hits[newer] is not State.DISPUTED
    assert hits.get(older, State.SUPERSEDED) is State.SUPERSEDED


def test_notes_that_both_hold_are_not_marked_any_more(memory: Memory, disputed: tuple[str, str]) -> None:
    (one,) = memory.disputes()
    memory.resolve(one.dispute.id, "both")
    states = {hit.id: hit.verdict.state for hit in memory.recall(ASKED, kinds=["note"]).hits}
    assert State.DISPUTED not in states.values()
    assert set(disputed) <= set(states)


def test_a_note_is_disputed_wherever_it_is_shown_until_the_dispute_is_settled(
    memory: Memory, alone: tuple[str, str]
) -> None:
    def states() -> set[State]:
        one = memory.show(alone[0])
        assert isinstance(one, JudgedNote)
        listed = (*memory.stale().notes, *(note.judged for note in memory.notes()))
        return {shown.verdict.state for shown in (one, *listed, memory.explain(alone[1]).judged)}

    sure = memory.explain(alone[1]).state.confidence.value
    assert states() == {State.DISPUTED}
    memory.resolve(memory.disputes()[0].dispute.id, "both")
    assert states() == {State.UNVERIFIABLE}
    settled = memory.explain(alone[1]).state.confidence.value
    assert sure is not None
    assert settled is not None
    assert sure == pytest.approx(0.7 * 2.4 / 5)
    assert settled > sure


@pytest.mark.invariant("I-14")
def test_the_brief_of_a_new_session_says_that_notes_contradict_each_other(
    memory: Memory, disputed: tuple[str, str]
) -> None:
    older, newer = disputed
    brief = memory.start(host="claude-code", session="one").text
    for note, other in ((older, newer), (newer, older)):
        (said,) = [entry for entry in brief.split("\n- ") if entry.startswith(f"{note} ")]
        assert f"{note} [disputed]" in said
        assert other in said
