"""What kind of thing a window says, by its words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moored.model.traits import DIRECTIVE, PREFERENCE, SHORT, TIMED, traits_of


@pytest.mark.parametrize(
    "text",
    [
        "Always format with ruff.",
        "please never push to main",
        "Thanks. From now on answer in German.",
        "The tests pass.\nMake sure to run them twice.",
        "Going forward, use tabs.",
        "Show the commands when I ask for help with git.",
        "Don\u2019t ever edit generated files",
    ],
)
def test_a_standing_instruction_is_one(text: str) -> None:
    assert traits_of(text, text, by_person=True) & DIRECTIVE


@pytest.mark.parametrize(
    "text",
    [
        "I always forget the flag.",
        "It never failed before.",
        "Did you remember to push?",
        "The neverending build",
        "Always " + "x" * SHORT,
    ],
)
def test_what_only_uses_its_words_is_no_instruction(text: str) -> None:
    assert not traits_of(text, text, by_person=True) & DIRECTIVE


@pytest.mark.parametrize(
    "text",
    [
        "I prefer small commits",
        "I'd rather use make",
        "i don't like to wait",
        "My favourite editor is vim",
        "I hate yaml",
    ],
)
def test_a_preference_is_one(text: str) -> None:
    assert traits_of(text, text, by_person=True) & PREFERENCE


@pytest.mark.parametrize("text", ["Which do you prefer?", "The parser hates tabs", "hi prefer", "It is like toast"])
def test_what_others_like_is_no_preference(text: str) -> None:
    assert not traits_of(text, text, by_person=True) & PREFERENCE


@pytest.mark.parametrize(
    "text",
    [
        "We met Yesterday.",
        "in March 2023",
        "two days ago",
        "the deadline",
        "on 2024-05-07",
        "last week",
        "a few months",
    ],
)
def test_words_of_time_are_found_whatever_their_case(text: str) -> None:
    assert traits_of(text, text, by_person=False) == TIMED
    assert traits_of(text.upper(), text.upper(), by_person=False) == TIMED


@pytest.mark.parametrize(
    "text", ["the parser", "justice for all", "sinceramente", "1999 is a number in 19999", "agora"]
)
def test_what_only_contains_their_letters_is_not_timed(text: str) -> None:
    assert traits_of(text.replace("1999 is", "is"), text.replace("1999 is", "is"), by_person=False) == 0


@given(st.text(max_size=200))
def test_only_a_person_instructs_or_prefers(text: str) -> None:
    assert traits_of(text, text, by_person=False) in (0, TIMED)
