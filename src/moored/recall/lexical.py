"""The lexical signal: BM25 over the texts of a project, with own constants and with the words of neighbours.

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

from moored.model.recall import HitKind
from moored.model.text import fts_query
from moored.model.traits import FOLLOWS

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Mapping, Sequence

    from moored.model.projects import Project
    from moored.store.port import View
    from moored.store.rows import Fields, Occurrences

K1, B = 0.9, 0.4
LENGTH = 300
BEFORE, BEFORE_ANSWER, AFTER = 0.3, 0.6, 0.25
"""What a term counts that stands in the window before, in the question before that a window follows, and after."""

COMMON = 1_500
"""Terms in so many texts of a kind say little and cost most: they are left out while rarer ones find enough."""

COMMON_FACTS = 500
"""The same for facts, which are the most rows by far and come up by their names."""

ROWS = 2_500
"""Postings that are scored, a microsecond or two each: the rarest terms come first."""

ENOUGH = 100
"""Postings of rare terms beyond which common ones are not needed."""

KEPT = 2
"""Common terms that are used all the same where the rarer ones stand in fewer than `ENOUGH` rows."""

FACT_TERMS = 4
"""Terms of a question, the rarest in what was said, that are looked up among the words of facts."""

SIZE = 10
"""Texts of a project are counted up to so many times `COMMON`: beyond it, terms are as rare as they need to be."""

STRANGERS = 100
"""Windows without any term themselves, but beside some that have them, that are looked up."""

INDEX = {HitKind.NOTE: "revision", HitKind.EPISODE: "window", HitKind.FACT: "fact"}
"""What is indexed of each kind of hit."""

Text = tuple[HitKind, int]
"""What is indexed: a kind of hit, and the number of the revision, the window or the fact."""


class Lexical(NamedTuple):
    """What the words of a question found.

    `scores` are BM25 scores; `held` is the part of the question's weight (see `weight`) that the terms of a text have,
    without its neighbours, and `rest` the same of the terms that are no names. `weights` says how much each term tells;
    `common` are terms that were left out.
    """

    scores: dict[Text, float]
    held: dict[Text, float]
    rest: dict[Text, float]
    weights: dict[str, float]
    common: tuple[str, ...]


def weight(rows: int) -> float:
    """How much a term tells that stands in so many rows: 1 for one that stands in none, 0.12 for a common one."""
    return 1 / (1 + math.log1p(rows))


def by_words(
    view: View,
    project: Project,
    kinds: Sequence[HitKind],
    terms: Mapping[str, Sequence[str]],
    *,
    tree: int,
    unheard: float,
    unless: tuple[int, int] | None = None,
    tags: Sequence[str] = (),
    names: Collection[str] = (),
) -> Lexical:
    """Score the texts of these kinds for terms, each with the forms in which it may stand.

    `unheard` is the weight of a term that stands nowhere, `names` are words that belong to a name. What is `unless`
    (session, episode) is not looked at, nor are notes without one of the tags, if there are any.
    """
    said = [kind for kind in kinds if kind is not HitKind.FACT]
    occurrences = {
        kind: {
            term: view.search.occurrences(INDEX[kind], project, fts_query(forms), COMMON, unless=unless, tags=tags)
            for term, forms in terms.items()
        }
        for kind in said
    }
    rows = {term: sum(occurrences[kind][term].number for kind in said) for term in terms}
    if HitKind.FACT in kinds:
        occurrences[HitKind.FACT] = {
            term: view.search.occurrences("fact", project, fts_query(terms[term]), COMMON_FACTS, tree=tree)
            for term in sorted(terms, key=lambda term: rows[term])[:FACT_TERMS]
        }
    size = sum(view.search.size(INDEX[kind], project, SIZE * COMMON) for kind in said)
    idf = {term: rarity(rows[term], size) for term in terms}
    weights = _weights(terms, occurrences, unheard)
    others = {term: told for term, told in weights.items() if term.lower() not in names}
    whole, left = sum(weights.values()) or 1.0, sum(others.values())
    held: dict[Text, float] = {}
    # Without names the rest of a question is the whole.
    result = Lexical({}, held, {} if names else held, weights, _left_out(occurrences, said, terms))
    for kind in kinds:
        telling = _telling(occurrences[kind], COMMON_FACTS if kind is HitKind.FACT else COMMON)
        kept = {term: occurrences[kind][term].fields() for term in telling}
        result.held.update(_held(kind, kept, {term: weights[term] / whole for term in kept}))
        if names:
            result.rest.update(_held(kind, kept, {term: others[term] / left for term in kept if term in others}))
        result.scores.update(_scores(view, project, kind, kept, idf))
    return result


def _weights(
    terms: Collection[str], occurrences: Mapping[HitKind, Mapping[str, Occurrences]], unheard: float
) -> dict[str, float]:
    """How much each term tells, by the rows of every kind in which it stands."""
    rows = {term: sum(found[term].number for found in occurrences.values() if term in found) for term in terms}
    return {term: weight(count) if count else unheard for term, count in rows.items()}


def _scores(
    view: View, project: Project, kind: HitKind, found: Mapping[str, Sequence[Fields]], idf: Mapping[str, float]
) -> dict[Text, float]:
    """The BM25 scores of the texts of a kind. How rare a term is among facts is told by the facts themselves."""
    match kind:
        case HitKind.EPISODE:
            return _windows(view, project, found, idf)
        case HitKind.FACT:
            return plain(kind, found, {term: rarity(len(its), SIZE * COMMON) for term, its in found.items()})
        case _:
            return plain(kind, found, idf)


def _held(kind: HitKind, found: Mapping[str, Sequence[Fields]], parts: Mapping[str, float]) -> dict[Text, float]:
    """What the terms of each text come to, each with its part."""
    held: dict[int, float] = {}
    for term, part in parts.items():
        for row, _, _, _ in found[term]:
            held[row] = held.get(row, 0.0) + part
    return {(kind, row): part for row, part in held.items()}


def rarity(rows: int, size: int) -> float:
    """The inverse document frequency of what stands in so many of `size` texts; above 0 for all."""
    return math.log1p((max(size, rows) - rows + 0.5) / (rows + 0.5))


def _telling(found: Mapping[str, Occurrences], common: int) -> list[str]:
    """The terms whose postings are scored, rarest first."""
    present = sorted((term for term in found if found[term].number), key=lambda term: found[term].number)
    kept: list[str] = []
    rows = 0
    for term in present:
        count = found[term].number
        if count >= common or rows + count > ROWS:
            break
        kept.append(term)
        rows += count
    return kept if rows >= ENOUGH else kept + [term for term in present if term not in kept][:KEPT]


def _left_out(
    occurrences: Mapping[HitKind, Mapping[str, Occurrences]], said: Sequence[HitKind], terms: Collection[str]
) -> tuple[str, ...]:
    """The terms that are too common to be scored among what was said."""
    left: dict[str, None] = {}
    for kind in said:
        mine = occurrences[kind]
        kept = _telling(mine, COMMON)
        left.update((term, None) for term in terms if mine[term].number >= COMMON and term not in kept)
    return tuple(left)


def plain(kind: HitKind, found: Mapping[str, Sequence[tuple[int, ...]]], idf: Mapping[str, float]) -> dict[Text, float]:
    """The scores of texts that have no neighbours."""
    scores: dict[Text, float] = {}
    for term, postings in found.items():
        for row, _, length, *_ in postings:
            text = (kind, row)
            scores[text] = scores.get(text, 0.0) + idf[term] * ((K1 + 1) / (1.0 + K1 * (1 - B + B * length / LENGTH)))
    return scores


def _windows(
    view: View, project: Project, found: Mapping[str, Sequence[Fields]], idf: Mapping[str, float]
) -> dict[Text, float]:
    """The scores of windows, each with the terms of its neighbours."""
    places = {term: {place for _, place, _, _ in postings} for term, postings in found.items()}
    known = {fields[1]: fields for postings in found.values() for fields in postings}
    there = set(known)
    hopes: dict[int, float] = {}
    beside: dict[str, set[int]] = {}
    for term, mine in places.items():
        before, after = {place - 1 for place in mine} - mine, {place + 1 for place in mine} - mine
        beside[term] = before | after
        for place in (*(before - there), *(after - there)):
            hopes[place] = hopes.get(place, 0.0) + idf[term]
    best = sorted(sorted(hopes), key=hopes.__getitem__, reverse=True)[:STRANGERS]
    known.update((posting.place, posting[:4]) for posting in (view.search.places(project, best) if best else ()))
    scores = dict.fromkeys(known, 0.0)
    for term, mine in places.items():
        _add(scores, mine, mine, idf[term], known)
    for term, mine in places.items():
        _add(scores, beside[term].intersection(known), mine, idf[term], known)
    return {(HitKind.EPISODE, known[place][0]): score for place, score in scores.items()}


def _add(
    scores: dict[int, float], places: Collection[int], having: Container[int], idf: float, known: Mapping[int, Fields]
) -> None:
    """Add to the scores at these places what a term counts there that the windows at the places `having` it have."""
    for place in places:
        _, _, length, traits = known[place]
        frequency = 1.0 if place in having else 0.0
        if place - 1 in having:
            frequency += BEFORE_ANSWER if traits & FOLLOWS else BEFORE
        if place + 1 in having:
            frequency += AFTER
        scores[place] += idf * (frequency * (K1 + 1) / (frequency + K1 * (1 - B + B * length / LENGTH)))
