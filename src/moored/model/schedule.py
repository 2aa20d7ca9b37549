"""Times to come: one moment, or days that come again, as somebody names them and as they are kept.

The words for dates are those of `timewords`, read towards the future: a Friday is the next one, the 7th of May that of
this year or the next. A schedule of days keeps the time on the clock of the reader's zone, so that "every Monday at 9"
stays 9 when the clocks change; a time that the clocks skip comes when they have, and one that comes twice counts
once. `text` writes a schedule so that `read` gives the same again.
"""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, NamedTuple

from moored.model.clock import iso
from moored.model.stretches import EPOCH, LONG, SHORT, WEEKDAYS, Now, day_of, in_other_year, named
from moored.model.timewords import COUNT, HOURS, any_of, counted, singles

if TYPE_CHECKING:
    from datetime import tzinfo

READ = 500
"""Characters of a text in which a time is looked for."""

LONGEST_STEP = 3_650
"""Days between two occurrences at most."""

_MS = timedelta(milliseconds=1)
_NAMES = [name for name in WEEKDAYS if name.endswith("day")]
_WORKDAYS = (0, 1, 2, 3, 4)
_ALL_DAYS = (0, 1, 2, 3, 4, 5, 6)
_CALLED: dict[tuple[int, ...], str] = {_WORKDAYS: "weekday", _ALL_DAYS: "day"}
_EVERY_DAY = any_of([*_NAMES, *(f"{name}s" for name in _NAMES)])
_DAYS = rf"(?:{_EVERY_DAY})(?:(?:,\s?|\s?,?\s(?:and|or)\s)(?:{_EVERY_DAY})){{0,6}}"
_CLOCK = (
    r"(?:(?:at|by|around)\s)?(?:(?P<h>\d{1,2})(?::(?P<m>[0-5]\d))?\s?(?P<half>[ap]\.?m\b\.?)"
    r"|(?P<h2>\d{1,2}):(?P<m2>[0-5]\d)\b|(?P<w>noon|midnight)\b)|at\s(?P<h3>\d{1,2})(?:\so['\u2019]clock)?\b(?![:.]\d)"
    rf"|(?:in\sthe\s)?(?P<part>{any_of(HOURS)})\b"
)
_CLOCK_AFTER = re.compile(rf"(?:,?\s)(?:{_CLOCK})", re.IGNORECASE)
_CLOCK_ALONE = re.compile(rf"\b(?:{_CLOCK})", re.IGNORECASE)
_CLOCK_BEFORE = re.compile(rf"\b(?:{_CLOCK})\s(?:on\s|,\s?)?$", re.IGNORECASE)
_LEAD = re.compile(r"\b(?:on|by|in|at|from|during|starting)\s(?:the\s)?$", re.IGNORECASE)
_INSTANT = re.compile(r"\b(?:at\s)?(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))(?!\d)")
_AHEAD = re.compile(
    rf"\bin\s{COUNT}\s(?P<u>{any_of([*SHORT, *LONG])})s?(?:['\u2019]\stime|\sfrom\snow)?\b", re.IGNORECASE
)
_AGAIN = re.compile(
    rf"\b(?:(?P<word>daily|weekly|monthly)|on\s(?P<plural>{any_of([f'{name}s' for name in _NAMES])})"
    rf"|(?:every|each)\s(?:(?P<days>{_DAYS})|(?P<work>weekday|workday|working\sday)"
    r"|month(?:\son\s(?:the\s)?(?P<nth>\d{1,2})(?:st|nd|rd|th)?)?(?P<month>)"
    r"|(?:(?P<other>other|second)\s|(?P<n>\d{1,4})\s)?(?P<unit>day|week)s?"
    rf"(?:\son\s(?P<on>{any_of(_NAMES)}))?(?:\sfrom\s(?P<from>\d{{4}}-\d\d-\d\d))?))(?!\w)",
    re.IGNORECASE,
)


class Schedule(NamedTuple):
    """One moment `at` (milliseconds since the epoch), or days that come again at `minutes` after midnight.

    Of the days one of these tells: `weekdays` (0 is Monday), `month_day` (1 to 31, the last of a shorter month), or
    every `step` days from `first` on.
    """

    at: int | None = None
    weekdays: tuple[int, ...] = ()
    month_day: int = 0
    step: int = 0
    first: date | None = None
    minutes: int = 0

    @property
    def recurs(self) -> bool:
        return self.at is None

    @property
    def text(self) -> str:
        """The schedule in words that `read` takes."""
        if self.at is not None:
            return f"at {iso(self.at)}"
        clock = f"at {self.minutes // 60:02}:{self.minutes % 60:02}"
        if self.weekdays:
            days = ", ".join(_NAMES[day] for day in self.weekdays)
            return f"every {_CALLED.get(self.weekdays, days)} {clock}"
        if self.month_day:
            return f"every month on the {self.month_day} {clock}"
        return f"every {self.step} days from {self.first} {clock}"


