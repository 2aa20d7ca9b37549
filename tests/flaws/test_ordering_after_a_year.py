"""What comes first is what answers best, however long ago it was noted and however often upkeep ran."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from moored.model.clock import ManualClock
from moored.model.ids import SequentialIds

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import House

DAY = 86_400_000
NOTES = {
    "The winter tariff begins on the first of November.": ("note", 1),
    "Parcels are sent by ship since the insurance excludes air.": ("decision", 6),
    "The tracking page is cached for forty seconds.": ("note", 0),
    "Drivers get their route by radio since the app lost data.": ("lesson", 3),
}
ORDERS = ("newest", "heat", "confidence", "importance", "stability")


def lived(house: House, rounds_a_day: int, days: int = 365) -> dict[str, list[tuple[str, float | None]]]:
    """A year of a project, with so many rounds of upkeep a day; the lists of its notes by each number."""
    for text, (kind, uses) in NOTES.items():
        note = house.remember(text, "relay.py", kind=kind)
        for _ in range(uses):
            house.memory.uses.add([note], house.clock.now())
        house.memory.uses.keep()
        house.clock.advance(DAY)
    house.memory.pin("Never send on Sundays.")
    for _ in range(days):
        for _ in range(rounds_a_day):
            house.clock.advance(DAY // rounds_a_day)
            house.memory.upkeep()
        house.clock.advance(DAY if not rounds_a_day else 0)
    lists = {}
    for by in ORDERS:
        numbers = [(one.judged.note.head.text, getattr(one.state, by, None)) for one in house.memory.notes(by=by)]
        lists[by] = [(text, round(found.value, 4) if found and found.value else None) for text, found in numbers]
    return lists


def test_a_year_leaves_the_same_order_whatever_the_number_of_rounds(tmp_path: Path) -> None:
    from flaws.conftest import House

    houses = [
        House(tmp_path / str(number) / "depot", tmp_path / str(number) / "m.db", ManualClock(), SequentialIds())
        for number in (0, 1, 3)
    ]
    quiet, daily, busy = (lived(house, number) for house, number in zip(houses, (0, 1, 3), strict=True))
    assert quiet == daily == busy
    used, *_, unused = [text for text, _ in quiet["heat"]]
    assert (NOTES[used][1], NOTES[unused][1]) == (6, 0), "what was used most stands first after a year as before"
    for house in houses:
        for text in NOTES:
            assert house.notes(text)[0].text == text
        assert "Never send on Sundays." in house.memory.start(host="lab", session="s").text
        house.memory.close()


def test_a_pin_and_a_note_of_long_ago_are_told_like_new_ones(house: House) -> None:
    house.memory.pin("Never send on Sundays.")
    note = house.remember("Parcels are sent by ship since the insurance excludes air.", kind="decision")
    before = house.notes("how are parcels sent")[0]
    house.clock.advance(400 * DAY)
    house.memory.upkeep()
    after = house.notes("how are parcels sent")[0]
    assert (after.id, after.score) == (note, before.score)
    assert "Never send on Sundays." in house.memory.start(host="lab", session="s").text


@pytest.mark.parametrize("crisp", ["The archive key hangs behind the barometer.", "Archive key: behind the barometer."])
def test_a_short_note_stands_before_long_ones_that_only_touch_the_question(house: House, crisp: str) -> None:
    assert len(crisp) < 80
    for number in range(5):
        house.remember(
            f"On the {number + 1}th tour through the archive we counted the shelves, took the key back to the office, "
            f"noted {number} broken lamps and agreed that the barometer in the hall has to be cleaned some day soon."
        )
    note = house.remember(crisp)
    assert house.notes("where does the archive key hang")[0].id == note


def test_answers_come_in_the_order_of_their_scores_however_many_there_are(house: House) -> None:
    for number in range(9):
        house.remember(f"Shed {number} of the depot holds crates of sort {number} and nothing else.", "relay.py")
        house.clock.advance(3 * DAY)
    house.memory.upkeep()
    for limit in (3, 5, 8, 20):
        scores = [hit.score for hit in house.notes("which shed of the depot holds crates", limit=limit)]
        assert scores == sorted(scores, reverse=True)


def test_being_told_often_or_rated_well_does_not_move_a_note_past_a_better_answer(house: House) -> None:
    answer = house.remember("The archive key hangs behind the barometer.")
    beside = house.remember("The archive is aired on Mondays, says the key plan.")
    question = "where does the archive key hang"
    before = [(hit.id, hit.score) for hit in house.notes(question)]
    for _ in range(50):
        house.memory.rate(beside, useful=True)
        house.memory.rate(answer, useful=False)
    house.memory.uses.add([beside] * 5_000, house.clock.now())
    house.memory.uses.keep()
    assert [(hit.id, hit.score) for hit in house.notes(question)] == before
    assert before[0][0] == answer


def test_numbers_of_a_note_do_not_climb_by_being_looked_at(house: House) -> None:
    note = house.remember("The archive key hangs behind the barometer.", kind="decision")
    before = house.memory.explain(note).state
    for _ in range(60):
        house.memory.recall("where does the archive key hang")
        house.memory.upkeep()
    after = house.memory.explain(note).state
    assert (after.importance, after.confidence) == (before.importance, before.confidence)
