from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.canaries import canaries
from moored.model.episodes import Event, Role
from moored.record.cleaning import cleaned, cleaned_text

SECRET = next(canary for canary in canaries() if canary.name == "github p")
PRIVATE = "<private>my own</private>"
FRAME = "<moored-memory>\n- a note\n</moored-memory>"


def event(content: str, tool_input: str = "") -> Event:
    return Event(content.encode(), Role.TOOL, host="h", session="s", tool_input=tool_input)


@pytest.mark.invariant("I-20")
def test_content_tool_input_and_names_are_cleaned() -> None:
    done = cleaned(event(f"printed {SECRET.secret}", f"echo {SECRET.secret}"))
    assert done.event == event("printed [redacted: github token]", "echo [redacted: github token]")
    names = dict.fromkeys(("session", "tool_name", "author"), SECRET.secret)
    named = Event(b"x", Role.TOOL, host="h", host_event="tool:1", **names)
    assert cleaned(named).event == named._replace(**dict.fromkeys(names, "[redacted: github token]"))
    assert (done.redacted, done.withheld) == (("github token",), False)


def test_a_tool_that_prints_a_program_about_the_tag_loses_nothing() -> None:
    program = 'TAG = "<private>"\ndef hide(text):\n    ...\n'
    assert cleaned(event(program, f"grep {program}")).event == event(program, f"grep {program}")
    said = cleaned(Event(f"Read this: {program}".encode(), Role.USER)).event
    assert said.content == b'Read this: TAG = "[private]'


def test_what_was_taken_out_is_named_once_and_in_words() -> None:
    done = cleaned(event(f"{FRAME}\n{PRIVATE}\n{SECRET.secret}\nsaid", f"{SECRET.secret} {PRIVATE}"))
    assert done.redacted == ("recalled", "private", "github token")
    assert done.event.content == b"\n[private]\n[redacted: github token]\nsaid"
    assert done.event.tool_input == "[redacted: github token] [private]"


@pytest.mark.parametrize("content", [PRIVATE, FRAME, f" {FRAME}\n{PRIVATE}\n", "<private>to the end"])
def test_an_event_of_which_nothing_is_left_is_withheld(content: str) -> None:
    assert cleaned(event(content)).withheld
    assert cleaned(event("", content)).withheld
    assert not cleaned(event(content, "make test")).withheld
    assert cleaned_text(content).withheld


def test_a_secret_that_is_alone_is_not_withheld() -> None:
    done = cleaned(event(SECRET.secret))
    assert (done.event.content, done.withheld) == (b"[redacted: github token]", False)


@given(st.binary(), st.text())
def test_an_event_without_anything_to_take_out_is_the_same_object(content: bytes, tool_input: str) -> None:
    given_event = Event(content, Role.TOOL, tool_input=tool_input)
    done = cleaned(given_event)
    assert done.redacted or done.event is given_event


@given(st.lists(st.sampled_from([SECRET.secret, PRIVATE, FRAME, "<private>", "x", "\n", " = "])))
def test_cleaning_again_changes_nothing(parts: list[str]) -> None:
    once = cleaned(event("".join(parts), " ".join(parts)))
    again = cleaned(once.event)
    assert again.event is once.event
    assert again.redacted == ()
