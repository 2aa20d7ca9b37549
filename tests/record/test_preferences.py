"""What a user's turn states for good, against sentences of which somebody said whether they do."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moored.model.preferences import Preference, Subject, excludes, same
from moored.record.preferences import preference, preferences

LABELLED = Path(__file__).with_name("preferences.tsv")
"""A line a sentence: whether it states something lasting (`+` or `-`), what about or why not, and its words."""


def labelled(half: str) -> list[tuple[bool, str]]:
    """The sentences of one half. The rules were written against the half called `tune` alone."""
    rows = [line.split("\t", 2) for line in LABELLED.read_text(encoding="utf-8").splitlines() if line]
    return [(label == "+", text) for label, _, text in rows if half == half_of(text)]


def half_of(text: str) -> str:
    return "tune" if int(sha256(text.encode()).hexdigest(), 16) % 2 else "test"


def stated(text: str) -> list[Preference]:
    return [one for one in preferences(text) if not one.correction]


def test_of_the_sentences_that_are_taken_at_least_95_in_100_state_a_preference() -> None:
    rows = labelled("test")
    taken = [wanted for wanted, text in rows if stated(text)]
    assert len(rows) >= 150
    assert sum(taken) / len(taken) >= 0.95


def test_of_the_sentences_that_state_a_preference_at_least_80_in_100_are_taken() -> None:
    found = [bool(stated(text)) for wanted, text in labelled("test") if wanted]
    assert sum(found) / len(found) >= 0.8


@pytest.mark.parametrize(
    ("sentence", "subject", "key", "value", "wanted", "over"),
    [
        ("I prefer pnpm over npm.", Subject.USER, "package manager", "pnpm", True, "npm"),
        ("From now on, use uv instead of pip.", Subject.USER, "package manager", "uv", True, "pip"),
        ("We switched from npm to pnpm.", Subject.PROJECT, "package manager", "pnpm", True, "npm"),
        ("Never use mocha in this codebase.", Subject.USER, "test framework", "mocha", False, ""),
        ("We use yarn in this repo.", Subject.PROJECT, "package manager", "yarn", True, ""),
        ("Please always answer in German.", Subject.USER, "answer language", "German", True, ""),
        ("Always indent with tabs.", Subject.USER, "indentation", "tabs", True, ""),
        ("I don't like semicolons.", Subject.USER, "semicolons", "semicolons", False, ""),
        ("I prefer composition over inheritance.", Subject.USER, "practice", "composition", True, "inheritance"),
        ("Our policy is to keep functions short.", Subject.PROJECT, "practice", "keep functions short", True, ""),
        ("npmよりpnpmの方が好きです。", Subject.USER, "package manager", "pnpm", True, "npm"),
    ],
)
def test_a_preference_says_whose_it_is_what_it_is_about_and_what_is_wanted(
    sentence: str, subject: Subject, key: str, value: str, wanted: bool, over: str
) -> None:
    read = preference(sentence)
    assert read is not None
    assert (read.subject, read.key, read.value, read.wanted, read.over) == (subject, key, value, wanted, over)
    assert read.text == sentence


@pytest.mark.parametrize("sentence", ["No, use pnpm.", "no, use pnpm, not npm", "Use pnpm instead of npm."])
def test_a_correction_is_marked_as_no_preference_by_itself(sentence: str) -> None:
    (read,) = preferences(sentence)
    assert read.correction
    assert (read.key, read.value) == ("package manager", "pnpm")


@pytest.mark.parametrize(
    "turn",
    [
        "You are a helpful coding assistant.\nAlways answer in French.\nNever use tabs.",
        "# Style\n\nAlways use tabs.\n\n# Tests\n\nAlways use pytest.",
        "Here is what the agent told me in its output:\n\nI always use tabs.\nAlways use pnpm.",
        "```\nAlways use tabs.\n```",
        "> I prefer tabs over spaces.",
        "<document>\nFrom now on, use pnpm.\n</document>",
        "<moored-memory project='x'>\n- I prefer tabs.\n</moored-memory>",
        "- nt_01abcdefgh [current] preference: I prefer tabs.",
        'The page says "always use tabs".',
    ],
)
def test_what_somebody_pasted_quoted_or_was_given_by_memory_is_no_preference_of_theirs(turn: str) -> None:
    assert preferences(turn) == ()


def test_a_turn_with_own_words_before_code_keeps_what_they_state() -> None:
    turn = "Thanks!\nI prefer tabs.\n```\nnever = 1\n```\nHere are my rules:\n- Always use pytest."
    assert [one.value for one in preferences(turn)] == ["tabs", "pytest"]


def test_the_same_said_twice_in_a_turn_counts_once() -> None:
    assert len(preferences("I prefer tabs.\nI prefer tabs.")) == 1


def read_as(sentence: str) -> Preference:
    read = preference(sentence)
    assert read is not None
    return read


@pytest.mark.parametrize(
    ("newer", "older", "excluded"),
    [
        ("I prefer pnpm.", "I prefer npm.", True),
        ("Never use npm.", "I prefer npm.", True),
        ("Never use npm.", "I prefer pnpm.", False),
        ("I prefer pnpm.", "Never use npm.", False),
        ("I prefer short answers.", "I prefer tabs.", False),
        ("I prefer composition over inheritance.", "I prefer inheritance.", True),
        ("I prefer early returns.", "I prefer pure functions.", False),
        ("I prefer 2 spaces.", "I always use tabs for indentation.", True),
        ("We use vitest for unit tests.", "We use Jest for browser tests.", False),
        ("We use vitest for unit tests.", "We use Jest for unit tests.", True),
        ("Always provide code snippets in Python when I ask about the API.", "I prefer TypeScript.", False),
        ("From now on reply in English.", "Please always answer in German.", True),
    ],
)
def test_two_preferences_exclude_each_other_when_both_cannot_be_kept(newer: str, older: str, excluded: bool) -> None:
    assert excludes(read_as(newer), read_as(older)) is excluded


def test_one_thing_said_in_two_ways_is_the_same() -> None:
    assert same(read_as("I prefer pnpm over npm."), read_as("Always install packages with pnpm."))


@given(st.text(max_size=300))
def test_every_text_can_be_read_and_what_is_found_stands_in_it(text: str) -> None:
    assert all(one.text in text and one.value for one in preferences(text))
