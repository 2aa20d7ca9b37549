"""The list of invariants and the tests that prove them agree, both ways."""

from __future__ import annotations

import re
import socket
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROW = re.compile(r"^\| (I-\d\d) \| (kept|not yet) \|", re.MULTILINE)
MARKER = re.compile(r"mark\.invariant\(([^)]*)\)")


def listed() -> dict[str, str]:
    return dict(ROW.findall((HERE.parent / "docs" / "invariants.md").read_text(encoding="utf-8")))


def marked() -> set[str]:
    found: set[str] = set()
    for file in HERE.rglob("test_*.py"):
        for arguments in MARKER.findall(file.read_text(encoding="utf-8")):
            found |= set(re.findall(r"I-\d\d", arguments))
    return found


def test_every_invariant_that_is_kept_has_a_test() -> None:
    assert {id_ for id_, state in listed().items() if state == "kept"} - marked() == set()


def test_every_marker_names_an_invariant_of_the_list() -> None:
    assert marked() - set(listed()) == set()


def test_the_list_names_every_invariant_once_and_in_order() -> None:
    assert list(listed()) == [f"I-{number:02}" for number in range(1, 25)]


@pytest.mark.invariant("I-24")
def test_the_suite_refuses_every_socket_that_is_not_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as outward:
        outward.settimeout(0.1)
        with pytest.raises(RuntimeError, match=r"nothing may leave the machine"):
            outward.connect(("192.0.2.1", 80))
    with pytest.raises(RuntimeError, match=r"nothing may leave the machine"):
        socket.getaddrinfo("example.com", 80)
