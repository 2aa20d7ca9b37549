"""Byte offsets to lines."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right

from moored.model.facts import Span

_NEWLINE = re.compile(rb"\n")


class Lines:
    """The line starts of a source, found when the first span is asked for."""

    __slots__ = ("_source", "_starts")

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._starts: array[int] | None = None

    def line_of(self, offset: int) -> int:
        """Give the line, from 1, that holds the byte at `offset`."""
        if self._starts is None:
            self._starts = array("Q", (match.end() for match in _NEWLINE.finditer(self._source)))
        return bisect_right(self._starts, offset) + 1

    def span(self, start: int, end: int) -> Span:
        """Give the span of the bytes `[start, end)`."""
        line = self.line_of(start)
        return Span(start, end, line, line if end <= start + 1 else self.line_of(end - 1))
