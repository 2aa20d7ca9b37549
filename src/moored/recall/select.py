"""Choosing what is returned: the best after every penalty, each thing once, within the budget.

A penalty only lowers a score, so the score before it is a bound. Candidates are taken from a queue by what they are
known to score: one that was not examined yet is examined and put back with its penalties; one that was is the best of
all that remain, and is returned if it fits. So no more is examined than is needed to prove the order. A note that was
replaced gives its place to the one in force, and at the end the newer side of a dispute comes before the older.

Rules act here, before anything is cut: what they refuse leaves its room to others, and what they raise counts, until it
is examined, by the most that they can make of it. Whether a hit belongs to the question is measured without what they
take from its score: they move hits, and only `forbid`, `require` and `scope` leave them out.
"""

from __future__ import annotations

import heapq
import math
from typing import TYPE_CHECKING

from moored.model.episodes import Role
from moored.model.notes import State
from moored.model.recall import Hit, HitKind
from moored.model.tokens import count_tokens
from moored.recall.disputed import newer_first
from moored.recall.excerpt import shown
from moored.recall.fusion import DIGITS, Candidate
from moored.recall.relevance import Limits
from moored.recall.telling import echoes, tells
from moored.recall.verify import Examined, examine, fetch_notes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from moored.ledger.sight import Sight
    from moored.model.episodes import Episode
    from moored.model.projects import Project
    from moored.recall.mentions import Key
    from moored.recall.policy import Policy
    from moored.recall.rules import InForce
    from moored.store.port import View

    Waiting = tuple[tuple[float, int, int], Candidate, float]
    """A candidate in the queue: its place by the most that it can score, itself, and the score by which it belongs."""

MOST_EXAMINED = 120
MOST_MISFITS = 8
"""When to stop: after so many were examined, or did not fit the room that was left."""

UNSAID = (Role.TOOL, Role.SYSTEM)
"""Roles that say nothing themselves: tools, automation, the history of a repository."""

SMALLEST = 8
"""Tokens that have to be left for another hit to be tried."""


class Selection:
    """What was chosen, and why each other was not, by candidate.

    `turns` are the users' turns among the hits, by id, `texts` those that are not said again, `asked` the terms of the
    question.
    """

    def __init__(self, texts: Iterable[str] = (), asked: Iterable[str] = ()) -> None:
        self.hits: list[Hit] = []
        self.turns: dict[str, Episode] = {}
        self.omitted: dict[Key, tuple[Candidate, str]] = {}
        self.tokens = 0
        self.texts = set(texts)
        self.asked = frozenset(asked)


def select(
    view: View,
    project: Project,
    sight: Sight | None,
    candidates: Sequence[Candidate],
    weights: Mapping[str, float],
    newer: Mapping[int, int],
    policy: Policy,
    chosen: Selection,
    rules: InForce | None = None,
) -> None:
    """Choose among candidates. `weights` are those of the question's terms, `newer` as for `examine`."""
    _Choosing(view, project, sight, candidates, weights, newer, policy, chosen, rules).run()


