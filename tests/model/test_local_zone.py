"""The zone of the machine, as the C library knows it."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moored.model.clock import local_zone

ZONES = ("Europe/Berlin", "America/New_York", "America/Sao_Paulo", "Australia/Lord_Howe", "UTC")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@pytest.fixture(scope="module", params=ZONES)
def zone(request: pytest.FixtureRequest):
    """The machine set to a zone, and back afterwards."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", request.param)
        time.tzset()
        yield request.param
    time.tzset()


@given(seconds=st.integers(0, 7_000_000_000))
def test_its_times_are_those_of_the_zone_that_the_machine_is_set_to(zone: str, seconds: int) -> None:
    mine = (EPOCH + timedelta(seconds=seconds)).astimezone(local_zone())
    theirs = (EPOCH + timedelta(seconds=seconds)).astimezone(ZoneInfo(zone))
    assert (mine.replace(tzinfo=None), mine.fold, mine.utcoffset()) == (
        theirs.replace(tzinfo=None),
        theirs.fold,
        theirs.utcoffset(),
    )
    assert mine - EPOCH == timedelta(seconds=seconds)


def test_it_has_the_name_of_the_zone(zone: str) -> None:
    assert str(local_zone()) == zone
    assert local_zone().dst(EPOCH) is None


@pytest.mark.parametrize("zone", ["Europe/Berlin"], indirect=True)
def test_the_hour_that_comes_twice_is_told_apart(zone: str) -> None:
    first = datetime(2025, 10, 26, 0, 30, tzinfo=UTC).astimezone(local_zone())
    second = datetime(2025, 10, 26, 1, 30, tzinfo=UTC).astimezone(local_zone())
    assert (first.hour, first.fold, first.tzname()) == (2, 0, "CEST")
    assert (second.hour, second.fold, second.tzname()) == (2, 1, "CET")
