"""Candidates: what each signal finds, with the raw number that it gives. Every search names the project (I-06)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from moored.model.recall import HitKind
from moored.model.text import fts_query
from moored.recall.mentions import EXACT, Key, mentioned

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from moored.embed.port import Embedder
    from moored.model.projects import Project, Tree
    from moored.recall.policy import Policy
    from moored.recall.query import Query
    from moored.recall.vectors import VectorCache
    from moored.store.port import View

DEPTH = 100
"""Candidates that each signal gives for each kind."""

WINDOWS = 150
"""Windows that are looked at for that many episodes."""

COMMON = {HitKind.NOTE: 2_000, HitKind.EPISODE: 2_000, HitKind.FACT: 500}
"""Terms in more rows than this say little and cost most: they are left out while rarer ones find enough.

Facts are the most rows by far and come up by their names: of words only the rare ones point to any of them.
"""

ROWS = {kind: common * 3 // 2 for kind, common in COMMON.items()}
"""Rows of the word index that one search may read, some two microseconds each: the rarest terms come first."""

FACT_TERMS = 4
"""Terms of a question, the rarest in what was said, that are looked up among the words of facts."""

SIZE = 10
"""Rows of a project are counted up to so many times what is common: beyond it, terms are as rare as they need to be."""

KEPT = 2
"""Common terms that are asked for all the same where the rarer ones stand in fewer than `DEPTH` rows."""

INDEX = {HitKind.NOTE: "revision", HitKind.EPISODE: "window", HitKind.FACT: "fact"}
"""What is indexed of each kind of hit."""


class Found:
    """What the signals found.

    `words`, `share`, `trigrams`, `dense` (cosines), `standout` and `mention` hold their raw numbers; `spans` the best
    window of an episode by the first signal that found it; `weights` how much each term of the question tells (see
    `weight`); `degraded` what could not play its full part.
    """

    def __init__(self) -> None:
        self.words: dict[HitKind, dict[Key, float]] = {}
        self.share: dict[Key, float] = {}
        self.trigrams: dict[HitKind, dict[Key, float]] = {}
        self.dense: dict[Key, float] = {}
        self.standout: dict[Key, float] = {}
        self.mention: dict[Key, float] = {}
        self.spans: dict[int, tuple[int, int]] = {}
        self.weights: dict[str, float] = {}
        self.degraded: list[str] = []


def generate(
    view: View,
    project: Project,
    tree: Tree | None,
    query: Query,
    policy: Policy,
    embedder: Embedder | None,
    cache: VectorCache,
    unless: tuple[int, int] | None = None,
) -> Found:
    """Ask every signal for its candidates of the policy's kinds. What is `unless` (session, episode) is no answer.

    Nor does it count how often a term occurs: what a session speaks of all the time is rare in what came before.
    """
    found = Found()
    kinds = policy.kinds
    asked = [kind for kind in kinds if tree or kind is not HitKind.FACT]
    if len(asked) < len(kinds):
        found.degraded.append("facts: no tree was named to take them from")
    row = tree.row if tree else 0
    found.mention = {key: s for key, s in mentioned(view, project, tree, query).items() if key[0] in kinds}
    named = any(key[0] is HitKind.FACT and score >= EXACT for key, score in found.mention.items())
    said = {kind: _counts(view, project, kind, query.terms, row, unless) for kind in asked if kind is not HitKind.FACT}
    rarest = sorted(query.terms, key=lambda term: sum(count[term] for count in said.values()))[:FACT_TERMS]
    counts = {kind: said[kind] if kind in said else _counts(view, project, kind, rarest, row, unless) for kind in asked}
    frequencies = {term: sum(count.get(term, 0) for count in counts.values()) for term in query.terms}
    found.weights = {term: weight(rows) if rows else policy.unheard for term, rows in frequencies.items()}
    common: dict[str, None] = {}
    for kind in asked:
        kept = _telling(counts[kind], kind)
        if kind is not HitKind.FACT:
            left_out = (term for term, n in counts[kind].items() if n > COMMON[kind] and term not in kept)
            common.update(dict.fromkeys(left_out))
        hits = _words(view, project, kind, counts[kind], kept, found.weights, row, unless)
        keys = _keys(view, project, kind, [owner for owner, *_ in hits], found)
        found.words[kind] = {key: hits[at][1] for key, at in keys.items()}
        found.share.update((key, hits[at][2]) for key, at in keys.items())
        pieces = "" if named and kind is HitKind.FACT else query.fragments
        exact = view.search.trigrams(INDEX[kind], project, pieces, DEPTH, tree=row, unless=unless) if pieces else []
        keys = _keys(view, project, kind, [owner for owner, _ in exact], found)
        found.trigrams[kind] = {key: exact[at][1] for key, at in keys.items()}
    if common:
        found.degraded.append(f"words: left out where they are too common to tell: {', '.join(common)}")
    _dense(view, project, query, asked, embedder, cache, found)
    return found


def weight(frequency: int) -> float:
    """How much a term tells that stands in so many rows: 1 for one that stands in none, 0.12 for a common one."""
    return 1 / (1 + math.log1p(frequency))


def _telling(counts: Mapping[str, int], kind: HitKind) -> list[str]:
    """The terms to search for among those that stand in any row, rarest first."""
    present = sorted((term for term, count in counts.items() if count), key=lambda term: counts[term])
    kept: list[str] = []
    rows = 0
    for term in present:
        if counts[term] > COMMON[kind] or rows + counts[term] > ROWS[kind]:
            break
        kept.append(term)
        rows += counts[term]
    return kept if rows >= DEPTH else kept + [term for term in present if term not in kept][:KEPT]


def _counts(
    view: View, project: Project, kind: HitKind, terms: Sequence[str], tree: int, unless: tuple[int, int] | None
) -> dict[str, int]:
    """In how many rows each term stands, counted up to just over `COMMON`."""
    count, table, most = view.search.document_frequency, INDEX[kind], COMMON[kind] + 1
    return {term: count(table, project, fts_query([term]), most, tree=tree, unless=unless) for term in terms}


def _words(
    view: View,
    project: Project,
    kind: HitKind,
    counts: Mapping[str, int],
    kept: Sequence[str],
    weights: Mapping[str, float],
    tree: int,
    unless: tuple[int, int] | None,
) -> list[tuple[int, float, float]]:
    """BM25 over the project's own rows, with a weight that is positive for every term, and the share of the question.

    The share of a text is the weight of the terms that it has against that of all terms.
    """
    if not kept:
        return []
    rows = max(view.search.size(INDEX[kind], project, SIZE * COMMON[kind]), *counts.values())
    whole = sum(weights.values())
    terms = [
        (fts_query([term]), math.log1p((rows - counts[term] + 0.5) / (counts[term] + 0.5)), weights[term] / whole)
        for term in kept
    ]
    depth = WINDOWS if kind is HitKind.EPISODE else DEPTH
    return view.search.weighted(INDEX[kind], project, terms, depth, tree=tree, unless=unless)


def _keys(view: View, project: Project, kind: HitKind, rows: Sequence[int], found: Found) -> dict[Key, int]:
    """What indexed rows, best first, would be: at most `DEPTH`, each with the place of its best row in `rows`."""
    if kind is not HitKind.EPISODE:
        return {(kind, row): at for at, row in enumerate(rows[:DEPTH])}
    spans = view.search.windows(project, rows) if rows else {}
    places: dict[Key, int] = {}
    for at, row in enumerate(rows):
        if row in spans and len(places) < DEPTH:
            episode, start, end = spans[row]
            places.setdefault((kind, episode), at)
            found.spans.setdefault(episode, (start, end))
    return places


def _dense(
    view: View,
    project: Project,
    query: Query,
    kinds: Sequence[HitKind],
    embedder: Embedder | None,
    cache: VectorCache,
    found: Found,
) -> None:
    """The nearest of all kinds together, as cosines can be compared."""
    kinds = [kind for kind in kinds if kind is not HitKind.FACT]
    if not kinds or not query.text.strip():
        return
    if embedder is None:
        found.degraded.append("dense: there is no embedder, so nothing was found by meaning")
        return
    waiting = view.vectors.count_waiting(project)
    if waiting:
        found.degraded.append(f"dense: {waiting} text{' waits' if waiting == 1 else 's wait'} for a vector")
    model, size = embedder.model, embedder.dimension
    filled = [kind for kind in kinds if cache.holds(view, project, model, INDEX[kind], size)]
    if not filled:
        found.degraded += _no_vectors(view, project, model)
        return
    vector = embedder.encode([query.text])[0]
    near: list[tuple[Key, float]] = []
    for kind in filled:
        hits = cache.nearest(view, project, model, INDEX[kind], vector, WINDOWS if kind is HitKind.EPISODE else DEPTH)
        keys = _keys(view, project, kind, [owner for owner, *_ in hits], found)
        found.standout.update((key, hits[at][2]) for key, at in keys.items())
        near += [(key, hits[at][1]) for key, at in keys.items()]
    near.sort(key=lambda item: -item[1])
    found.dense = dict(near[:DEPTH])


def _no_vectors(view: View, project: Project, model: str) -> list[str]:
    """What to say when there is nothing to scan: nothing at all of an empty project."""
    others = view.vectors.models(project)
    if not others and not view.vectors.count_waiting(project):
        return []
    held = "".join(f", only {count} of {other}, which are not comparable" for other, count in others.items())
    return [f"dense: there are no vectors of {model} yet{held}"]
