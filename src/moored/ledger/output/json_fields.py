"""JSON in tool output: one document, JSON Lines, or one document below a few header lines.

Python's own parser decides whether a text is JSON; the scanner then gives the bytes of each field. Numbers keep
the form in which they are written. An empty object or array is a field; `$` names a document that is one.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, cast

from moored.ledger.config.json_text import events, scalar_of, string_of
from moored.ledger.config.keys import join
from moored.ledger.output.view import Found, View
from moored.model.facts import FactKind

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_BYTES = 16 * 1024 * 1024
MAX_FIELDS = 2_000
HEADER_LINES = 64
TRAILER_LINES = 5
MAX_CANDIDATES = 8

_FIRST = re.compile(rb"[ \t\r\n]*+([{\[])")
_DECODER = json.JSONDecoder()
_FIELD_NAME = "$"


def extract(view: View) -> Found:
    """Find the fields of the JSON in an output; of more than `MAX_BYTES` only the fact of omission is kept."""
    data = view.plain
    opening = _FIRST.match(data)
    if len(data) > MAX_BYTES:
        return Found(omitted=1 if opening else 0)
    if opening is not None:
        total = _whole(data)
        if total is not None:
            return _fields(view, [(opening.start(1), "")], total)
        found = _json_lines(view)
        if found is not None:
            return found
    return _embedded(view) or Found()


def _whole(data: bytes) -> int | None:
    """Count the fields of a text that is one document; None if it is not."""
    try:
        return _count(_DECODER.decode(data.decode("utf-8")))
    except (ValueError, RecursionError):
        return None


def _json_lines(view: View) -> Found | None:
    """Read JSON Lines: at least two lines, each of them an object. Record N is named `[N]`."""
    data = view.plain
    starts: list[tuple[int, str]] = []
    total = offset = 0
    for raw in data.split(b"\n"):
        body = raw.strip()
        if body:
            count = _whole(body) if body.startswith(b"{") else None
            if count is None:
                return None
            starts.append((offset + raw.index(b"{"), f"[{len(starts)}]"))
            total += count
        offset += len(raw) + 1
    return _fields(view, starts, total) if len(starts) > 1 else None


def _embedded(view: View) -> Found | None:
    """Read a document that starts a line below a header and is followed by a short trailer at most."""
    data = view.plain
    tried = 0
    for start, _ in view.lines_from(0, HEADER_LINES):
        if data[start : start + 1] not in (b"{", b"["):
            continue
        tried += 1
        if tried > MAX_CANDIDATES:
            return None
        found = _document_at(view, start)
        if found is not None:
            return found
    return None


def _document_at(view: View, start: int) -> Found | None:
    text = view.plain[start:].decode("utf-8", "replace")
    try:
        value, length = _DECODER.raw_decode(text)
    except (ValueError, RecursionError):
        return None
    trailer = text[length:].split("\n", TRAILER_LINES + 1)
    if trailer[0].strip() or (len(trailer) > TRAILER_LINES + 1 and trailer[-1].strip()):
        return None
    # A short bracket in prose, such as `[1]`, is no document; two documents are not one.
    if not _has_object(value) or any(line.startswith(("{", "[")) for line in trailer):
        return None
    return _fields(view, [(start, "")], _count(value))


def _has_object(value: object) -> bool:
    if isinstance(value, list):
        return any(isinstance(item, dict) for item in cast(list[object], value))
    return isinstance(value, dict)


def _count(document: object) -> int:
    """Count scalars and empty containers."""
    total = 1
    pending: list[object] = [document]
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            parts = list(cast(dict[str, object], value).values())
        else:
            parts = cast(list[object], value) if isinstance(value, list) else []
        if parts:
            total += len(parts) - 1
            pending.extend(filter(_is_container, parts))
    return total


def _is_container(value: object) -> bool:
    return isinstance(value, (dict, list))


def _fields(view: View, starts: list[tuple[int, str]], total: int) -> Found:
    """Make the facts of the documents that begin at `starts`, each under its name."""
    found = Found()
    for start, prefix in starts:
        for name, tag, text, first, last in _walk(view.plain, start, prefix):
            if len(found.facts) == MAX_FIELDS:
                found.omitted = max(1, total - MAX_FIELDS)
                return found
            found.facts.append(view.fact(FactKind.JSON_FIELD, name, text, first, last, tag=tag))
    return found


def _walk(data: bytes, start: int, prefix: str) -> Iterator[tuple[str, str, str, int, int]]:
    """Yield name, tag, text and bytes of each field."""
    names = [prefix]
    indexes: list[int] = []
    opened: list[int] = []
    key = ""

    def name_of_part() -> str:
        if not indexes:
            return prefix
        if indexes[-1] < 0:
            return join(names[-1], key)
        indexes[-1] += 1
        return f"{names[-1]}[{indexes[-1] - 1}]"

    touched = True
    for kind, first, last in events(data, start):
        if kind == "key":
            key = string_of(data[first:last])
        elif kind == "value":
            tag, text = scalar_of(data[first:last])
            yield name_of_part(), tag, text, first, last
            touched = True
        elif kind in "{[":
            names.append(name_of_part())
            indexes.append(-1 if kind == "{" else 0)
            opened.append(first)
            touched = False
        else:
            indexes.pop()
            name, begin = names.pop(), opened.pop()
            if not touched:
                yield name or _FIELD_NAME, "empty", "{}" if kind == "}" else "[]", begin, last
            touched = True