class Mentioned(NamedTuple):
    """A schedule that a text names from `start` to `end`."""

    schedule: Schedule
    start: int
    end: int


def read(text: str, now_ms: int, zone: tzinfo) -> Schedule | None:
    """The schedule that a text is; None when it says anything else, or a time that has passed."""
    found = find(text, now_ms, zone)
    rest = f"{text[: found.start]} {text[found.end :]}" if found else text
    return found.schedule if found and not rest.strip(" \t\n.,;") else None


def kept(text: str, zone: tzinfo) -> Schedule:
    """The schedule that `Schedule.text` wrote, whether or not it has passed. Raises `ValueError` for another text."""
    if schedule := read(text, 0, zone):
        return schedule
    raise ValueError(f"no schedule: {text}")


def find(text: str, now_ms: int, zone: tzinfo) -> Mentioned | None:
    """The first schedule in a text with the words that belong to it ("on", "at 9"); None when none is to come."""
    text = text[:READ]
    now = Now(now_ms, zone, day_of(now_ms, zone))
    try:
        return _instant(text, now) or _again(text, now) or _ahead(text, now) or _dated(text, now) or _today(text, now)
    except (ValueError, OverflowError):  # a day or an hour that there is not
        return None


def latest(schedule: Schedule, now_ms: int, zone: tzinfo) -> int | None:
    """The latest occurrence that has come, or None when none has yet."""
    if schedule.at is not None:
        return schedule.at if schedule.at <= now_ms else None
    today = day_of(now_ms, zone)
    for back in range(_span(schedule)):
        day = today - timedelta(days=back)
        if _falls_on(schedule, day) and (moment := _moment(day, schedule.minutes, zone)) <= now_ms:
            return moment
    return None


def upcoming(schedule: Schedule, now_ms: int, zone: tzinfo) -> int | None:
    """The next occurrence after now, or None when there is no more."""
    if schedule.at is not None:
        return schedule.at if schedule.at > now_ms else None
    start = max(day_of(now_ms, zone), schedule.first or date.min)
    for ahead in range(_span(schedule)):
        day = start + timedelta(days=ahead)
        if _falls_on(schedule, day) and (moment := _moment(day, schedule.minutes, zone)) > now_ms:
            return moment
    return None


def _span(schedule: Schedule) -> int:
    """Days within which an occurrence lies for certain, once the first has come."""
    return schedule.step + 2 if schedule.step else 33 if schedule.month_day else 9


def _falls_on(schedule: Schedule, day: date) -> bool:
    if schedule.weekdays:
        return day.weekday() in schedule.weekdays
    if schedule.month_day:
        return day.day == min(schedule.month_day, monthrange(day.year, day.month)[1])
    since = (day - schedule.first).days if schedule.first else 0
    return since >= 0 and since % schedule.step == 0


