"""The text of a tool's output without its terminal escapes, and the way back to the original bytes."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from moored.ledger.config.keys import scalar_hash, shown
from moored.ledger.config.lines import Lines
from moored.ledger.config.tree import sound
from moored.model.facts import ExtractedFact, FactKind

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_LINE = 4_096
"""Longer lines are not looked at as headers or summaries."""

_ESCAPE = re.compile(rb"\x1b(?:\[[0-?]*+[ -/]*+[@-~]|\][^\x07\x1b\n]*+(?:\x07|\x1b\\)|[@-Z\\^_])")


@dataclass(slots=True)
class Found:
    """What one extractor found, and how much it left out."""

    facts: list[ExtractedFact] = field(default_factory=list[ExtractedFact])
    omitted: int = 0

    def has_room(self, cap: int) -> bool:
        """Say whether one more fact may be made, or count it as omitted when `cap` facts are kept already."""
        if len(self.facts) < cap:
            return True
        self.omitted += 1
        return False


class View:
    """Output as its readers see it: `plain` has no escape sequences, spans speak of the original bytes."""

    __slots__ = ("_at", "_lines", "_removed", "plain")

    def __init__(self, content: bytes) -> None:
        self._lines = Lines(content)
        self._at = array("Q")
        self._removed = array("Q")
        self.plain = self._without_escapes(content) if b"\x1b" in content else content

    def _without_escapes(self, content: bytes) -> bytes:
        kept: list[bytes] = []
        position = removed = 0
        for match in _ESCAPE.finditer(content):
            start, end = match.span()
            kept.append(content[position:start])
            self._at.append(start - removed)
            removed += end - start
            self._removed.append(removed)
            position = end
        kept.append(content[position:])
        return b"".join(kept)

    def _original(self, offset: int) -> int:
        index = bisect_right(self._at, offset)
        return offset + (self._removed[index - 1] if index else 0)

    def fact(
        self, kind: FactKind, name: str, value: str, start: int, end: int, *, tag: str = "str", parent: str = ""
    ) -> ExtractedFact:
        """Make the fact whose value was read from `plain[start:end]`."""
        first = self._original(start)
        last = self._original(end - 1) + 1 if end > start else first
        return ExtractedFact(
            kind=kind,
            name=sound(name),
            value=shown(sound(value)),
            body_hash=scalar_hash(tag, value),
            span=self._lines.span(first, last),
            parent=parent,
        )

    def text(self, start: int, end: int) -> str:
        """Decode a piece of the plain output."""
        return self.plain[start:end].decode("utf-8", "replace")

    def line_end(self, offset: int) -> int:
        """Give the end of the line at `offset`, without its line break."""
        end = self.plain.find(b"\n", offset)
        end = len(self.plain) if end < 0 else end
        return end - 1 if end > offset and self.plain[end - 1] == 0x0D else end

    def lines_with(self, marker: bytes, start: int = 0) -> Iterator[tuple[int, int]]:
        """Yield the bounds of each line that holds `marker`, at the speed of a byte search."""
        position = self.plain.find(marker, start)
        while position >= 0:
            first = self.plain.rfind(b"\n", 0, position) + 1
            last = self.line_end(position)
            if last - first <= MAX_LINE:
                yield first, last
            position = self.plain.find(marker, last)

    def lines_from(self, offset: int, limit: int) -> Iterator[tuple[int, int]]:
        """Yield the bounds of up to `limit` lines from the one that starts at `offset`."""
        for _ in range(limit):
            if offset >= len(self.plain):
                return
            end = self.line_end(offset)
            yield offset, min(end, offset + MAX_LINE)
            following = self.plain.find(b"\n", end)
            if following < 0:
                return
            offset = following + 1

    def next_line(self, end: int) -> int:
        """Give the start of the line after the one that ends at `end`."""
        following = self.plain.find(b"\n", end)
        return len(self.plain) if following < 0 else following + 1
