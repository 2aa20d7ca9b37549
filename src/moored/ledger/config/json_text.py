"""A scanner for JSON (RFC 8259) that keeps the byte offsets, strict or lenient.

Lenient reading adds what configuration files use: comments, trailing commas, single quotes, bare keys and the
numbers of JSON5. Every pattern is possessive, so linear; nothing
recurses, and scanning stops at the first fault.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from moored.ledger.config.tree import sound

if TYPE_CHECKING:
    from collections.abc import Iterator

_STRING = rb'"[^"\\\x00-\x1f]*+(?:\\.[^"\\\x00-\x1f]*+)*+"'
_NUMBER = rb"-?(?:NaN|Infinity|\d++(?:\.\d++)?(?:[eE][+-]?\d++)?)"
_SPACE = rb"(?:[ \t\r\n\f\v]++|//[^\n]*+|/\*[^*]*+\*++(?:[^/*][^*]*+\*++)*+/)*+"
_STRICT = re.compile(rb"[ \t\r\n]*+(?:([{}\[\]:,])|(" + _STRING + rb")|(" + _NUMBER + rb"|true|false|null))", re.DOTALL)
_LENIENT = re.compile(
    _SPACE + rb"(?:([{}\[\]:,])"
    rb"|(" + _STRING + rb"|'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+')"
    rb"|([+-]?(?:0[xX][0-9a-fA-F]++|Infinity|NaN|\d++\.?\d*+(?:[eE][+-]?\d++)?|\.\d++(?:[eE][+-]?\d++)?)(?![\w$])"
    rb"|[A-Za-z_$\x80-\xff][\w$\x80-\xff-]*+))",
    re.DOTALL,
)
_BLANK = re.compile(rb"[ \t\r\n\f\v]*+")
_BLANK_OR_COMMENT = re.compile(_SPACE)
_LITERALS = {b"true": ("bool", "true"), b"false": ("bool", "false"), b"null": ("null", "null")}
_OPEN = {b"{": b"}", b"[": b"]"}
_SINGLE_ESCAPES = re.compile(r"\\(?:x([0-9a-fA-F]{2})|(\r?\n)|(.))", re.DOTALL)
_NAMED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}

Event = tuple[str, int, int]


class JsonFault(ValueError):
    """The text is not JSON from byte `offset` on."""

    def __init__(self, offset: int) -> None:
        super().__init__(f"not JSON at byte {offset}")
        self.offset = offset


def events(data: bytes, start: int = 0, *, lenient: bool = False) -> Iterator[Event]:
    """Yield the parts of one document: `{`, `}`, `[`, `]`, `key` and `value` (a scalar), each with its bytes.

    The last event closes the document; what follows it is the caller's to judge. Raises JsonFault.
    """
    token = (_LENIENT if lenient else _STRICT).match
    stack: list[bytes] = []
    # What may come: a value, a key, the colon after a key, or the comma after a part. `]` and `}` are allowed
    # after a part and right after the opening bracket; lenient reading allows them after a comma too.
    expect, may_close = "value", False
    position = start
    while True:
        match = token(data, position)
        if match is None:
            raise JsonFault(position)
        position = match.end()
        group = match.lastindex or 1
        first, last = match.span(group)
        mark = match[1]
        if mark is not None and stack and mark == stack[-1] and (expect == "comma" or may_close):
            stack.pop()
            yield (mark.decode(), first, last)
        elif mark == b"," and expect == "comma":
            expect, may_close = ("key" if stack[-1] == b"}" else "value"), lenient
            continue
        elif mark == b":" and expect == "colon":
            expect, may_close = "value", False
            continue
        elif expect == "key" and (group == 2 or (group == 3 and lenient)):
            yield ("key", first, last)
            expect = "colon"
            continue
        elif expect == "value" and mark is not None and mark in _OPEN:
            stack.append(_OPEN[mark])
            yield (mark.decode(), first, last)
            expect, may_close = ("key" if mark == b"{" else "value"), True
            continue
        elif expect == "value" and mark is None:
            yield ("value", first, last)
        else:
            raise JsonFault(first)
        if not stack:
            return
        expect = "comma"


def rest_is_blank(data: bytes, position: int, *, lenient: bool = False) -> bool:
    """Say whether nothing but white space (and comments) follows."""
    blank = (_BLANK_OR_COMMENT if lenient else _BLANK).match(data, position)
    return blank is not None and blank.end() == len(data)


def string_of(raw: bytes) -> str:
    """Decode a quoted string or a bare key."""
    text = raw.decode("utf-8", "replace")
    if text[:1] == '"':
        try:
            return sound(json.loads(text, strict=False)) if "\\" in text else text[1:-1]
        except ValueError:
            text = text[1:-1]
    elif text[:1] == "'":
        text = text[1:-1]
    else:
        return text
    return sound(_SINGLE_ESCAPES.sub(_unescape, text))


def _unescape(match: re.Match[str]) -> str:
    if match[1]:
        return chr(int(match[1], 16))
    return "" if match[2] else _NAMED.get(match[3], match[3])


def scalar_of(raw: bytes) -> tuple[str, str]:
    """Give the tag of a scalar and its text: a string decoded, a number as written."""
    literal = _LITERALS.get(raw)
    if literal is not None:
        return literal
    if raw[:1] in (b'"', b"'"):
        return "str", string_of(raw)
    text = raw.decode("utf-8", "replace")
    return ("number", text) if text[:1] in "+-.0123456789IN" else ("str", text)
