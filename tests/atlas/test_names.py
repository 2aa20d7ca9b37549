"""Which pieces of a text have the form of a name."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moored.atlas.names import LONGEST, Mention, dotted, mentions, split_line


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("call it_now, please", [Mention("it_now", name="it_now")]),
        ("the HTTPAdapter; an iPhone", [Mention("HTTPAdapter", name="HTTPAdapter"), Mention("iPhone", name="iPhone")]),
        ("TODO: fix the API and JSON", []),
        ("run() or run(...)", [Mention("run()", name="run")]),
        ("word(s) and file(s)", []),
        ("`run`", [Mention("run", name="run", marked=True)]),
        ("`run(a, b)`", [Mention("run(a, b)", command="run(a, b)", marked=True)]),
        ("`run(a)`", [Mention("run(a)", name="run", marked=True)]),
        ("`$ make`", [Mention("$ make", command="make", marked=True)]),
        ("`pytest  -q`", [Mention("pytest  -q", command="pytest -q", marked=True)]),
        ("std::vector::push", [Mention("std::vector::push", name="std.vector.push")]),
        ("a/b.rs::Store::open", [Mention("a/b.rs::Store::open", path="a/b.rs", name="Store.open")]),
        ("src/a.py:12:", [Mention("src/a.py:12", path="src/a.py", line=12)]),
        ("(see a.py:3-9)", [Mention("a.py:3-9", path="a.py", line=3)]),
        ("./a/b.", [Mention("./a/b", path="a/b")]),
        (".env", [Mention(".env", path=".env")]),
        ("services.web[0].image-name", [Mention("services.web[0].image-name", name="services.web[0].image-name")]),
        ("3.11 and -1 and 12:30 -- x", []),
        ("@cache_it", [Mention("cache_it", name="cache_it")]),
        ("self.send", [Mention("self.send", name="send")]),
        ("a_b a_b `a_b`", [Mention("a_b", name="a_b")]),
        ("~~~\nx_y\n~~~\nu_v\n```\nopen_ended", [Mention("u_v", name="u_v")]),
    ],
)
def test_names_are_told_from_words_by_their_form(text: str, expected: list[Mention]) -> None:
    assert list(mentions(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a.py:3", ("a.py", 3)), ("a/b#L7", ("a/b", 7)), ("a:3", ("a:3", 0)), ("a.py", ("a.py", 0)), ("", ("", 0))],
)
def test_a_line_is_divided_from_its_path(text: str, expected: tuple[str, int]) -> None:
    assert split_line(text) == expected


def test_separators_of_other_languages_become_dots() -> None:
    assert [dotted(name) for name in ("A::b", "A#b", "a->b", "this.a", "cls.a.b")] == ["A.b", "A.b", "a.b", "a", "a.b"]


@given(st.text())
def test_any_text_is_read_without_an_error_and_each_name_once(text: str) -> None:
    found = mentions(text)
    assert len(found) == len(set(found))
    assert all(mention.path or mention.name or mention.command for mention in found)


@pytest.mark.parametrize(
    "piece", ["a", "a.", "1:", "a_b ", "```\n", "`", "a@", "x::", "[0]", "(", "a/", "a-b.", "~~~", "a:1", "\u00e9_"]
)
def test_reading_takes_a_time_in_proportion_to_the_text(piece: str) -> None:
    text = piece * (32 * 1024 // len(piece))
    started = time.perf_counter()
    mentions(text)
    assert time.perf_counter() - started < 5
    assert all(len(mention.text) <= LONGEST + 5 for mention in mentions(text))
