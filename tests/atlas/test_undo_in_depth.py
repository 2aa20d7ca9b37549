"""Undo of each kind of operation that `test_undo` does not try, of several in a row, and what stands in its way."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from moored.embed.fake import HashingEmbedder
from moored.errors import InvalidInput, NotFound
from moored.memory import Memory, open_memory
from moored.model.clock import ManualClock
from moored.model.ids import SequentialIds

WINCH = "The winch is greased before each tide. It is painted red."
DENIED = "The winch is not greased before each tide. It is painted red."
CRANE = "The crane is moored at the north quay."
QUESTIONS = ("winch", "red paint", "ship", "which commit mended the lamp", "harbour", "package manager")

pytestmark = pytest.mark.invariant("I-09")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    root = tmp_path / "harbour"
    root.mkdir()
    (root / "README.md").write_text("# The harbour\n\nShips lie here, and a crane unloads them.\n")
    (root / "lamp.py").write_text("def light(lamp):\n    return lamp.on\n")
    for arguments in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "Mend the lamp"]):
        subprocess.run(["git", "-C", str(root), *arguments], check=True, capture_output=True)
    with open_memory(
        root, store=tmp_path / "moored.db", clock=ManualClock(), ids=SequentialIds(), embedder=HashingEmbedder()
    ) as opened:
        opened.index()
        yield opened


def answers(memory: Memory) -> list[object]:
    """All that a memory answers, when every text has its vector."""
    memory.upkeep()
    notes = [(one.judged.note, one.judged.verdict) for one in memory.notes()]
    asked = [memory.recall(question).hits for question in QUESTIONS]
    listed = [memory.disputes(), memory.pins(), memory.rules(), memory.reminders(), memory.aliases(), memory.profile()]
    return [notes, asked, listed, memory.stale(), memory.brief().text]


def last(memory: Memory) -> str:
    return memory.operations()[-1].id


def settle(memory: Memory) -> None:
    dispute = memory.disputes()[0].dispute
    memory.resolve(dispute.id, dispute.note)


def merge(memory: Memory) -> None:
    merged = memory.remember("The winch is greased before each tide. Its chain is 40 m long.")
    assert merged.outcome == "merged"


DEEDS: dict[str, Callable[[Memory], object]] = {
    "import of a history": lambda m: m.import_git(),
    "seeding": lambda m: m.seed(),
    "settling a dispute": settle,
    "a note that names its subject": lambda m: m.remember("The ship is tarred in spring.", aliases=["ship", "boat"]),
    "taking a rule away": lambda m: m.remove_rule(m.rules()[0].id),
    "freeing a note": lambda m: m.unprotect(m.notes()[-1].judged.note.id),
}


@pytest.mark.parametrize("deed", DEEDS)
def test_undo_restores_every_answer_after(memory: Memory, deed: str) -> None:
    memory.protect(memory.remember(WINCH).id, "the harbour master says so")
    memory.remember(DENIED)
    memory.add_rule("damp", "text~crane")
    memory.alias("ship", "vessel")
    before = answers(memory)
    DEEDS[deed](memory)
    operation, after = last(memory), answers(memory)
    assert after != before
    memory.undo(operation)
    assert answers(memory) == before
    assert memory.doctor(deep=True).healthy


def test_undo_of_a_merge_leaves_the_note_as_it_was_and_its_text_in_the_history(memory: Memory) -> None:
    note = memory.remember(WINCH).id
    before = answers(memory)
    merge(memory)
    memory.undo(last(memory))
    assert answers(memory) == before
    assert [one.text.splitlines()[0] for one in memory.history(note)] == [WINCH, WINCH]  # type: ignore[union-attr] - of a note


def test_an_import_that_was_taken_back_comes_in_again_on_request(memory: Memory) -> None:
    imported = memory.import_git().recorded
    undone = memory.undo(last(memory))
    assert undone.hidden == imported > 0
    assert memory.recall("mend the lamp", kinds=["episode"]).hits == ()
    memory.import_git()
    assert [hit.text for hit in memory.recall("mend the lamp", kinds=["episode"]).hits]


def test_what_was_undone_and_redone_can_be_undone_again(memory: Memory) -> None:
    before = answers(memory)
    memory.add_rule("damp", "text~crane")
    operation, after = last(memory), answers(memory)
    for _ in range(2):
        undone = memory.undo(operation)
        assert answers(memory) == before
        memory.undo(undone.operation)
        assert answers(memory) == after
    assert memory.doctor(deep=True).healthy


def test_every_later_change_that_stands_in_the_way_is_named_newest_first(memory: Memory) -> None:
    note = memory.remember(WINCH).id
    begun = last(memory)
    memory.revise(note, "The winch is oiled.")
    first = last(memory)
    memory.revise(note, "The winch is gone.")
    second, before = last(memory), answers(memory)
    for operation, named in ((begun, f"{second}, {first}"), (first, second)):
        with pytest.raises(InvalidInput, match=f"cannot be undone alone: the note {note}.*Undo first: {named}"):
            memory.undo(operation)
    assert answers(memory) == before
    for operation in (second, first, begun):
        memory.undo(operation)
    assert memory.notes() == ()


def test_an_undo_that_fails_at_one_note_changes_none(memory: Memory) -> None:
    older = memory.remember(CRANE).id
    newer = memory.remember("The crane is moored at the south quay.", supersedes=older).id
    operation = last(memory)
    memory.revise(newer, "The crane is moored at the west quay.")
    before = answers(memory)
    with pytest.raises(InvalidInput, match="cannot be undone alone"):
        memory.undo(operation)
    assert answers(memory) == before
    assert memory.note(older).superseded_by == newer


def test_an_undo_in_the_middle_leaves_what_others_did_to_other_notes(memory: Memory) -> None:
    winch, crane = memory.remember(WINCH).id, memory.remember(CRANE).id
    memory.revise(winch, "The winch is oiled.")
    revised = last(memory)
    memory.protect(winch, "the harbour master says so")
    memory.revise(crane, "The crane is moored at the south quay.")
    memory.undo(revised)
    assert memory.note(winch).head.text == WINCH
    assert memory.note(winch).protected == "the harbour master says so"
    assert memory.note(crane).head.text == "The crane is moored at the south quay."


@pytest.mark.invariant("I-08")
def test_a_protected_note_is_given_back_by_an_undo_since_somebody_asked_for_it(memory: Memory) -> None:
    note = memory.remember(WINCH).id
    memory.protect(note, "the harbour master says so")
    memory.revise(note, "The winch is oiled.")
    undone = memory.undo(last(memory), actor="agent")
    assert memory.note(note).head.text == WINCH
    (own,) = [one for one in memory.operations() if one.id == undone.operation]
    assert (own.kind, own.actor, own.asked) == ("undo", "agent", True)


def test_what_stays_forgotten_is_not_undone_by_undoing_what_brought_it(memory: Memory) -> None:
    note = memory.remember(WINCH).id
    begun = last(memory)
    memory.remember(CRANE)
    memory.forget(note, hard=True)
    memory.undo(begun)
    assert [one.judged.note.head.text for one in memory.notes()] == [CRANE]
    assert memory.doctor(deep=True).healthy


@pytest.mark.parametrize("refused", ["unknown", "another's", "nothing"])
def test_what_is_no_operation_of_the_project_is_not_found_and_nothing_changes(
    memory: Memory, tmp_path: Path, refused: str
) -> None:
    memory.remember(WINCH)
    (tmp_path / "other").mkdir()
    with open_memory(tmp_path / "other", store=tmp_path / "moored.db", dense=False) as other:
        other.remember(CRANE)
        theirs = last(other)
        before = answers(memory)
        with pytest.raises(NotFound, match="no operation"):
            memory.undo({"unknown": "op_unknown", "another's": theirs, "nothing": ""}[refused])
        assert answers(memory) == before
        assert [one.judged.note.head.text for one in other.notes()] == [CRANE]


@pytest.mark.parametrize(
    "idle",
    [
        lambda m: m.remember(WINCH),
        lambda m: m.revise(m.notes()[0].judged.note.id),
        lambda m: m.protect(m.notes()[0].judged.note.id, "the harbour master says so"),
        lambda m: m.unprotect(m.notes()[1].judged.note.id),
        lambda m: m.learn(),
        lambda m: m.review(),
        lambda m: m.seed(),
        lambda m: m.import_git(),
    ],
    ids=["remember", "revise", "protect", "unprotect", "learn", "review", "seed", "import"],
)
def test_what_does_nothing_leaves_no_trace(memory: Memory, idle: Callable[[Memory], object]) -> None:
    memory.import_git()
    memory.seed()
    memory.remember(CRANE)
    memory.protect(memory.remember(WINCH).id, "the harbour master says so")
    before, known = answers(memory), memory.operations()
    idle(memory)
    assert memory.operations() == known
    assert answers(memory) == before


def test_the_undo_of_a_redo_takes_the_operation_back_again(memory: Memory) -> None:
    before = answers(memory)
    memory.add_rule("damp", "text~crane")
    undone = memory.undo(last(memory)).operation
    redone = memory.undo(undone).operation
    memory.undo(redone)
    assert answers(memory) == before


def test_a_name_that_two_notes_gave_stays_when_one_of_them_is_undone(memory: Memory) -> None:
    memory.remember("The ship is tarred in spring.", aliases=["ship", "boat"])
    first = last(memory)
    memory.remember("The ship is painted in autumn.", aliases=["ship", "boat"])
    memory.undo(first)
    assert [one.alias for one in memory.aliases()] == ["boat"]


@pytest.mark.parametrize("gone", ["undone", "forgotten", "forgotten for good"])
def test_a_name_stays_while_one_of_those_who_gave_it_is_left(memory: Memory, gone: str) -> None:
    names = ["ship", "boat"]
    notes = [memory.remember(f"The ship is {deed}.", aliases=names).id for deed in ("tarred in spring", "painted")]
    begun = [one.id for one in memory.operations()]
    for number, left in ((1, ["boat"]), (0, [])):
        if gone == "undone":
            memory.undo(begun[number])
        else:
            memory.forget(notes[number], hard=gone == "forgotten for good")
        assert [one.alias for one in memory.aliases()] == left


def test_a_name_that_a_person_gave_stays_when_the_note_that_gave_it_too_is_undone(memory: Memory) -> None:
    memory.alias("ship", "boat")
    memory.remember("The ship is tarred in spring.", aliases=["ship", "boat"])
    memory.undo(last(memory))
    assert [(one.alias, one.origin) for one in memory.aliases()] == [("boat", "person")]


def test_a_settlement_that_is_redone_settles_its_dispute(memory: Memory) -> None:
    memory.remember(WINCH)
    memory.remember(DENIED)
    dispute = memory.disputes()[0].dispute
    undone = memory.undo(memory.resolve(dispute.id, "both").operation).operation
    again = memory.resolve(dispute.id, "both").operation
    memory.undo(undone)
    memory.undo(again)
    assert memory.disputes() == ()


def test_two_settlements_that_stand_cannot_say_the_contrary(memory: Memory) -> None:
    memory.remember(WINCH)
    memory.remember(DENIED)
    (disputed,) = memory.disputes()
    undone = memory.undo(memory.resolve(disputed.dispute.id, disputed.newer.id).operation).operation
    contrary = memory.resolve(disputed.dispute.id, disputed.older.id).operation
    before = answers(memory)
    with pytest.raises(InvalidInput, match=f"the note {disputed.newer.id} was changed since.*Undo first: {contrary}"):
        memory.undo(undone)
    assert answers(memory) == before
    assert [one.judged.note.id for one in memory.notes()] == [disputed.older.id]


@pytest.mark.parametrize("hard", [False, True], ids=["for a while", "for good"])
@pytest.mark.parametrize("both", [False, True], ids=["one", "two"])
def test_the_oldest_value_stays_replaced_when_those_between_are_forgotten(
    memory: Memory, hard: bool, both: bool
) -> None:
    values = [memory.remember("The gate is on port 1.").id]
    for port in (2, 3, 4):
        values.append(memory.remember(f"The gate is on port {port}.", supersedes=values[-1]).id)
    oldest, *between, newest = values
    memory.forget(*between[: 1 + both], hard=hard)
    assert [one.judged.note.id for one in memory.notes()] == [newest]
    assert memory.note(oldest).superseded_by == (newest if both else between[1])
    memory.forget(newest)
    standing = [one.judged.note.id for one in memory.notes()]
    assert standing == ([oldest] if both else [between[1]])
    assert memory.doctor(deep=True).healthy


def test_what_was_accepted_and_is_redone_is_accepted_whatever_was_said_meanwhile(memory: Memory) -> None:
    note = memory.remember(WINCH).id
    memory.rate(note, useful=False, because="it is oiled now")
    (one,) = memory.review().proposals
    proposal = one.proposal.id
    undone = memory.undo(memory.accept(proposal, "The winch is oiled.").operation).operation
    rejected = memory.reject(proposal, "it holds as it is").operation
    memory.undo(undone)
    assert memory.note(note).head.text == "The winch is oiled."
    assert decided(memory, proposal) == ("accepted", "")
    memory.undo(rejected)
    assert decided(memory, proposal) == ("accepted", "")


def test_what_was_rejected_stays_rejected_when_the_accept_is_taken_back(memory: Memory) -> None:
    memory.rate(memory.remember(WINCH).id, useful=False, because="it is oiled now")
    (one,) = memory.review().proposals
    undone = memory.undo(memory.accept(one.proposal.id).operation).operation
    memory.reject(one.proposal.id, "it holds as it is")
    memory.undo(memory.undo(undone).operation)
    assert decided(memory, one.proposal.id) == ("rejected", "it holds as it is")


def decided(memory: Memory, proposal_id: str) -> tuple[str, str]:
    with memory.store.read() as view:
        found = view.proposals.get(memory.project, proposal_id)
    assert found is not None
    return found.decision, found.because


def test_what_was_forgotten_twice_comes_back_when_neither_stands(memory: Memory) -> None:
    note = memory.remember(WINCH).id
    said, before = memory.note(note).head.episode, answers(memory)
    first = memory.forget(note).operation
    second = memory.forget(said).operation
    with pytest.raises(InvalidInput, match=f"Undo first: {second}"):
        memory.undo(first)
    assert memory.recall("winch").hits == ()
    memory.undo(second)
    assert memory.notes() == ()
    assert memory.recall("winch").hits == ()
    memory.undo(first)
    assert answers(memory) == before


def test_an_episode_that_was_forgotten_stays_so_when_what_brought_it_is_undone_and_redone(memory: Memory) -> None:
    memory.import_git()
    imported = last(memory)
    (hit,) = memory.recall("mend the lamp", kinds=["episode"]).hits
    forgotten = memory.forget(hit.id).operation
    undone = memory.undo(imported).operation
    memory.undo(undone)
    assert memory.recall("mend the lamp", kinds=["episode"]).hits == ()
    memory.undo(forgotten)
    assert [one.id for one in memory.recall("mend the lamp", kinds=["episode"]).hits] == [hit.id]


def test_what_two_imports_brought_in_is_there_while_one_of_them_stands(memory: Memory) -> None:
    memory.import_git()
    first = last(memory)
    undone = memory.undo(first).operation
    memory.import_git()
    memory.undo(last(memory))
    assert memory.recall("mend the lamp", kinds=["episode"]).hits == ()
    memory.undo(undone)
    assert memory.recall("mend the lamp", kinds=["episode"]).hits
    memory.undo(first)
    assert memory.recall("mend the lamp", kinds=["episode"]).hits == ()


def test_a_note_that_stands_again_is_disputed_again(memory: Memory) -> None:
    older = memory.remember(WINCH).id
    memory.remember(DENIED)
    memory.forget(memory.remember("A new winch needs no grease.", supersedes=older).id)
    assert len(memory.disputes()) == 1


@pytest.mark.invariant("I-23")
def test_what_was_asked_while_a_note_stood_changes_no_answer_after_its_undo(memory: Memory) -> None:
    memory.remember(WINCH)
    memory.remember(DENIED)
    memory.upkeep()
    assert memory.recall("crane north quay").hits == ()
    memory.remember("The ship is tarred in spring.")
    operation = last(memory)
    memory.upkeep()
    memory.recall("crane north quay")
    memory.undo(operation)
    assert memory.recall("crane north quay").hits == ()
