"""From the signals' numbers to one score.

The signals of matching are measured by positions: 1 for the best score of any text, 0 for that of the best text of the
130th hit, not below -1. Positions are compared and not ranks, because by how much one is better than the next is most
of what a score says. A hit has the numbers of its best text: of an episode that is one of its windows.

    words   = position of the BM25 score (see `lexical`)
    dense   = position of the cosine; a window that follows a question of another shares in that of the question
    late    = position of the late interaction (see `late`)
    match   = 0.2 words + 0.3 dense + 0.5 late - 0.12 ln(windows of the episode)
    score   = match + 0.5 author + 0.4 role + 0.3 worker + 0.2 error + 1.2 date + 0.6 directive + 0.15 timed
              - 0.1 question + 0.1 names + 0.2 number + 0.05 first_person    (see `priors`)
              + 0.3 trigrams + 0.5 mention + 0.5 alias + 0.3 tag    (see `aliases`)
    session = the best score in the session; 0.3 of it is added to what stands in that session
    fused   = score x every penalty of the verdict (see `verify`)

The best of many windows is high by chance alone, so something is taken off for their number, or long answers would hide
short statements; not so where it is asked what the assistant said. A note is a session of its own. A fact is short and
so scores high by words: unless it is named, it gives way to what was said, and only its words count, by half. Where a
signal of meaning cannot play its part, the others take its weight.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from moored.model.episodes import Role
from moored.model.recall import HitKind
from moored.model.traits import FOLLOWS
from moored.recall import priors
from moored.recall.found import positions
from moored.recall.relevance import relevance

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from moored.recall.found import Found
    from moored.recall.lexical import Text
    from moored.recall.mentions import Key
    from moored.recall.weights import Weights
    from moored.store.rows import WindowRow

DIGITS = 6
"""Decimal places of a score, so that what cannot be told apart is ordered by age."""

ORDER = {HitKind.NOTE: 0, HitKind.EPISODE: 1, HitKind.FACT: 2}

ASKED = {-1: 0.5, -2: 0.3}
"""The share of the excess of a question's cosine, and of what stands before it, in that of the window that answers."""


class Candidate(NamedTuple):
    """Something that was found. `score` is the fused one; `row` is its number in the store (see `mentions.Key`).

    `signals` holds the numbers of the signals, and the raw ones behind them: the `share` of the question that its words
    hold, what they hold of the `rest` beside names, `cosine`, `standout`, how well the question's pieces are `met` in
    the text itself, and the `relevance` (see there). `match` is the part of the score that comes from words, vectors
    and pieces; `window` is that of an episode that matched best, or None.
    """

    kind: HitKind
    row: int
    score: float
    signals: Mapping[str, float]
    window: WindowRow | None = None
    match: float = 0.0

    @property
    def order(self) -> tuple[float, int, int]:
        """The place in the ranking: by score, then notes before episodes before facts, then the newer first."""
        return -self.score, ORDER[self.kind], -self.row

    @property
    def span(self) -> tuple[int, int] | None:
        """The characters of an episode that matched best."""
        return (self.window.start, self.window.end) if self.window else None

    @property
    def session(self) -> int:
        """The store's number of the session it stands in, 0 for what stands in none."""
        return self.window.session if self.window else 0


def fuse(found: Found, weights: Weights) -> list[Candidate]:
    """Every candidate that any signal found, best first."""
    texts = _texts_of_hits(found)
    legs = _legs({key: mine for key, mine in texts.items() if key[0] is not HitKind.FACT}, found)
    shares = _shares(legs, weights)
    facts = {text: score for text, score in found.lexical.scores.items() if text[0] is HitKind.FACT}
    best_fact = max(facts.values(), default=1.0)
    fragments = {text: at for scores in found.trigrams.values() for text, at in positions(scores).items()}
    for_length = found.asking.role is not Role.ASSISTANT
    named = [
        (name, numbers)
        for name, numbers in (("mention", found.mention), ("alias", found.named.notes), ("tag", found.tags))
        if numbers
    ]
    raw = (
        ("share", found.lexical.held),
        ("rest", found.lexical.rest),
        ("cosine", found.cosines),
        ("standout", found.standout),
        ("met", found.late.own),
    )
    legs = [(name, leg, shares[name]) for name, leg in legs.items()]
    drafts: list[Candidate] = []
    for key, mine in texts.items():
        signals, match, window = _match(mine, legs, found.windows)
        score = match
        if key in facts:
            signals["words"] = facts[key] / best_fact
            score = weights.fact * signals["words"]
        told = _told(mine, found)
        if for_length and window and window.windows > 1:
            told["length"] = -math.log(window.windows)
        if fragments and (trigrams := max((fragments.get(text, 0.0) for text in mine), default=0.0)) > 0.0:
            told["trigrams"] = trigrams
        for name, numbers in named:
            if key in numbers and numbers[key] > 0.0:
                told[name] = numbers[key]
        if told:
            score += priors.weighed(told, weights)
            signals.update(told)
        _add_raw(signals, mine, raw)
        if found.known_model and "cosine" in signals:
            signals["relevance"] = relevance(signals)
        drafts.append(Candidate(*key, score, signals, window, match))
    return sorted(_in_sessions(drafts, weights), key=lambda candidate: candidate.order)


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


