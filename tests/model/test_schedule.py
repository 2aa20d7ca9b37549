"""Times to come: read from words, kept as words, and right on the clock of the zone."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moored.model.schedule import Schedule, find, kept, latest, read, upcoming

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 30, 15, 0, tzinfo=BERLIN)  # a Monday


def ms(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


def at(text: str, now: datetime = NOW) -> datetime | None:
    """The next moment of what a text says, on the clock of Berlin."""
    schedule = read(text, ms(now), BERLIN)
    moment = upcoming(schedule, ms(now), BERLIN) if schedule else None
    return None if moment is None else datetime.fromtimestamp(moment / 1000, BERLIN)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("tomorrow", (2026, 12, 1)),
        ("tomorrow at noon", (2026, 12, 1, 12)),
        ("in 2 days", (2026, 12, 2)),
        ("in an hour", (2026, 11, 30, 16)),
        ("in half an hour", (2026, 11, 30, 15, 30)),
        ("in 3 months", (2027, 2, 28)),
        ("in 1 week at 10:00", (2026, 12, 7, 10)),
        ("on Friday", (2026, 12, 4)),
        ("Friday at 14:30", (2026, 12, 4, 14, 30)),
        ("9am on Friday", (2026, 12, 4, 9)),
        ("on Monday", (2026, 12, 7)),
        ("next week", (2026, 12, 7)),
        ("7 May", (2027, 5, 7)),
        ("29 February", (2028, 2, 29)),
        ("2026-12-24 18:00", (2026, 12, 24, 18)),
        ("2026-12-24T18:00:00Z", (2026, 12, 24, 19)),
        ("at 5pm", (2026, 11, 30, 17)),
        ("at 9", (2026, 12, 1, 9)),
        ("this evening", (2026, 11, 30, 18)),
        ("every Monday", (2026, 12, 7)),
        ("every Monday and Thursday at 9am", (2026, 12, 3, 9)),
        ("on Tuesdays", (2026, 12, 1)),
        ("daily at 16:00", (2026, 11, 30, 16)),
        ("every weekday at 8:30", (2026, 12, 1, 8, 30)),
        ("every 2 weeks on Friday", (2026, 12, 4)),
        ("every other day", (2026, 12, 2)),
        ("every month on the 31st", (2026, 12, 31)),
    ],
)
def test_words_for_a_time_are_read_towards_the_future(text: str, moment: tuple[int, ...]) -> None:
    assert at(text) == datetime(*moment, tzinfo=BERLIN)  # type: ignore[misc, arg-type] - a date, or more of it


@pytest.mark.parametrize(
    "text",
    ["", "yesterday", "2 days ago", "2026-11-01", "30 February", "at 25:00", "the release", "on Friday we deploy"],
)
def test_what_has_passed_or_is_no_time_alone_is_none(text: str) -> None:
    assert read(text, ms(NOW), BERLIN) is None


def test_a_time_inside_a_sentence_is_found_with_the_words_that_belong_to_it() -> None:
    said = "remind me on Friday at 9 to renew the certificate"
    found = find(said, ms(NOW), BERLIN)
    assert found is not None
    assert said[found.start : found.end] == "on Friday at 9"


def test_nine_o_clock_stays_nine_when_the_clocks_change() -> None:
    schedule = read("every day at 9:00", ms(NOW), BERLIN)
    assert schedule is not None
    for day in (datetime(2026, 3, 28, 12, tzinfo=BERLIN), datetime(2026, 10, 24, 12, tzinfo=BERLIN)):
        # Summer time begins on 29 March 2026 and ends on 25 October.
        for later in range(3):
            came = latest(schedule, ms(day + timedelta(days=later)), BERLIN)
            assert came is not None
            assert datetime.fromtimestamp(came / 1000, BERLIN).hour == 9


def test_a_time_that_the_clocks_skip_comes_once_when_they_have() -> None:
    schedule = Schedule(weekdays=(6,), minutes=150)  # Sunday at 02:30
    moment = upcoming(schedule, ms(datetime(2026, 3, 28, 12, tzinfo=BERLIN)), BERLIN)
    assert moment == ms(datetime(2026, 3, 29, 1, 30, tzinfo=UTC))


def test_a_time_that_comes_twice_counts_once() -> None:
    schedule = Schedule(weekdays=(6,), minutes=150)
    first = ms(datetime(2026, 10, 25, 0, 30, tzinfo=UTC))
    assert latest(schedule, first, BERLIN) == first
    assert latest(schedule, first + 3_600_000, BERLIN) == first


def test_the_last_day_stands_for_a_day_that_a_month_does_not_have() -> None:
    schedule = Schedule(month_day=31, minutes=0)
    assert upcoming(schedule, ms(datetime(2027, 2, 10, tzinfo=BERLIN)), BERLIN) == ms(
        datetime(2027, 2, 28, tzinfo=BERLIN)
    )


_MINUTES = st.integers(0, 1439)
_SCHEDULES = st.one_of(
    st.integers(0, 7_000_000_000_000).map(Schedule),
    st.tuples(st.sets(st.integers(0, 6), min_size=1), _MINUTES).map(
        lambda drawn: Schedule(weekdays=tuple(sorted(drawn[0])), minutes=drawn[1])
    ),
    st.tuples(st.integers(1, 31), _MINUTES).map(lambda drawn: Schedule(month_day=drawn[0], minutes=drawn[1])),
    st.tuples(st.integers(2, 40), st.dates(date(2020, 1, 1), date(2030, 1, 1)), _MINUTES).map(
        lambda drawn: Schedule(step=drawn[0], first=drawn[1], minutes=drawn[2])
    ),
)


@given(_SCHEDULES)
def test_what_is_kept_of_a_schedule_reads_as_the_same(schedule: Schedule) -> None:
    assert kept(schedule.text, BERLIN) == schedule


@given(_SCHEDULES, st.integers(1_600_000_000_000, 1_900_000_000_000), st.sampled_from(["UTC", "Europe/Berlin"]))
def test_between_the_latest_and_the_next_occurrence_lies_now_and_no_other(
    schedule: Schedule, now: int, name: str
) -> None:
    zone = ZoneInfo(name)
    before, after = latest(schedule, now, zone), upcoming(schedule, now, zone)
    assert before is None or before <= now
    assert after is None or after > now
    assert after is not None or (schedule.at is not None and schedule.at <= now)
    if after is not None:
        assert latest(schedule, after - 1, zone) == before
        assert latest(schedule, after, zone) == after


@given(st.text(max_size=80))
def test_any_text_is_read_without_an_error(text: str) -> None:
    found = find(text, ms(NOW), BERLIN)
    assert found is None or 0 <= found.start < found.end <= len(text)
