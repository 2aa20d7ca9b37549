"""Questions that no single text answers: in what order things came up, how something went, what several sessions say.

Such an answer is a thread: the turns about the same thing, in several sessions. So the best hits are chosen one after
the other, each session giving way a little with every hit that was taken from it. For an order or a summary the turns
are first weighed anew, by their match alone:

- A name that good turns of other sessions share is a thread, and what stands in it gains (the names are capitalised
  words inside sentences). The gain is the mean over the other sessions of their best match with that name, the more the
  rarer the name is.
- In what order things came up is told by what the user said, each turn with half of its answer; how something went is
  told by question and answer together, the answer first.

The scores of the ranking stay as they are and change hands, so that limits mean the same as elsewhere; the signal
`thread` is what a turn was chosen by.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from itertools import zip_longest
from typing import TYPE_CHECKING

from moored.model.episodes import Role
from moored.model.recall import HitKind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from moored.model.projects import Project
    from moored.recall.fusion import Candidate
    from moored.recall.priors import Asking
    from moored.store.port import View

HEAD = 80
"""Hits, the best first, among which a thread is looked for."""

SPREAD, SPREAD_ACROSS = 0.05, 0.2
"""What each hit that was taken from a session counts against the others in it, the second where it is asked for what
stands in several."""

ANSWER_SHARE = 0.5
"""How much of an answer counts for the turn before it, where an order is asked for."""

OF_USER, ANSWER_FIRST = 0.7, 0.2
"""The share of the user's turn in question and answer together, and by how much the answer goes first in a summary."""

RARE = 3
"""A name in so small a share of the turns, as a natural logarithm, counts in full."""

_NAME = re.compile(r"(?<=[a-z,;:(\"'\u201c] )[A-Z][A-Za-z]{2,}")


def by_threads(view: View, project: Project, candidates: Sequence[Candidate], asking: Asking) -> list[Candidate]:
    """The candidates in the order for the question; as they are where it does not ask for a thread."""
    asked = asking.asked
    if asked.ordering or asked.summary:
        turns = [one for one in candidates if one.kind is HitKind.EPISODE and one.window]
        strength = _strength(turns, _names(view, project, turns), summary=asked.summary)
        return _taken(candidates, strength, SPREAD)
    if asked.across or (asked.several and asking.author):
        return _taken(candidates, {}, SPREAD_ACROSS if asked.across else SPREAD)
    return list(candidates)


def _names(view: View, project: Project, turns: Sequence[Candidate]) -> dict[int, set[str]]:
    """The names in what users said, by episode; days and months name no thread."""
    from moored.model.timewords import MONTHS, WEEKDAYS

    calendar = {*MONTHS, *WEEKDAYS, "the"}
    mine = [one.row for one in turns if _role(one) is Role.USER]
    texts = view.episodes.by_seqs(project, mine) if mine else {}
    found = {seq: set(_NAME.findall(episode.text)) for seq, episode in texts.items()}
    return {seq: {name for name in names if name.lower() not in calendar} for seq, names in found.items()}


def _strength(turns: Sequence[Candidate], names: Mapping[int, set[str]], *, summary: bool) -> dict[int, float]:
    """By what a turn is chosen, by episode."""
    plain = _with_threads(turns, names)
    strength: dict[int, float] = {}
    for one, after in _in_pairs(turns):
        own, answer = plain[one.row], plain[after.row] if after else 0.0
        if summary and after:
            together = OF_USER * own + (1 - OF_USER) * answer
            strength[one.row], strength[after.row] = together, together + ANSWER_FIRST
        elif _role(one) is Role.USER:
            share = 0.0 if summary else ANSWER_SHARE
            strength[one.row] = (own + share * answer) / (1 + share)
        elif summary:
            strength.setdefault(one.row, own)
    return strength


def _with_threads(turns: Sequence[Candidate], names: Mapping[int, set[str]]) -> dict[int, float]:
    """The match of each turn, and what it gains from the other sessions that share a name with it."""
    best: dict[tuple[str, int], float] = {}
    for one in turns:
        for name in names.get(one.row, ()):
            best[name, one.session] = max(best.get((name, one.session), 0.0), one.match)
    total: defaultdict[str, float] = defaultdict(float)
    for (name, _), match in best.items():
        total[name] += match
    counts = Counter(name for mine in names.values() for name in mine)
    others = max(len({one.session for one in turns}) - 1, 1)
    result: dict[int, float] = {}
    for one in turns:
        gains = (
            (total[name] - best[name, one.session]) / others * min(1.0, math.log(len(names) / counts[name]) / RARE)
            for name in names.get(one.row, ())
            if counts[name] > 1
        )
        result[one.row] = one.match + max(gains, default=0.0)
    return result


def _in_pairs(turns: Sequence[Candidate]) -> list[tuple[Candidate, Candidate | None]]:
    """Each turn with the assistant's turn right after it in the session, where it is the user's and that was found."""
    ordered = sorted(turns, key=lambda one: (one.session, one.row))
    found: list[tuple[Candidate, Candidate | None]] = []
    for one, after in zip_longest(ordered, ordered[1:]):
        answers = (
            after is not None
            and after.session == one.session
            and (_role(one), _role(after)) == (Role.USER, Role.ASSISTANT)
        )
        found.append((one, after if answers else None))
    return found


def _role(candidate: Candidate) -> str:
    return candidate.window.role if candidate.window else ""


def _taken(candidates: Sequence[Candidate], strength: Mapping[int, float], penalty: float) -> list[Candidate]:
    """The candidates in the order in which they are taken, with the scores of the ranking.

    They are taken by their strength, those that have one first, or by their score where nothing has.
    """
    value = {
        at: strength[one.row] if strength else one.score
        for at, one in enumerate(candidates)
        if not strength or (one.kind is HitKind.EPISODE and one.row in strength)
    }
    head = sorted(value, key=lambda at: (-value[at], at))[:HEAD]
    order: list[int] = []
    taken: Counter[int] = Counter()
    while head:
        best = max(head, key=lambda at: value[at] - penalty * taken[candidates[at].session])
        head.remove(best)
        order.append(best)
        if candidates[best].session:
            taken[candidates[best].session] += 1
    order += [at for at in range(len(candidates)) if at not in set(order)]
    scores = sorted((one.score for one in candidates), reverse=True)
    chosen = ((candidates[at], score, value.get(at)) for at, score in zip(order, scores, strict=True))
    return [
        one._replace(score=score, signals=one.signals if by is None else {**one.signals, "thread": by})
        for one, score, by in chosen
    ]
