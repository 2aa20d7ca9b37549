"""JSON, JSON with comments and JSON5 configuration (`package.json`, `tsconfig.json`, `.eslintrc`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.ledger.config.json_text import Event, JsonFault, events, rest_is_blank, scalar_of, string_of
from moored.ledger.config.keys import extraction_of
from moored.ledger.config.tree import MAX_DEPTH, Array, Document, Entry, Scalar, Table, Value, number

if TYPE_CHECKING:
    from moored.model.facts import Extraction

_BOM = b"\xef\xbb\xbf"


def extract(source: bytes) -> Extraction:
    """Read the keys of a JSON file, with comments and trailing commas allowed, up to its first fault."""
    return extraction_of("json", source, read(source))


def read(source: bytes) -> Document:
    """Read a JSON file into a tree. What was open at a fault is kept as far as it was read."""
    builder = _Builder(source)
    end = 0
    errors = 0
    try:
        for event in events(source, 3 if source.startswith(_BOM) else 0, lenient=True):
            end = event[2]
            if not builder.add(event):
                errors = 1
                break
    except JsonFault:
        errors = 1
    builder.close(end)
    if not errors and not rest_is_blank(source, end, lenient=True):
        errors = 1
    return Document(builder.root, errors)


class _Builder:
    """Puts the events of the scanner together."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._open: list[Table | Array] = []
        self._key: tuple[str, int] = ("", 0)
        self.root: Value | None = None

    def add(self, event: Event) -> bool:
        """Take one event; false when the nesting goes too deep to be followed."""
        kind, start, end = event
        if kind == "key":
            self._key = (string_of(self._source[start:end]), start)
        elif kind == "value":
            tag, text = scalar_of(self._source[start:end])
            if tag == "number":
                tag, text = number(text)
            self._place(Scalar(tag, text, start, end))
        elif kind in "{[":
            if len(self._open) == MAX_DEPTH:
                return False
            node: Table | Array = Table(start, end) if kind == "{" else Array(start, end)
            self._place(node)
            self._open.append(node)
        else:
            self._end_container(end)
        return True

    def close(self, end: int) -> None:
        """End what a fault left open."""
        while self._open:
            self._end_container(end)

    def _place(self, value: Value) -> None:
        if not self._open:
            self.root = value
            return
        holder = self._open[-1]
        if isinstance(holder, Table):
            key, start = self._key
            holder.entries.append(Entry(key, value, start, value.end))
        else:
            holder.items.append(value)

    def _end_container(self, end: int) -> None:
        self._open.pop().end = end
        if self._open and isinstance(self._open[-1], Table):
            self._open[-1].entries[-1].end = end
