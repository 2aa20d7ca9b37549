"""What kind of thing a window says, by its words."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moored.model.traits import (
    ACKNOWLEDGES,
    DIRECTIVE,
    EVENT,
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


_SPAN = "(?:minute|hour|night|day|weekend|week|month|quarter|year|decade)"
_DAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_MONTH = "january|february|march|april|may|june|july|august|september|october|november|december"
RULES = {
    TIMED: (
        r"\b(?:yesterday|today|tonight|tomorrow|ago|recently|lately|since|just|deadline|weekend|by the end|"
        rf"(?:last|next|this|past|previous|coming) (?:{_SPAN}s?|summer|winter|spring|fall|autumn|{_DAY}|{_MONTH})|"
        rf"{_DAY}s?|{_MONTH}|(?:\d+|a few|few|several|a couple of) {_SPAN}s?|(?:19|20)\d\d(?:-\d\d-\d\d)?)\b"
    ),
    NUMBER: (
        r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|once|twice|couple|few|dozen|hundred|thousand|half)\b"
    ),
    FIRST_PERSON: r"\b(?:i|me|my|mine|we|us|our|ours)\b",
    EVENT: (
        r"\b(?:i|we) (?:\w+ed|went|got|had|made|took|saw|met|did|bought|found|won|read|wrote|gave|ran)\b|"
        rf"\b(?:just|recently|last (?:{_SPAN}|{_DAY})|yesterday|today|the other day|lately)\b"
    ),
    PREFERENCE: (
        r"\bi(?:['\u2019]d| would)? (?:(?:really|always|usually|generally|much|also|just|don['\u2019]t|do not) )?"
        r"(?:prefer|like to|hate|love|dislike|avoid|enjoy|want you to|would rather)\b|"
        r"\bi['\u2019]d rather\b|\bmy (?:preference|favou?rite|preferred|go-to)\b"
    ),
    DIRECTIVE: (
        r"(?:^|[.!?:;]\s|\n)\W*(?:please,? )?(?:always|never|from now on|from here on|going forward|"
        r"in (?:the )?future,|do not ever|don['\u2019]t ever|remember to|remember that you|"
        r"make sure (?:to|you|that)|be sure to|every time (?:i|you|we))|"
        r"\bwhen(?:ever)? i(?:['\u2019]m| am)? (?:ask|asking|request|requesting|say)\b"
    ),
}
"""The rules as patterns over a text in lower case, which take several times as long."""

PIECES = [
    *("i", "we", "my", "us", "the", "a", "an", "last", "next", "this", "few", "several", "couple", "of"),
    *("5", "12", "x5", "5x", "2024", "1999", "19999", "2024-05-07", "1\u0669\u0669\u0669", "19\u0665\u0665", "19"),
    *("day", "days", "year", "weekend", "weeks", "fall", "summer", "Monday", "mondays", "March", "ago", "once"),
    *("by", "end", "other", "just", "recently", "went", "tried", "renamed", "half", "tenth", "Ada", "Ben,"),
    *("likes", "like", "to", "prefer", "rather", "would", "i'd", "i\u2019d", "don't", "do", "not", "ever"),
    *("favourite", "go-to", "always", "never", "from", "now", "on", "please", "in", "future,", "when", "whenever"),
    *("ask", "remember", "that", "you", "make", "be", "sure", "every", "time", "neverending", "thanks", "Wow"),
    *("_i", "i_", "\u00c9", "\u0130", "\u017f", "\u212a"),
]


@given(
    st.lists(
        st.tuples(st.sampled_from(PIECES), st.sampled_from([" ", " ", " ", "", "\n", ". ", ", ", "\u00a0"])),
        max_size=12,
    )
)
def test_the_quick_way_finds_what_the_rules_say(pieces: list[tuple[str, str]]) -> None:
    text = "".join(word + gap for word, gap in pieces)
    found = traits_of(text, text, by_person=True)
    ruled = sum(bit for bit, rule in RULES.items() if re.search(rule, text.lower()))
    assert found & sum(RULES) == ruled
    assert names_in(found) == min(len(re.findall(r"(?<=[a-z,'] )[A-Z][a-z]+", text)), MOST_NAMES)


@given(st.text(max_size=200))
def test_the_quick_way_and_the_rules_agree_on_any_text(text: str) -> None:
    ruled = sum(bit for bit, rule in RULES.items() if re.search(rule, text.lower()))
    assert traits_of(text, text, by_person=True) & sum(RULES) == ruled


@pytest.mark.parametrize(("text", "traits"), [("Thanks!", ACKNOWLEDGES), ("We went home", EVENT), ("we go home", 0)])
def test_replies_and_events_are_told_apart(text: str, traits: int) -> None:
    assert traits_of(text, text, by_person=True) & (ACKNOWLEDGES | EVENT) == traits
