"""The rules of a project at work on one question: which hits they refuse, and by what they multiply a score.

Every hard rule becomes a condition on which a hit is refused: that of a `forbid`; for a `require`, to be what it names
and not to fulfil it; that of a `scope` while the work is elsewhere. Soft rules have a condition and a factor.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from moored.model.conditions import Clause, Condition, Every, Field, Not, Seen, Some, holds
from moored.model.facts import FactKind
from moored.model.patterns import fits_path
from moored.model.recall import HitKind
from moored.model.rules import LEAST_FACTOR, MOST_FACTOR, Action, Rule, ScopeKind
from moored.recall.fusion import DIGITS

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from moored.model.notes import Anchor, Note, Verdict
    from moored.model.projects import Project
    from moored.recall.fusion import Candidate
    from moored.recall.verify import Examined
    from moored.store.port import View

UNNAMED = (FactKind.FILE, FactKind.COMMAND)
"""What an anchor may name that is no symbol."""


class Work(NamedTuple):
    """Where work is done: the paths that are asked about or edited, and by what the session is called, where known."""

    paths: tuple[str, ...] = ()
    session: tuple[str, ...] = ()

    def is_in(self, kind: ScopeKind, scope: str) -> bool:
        """Whether it is done in the scope of a rule; what is not known is not in it."""
        if kind is ScopeKind.PATH:
            return any(fits_path(scope, path) for path in self.paths)
        return kind is ScopeKind.PROJECT or scope in self.session


def working(view: View, project: Project, paths: tuple[str, ...], session: str) -> Work:
    """Where work is done: in these paths, and in a session that is called by its name or id."""
    known = view.projects.called(project, session) if session else []
    return Work(paths, tuple(dict.fromkeys([session, *(name for one in known for name in (one.id, one.name))])))


class InForce:
    """The rules that hold while a question is asked at `now` (milliseconds since the epoch)."""

    def __init__(self, rules: Sequence[Rule], work: Work, now: int) -> None:
        self._now = now
        self._refusing: list[tuple[str, Condition]] = []
        self._weighing: list[tuple[str, float, Condition]] = []
        for rule in rules:
            inside = work.is_in(rule.scope_kind, rule.scope)
            if rule.action is Action.SCOPE:
                if not inside:
                    self._refusing.append((rule.id, rule.condition))
            elif rule.scope_kind is not ScopeKind.SESSION or inside:
                self._enforce(rule)
        self.moves = bool(self._weighing)

    def _enforce(self, rule: Rule) -> None:
        about = [Clause(Field.PATH, "=", rule.scope)] if rule.scope_kind is ScopeKind.PATH else []
        if rule.action is Action.REQUIRE:
            named, required = required_of(rule.condition)
            self._refusing.append((rule.id, Every((*about, *named, Not(Every(required))))))
        elif rule.action is Action.FORBID:
            self._refusing.append((rule.id, Every((*about, rule.condition))))
        else:
            self._weighing.append((rule.id, rule.factor, Every((*about, rule.condition))))

    def refusal(self, examined: Examined) -> str:
        """Why a hit is not told, in the words of a receipt: `rule` and its id; empty where no rule is against it."""
        return self.refuses(seen(examined, self._now))

    def refusal_before(self, candidate: Candidate, notes: Mapping[int, Note], began: Collection[int]) -> str:
        """The same of a candidate that was not examined, where that is known already: see `seen_before`."""
        return self.refuses(seen_before(candidate, notes, began, self._now))

    def refuses_note(self, note: Note, paths: Sequence[str], verdict: Verdict, trust: str) -> str:
        """The same of a note that was judged. `paths` are where its anchors stand now."""
        return self.refuses(seen_note(note, paths, verdict, trust, self._now))

    def refuses(self, hit: Seen) -> str:
        """The same of anything."""
        return next((f"rule {id_}" for id_, condition in self._refusing if holds(condition, hit)), "")

    def at_best(self, candidate: Candidate, notes: Mapping[int, Note], began: Collection[int]) -> Candidate:
        """A candidate that was not examined with the highest score that it can have: see `seen_before`."""
        most = self.most(seen_before(candidate, notes, began, self._now))
        return candidate._replace(score=weighed(candidate.score, most))

    def weighed(self, candidate: Candidate, examined: Examined) -> Candidate:
        """A candidate under the factors of the rules."""
        factor, signals = self.factors(seen(examined, self._now))
        score = weighed(candidate.score, factor)
        return candidate._replace(score=score, signals={**candidate.signals, **signals}) if signals else candidate

    def factors(self, hit: Seen) -> tuple[float, dict[str, float]]:
        """The factor on the score of a hit, within the limits, and what each rule has in it, as signals.

        Where the rules together go beyond the limits, `rules within limits` is what brings them back.
        """
        found = {f"rule {id_}": factor for id_, factor, condition in self._weighing if holds(condition, hit)}
        product = math.prod(found.values())
        bounded = _within(product)
        if product != bounded:
            found["rules within limits"] = bounded / product
        return bounded, found

    def most(self, hit: Seen) -> float:
        """The largest factor that a hit can have, of which not all is known yet."""
        possible = 1.0
        for _, factor, condition in self._weighing:
            held = holds(condition, hit)
            if held or (held is None and factor > 1):
                possible *= factor
        return _within(possible)


def weighed(score: float, factor: float) -> float:
    """A score under a factor: a larger factor never makes it lower, also where the score is below 0."""
    return round(score * factor if score > 0 else score / factor, DIGITS)


def required_of(condition: Condition) -> tuple[tuple[Condition, ...], tuple[Condition, ...]]:
    """The parts of a `require` that name the kind of hit that it is for, and those that such a hit must fulfil."""
    parts = condition.parts if isinstance(condition, Every) else (condition,)
    naming = tuple(part for part in parts if _asks_only_kind(part))
    return naming, tuple(part for part in parts if part not in naming)


def _asks_only_kind(condition: Condition) -> bool:
    match condition:
        case Clause(field):
            return field is Field.KIND
        case Not(part):
            return _asks_only_kind(part)
        case Every(parts) | Some(parts):
            return all(map(_asks_only_kind, parts))


def seen_before(candidate: Candidate, notes: Mapping[int, Note], began: Collection[int], now: int) -> Seen:
    """What is known of a candidate before it is examined: nothing where it was replaced and stands for another.

    `notes` are those that were fetched, by the number of their revision, `began` the episodes that began a note.
    """
    if candidate.kind is HitKind.FACT:
        return Seen(kinds=(HitKind.FACT,), tags=())
    if candidate.kind is HitKind.EPISODE:
        return Seen() if candidate.row in began else Seen(kinds=(HitKind.EPISODE,), tags=(), paths=(), symbols=())
    note = notes.get(candidate.row)
    return seen_stored(note, now) if note and not note.superseded_by else Seen()


def seen_note(note: Note, paths: Sequence[str], verdict: Verdict, trust: str, now: int) -> Seen:
    """All that is known of a note that was judged. `paths` are where its anchors stand now."""
    known = seen_stored(note, now)
    then = (anchor.path for anchor in note.head.anchors)
    every = tuple(dict.fromkeys(path for path in (*then, *paths) if path))
    return known._replace(paths=every, verdict=str(verdict.state), trust=trust)


def seen(examined: Examined, now: int) -> Seen:
    """All that is known of a hit that was examined. An episode that began a note is also what that note is."""
    first, note, fact = examined.evidence[0], examined.note, examined.fact
    if note and not examined.episode:
        paths = [one.path for one in examined.anchors]
        return seen_note(note, paths, examined.verdict, first.trust, now)
    alone = Seen(
        kinds=(HitKind.FACT if fact else HitKind.EPISODE,),
        tags=(),
        paths=(fact.path,) if fact and fact.path else (),
        symbols=(fact.name,) if fact and fact.kind not in UNNAMED else (),
        age=now - first.at,
        verdict=str(examined.verdict.state),
        trust=first.trust,
        text=examined.head + examined.text,
    )
    if note is None:
        return alone
    began = seen_note(note, (), examined.verdict, first.trust, now)
    kinds = (*(alone.kinds or ()), *(began.kinds or ()))
    return alone._replace(kinds=kinds, tags=began.tags, paths=began.paths, symbols=began.symbols)


def seen_stored(note: Note, now: int) -> Seen:
    """What is known of a note before it is judged: what it is about may have moved to another file."""
    head = note.head
    return Seen(
        kinds=tuple(dict.fromkeys((str(HitKind.NOTE), note.kind))),
        tags=head.tags,
        paths=None if any(anchor.path for anchor in head.anchors) else (),
        symbols=tuple(anchor.name for anchor in head.anchors if _is_symbol(anchor)),
        age=now - head.created_at,
        text=head.text,
    )


def _is_symbol(anchor: Anchor) -> bool:
    return bool(anchor.name) and anchor.kind not in UNNAMED


def _within(factor: float) -> float:
    return min(max(factor, LEAST_FACTOR), MOST_FACTOR)
