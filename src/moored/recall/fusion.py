"""From the signals' numbers to one score.

Each signal is measured by positions: 1 for its best score among all hits, 0 for that of rank 100, not below -1.
Positions are compared and not ranks, because by how much one hit is better than the next is most of what a score says.

    words   = position of the BM25 score of the best window (see `lexical`)
    dense   = position of the cosine of the best window
    late    = position of the late interaction of the best window (see `late`)
    score   = 0.2 words + 0.2 dense + 0.6 late
              + 0.6 author + 0.3 role + 1.2 date + 0.6 directive + 0.06 timed   (see `priors`)
              + 0.3 trigrams + 0.5 mention + 0.5 alias + 0.3 tag   (see `aliases`)
    session = mean of the three best scores in the session; 0.3 of it is added to what stands in that session
    fused   = score x every penalty of the verdict (see `verify`)

The best of many windows is high by chance alone: of n windows it is expected above one of them by about
0.7 ln n standard deviations. That is taken off before positions, or long answers would hide short statements.
A note is a session of its own. A fact is short and so scores high by words: unless it is named, it gives way to what
was said, and only its words count, by half. Where a signal of meaning cannot play its part, the others take its weight.
"""

from __future__ import annotations

import math
from collections import defaultdict
from statistics import fmean, pstdev
from typing import TYPE_CHECKING, NamedTuple

from moored.model.recall import HitKind
from moored.recall import priors
from moored.recall.found import positions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from moored.recall.found import Found
    from moored.recall.lexical import Text
    from moored.recall.mentions import Key
    from moored.recall.weights import Weights
    from moored.store.rows import WindowRow

DIGITS = 6
"""Decimal places of a score, so that what cannot be told apart is ordered by age."""

ORDER = {HitKind.NOTE: 0, HitKind.EPISODE: 1, HitKind.FACT: 2}

SESSION_BEST = 3
"""The hits of a session that speak for it."""


class Candidate(NamedTuple):
    """Something that was found. `score` is the fused one; `row` is its number in the store (see `mentions.Key`).

    `signals` holds the numbers of the signals, and the raw ones behind them: the `share` of the question that its words
    hold, what they hold of the `rest` beside names, `cosine`, `standout`, and how well the question's pieces are `met`
    in the text itself. `span` are the characters of an episode that matched best, or None. `session` is its number, 0
    for what stands in none.
    """

    kind: HitKind
    row: int
    score: float
    signals: Mapping[str, float]
    span: tuple[int, int] | None
    session: int = 0

    @property
    def order(self) -> tuple[float, int, int]:
        """The place in the ranking: by score, then notes before episodes before facts, then the newer first."""
        return -self.score, ORDER[self.kind], -self.row


def fuse(found: Found, weights: Weights) -> list[Candidate]:
    """Every candidate that any signal found, best first."""
    texts = _texts_of_hits(found)
    said = {key: mine for key, mine in texts.items() if key[0] is not HitKind.FACT}
    legs = _legs(said, found, weights)
    shares = _shares(legs, weights)
    facts = positions({text: score for text, score in found.lexical.scores.items() if text[0] is HitKind.FACT})
    fragments = {text: at for scores in found.trigrams.values() for text, at in positions(scores).items()}
    candidates: list[Candidate] = []
    for key, mine in texts.items():
        signals = {name: leg[key] for name, leg in legs.items() if key in leg}
        score = sum(shares[name] * at for name, at in signals.items())
        if key in facts:
            signals["words"] = facts[key]
            score = weights.fact * facts[key]
        told = _told(mine, found)
        told["trigrams"] = max((fragments.get(text, 0.0) for text in mine), default=0.0)
        told["mention"] = found.mention.get(key, 0.0)
        told["tag"] = found.tags.get(key, 0.0)
        told["alias"] = found.named.notes.get(key, 0.0)
        told = {name: value for name, value in told.items() if value > 0.0}
        score += priors.weighed(told, weights)
        window = _best_window(mine, found)
        span, session = ((window.start, window.end), window.session) if window else (None, 0)
        candidates.append(Candidate(*key, score, {**signals, **told, **_raw(mine, found)}, span, session))
    return sorted(_in_sessions(candidates, weights), key=lambda candidate: candidate.order)


def _texts_of_hits(found: Found) -> dict[Key, list[Text]]:
    """The texts of each hit that were found: of an episode some windows, of others the thing itself."""
    texts: defaultdict[Key, list[Text]] = defaultdict(list)
    facts = (text for text in found.lexical.scores if text[0] is HitKind.FACT)
    for kind, row in dict.fromkeys((*found.texts, *facts, *found.trigrams.get(HitKind.FACT, ()))):
        if kind is not HitKind.EPISODE:
            texts[kind, row].append((kind, row))
        elif window := found.windows.get(row):
            texts[kind, window.episode].append((kind, row))
    for kind, row in (*found.mention, *found.named.notes):
        texts.setdefault((kind, row), [] if kind is HitKind.EPISODE else [(kind, row)])
    return texts


