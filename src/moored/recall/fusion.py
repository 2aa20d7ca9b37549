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

    _Draft = tuple[Key, float, dict[str, float], WindowRow | None, float]
    """What was found, before its session counts: its score, signals, window and match."""

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


class _Leg(NamedTuple):
    """A signal of matching: the positions of texts by it, and what they count."""

    name: str
    positions: Mapping[Text, float]
    share: float


def fuse(found: Found, weights: Weights) -> list[Candidate]:
    """Every candidate that any signal found, best first."""
    texts = _texts_of_hits(found)
    said = [mine for key, mine in texts.items() if key[0] is not HitKind.FACT]
    legs = _legs(said, found, weights)
    matches = {text: 0.0 for mine in said for text in mine}
    for _, leg, share in legs:
        matches = {text: match + share * leg[text] for text, match in matches.items()}
    facts = found.lexical.scores.get(HitKind.FACT, {})
    best_fact = max(facts.values(), default=1.0)
    for_length = found.asking.role is not Role.ASSISTANT
    beside = _beside(texts, found)
    raw = _raw(found)
    drafts: list[_Draft] = []
    for key, mine in texts.items():
        best = None if key[0] is HitKind.FACT else _best(mine, matches)
        signals = {name: leg[best] for name, leg, _ in legs} if best else {}
        window = found.windows[best[1]] if best and best[0] is HitKind.EPISODE else None
        score = match = matches[best] if best else 0.0
        if key[0] is HitKind.FACT and key[1] in facts:
            signals["words"] = facts[key[1]] / best_fact
            score = weights.fact * signals["words"]
        told = _told(mine, found)
        if for_length and window and window.windows > 1:
            told["length"] = -math.log(window.windows)
        for name, numbers in beside:
            if numbers.get(key, 0.0) > 0.0:
                told[name] = numbers[key]
        if told:
            score += priors.weighed(told, weights)
            signals.update(told)
        for text in mine:
            for name, numbers in raw:
                number = numbers.get(text)
                if number is not None and (name not in signals or number > signals[name]):
                    signals[name] = number
        if found.known_model and "cosine" in signals:
            signals["relevance"] = relevance(signals)
        drafts.append((key, score, signals, window, match))
    return sorted(_in_sessions(drafts, weights), key=lambda candidate: candidate.order)


def _texts_of_hits(found: Found) -> dict[Key, list[Text]]:
    """The texts of each hit that were found: of an episode some windows, of others the thing itself."""
    texts: defaultdict[Key, list[Text]] = defaultdict(list)
    facts = ((HitKind.FACT, row) for row in found.lexical.scores.get(HitKind.FACT, ()))
    for text in dict.fromkeys((*found.texts, *facts, *found.trigrams.get(HitKind.FACT, ()))):
        if text[0] is not HitKind.EPISODE:
            texts[text].append(text)
        elif window := found.windows.get(text[1]):
            texts[HitKind.EPISODE, window.episode].append(text)
    for key in (*found.mention, *found.named.notes):
        texts.setdefault(key, [] if key[0] is HitKind.EPISODE else [key])
    return texts


def _legs(said: Sequence[Sequence[Text]], found: Found, weights: Weights) -> list[_Leg]:
    """The positions of the texts of these hits by words, by vectors and by pieces.

    A leg that found nothing is left out. The others share its weight in proportion to their own.
    """
    words = {text: found.lexical.score(text) for mine in said for text in mine}
    legs = {
        "words": _positions(said, words if any(found.lexical.scores.values()) else {}),
        "dense": _positions(said, _with_questions(found)) | _positions(said, found.first),
        "late": _positions(said, found.late.full),
    }
    for leg in (legs["dense"], legs["late"]):
        lowest = min(leg.values(), default=0.0)
        leg.update((text, lowest) for text in words if leg and text not in leg)
    own = {name: getattr(weights, name) for name, leg in legs.items() if leg}
    whole, there = weights.words + weights.dense + weights.late, sum(own.values()) or 1.0
    return [_Leg(name, legs[name], weight * whole / there) for name, weight in own.items()]


def _positions(hits: Sequence[Sequence[Text]], scores: Mapping[Text, float]) -> dict[Text, float]:
    """The positions of texts; the ranks are those of the best of each hit."""
    known = [[scores[text] for text in mine if text in scores] for mine in hits] if scores else []
    return positions(scores, [its[0] if len(its) == 1 else max(its) for its in known if its])


def _with_questions(found: Found) -> dict[Text, float]:
    """The cosines, of each window that answers a question with a share of what the question's own is higher."""
    cosines = dict(found.cosines)
    for row, window in found.windows.items():
        text = (HitKind.EPISODE, row)
        if window.traits & FOLLOWS and text in cosines:
            cosine = cosines[text]
            before = ((found.asked.get(window.place + step, cosine), share) for step, share in ASKED.items())
            cosines[text] += max(max(other - cosine, 0.0) * share for other, share in before)
    return cosines


def _best(texts: Sequence[Text], matches: Mapping[Text, float]) -> Text | None:
    """The text of a hit that matches best, the first of equals; None where it has none."""
    return texts[0] if len(texts) == 1 else max(texts, key=matches.__getitem__, default=None)


def _told(texts: Sequence[Text], found: Found) -> dict[str, float]:
    """The strongest of each prior among the windows of a hit."""
    if len(texts) == 1:
        return dict(found.told(texts[0]))
    told: dict[str, float] = {}
    for text in texts:
        for name, value in found.told(text).items():
            told[name] = max(value, told.get(name, 0.0))
    return told


def _beside(texts: Mapping[Key, Sequence[Text]], found: Found) -> list[tuple[str, Mapping[Key, float]]]:
    """What speaks for hits beside their match and their priors, by the name of its signal, where there is any."""
    fragments = {text: at for scores in found.trigrams.values() for text, at in positions(scores).items()}
    trigrams = {
        key: max(fragments.get(text, 0.0) for text in mine)
        for key, mine in texts.items()
        if not fragments.keys().isdisjoint(mine)
    }
    every = (("trigrams", trigrams), ("mention", found.mention), ("alias", found.named.notes), ("tag", found.tags))
    return [(name, numbers) for name, numbers in every if numbers]


def _raw(found: Found) -> list[tuple[str, Mapping[Text, float]]]:
    """The raw numbers behind the positions of texts, by the names of their signals."""
    held = _by_text(found.lexical.held)
    rest = held if found.lexical.rest is found.lexical.held else _by_text(found.lexical.rest)
    return [
        ("share", held),
        ("rest", rest),
        ("cosine", found.cosines),
        ("standout", found.standout),
        ("met", found.late.own),
    ]


def _by_text(numbers: Mapping[HitKind, Mapping[int, float]]) -> dict[Text, float]:
    return {(kind, row): number for kind, its in numbers.items() for row, number in its.items()}


def _in_sessions(drafts: Sequence[_Draft], weights: Weights) -> Iterator[Candidate]:
    """The candidates with what the best of their sessions adds to their scores and signals."""
    best: dict[int, float] = {}
    for _, score, _, window, _ in drafts:
        if window and score > best.get(window.session, -math.inf):
            best[window.session] = score
    for (kind, row), own, signals, window, match in drafts:
        session = signals["session"] = best[window.session] if window else own
        yield Candidate(kind, row, round(own + weights.session * session, DIGITS), signals, window, match)
