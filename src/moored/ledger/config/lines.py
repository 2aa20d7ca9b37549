"""Byte offsets to lines."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right

from moored.model.facts import Span

_NEWLINE = re.compile(rb"\n")


class Lines:
    """The line starts of a source, found as far as spans are asked for."""

    __slots__ = ("_known", "_source", "_starts")

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._starts = array("Q")
        self._known = 0

    def line_of(self, offset: int) -> int:
        """Give the line, from 1, that holds the byte at `offset`."""
        if offset > self._known:
            self._starts.extend(match.end() for match in _NEWLINE.finditer(self._source, self._known, offset))
            self._known = offset
        return bisect_right(self._starts, offset) + 1

    def span(self, start: int, end: int) -> Span:
        """Give the span of the bytes `[start, end)`."""
        line = self.line_of(start)
        return Span(start, end, line, line if end <= start + 1 else self.line_of(end - 1))
