"""BM25 over the postings of a question's terms, with own constants and with the words of neighbours.

The score of a text is the sum over the terms of the question that it has of

    idf x tf x (K1 + 1) / (tf + K1 x (1 - B + B x length / LENGTH)),  idf = ln(1 + (N - n + 0.5) / (n + 0.5))

(Robertson and Zaragoza 2009), where n of the N texts have the term, and `tf` is 1 for a window that has it, plus
`BEFORE` and `AFTER` for the windows before and after it in its session that have it: what is spoken of is often named
only in the turn before, most of all where that asks for it. How often a window repeats a term hardly matters in so
short a text (see bench/RESULTS.md).
Lengths are in characters and are compared with a fixed one, so that a text's score depends on no other text's length.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from moored.model.traits import FOLLOWS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from moored.model.projects import Project
    from moored.store.port import View
    from moored.store.rows import Columns

K1, B = 0.9, 0.4
LENGTH = 300
BEFORE, BEFORE_ANSWER, AFTER = 0.3, 0.6, 0.25
"""What a term counts that stands in the window before, in the question before that a window follows, and after."""

STRANGERS = 100
"""Windows without any term themselves, but beside some that have them, that are looked up."""


def rarity(rows: int, size: int) -> float:
    """The inverse document frequency of what stands in so many of `size` texts; above 0 for all."""
    return math.log1p((max(size, rows) - rows + 0.5) / (rows + 0.5))


def plain(found: Mapping[str, Columns], idf: Mapping[str, float]) -> dict[int, float]:
    """The scores of texts that have no neighbours, by their numbers."""
    scores: dict[int, float] = {}
    for term, columns in found.items():
        weight = idf[term]
        for row, length in zip(columns.rows, columns.lengths, strict=True):
            scores[row] = scores.get(row, 0.0) + weight * ((K1 + 1) / (1.0 + K1 * (1 - B + B * length / LENGTH)))
    return scores


class _Place(NamedTuple):
    """Which places are beside those of a term: one `before` and one `after` each."""

    mine: set[int]
    before: set[int]
    after: set[int]


def windows(view: View, project: Project, found: Mapping[str, Columns], idf: Mapping[str, float]) -> dict[int, float]:
    """The scores of windows, each with the terms of its neighbours, by their numbers."""
    rows: dict[int, int] = {}
    lengths: dict[int, int] = {}
    traits: dict[int, int] = {}
    beside: dict[str, _Place] = {}
    for term, columns in found.items():
        rows.update(zip(columns.places, columns.rows, strict=True))
        lengths.update(zip(columns.places, columns.lengths, strict=True))
        traits.update(zip(columns.places, columns.traits, strict=True))
        mine = set(columns.places)
        beside[term] = _Place(mine, {place - 1 for place in mine}, {place + 1 for place in mine})
    hopes: dict[int, float] = {}
    for term, (_, before, after) in beside.items():
        gain(hopes, before - rows.keys(), idf[term])
        gain(hopes, after - rows.keys(), idf[term])
    for posting in view.search.places(project, _likeliest(hopes)) if hopes else ():
        rows[posting.place], lengths[posting.place], traits[posting.place] = posting.row, posting.length, posting.traits
    norms = {place: K1 * (1 - B + B * length / LENGTH) for place, length in lengths.items()}
    scores = dict.fromkeys(rows, 0.0)
    for term, (mine, before, after) in beside.items():
        weight = idf[term]
        for place in mine.difference(before, after):
            scores[place] += weight * ((K1 + 1) / (1.0 + norms[place]))
        _add(scores, mine & (before | after), mine, weight, norms, traits)
    for term, (mine, before, after) in beside.items():
        _add(scores, (before | after).difference(mine) & rows.keys(), mine, idf[term], norms, traits)
    return {row: scores[place] for place, row in rows.items()}


def gain(totals: dict[int, float], keys: Iterable[int], amount: float) -> None:
    """Add an amount to the totals of these keys, each of which is there once."""
    more = dict.fromkeys(keys, amount)
    for key in totals.keys() & more.keys():
        more[key] = totals[key] + amount
    totals.update(more)


def _likeliest(hopes: Mapping[int, float]) -> list[int]:
    """The places of the highest hopes, of equal ones the first."""
    if len(hopes) <= STRANGERS:
        return list(hopes)
    least = sorted(hopes.values(), reverse=True)[STRANGERS - 1]
    better = [place for place, hope in hopes.items() if hope > least]
    return better + sorted(place for place, hope in hopes.items() if hope == least)[: STRANGERS - len(better)]


def _add(
    scores: dict[int, float],
    places: Collection[int],
    having: Collection[int],
    weight: float,
    norms: Mapping[int, float],
    traits: Mapping[int, int],
) -> None:
    """Add to the scores at these places what a term counts there that the windows at the places `having` it have."""
    for place in places:
        frequency = 1.0 if place in having else 0.0
        if place - 1 in having:
            frequency += BEFORE_ANSWER if traits[place] & FOLLOWS else BEFORE
        if place + 1 in having:
            frequency += AFTER
        scores[place] += weight * (frequency * (K1 + 1) / (frequency + norms[place]))
