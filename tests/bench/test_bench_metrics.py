"""The measures, against values worked out by hand, and the laws that every ranking keeps."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moored.bench.cases import Message, Question
from moored.bench.metrics import CHUNKS, ITEMS, SESSIONS, chunks_of, gold_of, in_units, means, measured
from moored.model.episodes import Role


def units(*names: str) -> list[tuple[str, ...]]:
    return [tuple(name.split("+")) for name in names]


def conversation(*ids: str) -> list[Message]:
    return [Message(one, Role.USER, "", "text", one.partition(":")[0], 0) for one in ids]


def test_two_of_three_found_at_ranks_two_and_five() -> None:
    found = measured({"a", "b", "c"}, units("x", "a", "y", "z", "b", "w"))
    assert found["recall@1"] == 0
    assert found["recall@5"] == found["recall@20"] == pytest.approx(2 / 3)
    assert (found["any@1"], found["any@5"], found["all@5"]) == (0, 1, 0)
    assert found["mrr"] == 0.5
    gained = 1 / math.log2(3) + 1 / math.log2(6)
    ideal = 1 + 1 / math.log2(3) + 1 / math.log2(4)
    assert found["ndcg@10"] == pytest.approx(gained / ideal)
    assert found["ndcg@10"] == pytest.approx(0.477623, abs=1e-6)


def test_all_is_strict_and_any_is_not() -> None:
    found = measured({"a", "b"}, units("b", "x", "y", "z", "w", "a"))
    assert (found["any@5"], found["all@5"], found["all@10"]) == (1, 0, 1)
    assert (found["recall@1"], found["recall@5"], found["recall@10"]) == (0.5, 0.5, 1)


def test_what_ranks_after_ten_counts_for_the_reciprocal_rank_and_not_for_the_gain() -> None:
    found = measured({"a"}, units(*"bcdefghijk", "a"))
    assert found["mrr"] == pytest.approx(1 / 11)
    assert (found["ndcg@10"], found["recall@10"], found["recall@20"]) == (0, 0, 1)


def test_a_chunk_that_holds_two_of_them_counts_both_and_gains_once() -> None:
    found = measured({"a", "b"}, units("x+y", "a+b", "c+d"))
    assert (found["recall@5"], found["all@5"], found["mrr"]) == (1, 1, 0.5)
    assert found["ndcg@10"] == pytest.approx((1 / math.log2(3)) / (1 + 1 / math.log2(3)))


def test_what_is_ranked_twice_counts_once() -> None:
    assert measured({"a", "b"}, units("a", "a"))["recall@5"] == 0.5


def test_an_empty_ranking_has_nothing_of_anything() -> None:
    assert set(measured({"a"}, []).values()) == {0.0}


def test_chunks_are_the_turns_of_a_session_in_twos() -> None:
    chunks = chunks_of(conversation("D1:1", "D1:2", "D1:3", "D2:1", "D2:2"))
    assert chunks["D1:1"] == chunks["D1:2"] == ("D1:1", "D1:2")
    assert chunks["D1:3"] == ("D1:3",)
    assert chunks["D2:1"] == ("D2:1", "D2:2")


def test_a_chunk_and_a_session_rank_where_their_best_turn_ranks() -> None:
    messages = conversation("D1:1", "D1:2", "D1:3", "D2:1")
    sessions = {message.id: (message.session,) for message in messages}
    ranked = ["D1:3", "D2:1", "D1:2", "D1:1"]
    assert in_units(ITEMS, ranked, {}) == units("D1:3", "D2:1", "D1:2", "D1:1")
    assert in_units(CHUNKS, ranked, chunks_of(messages)) == [("D1:3",), ("D2:1",), ("D1:1", "D1:2")]
    assert in_units(SESSIONS, ranked, sessions) == [("D1",), ("D2",)]


def test_the_gold_of_sessions_is_what_the_set_names_else_where_its_turns_are() -> None:
    sessions = {"D1:1": ("D1",), "D1:2": ("D1",), "D3:1": ("D3",)}
    question = Question("q", "?", "", ("D1:1", "D1:2", "D3:1"))
    assert set(gold_of(SESSIONS, question, sessions)) == {"D1", "D3"}
    assert gold_of(SESSIONS, question._replace(sessions=("D9",)), sessions) == ("D9",)
    assert gold_of(ITEMS, question, {}) == question.gold


def test_means_are_over_questions_and_there_are_none_of_no_questions() -> None:
    assert means([{"mrr": 1.0}, {"mrr": 0.5}]) == {"mrr": 0.75}
    assert means([]) == {}


@given(st.sets(st.integers(0, 30), min_size=1), st.lists(st.integers(0, 30), unique=True))
def test_a_ranking_is_between_none_and_all_and_more_of_it_is_never_worse(gold: set[int], order: list[int]) -> None:
    wanted = {str(one) for one in gold}
    found = measured(wanted, units(*map(str, order)))
    assert all(0 <= value <= 1 for value in found.values())
    for name in ("recall", "any", "all"):
        assert found[f"{name}@1"] <= found[f"{name}@5"] <= found[f"{name}@10"] <= found[f"{name}@20"]
    assert all(found[f"all@{cut}"] <= found[f"recall@{cut}"] <= found[f"any@{cut}"] for cut in (1, 5, 10, 20))
    shorter = measured(wanted, units(*map(str, order[:-1])))
    assert all(shorter[name] <= found[name] for name in found)


@given(st.sets(st.integers(0, 15), min_size=1, max_size=10), st.lists(st.integers(20, 30), unique=True))
def test_a_ranking_with_everything_first_is_perfect(gold: set[int], rest: list[int]) -> None:
    wanted = [str(one) for one in sorted(gold)]
    found = measured(wanted, units(*wanted, *map(str, rest)))
    assert (found["mrr"], found["all@10"], found["recall@10"]) == (1, 1, 1)
    assert found["ndcg@10"] == pytest.approx(1)
