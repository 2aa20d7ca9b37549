"""What a newer turn says otherwise: the older one is marked, names the newer, and stands behind it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moored.model.episodes import Role, Trust
from moored.model.notes import CURRENT, Change, State
from moored.model.recall import Hit, HitKind
from moored.recall.since import marked

if TYPE_CHECKING:
    from conftest import Desk

DAY = 86_400_000

CHANGES = (
    (
        "What is the response time of the dashboard API?",
        "250 ms, not 800 ms",
        "The dashboard API has a response time of 800 ms.",
        "The response time of the dashboard API is now 250ms.",
    ),
    (
        "How many commits were merged into main?",
        "165, not 150 commits",
        "I've pushed main with 150 commits merged.",
        "The commits merged into main have now reached 165.",
    ),
    (
        "When is the deadline of the release?",
        "apr 22, not apr 15",
        "The deadline of the release is April 15.",
        "The release deadline was moved to April 22.",
    ),
    (
        "Which version of Flask do we use?",
        "3.0.0, not 2.3.1",
        "We use Flask 2.3.1 with Python 3.11.",
        "I've upgraded the version of Flask we use to 3.0.0.",
    ),
    (
        "What is the quota of calls for the API key?",
        "1,200 calls per day, not 1000 calls per day",
        "My API key allows 1000 calls/day.",
        "My API key has a new quota of 1,200 calls per day.",
    ),
    (
        "What is the timeout?",
        "60 seconds, not 30 seconds",
        "The timeout is 30 seconds.",
        "The timeout is 60 seconds now.",
    ),
)

KEPT = (
    ("What is the latency of the search?", "The search has a latency of 120 ms.", "I want a search latency of 80 ms."),
    (
        "What is the latency of the search?",
        "The search has a latency of 120 ms.",
        "The search latency must be under 80 ms.",
    ),
    (
        "What is the latency of the search?",
        "The latency of the search is 120 ms.",
        "The latency of the login is now 80 ms.",
    ),
    (
        "What is the request timeout?",
        "The request timeout of the client is 30 s.",
        "The request timeout of the job is now 60 s.",
    ),
    (
        "What is the search latency?",
        "The search latency is 9 ms under 50 users.",
        "The search latency is now 12 ms under 500 users.",
    ),
    (
        "How large is the image of the app?",
        "The image of the app has 120 MB.",
        "The app now starts in 120 s from its image.",
    ),
    (
        "How many tests does sprint 2 have?",
        "The tests of sprint 2 are written.",
        "The tests of sprint 3 are now written.",
    ),
    ("Which version of Flask do we use?", "We use Flask 2.3.1.", "Jinja was upgraded to 3.1.2."),
    ("What is the search latency?", "The search latency is 120 ms.", "The search latency is still 120 ms now."),
    ("What is the colour of the door?", "The search latency is 120 ms.", "The search latency is now 80 ms."),
)


def _hits(desk: Desk, question: str, *turns: str, role: Role = Role.USER) -> list[Hit]:
    for day, text in enumerate(turns):
        desk.record(text, role, occurred_at=(day + 1) * DAY)
    return list(desk.recall(question).hits)


@pytest.mark.parametrize(("question", "change", "older", "newer"), CHANGES)
def test_a_figure_that_changed_marks_the_older_turn_and_the_newer_comes_first(
    desk: Desk, question: str, change: str, older: str, newer: str
) -> None:
    first, second = _hits(desk, question, older, newer)
    assert (first.text, second.text) == (newer, older)
    assert first.verdict.state is State.CURRENT
    assert (second.verdict.state, second.verdict.change) == (State.SUPERSEDED, Change.VALUE)
    assert second.verdict.reason == f"said otherwise since, in {first.id} of 1970-01-03: {change}"
    assert second.verdict.current == f"{first.id}: {newer}"


@pytest.mark.parametrize(("question", "older", "newer"), KEPT)
def test_another_thing_a_wish_a_bound_or_the_same_marks_nothing(
    desk: Desk, question: str, older: str, newer: str
) -> None:
    assert all(hit.verdict.state is State.CURRENT for hit in _hits(desk, question, older, newer))


def test_what_was_done_and_then_never_was_is_disputed_on_both_sides(desk: Desk) -> None:
    question = "Have I written integration tests for the socket events?"
    done = "I've written integration tests for the socket events."
    never = "I've never written integration tests for any socket events."
    newer, older = _hits(desk, question, done, never)
    assert (newer.text, older.text) == (never, done)
    assert {newer.verdict.state, older.verdict.state} == {State.DISPUTED}
    assert f"disputed by the newer {newer.id} of 1970-01-03" in older.verdict.reason
    assert f"disputed by the older {older.id} of 1970-01-02" in newer.verdict.reason


def test_what_was_never_done_and_then_was_is_superseded(desk: Desk) -> None:
    question = "Have I deployed the billing service to Kubernetes?"
    never = "I've never deployed the billing service to Kubernetes."
    done = "I've deployed the billing service to Kubernetes."
    newer, older = _hits(desk, question, never, done)
    assert (newer.text, older.text) == (done, never)
    assert newer.verdict.state is State.CURRENT
    assert older.verdict.state is State.SUPERSEDED


def test_a_value_that_came_back_holds_again(desk: Desk) -> None:
    said = [f"The search latency is now {value} ms." for value in (120, 80, 120)]
    states = {hit.text: hit.verdict.state for hit in _hits(desk, "What is the search latency?", *said)}
    assert states == {said[0]: State.CURRENT, said[1]: State.SUPERSEDED}


def test_what_an_assistant_says_marks_nothing_and_is_not_marked(desk: Desk) -> None:
    _, _, older, newer = CHANGES[0]
    hits = _hits(desk, CHANGES[0][0], older, newer, role=Role.ASSISTANT)
    assert [hit.verdict.state for hit in hits] == [State.CURRENT, State.CURRENT]


def test_one_person_does_not_correct_another(desk: Desk) -> None:
    question, _, older, newer = CHANGES[0]
    desk.record(older, author="Ada", occurred_at=DAY)
    desk.record(newer, author="Ben", occurred_at=2 * DAY)
    assert all(hit.verdict.state is State.CURRENT for hit in desk.recall(question).hits)


def test_each_question_marks_only_what_it_asks_for(desk: Desk) -> None:
    older = "The dashboard API has a response time of 800 ms. The login form is written in Vue."
    newer = "The response time of the dashboard API is now 250ms. The login form has a new colour."
    assert State.SUPERSEDED in {
        hit.verdict.state for hit in _hits(desk, "What is the API response time?", older, newer)
    }
    assert {hit.verdict.state for hit in desk.recall("What is the login form written in?").hits} == {State.CURRENT}


figures = st.integers(min_value=10, max_value=999)


@given(st.lists(figures, min_size=2, max_size=5, unique=True))
def test_only_the_last_of_several_values_holds_whatever_their_order(values: list[int]) -> None:
    turns = {
        str(at): SimpleNamespace(
            id=str(at),
            text=f"The search latency is now {value} ms.",
            occurred_at=at,
            seq=at,
            author="",
            trust=Trust.USER,
        )
        for at, value in enumerate(values)
    }
    hits = [Hit(one, HitKind.EPISODE, turn.text, 1.0, CURRENT, (), (), {}, 1) for one, turn in turns.items()]
    found = marked(hits, turns, "What is the search latency?")  # pyright: ignore[reportArgumentType]
    assert sorted(hit.id for hit in found) == sorted(turns)
    assert [hit.id for hit in found if hit.verdict == CURRENT] == [str(len(values) - 1)]
    assert found[0].id == str(len(values) - 1)