def _legs(texts: Mapping[Key, Sequence[Text]], found: Found) -> dict[str, dict[Text, float]]:
    """The positions of all texts by words, by vectors and by pieces. A leg that found nothing is left out."""
    words = {text: found.lexical.scores.get(text, 0.0) for mine in texts.values() for text in mine}
    dense = {text: cosine + _of_the_question(text, cosine, found) for text, cosine in found.cosines.items()}
    legs = {
        "words": _positions(texts, words if found.lexical.scores else {}),
        "dense": _positions(texts, dense) | _positions(texts, found.first),
        "late": _positions(texts, found.late.full),
    }
    for leg in (legs["dense"], legs["late"]):
        lowest = min(leg.values(), default=0.0)
        leg.update((text, lowest) for text in words if leg and text not in leg)
    return {name: leg for name, leg in legs.items() if leg}


def _positions(texts: Mapping[Key, Sequence[Text]], scores: Mapping[Text, float]) -> dict[Text, float]:
    best: list[float] = []
    for mine in texts.values():
        known = [scores[text] for text in mine if text in scores]
        if known:
            best.append(known[0] if len(known) == 1 else max(known))
    return positions(scores, best)


def _of_the_question(text: Text, cosine: float, found: Found) -> float:
    """What the cosine of the question that a window answers adds to its own."""
    window = found.windows.get(text[1]) if text[0] is HitKind.EPISODE else None
    if window is None or not window.traits & FOLLOWS:
        return 0.0
    before = ((found.asked.get(window.place + step, cosine), share) for step, share in ASKED.items())
    return max(max(other - cosine, 0.0) * share for other, share in before)


def _shares(legs: Mapping[str, object], weights: Weights) -> dict[str, float]:
    """The weights of the legs that are there, which share those of the others in proportion."""
    whole = weights.words + weights.dense + weights.late
    mine = {name: getattr(weights, name) for name in legs}
    return {name: weight * whole / (sum(mine.values()) or 1.0) for name, weight in mine.items()}


def _match(
    texts: Sequence[Text], legs: Sequence[tuple[str, Mapping[Text, float], float]], windows: Mapping[int, WindowRow]
) -> tuple[dict[str, float], float, WindowRow | None]:
    """The positions of the best of a hit's texts, what they come to by their shares, and which window that is."""
    best, best_score = None, 0.0
    for text in texts:
        if text[0] is not HitKind.FACT:
            score = 0.0
            for _, leg, share in legs:
                score += share * leg[text]
            if best is None or score > best_score:
                best, best_score = text, score
    if best is None:
        return {}, 0.0, None
    window = windows[best[1]] if best[0] is HitKind.EPISODE else None
    return {name: leg[best] for name, leg, _ in legs}, best_score, window


def _told(texts: Sequence[Text], found: Found) -> dict[str, float]:
    """The strongest of each prior among the windows of a hit."""
    if len(texts) == 1:
        return dict(found.told(texts[0]))
    told: dict[str, float] = {}
    for text in texts:
        for name, value in found.told(text).items():
            told[name] = max(value, told.get(name, 0.0))
    return told


def _add_raw(signals: dict[str, float], texts: Sequence[Text], raw: Sequence[tuple[str, Mapping[Text, float]]]) -> None:
    """Add the raw numbers behind the positions: of several texts, the highest."""
    for text in texts:
        for name, numbers in raw:
            number = numbers.get(text)
            if number is not None and (name not in signals or number > signals[name]):
                signals[name] = number


def _in_sessions(drafts: Sequence[Candidate], weights: Weights) -> Iterator[Candidate]:
    """The candidates with what the best of their sessions adds to their scores and signals."""
    best: dict[int, float] = {}
    for _, _, score, _, window, _ in drafts:
        if window and score > best.get(window.session, -math.inf):
            best[window.session] = score
    for kind, row, own, signals, window, match in drafts:
        session = best[window.session] if window else own
        score = round(own + weights.session * session, DIGITS)
        yield Candidate(kind, row, score, {**signals, "session": session}, window, match)
