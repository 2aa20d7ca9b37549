"""What is read of what a tool gave back: whether something went wrong."""

from __future__ import annotations

import pytest

from moored.model.episodes import Channel, Role
from moored.model.traits import ERROR
from moored.model.windowing import cut


def _traits(text: str, exit_status: int | None = None, role: Role = Role.TOOL) -> int:
    (window,) = cut(text, role=role, channel=Channel(role.value), exit_status=exit_status)
    return window.traits & ERROR


@pytest.mark.parametrize(
    "text",
    [
        "Traceback (most recent call last):\n  File",
        "KeyError: 'basil'",
        "java.lang.IllegalStateException at Shop.java:4",
        "error[E0382]: borrow of moved value",
        "line 1\nfatal: not a git repository",
        "FAILED tests/test_shop.py::test_price",
        "3 failed, 9 passed",
        "sh: sow: command not found",
        "npm ERR! code E404",
        "process ended with exit code 2",
    ],
)
def test_output_that_shows_a_failure_has_the_trait(text: str) -> None:
    assert _traits(text) == ERROR


@pytest.mark.parametrize("text", ["12 passed, 0 failed", "0 errors, 0 warnings", "exit code 0", "def on_error(): pass"])
def test_output_that_only_has_the_word_in_it_does_not(text: str) -> None:
    assert not _traits(text)


def test_an_exit_status_that_is_not_0_is_a_failure_whatever_was_printed() -> None:
    assert (_traits("no match", 1), _traits("no match", 0), _traits("no match")) == (ERROR, 0, 0)


def test_what_somebody_says_about_an_error_is_none() -> None:
    assert not _traits("I saw KeyError: 'basil'.", role=Role.USER)
