"""Parsing within bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tree_sitter import Parser

from moored.ledger.code import extract
from moored.ledger.code.grammars.common import unbracketed
from moored.ledger.code.languages import load
from moored.ledger.code.parsing import CHUNK, count_errors, parse

if TYPE_CHECKING:
    from tree_sitter import Tree

FUNCTION = b'def add_%d(first, second):\n    """Add \xc3\xa4 and \xf0\x9f\x90\x9a."""\n    return first + second\n\n\n'


def shape(tree: Tree | None) -> list[tuple[str, int, int]]:
    assert tree is not None
    nodes: list[tuple[str, int, int]] = []
    pending = [tree.root_node]
    while pending:
        node = pending.pop()
        nodes.append((node.type, node.start_byte, node.end_byte))
        pending += node.children
    return nodes


def test_a_source_handed_over_in_pieces_has_the_tree_of_the_whole() -> None:
    source = b"".join(FUNCTION % number for number in range(1_000))
    assert len(source) > 3 * CHUNK
    grammar = load("python").grammar
    assert shape(parse(grammar, source)) == shape(Parser(grammar).parse(source))


@pytest.mark.parametrize(("path", "text"), [("a.py", b"\\\n"), ("a.ts", b"/* ")])
def test_a_text_that_is_looked_through_from_every_token_is_given_up(path: str, text: bytes) -> None:
    found = extract(path, text * 300_000)
    assert (found.facts, found.errors, found.body_hash) == ((), 1, "")


@pytest.mark.parametrize("text", [b"$(a ? b : ", b"a = 1\n"])
def test_a_text_is_given_up_when_its_time_is_over(text: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    grammar = load("python").grammar
    assert parse(grammar, text * 2_000) is not None
    passed = iter(range(0, 10**9, 10))
    monkeypatch.setattr("moored.ledger.code.parsing.thread_time", lambda: next(passed))
    assert parse(grammar, text * 20_000) is None


@pytest.mark.parametrize(
    ("source", "errors"), [(b"a = 1\n", 0), (b"a = 1 1\n", 1), (b"f(\n\ndef g(): pass\n$\nx = 1\n", 2)]
)
def test_errors_are_counted_by_the_places_that_did_not_parse(source: bytes, errors: int) -> None:
    tree = parse(load("python").grammar, source)
    assert tree is not None
    assert count_errors(tree.root_node) == errors


@pytest.mark.parametrize(
    ("text", "left"),
    [("Map<K, List<V>>", "Map"), ("f(a[1]{x}).g", "f.g"), ("a->b", "a->b"), ("a(b", "a(b"), ("a<(>b", "ab"), ("", "")],
)
def test_brackets_and_what_is_in_them_are_left_out(text: str, left: str) -> None:
    assert unbracketed(text) == left


def test_a_type_in_a_hundred_thousand_brackets_takes_no_longer_than_its_length() -> None:
    deep = b"<B" * 100_000 + b">" * 100_000
    found = extract("A.java", b"class A extends B" + deep + b" {}")
    assert [(use.kind, use.target) for use in found.references if use.kind == "inherit"] == [("inherit", "B")]
