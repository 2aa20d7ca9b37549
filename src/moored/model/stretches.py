"""Stretches of the calendar, as seen from the time of asking in the zone of who asks.

A stretch is half-open, in milliseconds since the epoch. Days are days of the zone, 23 or 25 hours long where its clocks
change. Weeks begin on Monday; seasons are those of the north. What the calendar does not have raises ValueError.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import tzinfo

Stretch = tuple[int, int]

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
DAY_MS = 86_400_000
_MS = timedelta(milliseconds=1)

HORIZON = (datetime(2200, 1, 1, tzinfo=UTC) - EPOCH) // _MS
"""The end of what is taken for a time. It begins with the epoch: nothing was recorded before."""


def _numbered(names: str, first: int) -> dict[str, int]:
    """Names to numbers; several names of one number are joined by a slash."""
    return {name: number for number, same in enumerate(names.split(), first) for name in same.split("/")}


MONTHS = _numbered(
    "january/jan february/feb march/mar april/apr may june/jun july/jul august/aug september/sept/sep october/oct "
    "november/nov december/dec",
    1,
)
WEEKDAYS = _numbered(
    "monday/mon tuesday/tues/tue wednesday/wed thursday/thurs/thu friday/fri saturday/sat sunday/sun", 0
)
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
"""The month in which each begins; it lasts three."""

SHORT = {"second": 1000, "sec": 1000, "minute": 60_000, "min": 60_000, "hour": 3_600_000}
LONG = {"day": 1.0, "night": 1.0, "week": 7.0, "month": 30.44, "year": 365.25}
"""Units in milliseconds; and those of a day or more, in days."""


def is_recordable(stretch: Stretch) -> bool:
    """Whether the stretch is not empty and lies between the epoch and the horizon."""
    return 0 <= stretch[0] < stretch[1] <= HORIZON


class Now(NamedTuple):
    """The time of asking, in milliseconds since the epoch, the zone, and the day that it is there."""

    ms: int
    zone: tzinfo
    today: date


def at_of(ms: int, zone: tzinfo) -> datetime:
    """A time on the calendar and the clock of the zone."""
    return (EPOCH + ms * _MS).astimezone(zone)


def day_of(ms: int, zone: tzinfo) -> date:
    """The day on which a time falls in the zone."""
    return at_of(ms, zone).date()


def begin(day: date, zone: tzinfo, hour: int = 0) -> int:
    """When the day begins in the zone, or its `hour`; 24 and more lie in the next day."""
    moment = datetime.combine(day + timedelta(days=hour // 24), time(hour % 24), zone)
    return (moment - EPOCH) // _MS


def days(zone: tzinfo, first: date, count: int = 1) -> Stretch:
    """Whole days."""
    return begin(first, zone), begin(first + timedelta(days=count), zone)


def months(zone: tzinfo, year: int, month: int, count: int = 1) -> Stretch:
    """Whole months; `month` may lie outside 1 to 12 and then counts on from the year."""
    first, last = (year * 12 + month - 1 + more for more in (0, count))
    return begin(date(first // 12, first % 12 + 1, 1), zone), begin(date(last // 12, last % 12 + 1, 1), zone)


def in_other_year(stretch: Stretch, years: int, zone: tzinfo) -> Stretch | None:
    """The same days of another year; None for a 29th of February in a common year."""
    first, last = (day_of(ms, zone) for ms in stretch)
    starts, ends = _in_year(first, first.year + years), _in_year(last, last.year + years)
    # What ended with the 28th of a leap year ends before the 1st of March in a common one.
    return (begin(starts, zone), begin(ends or date(last.year + years, 3, 1), zone)) if starts else None


def _in_year(day: date, year: int) -> date | None:
    try:
        return day.replace(year=year)
    except ValueError:
        return None


def latest(now: Now, make: Callable[[int], Stretch]) -> int:
    """The latest year whose stretch has begun. The 29th of February may be eight years back."""
    for year in range(now.today.year, now.today.year - 9, -1):
        try:
            if make(year)[0] <= now.ms:
                return year
        except ValueError:
            continue
    raise ValueError("no year has such a day")


def ago(now: Now, count: float, unit: str, slack: float) -> Stretch:
    """What is called `count` units ago. People round: it reaches to either side by a quarter of the count.

    `slack` is the least that it reaches, in units.
    """
    reach = max(slack, count / 4)
    if unit in SHORT:
        return int(now.ms - (count + reach) * SHORT[unit]), int(now.ms - (count - reach) * SHORT[unit])
    wide = int(reach * LONG[unit])
    return days(now.zone, now.today - timedelta(days=round(count * LONG[unit]) + wide), 2 * wide + 1)


def past(now: Now, count: float, unit: str) -> Stretch:
    """The last `count` units until now, from the beginning of a day where they are days or longer."""
    if unit in SHORT:
        return int(now.ms - count * SHORT[unit]), now.ms
    return begin(now.today - timedelta(days=round(count * LONG[unit])), now.zone), now.ms


def named(now: Now, which: int, unit: str) -> Stretch:
    """The unit of the calendar `which` steps from the present one: -1 last, 0 this, 1 next.

    The present month by name, or season, is the latest that has begun; the last one has ended as well.
    """
    zone, today = now.zone, now.today
    if unit in WEEKDAYS:
        ahead = (WEEKDAYS[unit] - today.weekday()) % 7
        off = {-1: ahead - 7, 0: WEEKDAYS[unit] - today.weekday(), 1: ahead or 7}[which]
        return days(zone, today + timedelta(days=off))
    if unit in MONTHS or unit in SEASONS:
        month, count = (MONTHS[unit], 1) if unit in MONTHS else (SEASONS[unit], 3)
        year = latest(now, lambda year: months(zone, year, month, count))
        running = months(zone, year, month, count)[1] > now.ms
        return months(zone, year + (which if which > 0 or running else 0), month, count)
    week = today - timedelta(days=today.weekday()) + timedelta(weeks=which)
    match unit:
        case "week":
            return days(zone, week, 7)
        case "weekend":
            return days(zone, week + timedelta(days=5), 2)
        case "month":
            return months(zone, today.year, today.month + which)
        case "quarter":
            return months(zone, today.year, (today.month - 1) // 3 * 3 + 1 + 3 * which, 3)
        case _:
            return months(zone, today.year + which, 1, 12)
