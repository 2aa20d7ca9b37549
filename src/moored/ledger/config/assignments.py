"""Flat files of assignments: `.env` and Java `.properties`. The key as written is the name of its fact."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from moored.ledger.config.keys import capped, pair_fact
from moored.ledger.config.lines import Lines
from moored.ledger.config.tree import sound

if TYPE_CHECKING:
    from collections.abc import Iterator

    from moored.model.facts import ExtractedFact, Extraction

_ENV = re.compile(rb"[ \t]*(?:export[ \t]+)?([A-Za-z_][\w.-]*)[ \t]*=[ \t]*")
_DOUBLE = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_SINGLE = re.compile(rb"'[^']*+'")
_ENV_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_PROPERTY = re.compile(rb"((?:[^\\:=\s]|\\.)++)[ \t\f]*+[:=]?[ \t\f]*+", re.DOTALL)
_PROPERTY_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_NAMED = {"n": "\n", "t": "\t", "r": "\r", "f": "\f"}


def extract_env(source: bytes) -> Extraction:
    """Read a `.env` file: quotes may span lines, ` #` ends a value without quotes, nothing is expanded."""
    lines = Lines(source)
    facts: list[ExtractedFact] = []
    errors = 0
    position = 0
    while position < len(source):
        line_end = _line_end(source, position)
        body = source[position:line_end].strip()
        match = _ENV.match(source, position, line_end)
        if match is not None:
            value, end = _env_value(source, match.end())
            facts.append(pair_fact(match[1].decode(), value, lines, match.start(1), end))
            line_end = max(line_end, _line_end(source, end))
        elif body and not body.startswith(b"#"):
            errors += 1
        position = line_end + 1
    return capped("dotenv", facts, errors)


def _line_end(source: bytes, position: int) -> int:
    end = source.find(b"\n", position)
    return len(source) if end < 0 else end


def _env_value(source: bytes, start: int) -> tuple[str, int]:
    """Give the value that starts at `start` and where it ends."""
    if source[start : start + 1] == b'"':
        match = _DOUBLE.match(source, start)
        if match is not None:
            text = match[0][1:-1].decode("utf-8", "replace")
            return _ENV_ESCAPE.sub(lambda found: _NAMED.get(found[1], found[1]), text), match.end()
    match = _SINGLE.match(source, start) if source[start : start + 1] == b"'" else None
    if match is not None:
        return match[0][1:-1].decode("utf-8", "replace"), match.end()
    line = source[start : _line_end(source, start)]
    comment = 0 if line.startswith(b"#") else line.find(b" #")
    raw = (line if comment < 0 else line[:comment]).rstrip()
    return raw.decode("utf-8", "replace"), start + len(raw)


def extract_properties(source: bytes) -> Extraction:
    """Read a `.properties` file (escapes, continued lines, `#` and `!` comments)."""
    lines = Lines(source)
    facts: list[ExtractedFact] = []
    for text, start, end in _logical_lines(source):
        match = _PROPERTY.match(text)
        if match is None:
            continue
        name = _unescape(match[1].decode("utf-8", "replace"))
        value = _unescape(text[match.end() :].decode("utf-8", "replace"))
        facts.append(pair_fact(name, value, lines, start, end))
    return capped("properties", facts)


def _logical_lines(source: bytes) -> Iterator[tuple[bytes, int, int]]:
    """Yield the lines with continuations joined, without comments, each with its bytes."""
    offset = 0
    parts: list[bytes] = []
    start = 0
    for raw in source.split(b"\n"):
        body = raw.strip()
        end = offset + len(raw.rstrip())
        if parts or (body and body[:1] not in (b"#", b"!")):
            if not parts:
                start = offset + len(raw) - len(raw.lstrip())
            slashes = len(body) - len(body.rstrip(b"\\"))
            if slashes % 2:
                parts.append(body[:-1])
            else:
                yield b"".join([*parts, body]), start, max(start, end)
                parts = []
        offset += len(raw) + 1
    if parts:
        yield b"".join(parts), start, len(source)


def _unescape(text: str) -> str:
    return sound(
        _PROPERTY_ESCAPE.sub(lambda found: chr(int(found[1], 16)) if found[1] else _NAMED.get(found[2], found[2]), text)
    )
