"""Phrases of time: the stretches that a text names, from its single expressions and what stands around them.

The expressions of `timewords` are narrowed ("early May", "Tuesday morning"), joined ("between 3 May and 9 June") and
bounded ("since May", "the week before 3 May").
"""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING

from moored.model.stretches import DAY_MS, LONG, Now, Stretch, begin, day_of, days, in_other_year, is_recordable
from moored.model.timewords import COUNT, HOURS, Place, any_of, counted, hours_of, right_before, singles

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import tzinfo

_ORDINALS = {"first": 0, "second": 1, "third": 2, "fourth": 3}
_PART = re.compile(
    r"\b(?:(?P<a>early|mid|middle|late)(?:\sin)?(?:\sthe)?|"
    r"(?:the\s)?(?P<b>start|beginning|middle|end)\sof(?:\sthe)?)[\s-]$",
    re.IGNORECASE,
)
_THIRDS = {"early": 0, "start": 0, "beginning": 0, "mid": 1, "middle": 1, "late": 2, "end": 2}
_NTH_WEEK = re.compile(rf"\b(?:the\s)?(?P<n>{any_of(_ORDINALS)}|last)\sweek\s(?:of|in)(?:\sthe)?\s$", re.IGNORECASE)
_HOUR = re.compile(rf"(?:\s|\sin\sthe\s)(?P<p>{any_of(HOURS)})\b", re.IGNORECASE)
_JOIN = re.compile(r"\s?(?:(?P<and>and)|to|until|till|through|-|\u2013)\s?", re.IGNORECASE)
_BETWEEN = re.compile(r"\b(?:between|from)\s(?:the\s)?$", re.IGNORECASE)
_BESIDE = re.compile(
    rf"\b(?:(?:the|last)\s)?(?:{COUNT}\s)?(?P<u>day|week|weekend|month|year)s?\s"
    r"(?P<r>before|prior\sto|after|following|of)(?:\sthe)?\s$",
    re.IGNORECASE,
)
_BOUND = re.compile(r"\b(?P<r>since|before|prior\sto|after|until|till)(?:\sthe)?\s$", re.IGNORECASE)


def places(text: str, now: Now) -> list[Place]:
    """What the text names, in its order. What has no beginning begins at 0; outside 1970 to 2199 there is nothing."""
    found = [_narrowed(text, place, now.zone) for place in singles(text, now)]
    named: list[Place] = []
    for joined in _joined(text, found, now.zone):
        bounded = _bounded(text, joined, now)
        if named and bounded[0].start <= named[-1].start:  # "last weekend" in "last weekend before 3 May"
            named.pop()
        named += [place for place in bounded if is_recordable((place.first, place.last))]
    return named


def _narrowed(text: str, place: Place, zone: tzinfo) -> Place:
    """The expression with what makes it sharper: "early May", "the second week of May", "Tuesday morning"."""
    length = place.last - place.first
    hour = _HOUR.match(text, place.end) if length <= 1.1 * DAY_MS else None
    if hour and length >= 0.9 * DAY_MS:
        return Place(place.start, hour.end(), *hours_of(day_of(place.first, zone), hour["p"].lower(), zone))
    if length < 7 * DAY_MS:
        return place
    first = day_of(place.first, zone)
    count = (day_of(place.last, zone) - first).days
    if part := right_before(_PART, text, place.start):
        third = _THIRDS[(part["a"] or part["b"]).lower()]
        low, high = (first + timedelta(days=round(count * (third + more) / 3)) for more in (0, 1))
        return Place(part.start(), place.end, begin(low, zone), begin(high, zone), place.yearly)
    if week := right_before(_NTH_WEEK, text, place.start):
        off = _ORDINALS[week["n"].lower()] * 7 if week["n"].lower() in _ORDINALS else count - 7
        return Place(week.start(), place.end, *days(zone, first + timedelta(days=off), 7), place.yearly)
    return place


def _joined(text: str, found: Iterable[Place], zone: tzinfo) -> Iterator[Place]:
    """Two expressions that are the ends of one stretch become one: "from 3 May to 9 June 2023"."""
    low: Place | None = None
    for high in found:
        between = low and right_before(_BETWEEN, text, low.start)
        join = low and _JOIN.fullmatch(text, low.end, high.start)
        if low and join and (between or not join["and"]):
            low = _range(low, high, between.start() if between else low.start, zone)
            continue
        if low:
            yield low
        low = high
    if low:
        yield low


def _range(low: Place, high: Place, start: int, zone: tzinfo) -> Place:
    """From the beginning of one to the end of the other. The year that only one names is that of both."""
    if low.yearly:
        same = _in_year_of(low, high, 0, zone)
        low = same if same.first <= high.first else _in_year_of(low, high, -1, zone)
    elif high.yearly:
        same = _in_year_of(high, low, 0, zone)
        high = same if low.first <= same.first else _in_year_of(high, low, 1, zone)
    first, last = min(low.first, high.first), max(low.last, high.last)
    return Place(start, high.end, first, last, low.yearly and high.yearly)


def _in_year_of(place: Place, other: Place, more: int, zone: tzinfo) -> Place:
    years = day_of(other.first, zone).year - day_of(place.first, zone).year + more
    moved = in_other_year((place.first, place.last), years, zone)
    return place._replace(first=moved[0], last=moved[1]) if moved else place


def _bounded(text: str, place: Place, now: Now) -> tuple[Place, ...]:
    """The stretch on one side of the expression ("since May"), or beside it ("the week before 3 May").

    What lies beside is followed by the expression itself: that is often when it was told.
    """
    if beside := right_before(_BESIDE, text, place.start):
        try:
            stretch = _beside(beside, place, now.zone)
        except OverflowError:  # 9999 years before 2020
            stretch = None
        if not stretch:
            return (place,)
        named = Place(beside.start(), place.end, *stretch, place.yearly)
        return (named,) if beside["r"].lower() == "of" else (named, place)
    if not (bound := right_before(_BOUND, text, place.start)):
        return (place,)
    first, last = {
        "since": (place.first, max(now.ms, place.last)),
        "after": (place.last, max(now.ms, place.last + 1)),
        "before": (0, place.first),
        "prior to": (0, place.first),
    }.get(" ".join(bound["r"].lower().split()), (0, place.last))
    return (Place(bound.start(), place.end, first, last),)


def _beside(match: re.Match[str], place: Place, zone: tzinfo) -> Stretch | None:
    """The unit before, after or around; with a count, the day that many units away."""
    unit, relation = match["u"].lower(), match["r"].lower()
    first, last = day_of(place.first, zone), day_of(place.last - 1, zone)
    if relation == "of":
        around = unit == "week" and not match["n"] and last - first <= timedelta(days=7)
        return days(zone, first - timedelta(days=first.weekday()), 7) if around else None
    later = relation in ("after", "following")
    if unit == "weekend":
        near = last + timedelta(days=1) if later else first - timedelta(days=2)
        off = (5 - near.weekday()) % 7 if later else -((near.weekday() - 5) % 7)
        return days(zone, near + timedelta(days=off), 2)
    if match["n"]:
        off = timedelta(days=round(counted(match["n"])[0] * LONG[unit]))
        return days(zone, last + off if later else first - off)
    length = round(LONG[unit])
    return days(zone, last + timedelta(days=1) if later else first - timedelta(days=length), length)
