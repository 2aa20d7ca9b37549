"""The words for times: the single expressions that name a stretch of the calendar ("7 May", "last week").

A date of digits with slashes is month first in zones of the United States and day first elsewhere, unless only one way
is a date; with dots it is day first. `may`, `march`, short names and bare years are read only in the place of a date.
Every expression has a bounded length: reading is linear.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import TYPE_CHECKING, NamedTuple

from moored.model.stretches import (
    LONG,
    MONTHS,
    SEASONS,
    SHORT,
    WEEKDAYS,
    Now,
    Stretch,
    ago,
    begin,
    days,
    is_recordable,
    latest,
    months,
    named,
    past,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from datetime import tzinfo


class Place(NamedTuple):
    """A stretch from `first` until before `last` that the text names from `start` to `end`.

    `yearly` means that the text named no year, and the same days of other years may be meant.
    """

    start: int
    end: int
    first: int
    last: int
    yearly: bool = False


# --- words ------------------------------------------------------------------------------------------------------------

_COUNTS: dict[str, float] = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12, "a couple of": 2, "couple of": 2, "a few": 3, "few": 3, "several": 5, "half an": 0.5,
    "half a": 0.5, "an": 1, "a": 1,
}  # fmt: skip
_VAGUE = {"a couple of": 1, "couple of": 1, "a few": 1.5, "few": 1.5, "several": 3}
_LAST = ("last", "past", "previous")
_WHICH = {**dict.fromkeys(_LAST, -1), "this": 0, "current": 0, "next": 1, "coming": 1}
_NEARBY = {"the day before yesterday": -2, "yesterday": -1, "today": 0, "tomorrow": 1}
HOURS = {"morning": (5, 12), "afternoon": (12, 18), "evening": (18, 24), "night": (18, 30)}
_UNSURE = {"may", "march", *(name for name in MONTHS if len(name) < 5 and name not in ("june", "july"))}
"""Months that are other words too, or parts of code."""

_US_ZONES = {
    *("America/Anchorage", "America/Boise", "America/Chicago", "America/Denver", "America/Detroit", "America/Juneau"),
    *("America/Los_Angeles", "America/New_York", "America/Phoenix", "Pacific/Honolulu"),
}


def any_of(words: Iterable[str]) -> str:
    """A pattern of any of the words, the longest first."""
    return "|".join(sorted(words, key=lambda word: (-len(word), word)))


_S = r"\s{1,3}"
_YEAR = r"(?:19|20)\d\d"
_DAY = r"\d{1,2}"
_TH = r"(?:st|nd|rd|th)"
_TO = r"\s?(?:-|\u2013|to)\s?"
COUNT = rf"(?P<n>\d{{1,4}}|{any_of(_COUNTS)})"
_UNIT = rf"(?P<u>{any_of([*SHORT, *LONG])})s?"
_NAMED = any_of(["week", "weekend", "month", "year", "quarter", *SEASONS, *WEEKDAYS, *MONTHS])

_MONTH = (
    rf"\b(?:(?P<d1>{_DAY})(?P<o1>{_TH})?(?:{_TO}(?P<e1>{_DAY}){_TH}?)?{_S}(?P<of>of{_S})?)?"
    rf"(?P<m>{any_of(MONTHS)})\b"
    rf"(?:\.?{_S}(?:the\s)?(?P<d2>{_DAY})(?P<o2>{_TH})?\b(?![:.]\d)(?:{_TO}(?P<e2>{_DAY}){_TH}?\b(?![:.]\d))?)?"
    rf"(?:\.?,?{_S}(?:of\s)?(?P<y>{_YEAR})\b)?"
)

_DATED = re.compile(
    r"\b(?:(?:in|of|on|by|during|since|until|till|before|after|between|from|and|to|early|mid|late|over)(?:\sthe)?"
    r"|(?:start|beginning|middle|end)\sof)[\s-]{1,3}$",
    re.IGNORECASE,
)
_THE = re.compile(r"\b(?:in|during|over|since|before|after|of)\sthe\s$", re.IGNORECASE)
_COUNTED = re.compile(
    r"\s?(?:%|[kmg]?b\b|m?s\b|px\b|[.:]\d|"
    r"(?:line|token|byte|item|row|request|second|character|time|file|step|word)s?\b)",
    re.IGNORECASE,
)


def right_before(pattern: re.Pattern[str], text: str, at: int) -> re.Match[str] | None:
    """What the pattern, which ends in `$`, finds right before a place."""
    return pattern.search(text, max(0, at - 40), at)


def _dated(match: re.Match[str]) -> bool:
    return bool(right_before(_DATED, match.string, match.start()))


def counted(word: str) -> tuple[float, float]:
    """A count, and how far it may be off."""
    word = word.lower()
    return float(word) if word.isdigit() else _COUNTS[word], _VAGUE.get(word, 0.5)


# --- single expressions -----------------------------------------------------------------------------------------------

_Read = tuple[Stretch, bool]
"""A stretch, and whether it is of no certain year."""


def _iso(match: re.Match[str], now: Now) -> _Read | None:
    year, month, day = (int(match[name] or 0) for name in ("y", "m", "d"))
    if day:
        return days(now.zone, date(year, month, day)), False
    return months(now.zone, date(year, month or 1, 1).year, month or 1, 1 if month else 12), False


def _digits(match: re.Match[str], now: Now) -> _Read | None:
    first, second, year = int(match["a"]), int(match["b"]), int(match["y"])
    month_first = match["sep"] == "/" and str(now.zone) in _US_ZONES
    if (month_first and first <= 12) or second > 12:
        first, second = second, first
    return days(now.zone, date(year, second, first)), False


def _month(match: re.Match[str], now: Now) -> _Read | None:
    """A month with or without a day, several days, a year."""
    name, zone = match["m"], now.zone
    month = MONTHS[name.lower()]
    first, last = match["d1"] or match["d2"], match["e1"] or match["e2"]
    marked = match["y"] or match["o1"] or match["o2"] or match["of"] or _dated(match)
    if name.lower() in _UNSURE and not marked and not (first and name[0].isupper()):
        return None

    def make(year: int) -> Stretch:
        if not first:
            return months(zone, year, month)
        return begin(date(year, month, int(first)), zone), days(zone, date(year, month, int(last or first)))[1]

    return make(int(match["y"]) if match["y"] else latest(now, make)), not match["y"]


def _year(match: re.Match[str], now: Now) -> _Read | None:
    if not _dated(match) or _COUNTED.match(match.string, match.end()):
        return None
    return months(now.zone, int(match["y"]), 1, 12), False


def _quarter(match: re.Match[str], now: Now) -> _Read | None:
    year, month = match["y1"] or match["y2"], int(match["q"]) * 3 - 2
    if not year and not _dated(match):
        return None
    chosen = int(year) if year else latest(now, lambda year: months(now.zone, year, month, 3))
    return months(now.zone, chosen, month, 3), not year


def _season(match: re.Match[str], now: Now) -> _Read | None:
    name, year = match["u"].lower(), match["y"]
    sure = _dated(match) if name in ("summer", "winter", "autumn") else right_before(_THE, match.string, match.start())
    if year:
        return months(now.zone, int(year), SEASONS[name], 3), False
    return (named(now, 0, name), True) if sure else None


def _nearby(match: re.Match[str], now: Now) -> _Read | None:
    return days(now.zone, now.today + timedelta(days=_NEARBY[match["w"].lower()])), False


def _hours(match: re.Match[str], now: Now) -> _Read | None:
    word, part = match[0].lower(), (match["p"] or "night").lower()
    day = now.today - timedelta(days=word.startswith("last"))
    return hours_of(day, part, now.zone), False


def hours_of(day: date, part: str, zone: tzinfo) -> Stretch:
    """The morning, afternoon, evening or night of a day."""
    first, last = HOURS[part]
    return begin(day, zone, first), begin(day, zone, last)


def _which(match: re.Match[str], now: Now) -> _Read | None:
    which, unit = match["q"].lower(), match["u"].lower()
    rolling = (which == "past" or (which == "last" and match["the"])) and unit in LONG
    return past(now, 1, unit) if rolling else named(now, _WHICH[which], unit), False


def _rolling(match: re.Match[str], now: Now) -> _Read | None:
    return past(now, counted(match["n"])[0], match["u"].lower()), False


def _ago(match: re.Match[str], now: Now) -> _Read | None:
    count, slack = counted(match["n"])
    return ago(now, count, match["u"].lower(), slack), False


def _other_day(_match: re.Match[str], now: Now) -> _Read | None:
    return ago(now, 4, "day", 2), False


def _weekday(match: re.Match[str], now: Now) -> _Read | None:
    """A day of the week alone: the latest one, today included."""
    name = match["u"].lower()
    if name not in WEEKDAYS or (not name.endswith("day") and not (_dated(match) and match["u"][0].isupper())):
        return None
    return days(now.zone, now.today - timedelta(days=(now.today.weekday() - WEEKDAYS[name]) % 7)), False


_RULES: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], Now], _Read | None]], ...] = tuple(
    (re.compile(pattern, re.ASCII | re.IGNORECASE), reader)
    for pattern, reader in (
        (r"(?<!\d)(?<!\d-)(?P<y>\d{4})(?P<sep>[-/])(?P<m>\d{1,2})(?P=sep)(?P<d>\d{1,2})(?!\d)", _iso),
        (r"(?<![\d-])(?P<y>(?:19|20)\d\d)-(?P<m>0[1-9]|1[0-2])(?P<d>)(?![\d-])", _iso),
        (r"(?<!\d)(?P<y>\d{4})\u5e74(?:(?P<m>\d{1,2})\u6708(?:(?P<d>\d{1,2})\u65e5)?)?", _iso),
        (rf"(?<![\d/.])(?P<a>\d{{1,2}})(?P<sep>[/.])(?P<b>\d{{1,2}})(?P=sep)(?P<y>{_YEAR})(?![\d/])(?!\.\d)", _digits),
        (_MONTH, _month),
        (rf"\b(?P<y>{_YEAR})\b", _year),
        (rf"\b(?:(?P<y1>{_YEAR})[\s-]{{0,2}})?q(?P<q>[1-4])\b(?:[\s,/-]{{1,3}}(?P<y2>{_YEAR})\b)?", _quarter),
        (rf"\b(?P<u>{any_of(SEASONS)})\b(?:{_S}(?:of\s)?(?P<y>{_YEAR})\b)?", _season),
        (rf"\b(?P<w>{any_of(_NEARBY)})\b", _nearby),
        (r"\b(?:this\s(?P<p>morning|afternoon|evening)|tonight|last\snight)\b", _hours),
        (rf"\b(?P<the>the\s)?(?P<q>{any_of(_WHICH)}){_S}(?P<u>{_NAMED})\b", _which),
        (rf"\b(?:the\s)?(?:{any_of(_LAST)}){_S}{COUNT}{_S}{_UNIT}\b", _rolling),
        (rf"\b{COUNT}{_S}{_UNIT}{_S}ago\b", _ago),
        (r"\bthe\sother\sday\b", _other_day),
        (rf"\b(?P<u>{any_of(WEEKDAYS)})\b", _weekday),
    )
)


def singles(text: str, now: Now) -> Iterator[Place]:
    """The expressions that stand alone; of two that overlap the earlier, then the longer one."""
    found: list[Place] = []
    for pattern, reader in _RULES:
        for match in pattern.finditer(text):
            try:
                read = reader(match, now)
            except (ValueError, OverflowError):  # a day that no calendar has: 2023-02-30
                continue
            if read and is_recordable(read[0]):
                found.append(Place(*match.span(), *read[0], read[1]))
    end = 0
    for place in sorted(found, key=lambda place: (place.start, -place.end)):
        if place.start >= end:
            end = place.end
            yield place


def is_time(text: str, at: int) -> bool:
    """Whether the text at this place begins with the form of a time expression."""
    return any(pattern.match(text, at) for pattern, _ in _RULES)
