"""Choosing what is returned: the best after every penalty, each thing once, within the budget.

A penalty only lowers a score, so the score before it is a bound. Candidates are taken from a queue by what they are
known to score: one that was not examined yet is examined and put back with its penalties; one that was is the best of
all that remain, and is returned if it fits. So no more is examined than is needed to prove the order.
"""

from __future__ import annotations

import heapq
from math import prod
from typing import TYPE_CHECKING

from moored.model.episodes import Role
from moored.model.notes import State
from moored.model.recall import Hit, HitKind
from moored.model.tokens import count_tokens
from moored.recall.excerpt import shown
from moored.recall.fusion import DIGITS, Candidate
from moored.recall.telling import tells
from moored.recall.verify import Examined, examine, fetch_notes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from moored.ledger.sight import Sight
    from moored.model.projects import Project
    from moored.recall.policy import Policy
    from moored.store.port import View

MOST_EXAMINED = 120
MOST_MISFITS = 8
"""When to stop: after so many were examined, or did not fit the room that was left."""

UNSAID = (Role.TOOL, Role.SYSTEM)
"""Roles that say nothing themselves: tools, automation, the history of a repository."""

SMALLEST = 8
"""Tokens that have to be left for another hit to be tried."""


class Selection:
    """What was chosen, and why each other was not, by candidate. `texts` are those that are not said again."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self.hits: list[Hit] = []
        self.omitted: dict[tuple[HitKind, int], tuple[Candidate, str]] = {}
        self.tokens = 0
        self.texts = set(texts)


def select(
    view: View,
    project: Project,
    sight: Sight | None,
    candidates: Sequence[Candidate],
    weights: Mapping[str, float],
    newer: Mapping[int, int],
    policy: Policy,
    chosen: Selection,
) -> None:
    """Choose among candidates. `weights` are those of the question's terms, `newer` as for `examine`."""
    examined: dict[tuple[HitKind, int], Examined] = {}
    returned: list[tuple[Candidate, Examined, Hit]] = []
    terms = sorted(weights, key=lambda term: -weights[term])
    queue = [(candidate.order, candidate) for candidate in candidates]
    heapq.heapify(queue)
    whole = sum(weights.values())
    answerable = any(_reaches(candidate, policy.floor_share, policy, whole) for candidate in candidates)
    misfits = 0
    notes = fetch_notes(view, project, candidates, policy.limit)
    while queue and misfits < MOST_MISFITS and len(examined) < MOST_EXAMINED:
        if len(returned) >= policy.limit or policy.budget - chosen.tokens < SMALLEST:
            break
        if returned and queue[0][1].score < policy.far_below * returned[0][0].score:
            break
        _, candidate = heapq.heappop(queue)
        key = (candidate.kind, candidate.row)
        known = examined.get(key)
        if known is None:
            if not (answerable and _reaches(candidate, policy.least_share, policy, whole)):
                chosen.omitted[key] = (candidate, "below the floor")
                continue
            known = examine(view, project, sight, candidate, newer, notes)
            if known is None:
                continue
            examined[key] = known
            candidate = _penalised(candidate, known, policy)
            heapq.heappush(queue, (candidate.order, candidate))
            continue
        reason, text = "", ""
        if known.sameness in chosen.texts:
            reason = "duplicate"
        elif known.verdict.state is State.STALE and not policy.include_stale:
            reason = "stale"
        elif policy.only_telling and known.episode and not tells(known.episode, weights):
            reason = "tells nothing"
        else:
            text = shown(known, terms, policy.budget - chosen.tokens, policy.hit_cap) or ""
            reason = "" if text else "budget"
            misfits += not text
        if reason:
            chosen.omitted[key] = (candidate, reason)
            continue
        hit = _hit(candidate, known, text)
        returned.append((candidate, known, hit))
        chosen.texts.add(known.sameness)
        chosen.tokens += hit.tokens
    _drop_superseded(chosen, returned)
    for _, candidate in queue:
        far_below = returned and candidate.score < policy.far_below * returned[0][0].score
        rest = "far below the best" if far_below else "limit" if len(returned) >= policy.limit else "budget"
        chosen.omitted[candidate.kind, candidate.row] = (candidate, rest)


def _reaches(candidate: Candidate, share: float, policy: Policy, whole: float) -> bool:
    """Whether it says enough of what was asked: it holds this share of it, stands out in meaning, or is named.

    `whole` is the weight of the question.
    """
    signals = candidate.signals
    if (policy.by_fragments and "trigrams" in signals) or signals.get("mention", 0.0) >= policy.named:
        return True
    held = signals.get("share", 0.0)
    by_words = held >= share and held * whole >= policy.floor_weight
    return by_words or signals.get("standout", 0.0) >= policy.floor_standout


def _penalised(candidate: Candidate, examined: Examined, policy: Policy) -> Candidate:
    penalties = dict(examined.penalties)
    if policy.unsaid_factor < 1 and candidate.kind is HitKind.EPISODE and examined.evidence[0].source in UNSAID:
        penalties["unsaid"] = policy.unsaid_factor
    score = round(candidate.score * prod(penalties.values()), DIGITS)
    return candidate._replace(score=score, signals={**candidate.signals, "fused": candidate.score, **penalties})


def _hit(candidate: Candidate, examined: Examined, text: str) -> Hit:
    return Hit(
        id=examined.id,
        kind=candidate.kind,
        text=text,
        score=candidate.score,
        verdict=examined.verdict,
        anchors=examined.anchors,
        evidence=examined.evidence,
        signals={name: round(value, DIGITS) for name, value in candidate.signals.items()},
        tokens=count_tokens(text),
    )


def _drop_superseded(chosen: Selection, returned: Sequence[tuple[Candidate, Examined, Hit]]) -> None:
    """Keep what was superseded only where its successor is not returned as well."""
    ids = {hit.id for _, _, hit in returned}
    for candidate, examined, hit in returned:
        if not ids.isdisjoint(examined.successors):
            chosen.omitted[candidate.kind, candidate.row] = (candidate, "superseded")
            chosen.tokens -= hit.tokens
        else:
            chosen.hits.append(hit)
