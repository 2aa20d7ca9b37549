"""Where an answer ends: whether a hit belongs to the question, and not only beside it.

A score orders hits against each other and says nothing of whether any of them is an answer: something is always best.
That is read from numbers that mean the same whatever else was found:

    relevance = cosine + met + 0.3 share

with the cosine of the best window, how well the question's pieces are met in it (see `late`), and the share of the
question's weight that its words hold (see `lexical`). Each alone mistakes one question in ten: a vector is near
whatever speaks of the same field, pieces are met by words that stand everywhere, and words are shared by chance.
Only together do they tell the fields apart from the thing (see `policy` for the limits and what they cost).

The numbers of another model mean something else, so this holds for the models in `KNOWN`. Facts have no vectors, and
neither has a text that waits for its own: of those, and with any other model, the share decides, or how far a vector
stands out. What the question names belongs. And where it names something that has notes of its own (the signal
`alias`), a hit that only mentions it is not what was asked for, unless it holds enough of the rest of the question.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from moored.model.recall import HitKind

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from moored.recall.fusion import Candidate
    from moored.recall.policy import Policy

SHARE = 0.3
"""What the share of the question counts beside the cosine and the pieces."""


KNOWN = frozenset({"minilm-l6-384@1"})
"""The models by whose numbers the limits were chosen."""


def relevance(signals: Mapping[str, float]) -> float:
    """How much a hit is about the question, about 0 to 2, from the raw numbers of a model that is known.

    A hit that was too far down for its pieces to be compared meets none.
    """
    return signals.get("cosine", 0.0) + signals.get("met", 0.0) + SHARE * signals.get("share", 0.0)


class Limits:
    """What hits must reach to be answered to one question, of which these are the candidates.

    `whole` is the weight of the question's terms.
    """

    def __init__(self, candidates: Collection[Candidate], whole: float, policy: Policy) -> None:
        self._policy = policy
        self._whole = whole
        self._candidates = list(candidates)
        self._subjects = any("alias" in one.signals for one in candidates)
        self._measure()

    def drop(self, candidate: Candidate) -> None:
        """Measure the others no more by a hit that is not returned for what it says."""
        self._candidates = [one for one in self._candidates if (one.kind, one.row) != (candidate.kind, candidate.row)]
        self._measure()

    def _measure(self) -> None:
        policy = self._policy
        self._open = {
            one.kind is HitKind.FACT
            for one in self._candidates
            if self.names(one) or self._has_fragment(one) or self._reaches(one, policy.floor, policy.floor_share)
        }
        signals = [one.signals for one in self._candidates]
        self._best = max((one.get("relevance", 0.0) for one in signals), default=0.0)
        self._share = max((one.get("share", 0.0) for one in signals), default=0.0)
        self._top = max((one.score for one in self._candidates), default=0.0)

    def names(self, candidate: Candidate) -> bool:
        """Whether the question names it, or something that it is about."""
        signals = candidate.signals
        return "alias" in signals or signals.get("mention", 0.0) >= self._policy.named

    def refusal(self, candidate: Candidate) -> str:
        """Why a hit does not belong, in the words of `Omitted`; empty where it does."""
        if self.names(candidate):
            return ""
        policy, signals = self._policy, candidate.signals
        if self._subjects and signals.get("rest", 0.0) < policy.rest:
            return "below the floor"
        if self._has_fragment(candidate):
            return ""
        answered = (candidate.kind is HitKind.FACT) in self._open
        if not answered or not self._reaches(candidate, policy.least, policy.least_share):
            return "below the floor"
        return "" if self._is_near(candidate) else "far below the best"

    def _is_near(self, candidate: Candidate) -> bool:
        """Whether it belongs to the question as the best does."""
        policy, signals = self._policy, candidate.signals
        if "relevance" not in signals:
            stands_out = signals.get("standout", -math.inf) >= policy.floor_standout
            return stands_out or signals.get("share", 0.0) >= policy.far_below * self._share
        part = signals["relevance"] / self._best if self._best > 0 else math.inf
        return part >= policy.sure or (part >= policy.near and candidate.score >= policy.beside * self._top)

    def _has_fragment(self, candidate: Candidate) -> bool:
        """Whether a code fragment of the question stands in it, where that is enough."""
        return self._policy.by_fragments and "trigrams" in candidate.signals

    def _reaches(self, candidate: Candidate, least: float, share: float) -> bool:
        signals, policy = candidate.signals, self._policy
        if "relevance" in signals:
            return signals["relevance"] >= least
        held = signals.get("share", 0.0)
        by_words = held >= share and held * self._whole >= policy.floor_weight
        return by_words or signals.get("standout", 0.0) >= policy.floor_standout
