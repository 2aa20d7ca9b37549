"""The progress bar: on a terminal only, and never in the way of an answer."""

from __future__ import annotations

import io
import sys

import pytest

from moored.cli.progress import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_nothing_is_shown_where_there_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with progress("reading") as advance:
        advance(1, 2)
        advance(2)
    assert stream.getvalue() == ""


def test_a_terminal_shows_how_far_it_is_and_stdout_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    stream, answers = Terminal(), io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(sys, "stdout", answers)
    with progress("reading") as advance:
        advance(1, 2)
        advance(2, 2)
        sys.stdout.write("the answer\n")
    assert "reading" in stream.getvalue()
    assert answers.getvalue() == "the answer\n"
