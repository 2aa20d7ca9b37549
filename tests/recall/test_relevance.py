"""Where an answer ends: the limits by themselves, and the trade that they are on notes and questions of our own."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.probes import ANSWERED, NOTES, UNANSWERED
from moored.memory import open_memory
from moored.model.recall import HitKind
from moored.recall.fusion import Candidate
from moored.recall.policy import FLOOR, LEAST, RANKING, RECALL, REST
from moored.recall.relevance import Limits, relevance

MISSED, FALSE, BESIDE = 4, 3, 10
"""At most: of 44 questions those that miss their answer, of 30 without one those that bring anything, needless hits."""


def hit(score: float = 1.0, kind: HitKind = HitKind.NOTE, **signals: float) -> Candidate:
    return Candidate(kind, 1, score, signals, None)


def refusals(*hits: Candidate) -> list[str]:
    limits = Limits(hits, 1.0, RECALL)
    return [limits.refusal(one) for one in hits]


def test_relevance_is_the_sum_of_what_is_near_met_and_shared() -> None:
    assert relevance({"cosine": 0.4, "met": 0.3, "share": 0.5}) == pytest.approx(0.85)
    assert relevance({"cosine": 0.4}) == pytest.approx(0.4)


def test_nothing_is_answered_where_nothing_is_relevant_enough() -> None:
    assert refusals(hit(relevance=FLOOR - 0.01)) == ["below the floor"]
    assert refusals(hit(relevance=FLOOR), hit(relevance=LEAST)) == ["", ""]
    assert refusals(hit(relevance=FLOOR), hit(relevance=LEAST - 0.01)) == ["", "below the floor"]


def test_a_hit_far_below_the_best_is_beside_the_question_unless_its_score_says_otherwise() -> None:
    best = hit(2.0, relevance=1.5)
    assert refusals(best, hit(1.5, relevance=0.9)) == ["", ""]
    assert refusals(best, hit(1.0, relevance=0.9)) == ["", "far below the best"]
    assert refusals(best, hit(1.0, relevance=1.3)) == ["", ""]
    assert refusals(best, hit(1.9, relevance=0.7)) == ["", "far below the best"]


def test_what_is_named_belongs_whatever_it_says() -> None:
    assert refusals(hit(0.0, mention=1.0), hit(relevance=FLOOR)) == ["", ""]
    assert refusals(hit(0.0, alias=1.0)) == [""]


def test_beside_what_a_name_stands_for_a_hit_must_hold_the_rest_of_the_question() -> None:
    about = hit(2.0, alias=1.0, relevance=1.0)
    assert refusals(about, hit(1.9, relevance=1.0)) == ["", "below the floor"]
    assert refusals(about, hit(1.9, relevance=1.0, rest=REST)) == ["", ""]


def test_where_nothing_can_be_compared_the_share_of_the_question_decides() -> None:
    assert refusals(hit(share=0.19)) == ["below the floor"]
    assert refusals(hit(share=0.9), hit(share=0.5), hit(share=0.4)) == ["", "", "far below the best"]
    assert refusals(hit(share=0.05, standout=1.3)) == [""]


def test_facts_are_answered_by_themselves() -> None:
    fact = hit(kind=HitKind.FACT, share=0.5)
    assert refusals(hit(relevance=FLOOR - 0.01, share=0.1), fact) == ["below the floor", ""]


def test_a_ranking_knows_no_limits() -> None:
    hits = (hit(1.0, relevance=-0.1), hit(-1.0, relevance=0.0), hit(2.0, alias=1.0), hit(share=0.0))
    limits = Limits(hits, 1.0, RANKING)
    assert [limits.refusal(one) for one in hits] == [""] * 4


def test_questions_bring_what_answers_them_and_nothing_where_nothing_does(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    with open_memory(tmp_path / "shop", store=tmp_path / "moored.db") as memory:
        ids = {memory.remember(text, actor="person").id: name for name, text in NOTES.items()}
        memory.upkeep()
        assert memory.recall("how is VAT rounded?", kinds=["note"]).hits[0].signals["relevance"] > FLOOR
        found = {
            question: {ids[one.id] for one in memory.recall(question, kinds=["note"]).hits}
            for question in (*dict(ANSWERED), *UNANSWERED)
        }
    missed = {question: names for question, names in ANSWERED if not found[question] & set(names)}
    false = {question: found[question] for question in UNANSWERED if found[question]}
    beside = {question: extra for question, names in ANSWERED if (extra := found[question] - set(names))}
    assert len(missed) <= MISSED, missed
    assert len(false) <= FALSE, false
    assert sum(map(len, beside.values())) <= BESIDE, beside
