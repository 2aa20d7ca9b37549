"""Laws of recall: scope, budget, determinism, and that any text is a valid question."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from moored.model.recall import HitKind
from moored.model.tokens import count_tokens
from moored.recall.policy import Policy
from moored.recall.vectors import VectorCache

if TYPE_CHECKING:
    from conftest import Desk

# The fixtures are only read by these tests, so that they may be shared by the examples.
shared = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

WORDS = ["winch", "rain", "crane.py", "lift_container", "tariffs", "noise", "max-weight", "pytest", "Crane", "the"]
questions = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)


@pytest.fixture
def marina(harbour: Desk) -> Desk:
    """Another project in the same store, with the same texts and the same files."""
    other = harbour.beside("marina")
    for path in ("crane.py", "harbour.toml"):
        other.write(path, (harbour.root / path).read_text())
    other.index()
    other.remember("We retry `Crane.lift_container` three times because the winch slips in the rain.")
    other.record("The night shift complained about the noise of the ventilation.")
    other.fill()
    return other


@pytest.mark.invariant("I-06")
@shared
@given(question=questions)
def test_nothing_of_another_project_is_answered_or_listed(harbour: Desk, marina: Desk, question: str) -> None:
    for desk in (harbour, marina):
        answer = desk.recall(question)
        with desk.store.read() as view:
            for item in (*answer.hits, *answer.receipt.omitted):
                if item.kind is HitKind.NOTE:
                    assert view.notes.get(desk.project, item.id)
                elif item.kind is HitKind.EPISODE:
                    assert view.episodes.get(desk.project, item.id)
                else:
                    assert view.facts.get(desk.project, item.id)


@pytest.mark.invariant("I-06")
def test_the_ids_of_another_project_find_nothing(harbour: Desk, marina: Desk) -> None:
    theirs = [hit.id for hit in marina.recall("Crane.lift_container winch noise").hits]
    assert {hit_id[:2] for hit_id in theirs} >= {"no", "fa"}
    assert harbour.recall(" ".join(theirs)).hits == ()


@shared
@given(question=questions, budget=st.integers(0, 300), limit=st.integers(0, 6))
def test_the_hits_never_cost_more_than_the_budget(harbour: Desk, question: str, budget: int, limit: int) -> None:
    answer = harbour.recall(question, Policy(budget=budget, limit=limit))
    assert sum(count_tokens(hit.text) for hit in answer.hits) == answer.receipt.tokens <= budget
    assert len(answer.hits) <= limit
    assert answer.receipt.matched == len(answer.hits) + answer.receipt.omitted_count


@shared
@given(question=questions)
def test_hits_come_in_the_order_of_their_scores_and_once(harbour: Desk, question: str) -> None:
    hits = harbour.recall(question).hits
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert len({hit.id for hit in hits}) == len(hits)


@pytest.mark.invariant("I-23")
@shared
@given(question=questions)
def test_the_same_question_has_the_same_answer(harbour: Desk, question: str) -> None:
    first = harbour.recall(question)
    harbour.cache = VectorCache()
    assert harbour.recall(question) == first


@pytest.mark.invariant("I-23")
def test_vectors_that_came_in_one_by_one_give_the_same_answer(harbour: Desk) -> None:
    for number in range(8):
        harbour.record(f"Remark {number} about winch and rain.")
        harbour.fill()
        gradual = harbour.recall("winch rain remark")
        grown, harbour.cache = harbour.cache, VectorCache()
        assert harbour.recall("winch rain remark") == gradual
        harbour.cache = grown


@shared
@given(question=st.text(st.characters(exclude_categories=()), max_size=200))
def test_any_text_is_a_valid_question(harbour: Desk, question: str) -> None:
    assert harbour.recall(question).receipt.query == question


@pytest.mark.parametrize(
    "question", ["winch " * 10_000, "winch/" * 2_000, "(" * 10_000, "数据库" * 3_000, "a.b" * 3_000]
)
def test_a_question_of_any_length_is_answered(harbour: Desk, question: str) -> None:
    assert harbour.recall(question).receipt.returned <= 20


def test_a_crowded_neighbour_does_not_change_the_order_of_a_project(harbour: Desk) -> None:
    harbour.embedder = None
    question = "winch rain noise tariffs ventilation"
    before = harbour.ids_of(question)
    other = harbour.beside("marina")
    for number in range(60):
        other.record(f"The noise of the ventilation, remark {number}.")
    assert harbour.ids_of(question) == before
