"""A turn comes with what was said around it: bounded, in its session, once, and after every hit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from moored.errors import InvalidInput
from moored.model.condition_text import parse
from moored.model.episodes import Role
from moored.model.recall import Hit, HitKind
from moored.model.rules import Action, Rule, ScopeKind
from moored.model.tokens import count_tokens
from moored.recall.policy import InContext, Policy
from moored.recall.requested import requested
from moored.recall.selector import recall
from moored.recall.surroundings import DEAREST, LONGEST

if TYPE_CHECKING:
    from conftest import Desk

shared = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

TALK = [
    ("Can you look at the lock gate first?", Role.USER),
    ("I checked the lock gate, its hinges are rusty.", Role.ASSISTANT),
    ("Why does the dredger stop every night?", Role.USER),
    ("Its fuel filter is clogged with silt, so it stops.", Role.ASSISTANT),
    ("Then order three new ones.", Role.USER),
    ("Ordered, they arrive on Monday.", Role.ASSISTANT),
]
QUESTION = "why does the dredger stop with a clogged fuel filter"


def talk(desk: Desk, session: str = "monday") -> list[str]:
    return [desk.record(text, role, session=session) for text, role in TALK]


def asked(desk: Desk, context: int, **policy: object) -> tuple[Hit, ...]:
    return desk.recall(QUESTION, Policy(context=context, **policy)).hits  # pyright: ignore[reportArgumentType]


def told(hits: tuple[Hit, ...]) -> list[str]:
    return [turn.id for hit in hits for turn in hit.context]


def test_a_turn_comes_with_those_before_and_after_it_in_their_order(desk: Desk) -> None:
    ids = talk(desk)
    (hit,) = asked(desk, 2, limit=1)
    assert hit.id in ids
    at = ids.index(hit.id)
    assert [turn.id for turn in hit.context] == [*ids[max(at - 2, 0) : at], *ids[at + 1 : at + 3]]
    assert [turn.before for turn in hit.context] == [True, True, False, False]
    texts = dict(zip(ids, (text for text, _ in TALK), strict=True))
    assert all(turn.text == texts[turn.id] and turn.tokens == count_tokens(turn.text) for turn in hit.context)


def test_nothing_is_told_around_a_hit_unless_asked_for(desk: Desk) -> None:
    talk(desk)
    assert not told(desk.recall(QUESTION).hits)
    assert desk.recall(QUESTION).receipt.context_omitted == 0


def test_turns_of_other_sessions_and_projects_stay_out(desk: Desk) -> None:
    ids = talk(desk)
    between = desk.record("The mayor comes for lunch.", session="tuesday")
    beside = desk.beside("marina")
    theirs = talk(beside)
    found = {*told(asked(desk, 5, limit=1))}
    assert found
    assert found <= set(ids)
    assert found.isdisjoint([between, *theirs])
    assert set(told(asked(beside, 5, limit=1))) <= set(theirs)


def test_what_was_said_in_no_named_session_has_no_neighbours(desk: Desk) -> None:
    talk(desk, session="")
    assert asked(desk, 5)
    assert not told(asked(desk, 5))


def test_turns_that_an_undone_import_brought_in_stay_out(desk: Desk) -> None:
    ids = talk(desk)
    (hit,) = asked(desk, 1, limit=1)
    gone = hit.context[-1].id
    with desk.store.write() as transaction:
        transaction.operations.begin(desk.project, "op_1", "import", "", desk.clock.now(), actor="import")
        transaction.operations.attribute(desk.project, "op_1", [gone])
        assert transaction.operations.hide(desk.project, "op_1") == 1
    (again,) = asked(desk, 1, limit=1)
    assert again.id == hit.id
    assert again.context[-1].id == ids[ids.index(gone) + 1]


def test_a_hit_and_the_context_of_another_are_not_told_twice(desk: Desk) -> None:
    talk(desk)
    hits = asked(desk, 5, floor=-1.0, least=-1.0, sure=-1.0, far_below=0.0)
    assert len(hits) > 1
    every = [hit.id for hit in hits] + told(hits)
    assert len(every) == len(set(every))


def test_a_note_is_not_told_again_as_a_turn_of_the_session_in_which_it_was_written(desk: Desk) -> None:
    ids = talk(desk)
    note = desk.remember("The dredger needs its fuel filter changed monthly.", host="", session="monday")
    hits = asked(desk, 5)
    assert note in {hit.id for hit in hits}
    assert set(told(hits)) <= set(ids)


def test_automation_and_summaries_are_no_turns(desk: Desk) -> None:
    ids = talk(desk)
    desk.record("dredger summary of it all", Role.SYSTEM, session="monday")
    assert set(told(asked(desk, 5, limit=1))) <= set(ids)


def test_the_output_of_a_tool_is_cut_and_told_as_data_with_its_call(desk: Desk) -> None:
    desk.record("The dredger stops because its fuel filter is clogged.", session="monday")
    desk.record(
        "FAILED\n" + "line of output\n" * 2_000,
        Role.TOOL,
        tool_name="Bash",
        tool_input="make survey",
        exit_status=2,
        session="monday",
    )
    (hit,) = (hit for hit in asked(desk, 1, limit=1) if hit.kind is HitKind.EPISODE)
    (turn,) = hit.context
    assert turn.text.startswith("Bash make survey (exit status 2): FAILED line of output")
    assert turn.text.endswith("…")
    assert len(turn.text) <= LONGEST
    assert (turn.role, turn.trust) == ("tool", "data")


def test_a_turn_in_a_dense_script_is_bounded_in_tokens_too(desk: Desk) -> None:
    desk.record("The dredger stops because its fuel filter is clogged.", session="monday")
    desk.record("浚渫船は毎晩止まります" * 200, Role.ASSISTANT, session="monday")
    (hit,) = asked(desk, 1, limit=1)
    assert 0 < hit.context[0].tokens <= DEAREST


def test_a_turn_that_was_taken_back_says_what_corrected_it(desk: Desk) -> None:
    desk.record("The dredger stops because its fuel filter is clogged.", session="monday")
    wrong = desk.record("New ones cost ninety.", Role.ASSISTANT, session="monday")
    right = desk.record("They cost seventy.", Role.ASSISTANT, session="tuesday", corrects=wrong)
    (hit,) = asked(desk, 1, limit=1)
    assert [(turn.id, turn.corrected_by) for turn in hit.context] == [(wrong, right)]


def test_every_hit_comes_before_any_context_and_the_receipt_counts_what_had_no_room(desk: Desk) -> None:
    talk(desk)
    alone = desk.recall(QUESTION)
    room = alone.receipt.tokens
    tight = desk.recall(QUESTION, Policy(context=5, budget=room))
    assert [hit.id for hit in tight.hits] == [hit.id for hit in alone.hits]
    assert not told(tight.hits)
    wide = desk.recall(QUESTION, Policy(context=5))
    assert wide.receipt.context_omitted == 0
    assert tight.receipt.context_omitted == len(told(wide.hits)) > 0


@shared
@given(budget=st.integers(0, 200), context=st.integers(0, 5), limit=st.integers(0, 4))
def test_hits_and_context_together_never_cost_more_than_the_budget(
    conversation: Desk, budget: int, context: int, limit: int
) -> None:
    policy = Policy(context=context, budget=budget, limit=limit)
    answer = conversation.recall(QUESTION, policy)
    turns = [turn for hit in answer.hits for turn in hit.context]
    cost = sum(count_tokens(one.text) for one in (*answer.hits, *turns))
    assert cost == answer.receipt.tokens <= budget
    assert answer.hits == tuple(
        hit._replace(context=turned.context)
        for hit, turned in zip(conversation.recall(QUESTION, policy._replace(context=0)).hits, answer.hits, strict=True)
    )
    assert conversation.recall(QUESTION, policy) == answer


@pytest.fixture
def conversation(desk: Desk) -> Desk:
    talk(desk)
    talk(desk, "tuesday")
    return desk


def test_more_context_than_there_may_be_is_refused() -> None:
    for wrong in (-1, 6):
        with pytest.raises(InvalidInput, match="from 0 to 5"):
            requested(100, None, None, (), wrong)


def test_what_a_rule_refuses_is_not_told_as_context_either(conversation: Desk) -> None:
    (hit,) = asked(conversation, 5, limit=1)
    refused = next(turn for turn in hit.context if "Monday" in turn.text)
    rule = Rule(
        "ru_1", Action.FORBID, 1.0, parse('text~"monday"'), ScopeKind.PROJECT, "", "", "person", "op_1", 1
    )  # fmt: skip
    with conversation.store.read() as view:
        answer, _ = recall(
            view,
            conversation.project,
            conversation.tree,
            QUESTION,
            Policy(context=5, limit=1),
            meaning=conversation.meaning,
            now=conversation.clock.now(),
            known=InContext(rules=(rule,)),
        )
    (again,) = answer.hits
    assert [turn.id for turn in again.context] == [turn.id for turn in hit.context if turn.id != refused.id]
