"""A reminder is told when what it waits for comes up: not on a part of a word, nor elsewhere, nor on its own making."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from conftest import House

DAY = 86_400_000


def told(house: House, prompt: str) -> str:
    return house.memory.before_prompt(prompt, host="lab", session="s").text


@pytest.mark.parametrize("beside", ["mastering the tide", "the mastery of it", "remasted", "almost there", "the deck"])
def test_a_keyword_is_not_met_inside_another_word(house: House, beside: str) -> None:
    house.memory.remind("Ask Anna first", when="keyword: mast")
    assert "Ask Anna" not in told(house, f"Tell me about {beside}, please")
    assert "Ask Anna" in told(house, "How high is the mast?")


def test_one_word_of_two_is_not_enough(house: House) -> None:
    house.memory.remind("Ask Anna first", when="keyword: main mast")
    assert "Ask Anna" not in told(house, "The main gate is open")
    assert "Ask Anna" in told(house, "Paint the main mast")


def test_a_folder_and_a_wild_character_are_taken_as_they_are_written(house: House) -> None:
    house.write("src/app/gate.py", "GATE = 1\n")
    house.memory.index()
    house.memory.remind("Oil the gears", when="editing src/app")
    house.memory.remind("Count the crates", when="editing a_b.py")
    assert "Oil" not in house.memory.before_edit(["src/app2/gate.py"]).text
    assert "Count" not in house.memory.before_edit(["axb.py"]).text
    assert "Oil" in house.memory.before_edit(["src/app/gate.py"]).text
    assert "Count" in house.memory.before_edit(["a_b.py"]).text


def test_what_is_said_in_another_project_calls_up_nothing_of_ours(house: House) -> None:
    other = house.beside("quay")
    house.memory.remind("Ask Anna first", when="keyword: mast")
    assert other.memory.remember("The mast is of oak.").reminders == ()
    assert "Ask Anna" not in told(other, "How high is the mast?")
    assert "Ask Anna" not in other.memory.brief("How high is the mast?").text
    other.memory.close()


def test_making_one_does_not_call_it_up_and_counts_nothing(house: House) -> None:
    note = house.memory.remember("The mast is of oak.")
    made = house.memory.remind("Mind the mast", when="keyword: mast", note=note.id, most=2)
    again = house.memory.remind("Mind the mast as well", when="keyword: mast", most=2)
    assert [one.fired for one in house.memory.reminders()] == [0, 0]
    assert made.id != again.id


def test_it_is_told_wherever_work_comes_to_it_and_not_only_where_something_is_noted(house: House) -> None:
    house.memory.remind("Ask Anna first", when="keyword: mast", most=9)
    house.clock.advance(DAY)
    assert "Ask Anna" in told(house, "How high is the mast?")
    assert [one.text for one in house.memory.recall("how high is the mast").reminders] == ["Ask Anna first"]
    house.clock.advance(DAY)
    assert [one.text for one in house.memory.remember("The mast is of oak.").reminders] == ["Ask Anna first"]


def test_the_last_time_says_that_it_is_the_last(house: House) -> None:
    house.memory.remind("Ask Anna first", when="keyword: mast", most=1)
    (due,) = house.memory.recall("how high is the mast").reminders
    assert (due.number, due.most) == (1, 1)
    house.clock.advance(DAY)
    assert house.memory.recall("how high is the mast").reminders == ()
    (listed,) = house.memory.reminders()
    assert (listed.fired, listed.most) == (1, 1), "it is listed still, and says why it is told no more"
