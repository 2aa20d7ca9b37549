"""What speaks for a text before its words are looked at: who said it, when, and what sort of statement it is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from moored.model.episodes import Role
from moored.model.traits import (
    ACKNOWLEDGES,
    DIRECTIVE,
    ERROR,
    EVENT,
    FIRST_PERSON,
    NUMBER,
    PREFERENCE,
    QUESTION,
    QUOTED,
    TIMED,
    names_in,
)
from moored.recall.asked import NOTHING, Asked

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import tzinfo

    from moored.model.projects import Project
    from moored.recall.speakers import Named
    from moored.recall.weights import Weights
    from moored.recall.when import Period
    from moored.store.port import View
    from moored.store.rows import WindowRow

SECOND = 0.5
"""How surely the first of several people that a question names is the one it is about."""

INSTRUCTION = 0.6
"""What a standing instruction to an assistant counts where no advice is asked for."""

PEOPLE_NUMBER, PEOPLE_NAME = 0.5, 0.3
"""What a number and each name add in talk among people, where most turns tell nothing."""

WORD = 6
"""Characters of a word with the blank after it."""

DENSE_NAMES = 10
"""One name in so many words is as dense as it counts."""

_ABOUT_ONESELF = re.compile(r"\b(?:i|me|my|we|our)\b", re.IGNORECASE)


class Asking(NamedTuple):
    """How a question is read.

    `said` is the question as it is compared by meaning (see `speakers`). `author` is the person whom it is about, as
    surely as `surely` says (0 to 1), and `role` whose words hold the answer, as far as it tells; `periods` are the
    times that it names, in `zone`, and those that events bound which it names. `personal` says that it is about
    somebody who speaks.
    """

    asked: Asked
    said: str
    author: str | None
    surely: float
    role: Role | None
    periods: tuple[Period, ...]
    personal: bool
    zone: tzinfo
    worker: Role | None = None


def unread(text: str, zone: tzinfo) -> Asking:
    """A text that is not read as a question."""
    return Asking(NOTHING, text, None, 0.0, None, (), False, zone)


def read(view: View, project: Project, text: str, now: int, zone: tzinfo) -> Asking:
    """Read what a question asks for, asked at `now` (milliseconds since the epoch) in a zone."""
    from moored.recall import asking, speakers
    from moored.recall.events import event_periods
    from moored.recall.when import periods

    asked = asking.asked(text)
    # How long it was after an event is no question about what came after it: the event is part of the answer.
    bounds = () if asked.when or asked.count else event_periods(view, project, text, now, zone)
    people = speakers.named(text, view.search.authors(project)) if text else []
    author = speakers.subject(text, people)
    return Asking(
        asked=asked,
        said=_said(text, asked, author, people),
        author=author,
        surely=1.0 if len(people) == 1 else SECOND,
        role=None if people else asked.speaker,
        periods=(*periods(text, now, zone), *bounds),
        personal=author is not None or bool(_ABOUT_ONESELF.search(text)),
        zone=zone,
    )


def _said(text: str, asked: Asked, author: str | None, people: Sequence[Named]) -> str:
    """The question as it is compared by meaning: as the one it is about would say it, or its subject alone."""
    from moored.recall import asking, speakers

    if author:
        return speakers.as_said_by(text, author, people)
    return asking.topic(text) if asked.ordering or asked.summary else text


def among(asking: Asking, windows: Iterable[WindowRow]) -> Asking:
    """The question as it is read among these windows.

    In talk between one user and an assistant, a question that does not tell is about what the user said. Where tools
    were at work, the answer may be anybody's, and looser signs tell whose.
    """
    if asking.role or asking.author:
        return asking
    others = [window for window in windows if window.author or window.role not in _TALKERS]
    if not others:
        return asking._replace(role=Role.USER)
    at_work = any(window.role == Role.TOOL for window in others)
    return asking._replace(worker=asking.asked.worker) if at_work else asking


_TALKERS = (Role.USER, Role.ASSISTANT)


def of_window(window: WindowRow, asking: Asking) -> dict[str, float]:
    """The priors of a window by name, about 0 to 1; those of 0 are left out.

    `author`, `role`, `worker`: it was said by whom the question is about, as it seems.
    `error`: what went wrong is asked for, and it shows that. `date`: how close it is to a time that is named.
    `directive`: an instruction or a preference, where advice is asked for, and an instruction elsewhere too. `timed`,
    `number`: it tells a time or a number, where one is asked for. `question`: it asks. `names`: how dense proper names
    stand in it. `first_person`: it speaks of the speaker, as the question does. Where several things about a person are
    asked for, which stand in many turns, `event`, `acknowledges` and `quoted` tell turns that hold one from replies.
    """
    traits, asked = window.traits, asking.asked
    people = bool(window.author)
    found: dict[str, float] = {}
    if asking.author is not None and window.author == asking.author:
        found["author"] = asking.surely
    if asking.role is not None and window.role == asking.role:
        found["role"] = 1.0
    if asking.worker is not None and window.role == asking.worker:
        found["worker"] = 1.0
    if asked.error and traits & ERROR:
        found["error"] = 1.0
    if asking.periods:
        from moored.recall.when import closeness

        if date := max(closeness(period, window.occurred_at) for period in asking.periods):
            found["date"] = date
    if not people and asked.advice and traits & (DIRECTIVE | PREFERENCE):
        found["directive"] = 1.0
    elif not people and traits & DIRECTIVE:
        found["directive"] = INSTRUCTION
    return found | _of_words(window, asking)


def _of_words(window: WindowRow, asking: Asking) -> dict[str, float]:
    """The priors that come from what sort of words a window has."""
    traits, asked, people = window.traits, asking.asked, bool(window.author)
    found: dict[str, float] = {}
    if traits & TIMED and asked.when:
        found["timed"] = 1.0
    if traits & QUESTION and people:
        found["question"] = 1.0
    if names := names_in(traits):
        words = max((window.end - window.start) / WORD, 1.0)
        found["names"] = min(1.0, DENSE_NAMES * names / words) + PEOPLE_NAME * names * people
    if traits & NUMBER and (asked.number or people):
        found["number"] = asked.number + PEOPLE_NUMBER * people
    if traits & FIRST_PERSON and asking.personal:
        found["first_person"] = 1.0
    if asked.several and asking.author is not None:
        found.update((name, 1.0) for trait, name in _PIECES if traits & trait)
    return found


_PIECES = ((EVENT, "event"), (ACKNOWLEDGES, "acknowledges"), (QUOTED, "quoted"))


def weighed(priors: Mapping[str, float], weights: Weights) -> float:
    """What priors add to a score."""
    total = 0.0
    for name, value in priors.items():
        total += getattr(weights, name) * value
    return total
