"""Times that a question names, as periods, and how well the time of something fits them.

Everything is relative to the time of asking and to the zone of who asks. `periods` reads dates and words for times
(how is told in `timewords`); `event_bounds` reads "before the release", which is a period only once it is known when
the release was.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from moored.model.stretches import DAY_MS, Now, Stretch, day_of, days, in_other_year
from moored.model.timewords import is_time
from moored.recall.timephrases import places

if TYPE_CHECKING:
    from datetime import tzinfo

READ = 4_000
"""Characters of a text that are read; what follows is left out."""


class Grain(NamedTuple):
    """How sharp a period is, and how close things lie to it. The numbers are those of closeness, 0 to 1.

    `days` is the longest period of this grain. Things inside are `inside`; those that happened up to `grace` days
    later too, because people tell the next day; within `reach` days on either side they are `near`; elsewhere in a
    month that the period touches, `month`.
    """

    name: str
    days: float
    inside: float
    grace: int
    reach: int
    near: float
    month: float


GRAINS = (
    Grain("moment", 0.9, 1.0, 0, 1, 0.7, 0.0),
    Grain("day", 3.1, 1.0, 1, 4, 0.7, 0.3),
    Grain("week", 15, 0.7, 1, 4, 0.5, 0.3),
    Grain("month", 32, 0.5, 0, 0, 0.0, 0.0),
    Grain("season", 100, 0.4, 0, 0, 0.0, 0.0),
    Grain("year", float("inf"), 0.3, 0, 0, 0.0, 0.0),
)
OTHER_YEAR = 0.9
"""What is left of closeness in another year than the latest one, where the text names no year."""


class Period(NamedTuple):
    """A half-open stretch of time that a text names.

    `start_ms` and `end_ms` are milliseconds since the epoch; what has no beginning ("before May") begins at 0. `grain`
    tells how sharp it is. `yearly` means that the text named no year: the stretch is the latest one that has begun, and
    the same days of other years may be meant. `start` and `end` are the place of the expression in the text. `zone` is
    the one it was read in.
    """

    start_ms: int
    end_ms: int
    grain: Grain
    yearly: bool
    start: int
    end: int
    zone: tzinfo


def periods(text: str, now_ms: int, zone: tzinfo) -> tuple[Period, ...]:
    """The periods that the text names, in its order, as meant by one who asks at `now_ms` in `zone`.

    Of "the week before 3 May" both the week and the day are periods: a day is often when something was told.
    """
    now = Now(now_ms, zone, day_of(now_ms, zone))
    return tuple(
        _period((place.first, place.last), place.yearly, (place.start, place.end), zone)
        for place in places(text[:READ], now)
    )


def closeness(period: Period, occurred_at_ms: int) -> float:
    """How well a time fits the period, 0 to 1: the sharper the period, the more it says. The table is `GRAINS`."""
    stretch, zone = (period.start_ms, period.end_ms), period.zone
    here = _fit(stretch, period, occurred_at_ms)
    if not period.yearly:
        return here
    ahead = day_of(occurred_at_ms, zone).year - day_of(period.start_ms, zone).year
    moved = (in_other_year(stretch, ahead + more, zone) for more in (-1, 0, 1) if ahead + more)
    return max([here, *(OTHER_YEAR * _fit(other, period, occurred_at_ms) for other in moved if other)])


def _fit(stretch: Stretch, period: Period, at_ms: int) -> float:
    grain, zone = period.grain, period.zone
    first, last, at = (day_of(ms, zone) for ms in (stretch[0], stretch[1] - 1, at_ms))
    after, before = (at - last).days, (first - at).days
    if stretch[0] <= at_ms < stretch[1] or 0 < after <= grain.grace:
        return grain.inside
    if max(before, after) <= grain.reach:
        return grain.near
    return grain.month if (at.year, at.month) in {(day.year, day.month) for day in (first, last)} else 0.0


# --- events -----------------------------------------------------------------------------------------------------------


class Event(NamedTuple):
    """An event that bounds a question in time: "before the release", "since we merged the parser".

    `relation` is "before", "after", "since", "until" or "during"; `words` name the event; `start` and `end` are the
    place of the whole in the text.
    """

    relation: str
    words: str
    start: int
    end: int


_RELATIONS = {
    **dict.fromkeys(("before", "prior to"), "before"),
    **dict.fromkeys(("after", "following the", "once"), "after"),
    "since": "since",
    **dict.fromkeys(("until", "till"), "until"),
    **dict.fromkeys(("during", "while"), "during"),
}
_EVENT = re.compile(
    rf"\b(?P<r>{'|'.join(_RELATIONS)})\s{{1,3}}"
    r"(?P<a>(?:the|a|an|my|our|your|their|his|her|i|we|you|they|he|she)\s{1,3})?"
    r"(?P<w>(?!(?:all|that|this|then|it|and|or|how|date|now|hooks?)\b)\w[^\s,;:?!()]{0,60}"
    r"(?:\s(?!(?:and|but|then|do|does|did|is|was|were|what|which|who|how|where|why|when)\b)\w[^\s,;:?!()]{0,60}){0,9})",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"\.\s")


def event_bounds(text: str) -> tuple[Event, ...]:
    """The events that the text names as bounds of time. What is a date is none; see `periods`."""
    found: list[Event] = []
    for match in _EVENT.finditer(text, 0, READ):
        words = _SENTENCE_END.split(match["w"], maxsplit=1)[0].rstrip(".'\"`")
        if not is_time(text, match.start("w")) and not is_time(text, match.end("r") + 1):
            end = match.start("w") + len(words)
            found.append(Event(_RELATIONS[match["r"].lower()], words, match.start(), end))
    return tuple(found)


def event_period(event: Event, happened_at_ms: int, now_ms: int, zone: tzinfo) -> Period:
    """The period that the event bounds, now that it is known when it happened; its day where it says "during"."""
    match event.relation:
        case "before" | "until":
            stretch = (0, max(happened_at_ms, 1))
        case "during":
            stretch = days(zone, day_of(happened_at_ms, zone))
        case _:
            stretch = (happened_at_ms, max(now_ms, happened_at_ms + 1))
    return _period(stretch, False, (event.start, event.end), zone)


def _period(stretch: Stretch, yearly: bool, span: tuple[int, int], zone: tzinfo) -> Period:
    length = (stretch[1] - stretch[0]) / DAY_MS
    grain = next(grain for grain in GRAINS if length <= grain.days)
    return Period(*stretch, grain, yearly, *span, zone)
