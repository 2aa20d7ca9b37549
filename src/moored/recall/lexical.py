"""The lexical signal: which terms of a question are looked at, and what the texts that have them score (see `bm25`)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from moored.model.recall import HitKind
from moored.model.text import fts_query
from moored.recall.bm25 import gain, plain, rarity, windows

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from moored.model.projects import Project
    from moored.store.port import View
    from moored.store.rows import Columns

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

MOST_COUNTED = 15_000
"""Texts of a kind in a project that are counted: beyond it, terms are as rare as they need to be."""

INDEX = {HitKind.NOTE: "revision", HitKind.EPISODE: "window", HitKind.FACT: "fact"}
"""What is indexed of each kind of hit."""

Text = tuple[HitKind, int]
"""What is indexed: a kind of hit, and the number of the revision, the window or the fact."""


class Lexical(NamedTuple):
    """What the words of a question found, of each kind by the numbers of its texts.

    `scores` are BM25 scores; `held` is the part of the question's weight (see `weight`) that the terms of a text have,
    without its neighbours, and `rest` the same of the terms that are no names. `weights` says how much each term tells;
    `common` are terms that were left out. `sizes` are how many texts there are of what was said.
    """

    scores: dict[HitKind, dict[int, float]]
    held: dict[HitKind, dict[int, float]]
    rest: dict[HitKind, dict[int, float]]
    weights: dict[str, float]
    common: tuple[str, ...]
    sizes: Mapping[HitKind, int]

    def score(self, text: Text) -> float:
        """The score of a text, 0 where it has none of the terms."""
        kind, row = text
        return self.scores[kind].get(row, 0.0) if kind in self.scores else 0.0


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
    matches = {term: fts_query(forms) for term, forms in terms.items()}
    counts: dict[HitKind, dict[str, int]] = {}
    for kind in said:
        found = view.search.frequencies(INDEX[kind], project, list(matches.values()), COMMON, unless=unless, tags=tags)
        counts[kind] = dict(zip(terms, found, strict=True))
    rows = {term: sum(counts[kind][term] for kind in said) for term in terms}
    if HitKind.FACT in kinds:
        rarest = sorted(terms, key=lambda term: rows[term])[:FACT_TERMS]
        found = view.search.frequencies("fact", project, [matches[term] for term in rarest], COMMON_FACTS, tree=tree)
        counts[HitKind.FACT] = dict(zip(rarest, found, strict=True))
    sizes = {kind: view.search.size(INDEX[kind], project, MOST_COUNTED) for kind in said}
    size = sum(sizes.values())
    idf = {term: rarity(rows[term], size) for term in terms}
    weights = _weights(terms, counts, unheard)
    others = {term: told for term, told in weights.items() if term.lower() not in names}
    whole, left = sum(weights.values()) or 1.0, sum(others.values())
    held: dict[HitKind, dict[int, float]] = {}
    # Without names the rest of a question is the whole.
    result = Lexical({}, held, {} if names else held, weights, _left_out(counts, said, terms), sizes)
    for kind in kinds:
        common = COMMON_FACTS if kind is HitKind.FACT else COMMON
        kept = {
            term: view.search.columns(INDEX[kind], project, matches[term], common, tree=tree, unless=unless, tags=tags)
            for term in _telling(counts[kind], common)
        }
        result.scores[kind] = _scores(view, project, kind, kept, idf)
        held[kind] = _held(kept, {term: weights[term] / whole for term in kept})
        if names:
            result.rest[kind] = _held(kept, {term: others[term] / left for term in kept if term in others})
    return result


def _weights(terms: Collection[str], counts: Mapping[HitKind, Mapping[str, int]], unheard: float) -> dict[str, float]:
    """How much each term tells, by the rows of every kind in which it stands."""
    rows = {term: sum(found.get(term, 0) for found in counts.values()) for term in terms}
    return {term: weight(count) if count else unheard for term, count in rows.items()}


def _scores(
    view: View, project: Project, kind: HitKind, found: Mapping[str, Columns], idf: Mapping[str, float]
) -> dict[int, float]:
    """The BM25 scores of the texts of a kind. How rare a term is among facts is told by the facts themselves."""
    match kind:
        case HitKind.EPISODE:
            return windows(view, project, found, idf)
        case HitKind.FACT:
            return plain(found, {term: rarity(len(its.rows), MOST_COUNTED) for term, its in found.items()})
        case _:
            return plain(found, idf)


def _held(found: Mapping[str, Columns], parts: Mapping[str, float]) -> dict[int, float]:
    """What the terms of each text come to, each with its part."""
    held: dict[int, float] = {}
    for term, part in parts.items():
        gain(held, found[term].rows, part)
    return held


def _telling(counts: Mapping[str, int], common: int) -> list[str]:
    """The terms whose postings are scored, rarest first."""
    present = sorted((term for term in counts if counts[term]), key=counts.__getitem__)
    kept: list[str] = []
    rows = 0
    for term in present:
        count = counts[term]
        if count >= common or rows + count > ROWS:
            break
        kept.append(term)
        rows += count
    return kept if rows >= ENOUGH else kept + [term for term in present if term not in kept][:KEPT]


def _left_out(
    counts: Mapping[HitKind, Mapping[str, int]], said: Sequence[HitKind], terms: Collection[str]
) -> tuple[str, ...]:
    """The terms that are too common to be scored among what was said."""
    left: dict[str, None] = {}
    for kind in said:
        mine = counts[kind]
        kept = _telling(mine, COMMON)
        left.update((term, None) for term in terms if mine[term] >= COMMON and term not in kept)
    return tuple(left)
