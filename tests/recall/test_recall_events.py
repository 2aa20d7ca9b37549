"""Events that bound a question in time: they are looked up where things are done."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING

import pytest

from moored.model.clock import iso
from moored.model.episodes import Channel, Role
from moored.model.recall import HitKind
from moored.recall.events import event_periods
from moored.recall.policy import Policy

if TYPE_CHECKING:
    from conftest import Desk

DAY = 86_400_000
BEGAN = 1_750_000_000_000
EPISODES = Policy(kinds=(HitKind.EPISODE,))


def commit(desk: Desk, day: int, subject: str) -> str:
    at = BEGAN + day * DAY
    text = f"commit {day:040x}\nAuthor: Ada\nDate: {iso(at)}\n\n{subject}\n\nM crane.py (+1 -1)"
    return desk.record(
        text,
        Role.SYSTEM,
        channel=Channel.IMPORT,
        host="git",
        session="history",
        host_event=str(day),
        author="Ada",
        occurred_at=at,
    )


def bounds(desk: Desk, question: str) -> list[tuple[int, int]]:
    """The periods, each as the days on which it begins and ends."""
    with desk.store.read() as view:
        now = BEGAN + 100 * DAY
        found = event_periods(view, desk.project, question, now, zone=UTC)
    return [((one.start_ms - BEGAN) // DAY if one.start_ms else 0, (one.end_ms - BEGAN) // DAY) for one in found]


@pytest.fixture
def history(desk: Desk) -> Desk:
    """A repository's history, with a tag and some talk."""
    desk.clock.advance(100 * DAY)
    commit(desk, 1, "Add a retry to the winch")
    commit(desk, 10, "Release 1.0")
    commit(desk, 20, "Merge the tariff parser")
    commit(desk, 30, "Mend the script that writes the notes of a release for the page of the project")
    desk.record(
        "Deleted tag", Role.TOOL, tool_name="Bash", tool_input="grep -rn migration .", occurred_at=BEGAN + 35 * DAY
    )
    desk.record(
        "ok", Role.TOOL, tool_name="Bash", tool_input="make migration", exit_status=0, occurred_at=BEGAN + 40 * DAY
    )
    desk.record("Should we rewrite the scheduler?", occurred_at=BEGAN + 45 * DAY)
    desk.record("Hello. I moved the pipeline to another runner today.", occurred_at=BEGAN + 50 * DAY)
    return desk


@pytest.mark.parametrize(
    ("question", "period"),
    [
        ("What did we change in the winch before the release?", (0, 10)),
        ("What was done after the release?", (10, 100)),
        ("What happened since we merged the tariff parser?", (20, 100)),
        ("What broke after the migration?", (40, 100)),
        ("What was red until we moved the pipeline?", (0, 50)),
    ],
)
def test_an_event_that_was_recorded_bounds_a_question(history: Desk, question: str, period: tuple[int, int]) -> None:
    assert bounds(history, question) == [period]


@pytest.mark.parametrize(
    "question",
    [
        "What did we decide before the audit?",
        "What was said before the scheduler rewrite?",
        "Which tests fail after merging the parser?",
        "What did we do before the the?",
        "What changed in the winch?",
    ],
)
def test_what_was_not_found_to_have_happened_bounds_nothing(history: Desk, question: str) -> None:
    assert bounds(history, question) == []


def test_the_last_of_several_events_of_a_name_is_meant_and_none_that_is_still_to_come(history: Desk) -> None:
    commit(history, 60, "Release 1.1")
    commit(history, 200, "Release 2.0")
    assert bounds(history, "What changed since the release?") == [(60, 100)]


def test_what_a_person_among_others_tells_is_no_event(history: Desk) -> None:
    history.record("We launched the ferry yesterday.", author="Ben", occurred_at=BEGAN + 70 * DAY)
    assert bounds(history, "What was said before the ferry launch?") == []


def test_what_lies_on_the_asked_side_of_an_event_is_told_by_its_date(history: Desk) -> None:
    history.fill()
    before = commit(history, 5, "Oil the winch")
    after = commit(history, 15, "Oil the winch again")
    hits = {hit.id: hit for hit in history.recall("How was the winch oiled before the release?", EPISODES).hits}
    assert hits[before].signals["date"] > 0
    assert "date" not in hits[after].signals
    assert hits[before].score > hits[after].score
