"""From the signals' numbers to one score.

    words    = position between the 100th best match by words of its kind (0) and the best (1), times how much of
               the question the best of its kind holds, against the best of any kind
    trigrams = the same position among the matches of code fragments
    dense    = position of the cosine between the 100th nearest of any kind (0) and the nearest (1)
    mention  = how strongly the question names it (see `mentions`)
    fused    = KIND x (0.65 words + 0.35 dense) + 0.3 trigrams + 0.5 mention
    score    = fused x every penalty of the verdict (see `verify`)

Where fewer than 100 were found, 0 stands for a score of 0. Positions are compared and not ranks, because by how much
one match is better than the next is most of what a score says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from moored.model.recall import HitKind
from moored.recall.generate import DEPTH, Found

if TYPE_CHECKING:
    from collections.abc import Mapping

    from moored.recall.mentions import Key

WORDS, DENSE, TRIGRAMS, MENTION = 0.65, 0.35, 0.3, 0.5
KIND = {HitKind.NOTE: 1.0, HitKind.EPISODE: 1.0, HitKind.FACT: 0.5}
"""A fact is short and so scores high by words: unless it is named, it gives way to what was said."""

DIGITS = 6
"""Decimal places of a score, so that what cannot be told apart is ordered by age."""

ORDER = {HitKind.NOTE: 0, HitKind.EPISODE: 1, HitKind.FACT: 2}


class Candidate(NamedTuple):
    """Something that was found. `score` is the fused one; `row` is its number in the store (see `mentions.Key`).

    `signals` holds the signals that found it, the `share` of the question that its words hold, and the `cosine` and
    `standout` behind `dense`. `span` are the characters of an episode that matched best, or None.
    """

    kind: HitKind
    row: int
    score: float
    signals: Mapping[str, float]
    span: tuple[int, int] | None

    @property
    def order(self) -> tuple[float, int, int]:
        """The place in the ranking: by score, then notes before episodes before facts, then the newer first."""
        return -self.score, ORDER[self.kind], -self.row


def fuse(found: Found) -> list[Candidate]:
    """Every candidate that any signal found, best first."""
    words = _words(found)
    trigrams = {key: at for scores in found.trigrams.values() for key, at in positions(scores).items()}
    dense = positions(found.dense)
    keys = {**words, **trigrams, **dense, **found.mention}
    return sorted((_candidate(key, words, trigrams, dense, found) for key in keys), key=lambda c: c.order)


def positions(scores: Mapping[Key, float]) -> dict[Key, float]:
    """Each score as its position between the 100th best (0) and the best (1)."""
    ordered = sorted(scores.values(), reverse=True)
    if not ordered:
        return {}
    best, low = ordered[0], ordered[DEPTH - 1] if len(ordered) >= DEPTH else 0.0
    return {key: max((score - low) / (best - low), 0.0) if best > low else 1.0 for key, score in scores.items()}


def _words(found: Found) -> dict[Key, float]:
    """The words signal. BM25 cannot be compared between kinds, so each kind is measured by what its best holds."""
    best = {kind: found.share[next(iter(scores))] for kind, scores in found.words.items() if scores}
    most = max(best.values(), default=0.0)
    return {
        key: at * (best[kind] / most if most else 1.0)
        for kind, scores in found.words.items()
        for key, at in positions(scores).items()
    }


def _candidate(
    key: Key, words: Mapping[Key, float], trigrams: Mapping[Key, float], dense: Mapping[Key, float], found: Found
) -> Candidate:
    kind, row = key
    raw = (
        ("words", words),
        ("share", found.share),
        ("trigrams", trigrams),
        ("dense", dense),
        ("cosine", found.dense),
        ("standout", found.standout),
        ("mention", found.mention),
    )
    signals = {name: scores[key] for name, scores in raw if key in scores}
    at = signals.get
    fused = KIND[kind] * (WORDS * at("words", 0.0) + DENSE * at("dense", 0.0))
    fused += TRIGRAMS * at("trigrams", 0.0) + MENTION * at("mention", 0.0)
    span = found.spans.get(row) if kind is HitKind.EPISODE else None
    return Candidate(kind, row, round(fused, DIGITS), signals, span)
