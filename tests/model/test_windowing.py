"""How an episode is cut, and what is indexed of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moored.model.episodes import Channel, Role
from moored.model.traits import DIRECTIVE, PREFERENCE, TIMED
from moored.model.windowing import MAX_VECTORS, SIZE, cut, embedded

LIKES = "I prefer tabs. Always use them."


@given(st.text(max_size=3_000))
def test_the_windows_cover_a_text_once(text: str) -> None:
    found = cut(text, role=Role.USER, channel=Channel.USER)
    assert "".join(text[one.start : one.end] for one in found) == text
    assert all(0 < one.end - one.start <= SIZE + SIZE // 4 for one in found)
    assert [one.start for one in found[1:]] == [one.end for one in found[:-1]]


def test_the_first_window_is_found_by_the_tool_and_what_it_was_asked() -> None:
    first, second = cut(
        "word " * 130, role=Role.TOOL, channel=Channel.TOOL, tool_name="Bash", tool_input="run_checks.sh --all"
    )
    assert "Bash" in first.words
    assert "run_checks.sh" in first.fragments
    assert "Bash" not in second.words


def test_an_episode_without_a_text_has_a_window() -> None:
    (only,) = cut("", role=Role.TOOL, channel=Channel.TOOL, tool_name="Read", tool_input="a.py")
    assert (only.start, only.end, only.words.split()) == (0, 1, ["Read", "a.py"])


@pytest.mark.invariant("I-21")
@pytest.mark.parametrize(
    ("role", "channel", "author", "traits"),
    [
        (Role.USER, Channel.USER, "", DIRECTIVE | PREFERENCE),
        (Role.USER, Channel.IMPORT, "", DIRECTIVE | PREFERENCE),
        (Role.ASSISTANT, Channel.ASSISTANT, "", 0),
        (Role.ASSISTANT, Channel.IMPORT, "Ada", DIRECTIVE | PREFERENCE),
        (Role.TOOL, Channel.TOOL, "Ada", 0),
        (Role.TOOL, Channel.IMPORT, "Ada", 0),
        (Role.USER, Channel.DOCUMENT, "", 0),
        (Role.ASSISTANT, Channel.SUMMARY, "Ada", 0),
    ],
)
def test_only_what_a_person_said_instructs(role: Role, channel: Channel, author: str, traits: int) -> None:
    (only,) = cut(LIKES, role=role, channel=channel, author=author)
    assert only.traits & (DIRECTIVE | PREFERENCE) == traits


def test_a_time_counts_in_what_an_assistant_says_and_not_in_what_a_tool_prints() -> None:
    said, printed = (
        cut("It was merged yesterday.", role=role, channel=Channel.IMPORT)[0] for role in (Role.ASSISTANT, Role.TOOL)
    )
    assert (said.traits & TIMED, printed.traits) == (TIMED, 0)


def test_of_many_windows_the_first_and_the_last_are_embedded() -> None:
    assert embedded(range(5)) == [0, 1, 2, 3, 4]
    many = embedded(range(1_000))
    assert (len(many), many[0], many[-1]) == (MAX_VECTORS, 0, 999)
    assert set(range(64)) | set(range(936, 1_000)) == set(many)