def _moment(day: date, minutes: int, zone: tzinfo) -> int:
    """A time on the clock of a day, in milliseconds since the epoch."""
    return (datetime.combine(day, time(minutes // 60, minutes % 60), zone) - EPOCH) // _MS


def _instant(text: str, now: Now) -> Mentioned | None:
    found = _INSTANT.search(text)
    if not found:
        return None
    at = (datetime.fromisoformat(found[1]) - EPOCH) // _MS
    return Mentioned(Schedule(at), *found.span()) if at > now.ms - 1 else None


def _again(text: str, now: Now) -> Mentioned | None:
    """Days that come again: "every Monday", "daily at 9", "every 2 weeks on Friday"."""
    found = _AGAIN.search(text)
    if not found:
        return None
    minutes, start, end = _with_clock(text, *found.span())
    schedule = _days(found, now)._replace(minutes=minutes or 0)
    return Mentioned(schedule, start, end) if schedule.step <= LONGEST_STEP else None


def _days(found: re.Match[str], now: Now) -> Schedule:
    word = (found["word"] or "").lower()
    if weekdays := found["days"] or found["plural"]:
        names = re.findall(r"[a-z]+day", weekdays.lower())
        return Schedule(weekdays=tuple(sorted({WEEKDAYS[name] for name in names})))
    if found["work"]:
        return Schedule(weekdays=_WORKDAYS)
    if word == "monthly" or found["month"] is not None:
        return Schedule(month_day=min(int(found["nth"] or now.today.day), 31) or 1)
    count = 2 if found["other"] else int(found["n"] or 1)
    step = count * (7 if word == "weekly" or (found["unit"] or "").lower() == "week" else 1)
    if step <= 1 and not found["on"]:
        return Schedule(weekdays=_ALL_DAYS)
    first = date.fromisoformat(found["from"]) if found["from"] else now.today
    if found["on"]:
        first += timedelta(days=(WEEKDAYS[found["on"].lower()] - first.weekday()) % 7 or 7)
    elif not found["from"]:
        first += timedelta(days=step)
    return Schedule(step=max(step, 1), first=first)


def _ahead(text: str, now: Now) -> Mentioned | None:
    """So far from now: "in 2 days", "in half an hour"; by days it is the whole day."""
    found = _AHEAD.search(text)
    if not found:
        return None
    count, unit = counted(found["n"])[0], found["u"].lower()
    if unit in SHORT:
        return Mentioned(Schedule(int(now.ms + count * SHORT[unit])), *found.span())
    if unit in ("month", "year") and count == int(count):
        months = now.today.year * 12 + now.today.month - 1 + int(count) * (12 if unit == "year" else 1)
        year, month = months // 12, months % 12 + 1
        day = date(year, month, min(now.today.day, monthrange(year, month)[1]))
    else:
        day = now.today + timedelta(days=round(count * LONG[unit]))
    minutes, start, end = _with_clock(text, *found.span())
    return Mentioned(Schedule(_moment(day, minutes or 0, now.zone)), start, end)


def _dated(text: str, now: Now) -> Mentioned | None:
    """The first date in the text that is not over: "tomorrow at 9", "on Friday", "7 May", "next week"."""
    for place in singles(text, now):
        first, last = place.first, place.last
        word = text[place.start : place.end].lower()
        if word in WEEKDAYS:
            first, last = named(now, 1, word)
        elif place.yearly and last <= now.ms:
            later = (in_other_year((first, last), years, now.zone) for years in range(1, 9))
            first, last = next((moved for moved in later if moved and moved[1] > now.ms), (first, last))
        minutes, start, end = _with_clock(text, place.start, place.end)
        at = first if minutes is None else _moment(day_of(first, now.zone), minutes, now.zone)
        over = last if minutes is None else at + 1
        if over > now.ms:
            return Mentioned(Schedule(max(at, now.ms)), start, end)
    return None


def _today(text: str, now: Now) -> Mentioned | None:
    """A time on the clock alone: today's, or tomorrow's when it has passed."""
    for found in _CLOCK_ALONE.finditer(text):
        if found["part"] and not found[0].lower().startswith("in the"):
            continue
        minutes = _minutes(found)
        moments = (_moment(now.today + timedelta(days=more), minutes, now.zone) for more in (0, 1))
        return Mentioned(Schedule(next(moment for moment in moments if moment > now.ms)), *found.span())
    return None


def _with_clock(text: str, start: int, end: int) -> tuple[int | None, int, int]:
    """The minutes after midnight that stand beside a date, if any, and the place of both with the word before them."""
    minutes: int | None = None
    if after := _CLOCK_AFTER.match(text, end):
        minutes, end = _minutes(after), after.end()
    if lead := _LEAD.search(text, max(0, start - 20), start):
        start = lead.start()
    if minutes is None and (before := _CLOCK_BEFORE.search(text, max(0, start - 30), start)):
        minutes, start = _minutes(before), before.start()
    return minutes, start, end


def _minutes(found: re.Match[str]) -> int:
    """Minutes after midnight. Raises `ValueError` for an hour that there is not."""
    if word := found["w"]:
        return 720 if word.lower() == "noon" else 0
    if part := found["part"]:
        return HOURS[part.lower()][0] * 60
    hour, minute = int(found["h"] or found["h2"] or found["h3"]), int(found["m"] or found["m2"] or 0)
    if half := found["half"]:
        if not 1 <= hour <= 12:
            raise ValueError("no such hour")
        hour = hour % 12 + (12 if half[0].lower() == "p" else 0)
    if hour > 23:
        raise ValueError("no such hour")
    return hour * 60 + minute
