"""Reading JSON, comments and trailing commas allowed, with the place of every value in the text.

The grammar is RFC 8259 with the comments and the trailing comma that VS Code, OpenCode and others allow. What stands in
the text is kept by position, so that one place can be changed without touching another byte.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from moored.errors import InvalidInput

DEEPEST = 200
"""How many lists and objects may stand in each other."""

_TRIVIA = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*(?s:.*?)\*/)*")
_COMMENT = re.compile(r"//[^\r\n]*|/\*(?s:.*?)\*/")
_STRING = re.compile(r'"[^"\\\x00-\x1f]*+(?:\\.[^"\\\x00-\x1f]*+)*+"')
_SCALAR = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null", re.ASCII)
_CLOSING = {"{": "}", "[": "]"}

Kind = Literal["object", "array", "scalar"]


@dataclass(frozen=True, slots=True)
class Child:
    """A member or an element: where it begins (a member with its key), and where its comma is, -1 when it has none."""

    key: str
    start: int
    node: Node
    comma: int


@dataclass(frozen=True, slots=True)
class Node:
    """A value and the part of the text, from `start` to `end`, that it stands in."""

    kind: Kind
    start: int
    end: int
    children: tuple[Child, ...] = ()
    scalar: Any = None

    @property
    def value(self) -> Any:
        """The value as Python has it. Of a key that stands twice the last one counts."""
        if self.kind == "object":
            return {child.key: child.node.value for child in self.children}
        if self.kind == "array":
            return [child.node.value for child in self.children]
        return self.scalar

    def member(self, key: str) -> Node | None:
        """The value of a key; of a key that stands twice the last one."""
        return next((child.node for child in reversed(self.children) if child.key == key), None)


@lru_cache(maxsize=4)
def parse(text: str) -> Node | None:
    """Read a document; None when there is nothing but blanks and comments in it.

    Looking a text over again and again, as one does between two changes of it, costs one reading.

    Raises `InvalidInput` that names the line and what is wrong there.
    """
    start = _skip(text, 1 if text.startswith("\ufeff") else 0)
    if start == len(text):
        return None
    root = _value(text, start, 0)
    rest = _skip(text, root.end)
    if rest != len(text):
        raise _wrong(text, rest, "something follows the end of the document")
    return root


def ends_in_line_comment(trivia: str) -> bool:
    """Whether the last thing but blanks in blanks and comments is a comment that needs the line break behind it."""
    comments = _COMMENT.findall(trivia)
    return bool(comments) and comments[-1].startswith("//")


def _skip(text: str, at: int) -> int:
    match = _TRIVIA.match(text, at)
    return match.end() if match else at


def _value(text: str, at: int, depth: int) -> Node:
    if depth > DEEPEST:
        raise _wrong(text, at, f"lists and objects stand more than {DEEPEST} deep in each other")
    opening = text[at : at + 1]
    if opening in _CLOSING:
        return _container(text, at, depth)
    if opening == '"':
        content, end = _string(text, at)
        return Node("scalar", at, end, scalar=content)
    match = _SCALAR.match(text, at)
    if not match:
        raise _wrong(text, at, "a value is expected")
    try:
        return Node("scalar", at, match.end(), scalar=json.loads(match[0]))
    except ValueError as error:
        raise _wrong(text, at, "a number has more digits than are read") from error


def _string(text: str, at: int) -> tuple[str, int]:
    match = _STRING.match(text, at)
    if not match:
        raise _wrong(text, at, "a string does not end, or holds a control character")
    try:
        return json.loads(match[0]), match.end()
    except ValueError as error:
        raise _wrong(text, at, "a string holds an escape that JSON does not have") from error


def _container(text: str, start: int, depth: int) -> Node:
    kind: Kind = "object" if text[start] == "{" else "array"
    closing = _CLOSING[text[start]]
    children: list[Child] = []
    at = _skip(text, start + 1)
    while text[at : at + 1] != closing:
        key, child = "", at
        if kind == "object":
            key, at = _key(text, at)
        node = _value(text, at, depth + 1)
        at = _skip(text, node.end)
        comma = at if text[at : at + 1] == "," else -1
        children.append(Child(key, child, node, comma))
        if comma >= 0:
            at = _skip(text, at + 1)
        elif text[at : at + 1] != closing:
            raise _wrong(text, at, f"a comma or '{closing}' is expected")
    return Node(kind, start, at + 1, tuple(children))


def _key(text: str, at: int) -> tuple[str, int]:
    """The key at a place, and where its value begins."""
    if text[at : at + 1] != '"':
        raise _wrong(text, at, "a key in double quotes is expected")
    key, end = _string(text, at)
    colon = _skip(text, end)
    if text[colon : colon + 1] != ":":
        raise _wrong(text, colon, "a colon is expected")
    return key, _skip(text, colon + 1)


def _wrong(text: str, at: int, what: str) -> InvalidInput:
    before = text[:at]
    line = before.count("\n") + 1
    column = at - (before.rfind("\n") + 1) + 1
    return InvalidInput(f"line {line}, column {column}: {what}")
