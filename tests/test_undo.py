"""Undo: taking one operation back, alone, so that every question has its former answer again (I-09)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from moored.embed.fake import HashingEmbedder
from moored.errors import InvalidInput, NotFound
from moored.memory import Memory, open_memory
from moored.model.clock import ManualClock
from moored.model.ids import SequentialIds

WINCH = "The winch is greased before each tide."
CRANE = "The crane is moored at the north quay."
QUESTIONS = ("winch", "when is the winch greased", "where is the crane", "north quay", "tide", "ship")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with begin(tmp_path) as opened:
        yield opened


def begin(folder: Path) -> Memory:
    (folder / "tree").mkdir(parents=True)
    return open_memory(
        folder / "tree",
        store=folder / "moored.db",
        clock=ManualClock(),
        ids=SequentialIds(),
        embedder=HashingEmbedder(),
    )


def answers(memory: Memory) -> list[object]:
    """All that a memory answers, when every text has its vector."""
    memory.upkeep()
    notes = [(one.judged.note, one.judged.verdict) for one in memory.notes()]
    asked = [memory.recall(question).hits for question in QUESTIONS]
    listed = [memory.disputes(), memory.pins(), memory.rules(), memory.reminders(), memory.aliases()]
    return [notes, asked, *listed, *(memory.show(one.judged.note.id) for one in memory.notes())]


def last(memory: Memory) -> str:
    return memory.operations()[-1].id


DEEDS: dict[str, Callable[[Memory, str], object]] = {
    "remember": lambda m, _: m.remember("The ship is tarred in spring.", aliases=["ship", "boat"]),
    "remember again in other words": lambda m, _: m.remember("Before each tide the winch is greased."),
    "remember an update": lambda m, _: m.remember("The winch is now greased after each tide, no longer before it."),
    "remember what denies it": lambda m, _: m.remember("The winch is not greased before each tide."),
    "revise": lambda m, note: m.revise(note, "The winch is oiled."),
    "replace": lambda m, note: m.remember("A new winch needs no grease.", supersedes=note),
    "protect": lambda m, note: m.protect(note, "the harbour master says so"),
    "rate": lambda m, note: m.rate(note, useful=False, because="it was wrong"),
    "forget": lambda m, note: m.forget(note),
    "lay down a rule": lambda m, _: m.add_rule("forbid", "text~winch"),
    "remind": lambda m, _: m.remind("Look at the chain.", when="the word winch"),
}
LATER: dict[str, Callable[[Memory, str], object]] = {
    **DEEDS,
    "settle for one": lambda m, _: m.resolve(m.disputes()[0].dispute.id, m.disputes()[0].newer.id),
    "settle for both": lambda m, _: m.resolve(m.disputes()[0].dispute.id, "both"),
    "accept": lambda m, _: m.accept(m.review().proposals[0].proposal.id),
    "reject": lambda m, _: m.reject(m.review().proposals[0].proposal.id, "it holds as it is"),
    "take a rule away": lambda m, _: m.remove_rule(m.rules()[0].id),
    "free": lambda m, _: m.unprotect(m.disputes()[0].older.id),
    "seed": lambda m, _: m.seed(),
}


@pytest.mark.invariant("I-09")
@pytest.mark.parametrize("deed", DEEDS)
def test_undo_restores_every_answer_and_undoing_the_undo_the_other(memory: Memory, deed: str) -> None:
    note = memory.remember(WINCH).id
    memory.remember(CRANE)
    before = answers(memory)
    DEEDS[deed](memory, note)
    operation, after = last(memory), answers(memory)
    undone = memory.undo(operation)
    assert undone.undone == operation
    assert answers(memory) == before
    assert memory.doctor(deep=True).healthy
    if deed == "forget":
        with pytest.raises(InvalidInput, match="`forget` it again"):
            memory.undo(undone.operation)
    else:
        memory.undo(undone.operation)
        assert answers(memory) == after
    assert memory.doctor(deep=True).healthy


@pytest.mark.invariant("I-09")
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(deeds=st.lists(st.sampled_from(sorted(DEEDS)), min_size=1, max_size=4))
def test_undoing_one_after_the_other_leads_back_through_every_answer(
    tmp_path_factory: pytest.TempPathFactory, deeds: list[str]
) -> None:
    with begin(tmp_path_factory.mktemp("undo")) as memory:
        note = memory.remember(WINCH).id
        memory.remember(CRANE)
        seen: list[tuple[str, list[object]]] = []
        for deed in deeds:
            before, known = answers(memory), len(memory.operations())
            try:
                DEEDS[deed](memory, note)
            except (InvalidInput, NotFound):
                continue
            if len(memory.operations()) > known:
                seen.append((last(memory), before))
        for operation, before in reversed(seen):
            memory.undo(operation)
            assert answers(memory) == before


@pytest.mark.invariant("I-09")
@pytest.mark.parametrize("deed", LATER)
@settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(picks=st.lists(st.integers(0, 9), min_size=3, max_size=7))
def test_an_operation_stands_unless_one_that_stands_took_it_back(
    tmp_path_factory: pytest.TempPathFactory, deed: str, picks: list[int]
) -> None:
    with begin(tmp_path_factory.mktemp("undo")) as memory:
        root, before, after = done(memory, deed)
        undoes = {root: ""}

        def stands(operation: str) -> bool:
            return not any(undone == operation and stands(by) for by, undone in undoes.items())

        for pick in picks:
            chosen = list(undoes)[-1 - pick % len(undoes)]
            chain = [chosen]
            while undoes[chain[-1]]:
                chain.append(undoes[chain[-1]])
            taken = [by for one in chain[2::2] for by, undone in undoes.items() if undone == one and stands(by)]
            if not stands(chosen):
                refused = "undone already"
            elif taken:
                refused = f"Undo first: {taken[0]}"
            else:
                refused = "`forget` it again" if deed == "forget" and len(chain) > 1 else ""
            if refused:
                with pytest.raises(InvalidInput, match=refused):
                    memory.undo(chosen)
            else:
                undoes[memory.undo(chosen).operation] = chosen
            known = {one.id: one.undone_at is None for one in memory.operations()}
            assert {one: known[one] for one in undoes} == {one: stands(one) for one in undoes}
            assert answers(memory) == (after if stands(root) else before)
        assert memory.doctor(deep=True).healthy


def done(memory: Memory, deed: str) -> tuple[str, list[object], list[object]]:
    """Do a deed in a memory with a bit of everything in it: the operation, and the answers before and after."""
    (Path(memory.tree.root) / "README.md").write_text("# The harbour\n\nShips lie here, and a crane unloads them.\n")
    memory.index()
    note = memory.remember(WINCH).id
    memory.protect(memory.remember(CRANE).id, "the harbour master says so")
    memory.remember("The crane is not moored at the north quay.")
    memory.rate(note, useful=False, because="it is oiled now")
    memory.add_rule("damp", "text~tide")
    memory.review()
    before = answers(memory)
    LATER[deed](memory, note)
    operation, after = last(memory), answers(memory)
    return operation, before, after


def test_an_operation_whose_note_was_changed_since_is_refused_and_says_what_to_undo_first(memory: Memory) -> None:
    note = memory.remember(WINCH)
    begun = last(memory)
    memory.revise(note.id, "The winch is oiled.")
    revised, before = last(memory), answers(memory)
    with pytest.raises(InvalidInput, match=f"Undo first: {revised}"):
        memory.undo(begun)
    assert answers(memory) == before
    memory.undo(revised)
    memory.undo(begun)
    assert memory.notes() == ()


def test_what_cannot_be_undone_says_why_and_changes_nothing(memory: Memory) -> None:
    note = memory.remember(WINCH).id
    memory.remember(CRANE)
    kept = last(memory)
    memory.forget(note, hard=True)
    before = answers(memory)
    with pytest.raises(InvalidInput, match="gone for good"):
        memory.undo(last(memory))
    with pytest.raises(NotFound, match="no operation op_nothing"):
        memory.undo("op_nothing")
    assert answers(memory) == before
    memory.undo(kept)
    with pytest.raises(InvalidInput, match="undone already"):
        memory.undo(kept)


@pytest.mark.invariant("I-06")
def test_an_operation_of_another_project_is_not_there(memory: Memory, tmp_path: Path) -> None:
    memory.remember(WINCH)
    (tmp_path / "other").mkdir()
    with (
        open_memory(tmp_path / "other", store=tmp_path / "moored.db", dense=False) as other,
        pytest.raises(NotFound, match="no operation"),
    ):
        other.undo(last(memory))
    assert [hit.text for hit in memory.recall("winch").hits] == [WINCH]


def test_what_does_nothing_leaves_no_operation(memory: Memory) -> None:
    note = memory.remember(WINCH).id
    known = len(memory.operations())
    memory.remember(WINCH)
    memory.revise(note)
    with pytest.raises(InvalidInput):
        memory.protect(note, "")
    assert len(memory.operations()) == known


@pytest.mark.invariant("I-08")
def test_a_decision_protects_itself_until_somebody_asks(memory: Memory) -> None:
    note = memory.remember("Charts are kept on paper.", kind="decision").id
    assert memory.show(note).note.protected == "it is a decision"  # type: ignore[union-attr] - a note
    update = memory.remember("Charts are now kept on a screen, no longer on paper.", kind="decision")
    assert update.id != note
    assert memory.history(note)[-1].text == "Charts are kept on paper."  # type: ignore[union-attr] - of a note
    memory.revise(note, "Charts are kept on paper and on a screen.")
    assert memory.history(note)[-1].text == "Charts are kept on paper and on a screen."  # type: ignore[union-attr]
    memory.unprotect(note)
    assert memory.show(note).note.protected == ""  # type: ignore[union-attr] - a note