class _Choosing:
    """One selection at work."""

    def __init__(
        self,
        view: View,
        project: Project,
        sight: Sight | None,
        candidates: Sequence[Candidate],
        weights: Mapping[str, float],
        newer: Mapping[int, int],
        policy: Policy,
        chosen: Selection,
        rules: InForce | None,
    ) -> None:
        self._view, self._project, self._sight, self._rules = view, project, sight, rules
        self._weights, self._newer = weights, newer
        self._policy, self._chosen = policy, chosen
        self._terms = sorted(weights, key=lambda term: -weights[term])
        self._notes = fetch_notes(view, project, candidates, len(candidates) if rules else policy.limit)
        open_to_all = self._not_refused(candidates)
        self._limits = Limits(open_to_all, sum(weights.values()), policy)
        self._queue = [self._unexamined(candidate) for candidate in open_to_all]
        heapq.heapify(self._queue)
        self._beyond: list[Waiting] = []
        self._examined: dict[Key, Examined] = {}
        self._returned: dict[Key, tuple[Candidate, Examined, Hit]] = {}
        self._misfits = 0

    def run(self) -> None:
        while self._queue and not self._is_full():
            waiting = heapq.heappop(self._queue)
            _, candidate, belonging = waiting
            key = (candidate.kind, candidate.row)
            if key in self._returned:
                continue
            known = self._examined.get(key)
            if reason := self._limits.refusal(_measured(candidate, belonging)):
                self._chosen.omitted[key] = (candidate, reason)
            elif known:
                self._take(key, candidate, known)
            elif len(self._examined) < MOST_EXAMINED:
                self._look_up(key, candidate)
            else:
                self._beyond.append(waiting)
        self._finish()

    def _not_refused(self, candidates: Sequence[Candidate]) -> Sequence[Candidate]:
        """The candidates without those of which it is known already that a rule refuses them."""
        if self._rules is None:
            return candidates
        kept: list[Candidate] = []
        for candidate in candidates:
            if reason := self._rules.refusal_before(candidate, self._notes, self._newer):
                self._chosen.omitted[candidate.kind, candidate.row] = (candidate, reason)
            else:
                kept.append(candidate)
        return kept

    def _unexamined(self, candidate: Candidate) -> Waiting:
        """A candidate by the most that it can score."""
        best = candidate
        if self._rules and self._rules.moves:
            best = self._rules.at_best(candidate, self._notes, self._newer)
        return best.order, candidate, best.score

    def _is_full(self) -> bool:
        no_room = self._policy.budget - self._chosen.tokens < SMALLEST or self._misfits >= MOST_MISFITS
        return no_room or len(self._returned) >= self._policy.limit

    def _look_up(self, key: Key, candidate: Candidate) -> None:
        """Examine a candidate and put it back, or the note in its place that is in force."""
        known = examine(self._view, self._project, self._sight, candidate, self._newer, self._notes)
        if known is None:
            return
        self._examined[key] = known
        if in_force := self._in_force(candidate, known):
            self._chosen.omitted[key] = (candidate, "superseded")
            heapq.heappush(self._queue, self._unexamined(in_force))
            return
        plain = _penalised(candidate, known, self._policy)
        again = self._rules.weighed(plain, known) if self._rules else plain
        heapq.heappush(self._queue, (again.order, again, max(plain.score, again.score)))

    def _in_force(self, candidate: Candidate, examined: Examined) -> Candidate | None:
        """The note that replaced a note, found by what found that one; None where nothing did."""
        if candidate.kind is not HitKind.NOTE or not examined.successors:
            return None
        note = self._view.notes.get(self._project, examined.successors[-1])
        tags = self._policy.tags
        if note is None or (tags and set(tags).isdisjoint(note.head.tags)):
            return None
        return candidate._replace(row=note.head.row, signals={**candidate.signals, "successor": 1.0})

    def _take(self, key: Key, candidate: Candidate, known: Examined) -> None:
        """Return a candidate, or say why not."""
        policy, chosen = self._policy, self._chosen
        reason, text = "", ""
        if self._rules and (refused := self._rules.refusal(known)):
            reason = refused
        elif known.sameness in chosen.texts:
            reason = "duplicate"
        elif known.verdict.state is State.STALE and not policy.include_stale:
            reason = "stale"
        elif policy.only_telling and known.episode and not tells(known.episode, self._weights):
            reason = "tells nothing"
        elif known.episode and policy.asks and echoes(known.episode, chosen.asked):
            reason = "asks the same"
        else:
            text = shown(known, self._terms, policy.budget - chosen.tokens, policy.hit_cap) or ""
            reason = "" if text else "budget"
            self._misfits += not text
        if reason:
            chosen.omitted[key] = (candidate, reason)
            if reason != "budget":
                self._limits.drop(candidate)
            return
        hit = _hit(candidate, known, text)
        self._returned[key] = (candidate, known, hit)
        chosen.omitted.pop(key, None)
        chosen.texts.add(known.sameness)
        chosen.tokens += hit.tokens

    def _finish(self) -> None:
        """Say why what remains was not returned, leave out what stands beside its successor, and put newer first."""
        _drop_superseded(self._chosen, list(self._returned.values()))
        self._chosen.turns = {
            known.id: known.episode
            for _, known, _ in self._returned.values()
            if known.episode and known.episode.role is Role.USER
        }
        newer = {known.id: known.newer for _, known, _ in self._returned.values() if known.newer}
        if newer:
            self._chosen.hits = newer_first(self._chosen.hits, newer)
        room = "limit" if len(self._returned) >= self._policy.limit else "budget"
        for _, candidate, belonging in (*self._queue, *self._beyond):
            key = (candidate.kind, candidate.row)
            if key not in self._returned:
                refused = self._limits.refusal(_measured(candidate, belonging)) if self._returned else ""
                self._chosen.omitted.setdefault(key, (candidate, refused or room))


def _measured(candidate: Candidate, belonging: float) -> Candidate:
    """A candidate with the score by which it is measured whether it belongs."""
    return candidate if belonging == candidate.score else candidate._replace(score=belonging)


def _penalised(candidate: Candidate, examined: Examined, policy: Policy) -> Candidate:
    penalties = dict(examined.penalties)
    if policy.unsaid_factor < 1 and candidate.kind is HitKind.EPISODE and examined.evidence[0].source in UNSAID:
        penalties["unsaid"] = policy.unsaid_factor
    factor = math.prod(penalties.values()) if candidate.score > 0 else 1.0
    score = round(candidate.score * factor, DIGITS)
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