def _legs(texts: Mapping[Key, Sequence[Text]], found: Found, weights: Weights) -> dict[str, dict[Key, float]]:
    """The positions of all hits by words, by vectors and by pieces. A leg that found nothing is left out."""
    size = max(found.lexical.size, len(found.lexical.scores), 1)
    words = {text: found.lexical.scores.get(text, 0.0) for mine in texts.values() for text in mine}
    squares = sum(score * score for score in found.lexical.scores.values()) / size
    mean = sum(found.lexical.scores.values()) / size
    late = found.late.full
    legs = {
        "words": _positions(texts, words, math.sqrt(max(squares - mean * mean, 0.0)), found, weights),
        "dense": _positions(texts, found.cosines, found.spread, found, weights)
        | _positions(texts, found.first, 0.0, found, weights),
        "late": _positions(texts, late, pstdev(late.values()) if late else 0.0, found, weights),
    }
    for leg in (legs["dense"], legs["late"]):
        lowest = min(leg.values(), default=0.0)
        leg.update((key, lowest) for key in texts if leg and key not in leg)
    return {name: leg for name, leg in legs.items() if leg and (name != "words" or found.lexical.scores)}


def _positions(
    texts: Mapping[Key, Sequence[Text]],
    scores: Mapping[Text, float],
    deviation: float,
    found: Found,
    weights: Weights,
) -> dict[Key, float]:
    """The positions of hits by their best texts, less what the best of so many has by chance."""
    best: dict[Key, float] = {}
    for key, mine in texts.items():
        known = [scores[text] for text in mine if text in scores]
        if known:
            window = found.windows.get(mine[0][1]) if key[0] is HitKind.EPISODE else None
            chance = weights.length * deviation * math.log(window.windows) if window else 0.0
            best[key] = max(known) - chance
    return positions(best)


def _shares(legs: Mapping[str, object], weights: Weights) -> dict[str, float]:
    """The weights of the legs that are there, which share those of the others in proportion."""
    whole = weights.words + weights.dense + weights.late
    mine = {name: getattr(weights, name) for name in legs}
    return {name: weight * whole / (sum(mine.values()) or 1.0) for name, weight in mine.items()}


def _told(texts: Sequence[Text], found: Found) -> dict[str, float]:
    """The strongest of each prior among the windows of a hit."""
    told: dict[str, float] = {}
    for kind, row in texts:
        window = found.windows.get(row) if kind is HitKind.EPISODE else None
        for name, value in priors.of_window(window, found.asking).items() if window else ():
            told[name] = max(value, told.get(name, 0.0))
    return told


def _raw(texts: Sequence[Text], found: Found) -> dict[str, float]:
    """The raw numbers behind the positions."""
    raw = {
        "share": found.lexical.held,
        "rest": found.lexical.rest,
        "cosine": found.cosines,
        "standout": found.standout,
        "met": found.late.own,
    }
    known = ((name, [numbers[text] for text in texts if text in numbers]) for name, numbers in raw.items())
    return {name: max(mine) for name, mine in known if mine}


def _best_window(texts: Sequence[Text], found: Found) -> WindowRow | None:
    """The window of an episode that matches best: by its pieces, else by its words and its vector."""
    windows = [row for kind, row in texts if kind is HitKind.EPISODE]
    if not windows:
        return None

    def match(row: int) -> tuple[float, float, float]:
        text = (HitKind.EPISODE, row)
        nothing = -math.inf
        meant = found.cosines.get(text, found.first.get(text, nothing))
        return found.late.full.get(text, nothing), found.lexical.scores.get(text, 0.0), meant

    return found.windows[max(windows, key=match)]


def _in_sessions(candidates: Sequence[Candidate], weights: Weights) -> list[Candidate]:
    """The candidates with what the best of their sessions add to them."""
    scores: defaultdict[int, list[float]] = defaultdict(list)
    for candidate in candidates:
        if candidate.session:
            scores[candidate.session].append(candidate.score)
    means = {session: fmean(sorted(mine, reverse=True)[:SESSION_BEST]) for session, mine in scores.items()}
    return [
        candidate._replace(
            score=round(candidate.score + weights.session * mean, DIGITS),
            signals={**candidate.signals, "session": mean},
        )
        for candidate in candidates
        for mean in [means.get(candidate.session, candidate.score)]
    ]
