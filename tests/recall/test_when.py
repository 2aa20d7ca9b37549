"""Times that a question names: which stretches they are, in which zone, and how near things lie to them."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moored.recall.when import (
    GRAINS,
    OTHER_YEAR,
    READ,
    Event,
    Period,
    closeness,
    event_bounds,
    event_period,
    periods,
)

BERLIN = ZoneInfo("Europe/Berlin")
NEW_YORK = ZoneInfo("America/New_York")
HOUR = 3_600_000
DAY = 24 * HOUR


def ms(text: str, zone: tzinfo = BERLIN) -> int:
    return round(datetime.fromisoformat(text).replace(tzinfo=zone).timestamp() * 1000)


NOW = ms("2026-11-30 15:00")
"""A Monday."""


def local(at: int, zone: tzinfo = BERLIN) -> str:
    return datetime.fromtimestamp(at / 1000, zone).strftime("%Y-%m-%d %H:%M").removesuffix(" 00:00")


def read(text: str, now: int = NOW, zone: tzinfo = BERLIN) -> list[str]:
    return [f"{local(p.start_ms, zone)} .. {local(p.end_ms, zone)}" for p in periods(text, now, zone)]


def one(text: str, now: int = NOW, zone: tzinfo = BERLIN) -> Period:
    (period,) = periods(text, now, zone)
    return period


EXPRESSIONS = {
    "yesterday": "2026-11-29 .. 2026-11-30",
    "today": "2026-11-30 .. 2026-12-01",
    "the day before yesterday": "2026-11-28 .. 2026-11-29",
    "this morning": "2026-11-30 05:00 .. 2026-11-30 12:00",
    "yesterday evening": "2026-11-29 18:00 .. 2026-11-30",
    "last night": "2026-11-29 18:00 .. 2026-11-30 06:00",
    "last Tuesday": "2026-11-24 .. 2026-11-25",
    "last Monday": "2026-11-23 .. 2026-11-24",
    "on Tuesday morning": "2026-11-24 05:00 .. 2026-11-24 12:00",
    "on Monday": "2026-11-30 .. 2026-12-01",
    "next Friday": "2026-12-04 .. 2026-12-05",
    "this Friday": "2026-12-04 .. 2026-12-05",
    "last week": "2026-11-23 .. 2026-11-30",
    "this week": "2026-11-30 .. 2026-12-07",
    "last weekend": "2026-11-28 .. 2026-11-30",
    "last month": "2026-10-01 .. 2026-11-01",
    "the previous month": "2026-10-01 .. 2026-11-01",
    "the last month": "2026-10-31 .. 2026-11-30 15:00",
    "last quarter": "2026-07-01 .. 2026-10-01",
    "last year": "2025-01-01 .. 2026-01-01",
    "last summer": "2026-06-01 .. 2026-09-01",
    "last winter": "2025-12-01 .. 2026-03-01",
    "last May": "2026-05-01 .. 2026-06-01",
    "next May": "2027-05-01 .. 2027-06-01",
    "last November": "2025-11-01 .. 2025-12-01",
    "in November": "2026-11-01 .. 2026-12-01",
    "in December": "2025-12-01 .. 2026-01-01",
    "in May": "2026-05-01 .. 2026-06-01",
    "in May 2023": "2023-05-01 .. 2023-06-01",
    "on 7 May 2023": "2023-05-07 .. 2023-05-08",
    "the 7th of May, 2023": "2023-05-07 .. 2023-05-08",
    "May 7th": "2026-05-07 .. 2026-05-08",
    "Sept. 3, 2024": "2024-09-03 .. 2024-09-04",
    "2023-05-07": "2023-05-07 .. 2023-05-08",
    "am 2023-05-07T10:00:00Z war das": "2023-05-07 .. 2023-05-08",
    "在2023-05-07之前": "2023-05-07 .. 2023-05-08",
    "2023年5月7日": "2023-05-07 .. 2023-05-08",
    "in 2023-05": "2023-05-01 .. 2023-06-01",
    "07/05/2023": "2023-05-07 .. 2023-05-08",
    "13/05/2023": "2023-05-13 .. 2023-05-14",
    "05/13/2023": "2023-05-13 .. 2023-05-14",
    "7.5.2023": "2023-05-07 .. 2023-05-08",
    "Q3 2024": "2024-07-01 .. 2024-10-01",
    "2024-Q3": "2024-07-01 .. 2024-10-01",
    "in Q3": "2026-07-01 .. 2026-10-01",
    "in 2023": "2023-01-01 .. 2024-01-01",
    "summer 2023": "2023-06-01 .. 2023-09-01",
    "early March": "2026-03-01 .. 2026-03-11",
    "mid-March": "2026-03-11 .. 2026-03-22",
    "late March 2024": "2024-03-22 .. 2024-04-01",
    "the end of last month": "2026-10-22 .. 2026-11-01",
    "the second week of November": "2026-11-08 .. 2026-11-15",
    "the last week of February 2024": "2024-02-23 .. 2024-03-01",
    "the week of 3 May 2023": "2023-05-01 .. 2023-05-08",
    "from 3 to 9 May 2023": "2023-05-03 .. 2023-05-10",
    "May 3-9": "2026-05-03 .. 2026-05-10",
    "between 3 May and 9 June 2023": "2023-05-03 .. 2023-06-10",
    "from May 2023 to July": "2023-05-01 .. 2023-08-01",
    "between November and February": "2025-11-01 .. 2026-03-01",
    "from November 2023 until February": "2023-11-01 .. 2024-03-01",
    "from 2019 to 2021": "2019-01-01 .. 2022-01-01",
    "since May": "2026-05-01 .. 2026-11-30 15:00",
    "since last Friday": "2026-11-27 .. 2026-11-30 15:00",
    "after 2023-05-07": "2023-05-08 .. 2026-11-30 15:00",
    "before May 3rd": "1970-01-01 01:00 .. 2026-05-03",
    "until yesterday": "1970-01-01 01:00 .. 2026-11-30",
    "the past three days": "2026-11-27 .. 2026-11-30 15:00",
    "in the past week": "2026-11-23 .. 2026-11-30 15:00",
    "the last 24 hours": "2026-11-29 15:00 .. 2026-11-30 15:00",
    "3 days ago": "2026-11-27 .. 2026-11-28",
    "a few days ago": "2026-11-26 .. 2026-11-29",
    "two weeks ago": "2026-11-13 .. 2026-11-20",
    "40 minutes ago": "2026-11-30 14:10 .. 2026-11-30 14:30",
}


@pytest.mark.parametrize(("text", "expected"), EXPRESSIONS.items())
def test_an_expression_names_its_stretch_of_the_calendar(text: str, expected: str) -> None:
    assert read(f"What did we change {text}?") == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "you may run it",
        "May I use the staging key?",
        "march through the list",
        "wait a second",
        "the second commit",
        "Python 3 may break",
        "set mar 12.5 as margin",
        "in 2024 lines of code",
        "port 2048",
        "version 2023.1",
        "build 20230507",
        "in Spring Boot",
        "the tests sat idle",
        "2023-02-30",
        "99/99/2023",
        "31 April 2023",
        "30 February",
        "May 9-3",
        "May 3-99",
        "9999-12-31",
        "0001-01-01",
        "1969-12-30",
        "9999 years ago",
        "",
    ],
)
def test_a_word_that_is_no_time_where_it_stands_names_none(text: str) -> None:
    assert periods(text, NOW, BERLIN) == ()


def test_the_place_of_an_expression_in_the_text_is_told() -> None:
    text = "What broke last week, and what in early May 2023?"
    assert [text[p.start : p.end] for p in periods(text, NOW, BERLIN)] == ["last week", "early May 2023"]


def test_a_date_with_slashes_begins_with_the_month_in_the_united_states() -> None:
    assert read("07/05/2023", zone=NEW_YORK) == ["2023-07-05 .. 2023-07-06"]
    assert read("7.5.2023", zone=NEW_YORK) == ["2023-05-07 .. 2023-05-08"]
    assert read("13/05/2023", zone=NEW_YORK) == ["2023-05-13 .. 2023-05-14"]


def test_a_week_or_day_counted_from_a_day_names_that_day_too() -> None:
    assert read("the week before 3 August 2023") == ["2023-07-27 .. 2023-08-03", "2023-08-03 .. 2023-08-04"]
    assert read("two days after 7 May 2023") == ["2023-05-09 .. 2023-05-10", "2023-05-07 .. 2023-05-08"]
    assert read("last weekend before 9 April 2023") == ["2023-04-01 .. 2023-04-03", "2023-04-09 .. 2023-04-10"]
    assert read("the weekend after 8 April 2023") == ["2023-04-15 .. 2023-04-17", "2023-04-08 .. 2023-04-09"]


def test_what_is_counted_beyond_the_calendar_leaves_the_time_it_is_counted_from() -> None:
    assert read("9999 years before 2020-01-02") == ["2020-01-02 .. 2020-01-03"]
    assert read("8000 years after 2020-01-02") == ["2020-01-02 .. 2020-01-03"]
    assert read("500 years after 2020-01-02") == ["2020-01-02 .. 2020-01-03"]


def test_a_day_is_as_long_as_its_clocks_make_it() -> None:
    assert (
        one("yesterday", ms("2026-03-30 09:00")).end_ms - one("yesterday", ms("2026-03-30 09:00")).start_ms == 23 * HOUR
    )
    autumn = one("on 25 October 2026")
    assert autumn.end_ms - autumn.start_ms == 25 * HOUR
    assert autumn.grain.name == "day"


def test_a_day_whose_midnight_the_clocks_leap_over_begins_after_it() -> None:
    zone = ZoneInfo("America/Sao_Paulo")
    assert read("2018-11-04", zone=zone) == ["2018-11-04 01:00 .. 2018-11-05"]


def test_the_zone_of_asking_decides_which_day_it_is() -> None:
    at = ms("2026-11-30 02:00", UTC)
    assert read("today", at, BERLIN) == ["2026-11-30 .. 2026-12-01"]
    assert read("today", at, NEW_YORK) == ["2026-11-29 .. 2026-11-30"]


def test_a_leap_day_without_a_year_is_the_latest_one() -> None:
    leap = one("on 29 February")
    assert local(leap.start_ms) == "2024-02-29"
    assert closeness(leap, ms("2020-02-29 12:00")) == OTHER_YEAR
    assert closeness(leap, ms("2023-02-28 12:00")) == 0


def test_february_without_a_year_ends_with_february_in_every_year() -> None:
    assert closeness(one("in February"), ms("2024-02-29 12:00")) == pytest.approx(0.5 * OTHER_YEAR)
    assert closeness(one("in February", ms("2024-06-01 12:00")), ms("2023-03-01 12:00")) == 0
    assert closeness(one("28 February", ms("2024-06-01 12:00")), ms("2023-02-28 12:00")) == OTHER_YEAR


@pytest.mark.parametrize(
    ("question", "at", "expected"),
    [
        ("on 7 May 2023", "2023-05-07 00:00", 1.0),
        ("on 7 May 2023", "2023-05-07 23:59", 1.0),
        ("on 7 May 2023", "2023-05-08 23:59", 1.0),
        ("on 7 May 2023", "2023-05-06 23:59", 0.7),
        ("on 7 May 2023", "2023-05-11 12:00", 0.7),
        ("on 7 May 2023", "2023-05-12 12:00", 0.3),
        ("on 7 May 2023", "2023-06-07 12:00", 0.0),
        ("on 7 May 2023", "2022-05-07 12:00", 0.0),
        ("on 31 May 2023", "2023-06-02 12:00", 0.7),
        ("in May 2023", "2023-05-31 23:59", 0.5),
        ("in May 2023", "2023-06-01 00:00", 0.0),
        ("in May", "2026-05-10 12:00", 0.5),
        ("in May", "2023-05-10 12:00", 0.45),
        ("on May 7", "2023-05-08 12:00", 0.9),
        ("on December 31", "2023-01-01 12:00", 0.9),
        ("in the week of 3 May 2023", "2023-05-03 12:00", 0.7),
        ("in the week of 3 May 2023", "2023-05-10 12:00", 0.5),
        ("in 2023", "2023-12-31 23:59", 0.3),
        ("yesterday evening", "2026-11-29 20:00", 1.0),
        ("yesterday evening", "2026-11-29 09:00", 0.7),
        ("yesterday evening", "2026-11-27 20:00", 0.0),
    ],
)
def test_closeness_is_greater_the_sharper_the_period_and_the_nearer_the_time(
    question: str, at: str, expected: float
) -> None:
    assert closeness(one(question), ms(at)) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Which tests failed before the release of 2.0?", [("before", "release of 2.0")]),
        ("Since we merged the auth branch, what broke?", [("since", "merged the auth branch")]),
        ("What changed after the migration to Postgres was done?", [("after", "migration to Postgres")]),
        ("While debugging the parser. Then we left.", [("during", "debugging the parser")]),
        ("What did it print prior to my fix?", [("before", "fix")]),
        ("What held until the upgrade and what since the rewrite?", [("until", "upgrade"), ("since", "rewrite")]),
        ("What did we do after May 3?", []),
        ("What changed since the 3rd of May?", []),
        ("What broke since last week?", []),
        ("Have I used this before?", []),
        ("What works after all?", []),
        ("", []),
    ],
)
def test_an_event_that_bounds_a_question_is_named_and_a_date_is_none(
    text: str, expected: list[tuple[str, str]]
) -> None:
    assert [(event.relation, event.words) for event in event_bounds(text)] == expected


def test_an_event_whose_time_is_known_becomes_a_period() -> None:
    at = ms("2026-11-10 12:00")

    def bounds(relation: str) -> tuple[int, int]:
        period = event_period(Event(relation, "release", 3, 20), at, NOW, BERLIN)
        assert (period.start, period.end) == (3, 20)
        return period.start_ms, period.end_ms

    assert bounds("before") == bounds("until") == (0, at)
    assert bounds("after") == bounds("since") == (at, NOW)
    assert bounds("during") == (ms("2026-11-10 00:00"), ms("2026-11-11 00:00"))


def test_what_stands_far_down_in_a_long_text_is_not_read() -> None:
    assert read("log " * (READ // 4) + "2023-05-07") == []
    assert read("log " * (READ // 4 - 5) + "2023-05-07") == ["2023-05-07 .. 2023-05-08"]


# --- laws -------------------------------------------------------------------------------------------------------------

WORDS = """
last next this past the a few two 3 31 12 days weeks ago before after since until between and from to of in on May may
March mar 29 February Tuesday summer Q3 2023 2024-02-29 07/05/2023 week weekend month year morning early mid end half an
hour minutes 9999-12-31 9999 years yesterday night - , 1st second 2023\u5e745\u6708
"""
texts = st.one_of(st.text(max_size=80), st.lists(st.sampled_from(WORDS.split()), max_size=9).map(" ".join))
zones = st.sampled_from(
    [
        UTC,
        BERLIN,
        NEW_YORK,
        *map(ZoneInfo, ("Australia/Lord_Howe", "America/Sao_Paulo", "Pacific/Apia", "Asia/Kolkata")),
    ]
)
times = st.integers(ms("1980-01-01", UTC), ms("2090-01-01", UTC))


@given(text=texts, now=times, zone=zones, at=times)
def test_any_text_names_half_open_periods_of_the_calendar_in_its_order(
    text: str, now: int, zone: tzinfo, at: int
) -> None:
    found = periods(text, now, zone)
    assert found == periods(text, now, zone)
    for period in found:
        assert 0 <= period.start_ms < period.end_ms
        assert 0 <= period.start < period.end <= len(text)
        assert period.grain in GRAINS
        assert closeness(period, period.start_ms) == closeness(period, period.end_ms - 1) == period.grain.inside
        assert 0 <= closeness(period, at) <= period.grain.inside
    assert [p.start for p in found] == sorted(p.start for p in found)


@given(text=texts)
def test_any_text_is_asked_for_events_and_each_is_found_where_it_stands(text: str) -> None:
    for event in event_bounds(text):
        assert text[: event.end].endswith(event.words)
        assert event.words


@given(now=times, zone=zones, count=st.integers(1, 300))
def test_so_many_days_ago_holds_that_day_and_ends_before_today(now: int, zone: tzinfo, count: int) -> None:
    period = one(f"{count} days ago", now, zone)
    day = datetime.fromtimestamp(now / 1000, zone).date() - timedelta(days=count)
    noon = round(datetime(day.year, day.month, day.day, 12, tzinfo=zone).timestamp() * 1000)
    assert period.start_ms <= noon < period.end_ms <= one("today", now, zone).start_ms


@given(now=times, zone=zones, unit=st.sampled_from(["week", "month", "quarter", "year"]))
def test_last_this_and_next_follow_one_another_and_this_holds_now(now: int, zone: tzinfo, unit: str) -> None:
    last, this, following = (one(f"{which} {unit}", now, zone) for which in ("last", "this", "next"))
    assert last.end_ms == this.start_ms <= now < this.end_ms == following.start_ms


@given(day=st.dates(date(1980, 1, 1), date(2090, 1, 1)), zone=zones)
def test_a_day_is_the_same_in_every_spelling(day: date, zone: tzinfo) -> None:
    spellings = (f"{day:%Y-%m-%d}", f"{day.day} {day:%B %Y}", f"{day:%B} {day.day}, {day.year}", f"{day:%d.%m.%Y}")
    found = {one(f"on {text}", NOW, zone)[:4] for text in spellings}
    ((start, end, grain, yearly),) = found
    assert datetime.fromtimestamp(start / 1000, zone).date() == day
    assert 0 < end - start <= 25 * HOUR
    assert (grain.name, yearly) == ("day", False)


@given(now=times, zone=zones, month=st.integers(1, 12))
def test_a_month_without_a_year_has_begun_and_is_less_than_a_year_old(now: int, zone: tzinfo, month: int) -> None:
    period = one(f"in {date(2000, month, 1):%B}", now, zone)
    assert period.yearly
    assert period.start_ms <= now < period.start_ms + 367 * DAY
