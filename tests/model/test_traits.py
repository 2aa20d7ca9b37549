"""What kind of thing a window says, by its words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moored.model.traits import (
    DIRECTIVE,
    FIRST_PERSON,
    MOST_NAMES,
    NAMES,
    NUMBER,
    PREFERENCE,
    QUESTION,
    QUOTED,
    SHORT,
    TIMED,
    names_in,
    traits_of,
)


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
    assert traits_of(text, text, by_person=False) & TIMED
    assert traits_of(text.upper(), text.upper(), by_person=False) & TIMED


@pytest.mark.parametrize("text", ["the parser", "justice for all", "sinceramente", "port 19999", "agora"])
def test_what_only_contains_their_letters_is_not_timed(text: str) -> None:
    assert not traits_of(text, text, by_person=False) & TIMED


@pytest.mark.parametrize(
    ("text", "traits"),
    [
        ("Which port?", QUESTION),
        ("Which port? The usual one.", 0),
        ("is it " + "really " * 40 + "so?", 0),
        ("it was tried twice", NUMBER),
        ("port 5432", NUMBER),
        ("the tenth", 0),
        ("we merged it", FIRST_PERSON),
        ("mine", FIRST_PERSON),
        ("the mines of iron", 0),
        ("then Ada met Ben in Bruges, Ghent and Ypres", MOST_NAMES << NAMES),
        ("Then she met Ada", 1 << NAMES),
        ('they read "the tide"', QUOTED),
        ("they said \u201caye\u201d", QUOTED),
    ],
)
def test_the_other_traits_are_read_from_the_words(text: str, traits: int) -> None:
    read = QUESTION | NUMBER | FIRST_PERSON | QUOTED | MOST_NAMES << NAMES
    assert traits_of(text, text, by_person=False) & read == traits
    assert names_in(traits) == traits >> NAMES & MOST_NAMES


def test_a_part_of_a_text_is_no_question() -> None:
    assert not traits_of("So it is. Or is it?", "Or is it?", by_person=False) & QUESTION


@given(st.text(max_size=200))
def test_only_a_person_instructs_or_prefers(text: str) -> None:
    assert not traits_of(text, text, by_person=False) & (DIRECTIVE | PREFERENCE)
