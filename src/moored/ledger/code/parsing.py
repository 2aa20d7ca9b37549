"""Parsing within bounds: a text that is hardly of the language at all must not hold the ledger up.

The parser recovers from errors by trying many readings at once, which on a text in another language can take minutes
for a megabyte; and some of its lexers look ahead to the end of the file from every token. Source does neither. Time is
that of the processor, so that a busy machine reads what an idle one does.
"""

from __future__ import annotations

from time import thread_time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Point, Tree

CHUNK = 16 * 1024
"""Bytes that are handed to the parser at once. A source that fits in one cannot take long."""

MAX_READINGS = 8
"""How often the parser may ask for each byte on average: source asks for it three times at most."""

SECONDS = 1.0
SECONDS_PER_MEGABYTE = 4.0
"""Time after which a source is given up: more than twice what the slowest one takes."""

SHARE_WITH_ERRORS = 0.5
"""The part of that time which a source has when the parser has met an error in it."""


def parse(grammar: Language, source: bytes) -> Tree | None:
    """The syntax tree of a source; None for one that is too far from the language to be worth its time.

    The parser is made for this call, so that threads do not share one.
    """
    from tree_sitter import Parser

    parser = Parser(grammar)
    if len(source) <= CHUNK:
        return parser.parse(source)
    view = memoryview(source)
    left = MAX_READINGS * (len(source) + 8 * CHUNK)
    begun, limit = thread_time(), SECONDS + SECONDS_PER_MEGABYTE * len(source) / 1e6

    def read(start: int, _: Point) -> memoryview:
        nonlocal left
        piece = view[start : start + CHUNK] if left > 0 else view[:0]
        left -= len(piece)
        return piece

    def give_up(_: int, has_error: bool) -> bool:
        return left <= 0 or thread_time() - begun > limit * (SHARE_WITH_ERRORS if has_error else 1)

    try:
        tree = parser.parse(read, progress_callback=give_up)
    except ValueError:  # what the binding raises for a parse that was given up
        return None
    return tree if left > 0 else None


def count_errors(root: Node) -> int:
    """The places that did not parse: outermost error nodes, and tokens that the parser had to invent."""
    if not root.has_error:
        return 0
    count = 0
    cursor = root.walk()
    while (node := cursor.node) is not None:
        wrong = node.is_error or node.is_missing
        count += wrong
        if not wrong and node.has_error and cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return count
    return count
