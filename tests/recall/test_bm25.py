"""The scores by words: the formula in the docstring of `bm25`, computed here one text after the other."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from hypothesis import given
from hypothesis import strategies as st

from moored.model.traits import FOLLOWS
from moored.recall import bm25
from moored.recall.found import top
from moored.store.rows import Columns, Posting

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from moored.model.projects import Project
    from moored.store.port import View

IDF = {"rope": 2.5, "tide": 1.25, "quay": 0.5}
PROJECT = cast("Project", None)

_WINDOW = st.tuples(
    st.integers(0, 40), st.sets(st.sampled_from(sorted(IDF))), st.integers(1, 900), st.sampled_from([0, FOLLOWS, 1])
)


@given(said=st.lists(_WINDOW, max_size=30, unique_by=lambda window: window[0]))
def test_a_window_scores_by_its_terms_and_by_those_beside_it(said: list[tuple[int, set[str], int, int]]) -> None:
    terms = {place: its for place, its, _, _ in said}
    postings = [Posting(1_000 - place, place, length, traits, 1) for place, _, length, traits in said]
    found = {term: _columns([one for one in postings if term in terms[one.place]]) for term in IDF}
    expected = {one.row: _score(one, terms) for one in postings}
    scores = bm25.windows(_view(postings), PROJECT, found, IDF)
    assert scores.keys() == {row for row, score in expected.items() if score}
    assert all(math.isclose(score, expected[row]) for row, score in scores.items())


def test_beside_many_windows_those_of_the_rarest_terms_are_looked_up() -> None:
    asked: list[int] = []
    found = {
        "quay": _columns([Posting(place, place, 100, 0, 1) for place in range(0, 900, 3)]),
        "rope": _columns([Posting(place, place, 100, 0, 1) for place in range(1_000, 1_060, 3)]),
    }
    bm25.windows(_view([], asked), PROJECT, found, IDF)
    rope = {place + step for place in range(1_000, 1_060, 3) for step in (-1, 1)}
    assert set(asked) == rope | {-1, *sorted(place for place in range(900) if place % 3)[: bm25.STRANGERS - 41]}


@given(numbers=st.lists(st.sampled_from([0.0, 0.5, 1.0]), max_size=12), count=st.integers(1, 14))
def test_the_best_come_first_and_of_equals_the_newest(numbers: list[float], count: int) -> None:
    scores = dict(enumerate(numbers))
    assert top(scores, count) == sorted(scores, key=lambda row: (-scores[row], -row))[:count]


def _columns(postings: Sequence[Posting]) -> Columns:
    return Columns(*([getattr(one, name) for one in postings] for name in ("row", "place", "length", "traits")))


def _view(postings: Sequence[Posting], asked: list[int] | None = None) -> View:
    """A view in which these windows can be looked up by their places; what is looked up is added to `asked`."""

    def places(_: Any, wanted: Sequence[int]) -> list[Posting]:
        if asked is not None:
            asked.extend(wanted)
        return [one for one in postings if one.place in wanted]

    return cast("View", SimpleNamespace(search=SimpleNamespace(places=places)))


def _score(window: Posting, terms: Mapping[int, set[str]]) -> float:
    score = 0.0
    for term, idf in IDF.items():
        before = bm25.BEFORE_ANSWER if window.traits & FOLLOWS else bm25.BEFORE
        steps = ((0, 1.0), (-1, before), (1, bm25.AFTER))
        frequency = sum(counts for step, counts in steps if term in terms.get(window.place + step, set()))
        norm = bm25.K1 * (1 - bm25.B + bm25.B * window.length / bm25.LENGTH)
        score += idf * frequency * (bm25.K1 + 1) / (frequency + norm)
    return score
