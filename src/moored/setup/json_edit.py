"""Changing one place of a JSON text, comments allowed, and leaving every other byte as it is.

What is written takes over the layout around it: line ends, indentation, one line or many, a trailing comma. What was
put in with `put` or `append` is taken out by `take` without a trace, except that a container that held nothing but
blanks becomes an empty one.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from moored.errors import InvalidInput
from moored.setup.jsonc import Node, ends_in_line_comment, parse

Path = tuple[str | int, ...]

_LINE_REST = re.compile(r"[ \t]*(?:/\*[^\r\n]*?\*/[ \t]*)*(?://[^\r\n]*)?")
_BLANKS = re.compile(r"[ \t]*")


@dataclass(frozen=True, slots=True)
class _Layout:
    newline: str
    unit: str


def find(root: Node | None, path: Path) -> Node | None:
    """The value at a path of keys and indexes, None when there is none.

    Raises `InvalidInput` where something else stands than the path needs, for example a list where it has a key.
    """
    node = root
    for depth, step in enumerate(path):
        if node is None:
            return None
        wanted = "object" if isinstance(step, str) else "array"
        if node.kind != wanted:
            where = ".".join(map(str, path[:depth])) or "the document"
            raise InvalidInput(f"{where} is {_article(node)}, where {_article(wanted)} is expected")
        if isinstance(step, str):
            node = node.member(step)
        else:
            node = node.children[step].node if step < len(node.children) else None
    return node


def put(text: str, path: tuple[str, ...], value: Any) -> str:
    """Set the value of a key, and make the objects on the way to it that are not there."""
    root = parse(text)
    if root is None:
        return _begin(text, path, value)
    node = find(root, path)
    if node is not None:
        if node.value == value:
            return text
        layout = _layout(text, root)
        return text[: node.start] + _dump(value, layout, _indent_at(text, node.start)) + text[node.end :]
    depth = len(path) - 1
    while (parent := find(root, path[:depth])) is None:
        depth -= 1
    if parent.kind != "object":
        find(root, path[: depth + 1])
    return _insert(text, root, parent, path[depth], _nested(path[depth + 1 :], value))


def append(text: str, path: tuple[str, ...], value: Any) -> str:
    """Add an element at the end of a list, and make the list when it is not there."""
    root = parse(text)
    node = find(root, path)
    if root is None or node is None:
        return put(text, path, [value])
    find(root, (*path, 0))
    return _insert(text, root, node, None, value)


def take(text: str, path: Path) -> str:
    """Take a member or an element out. A comment on a line of its own above it stays."""
    root = parse(text)
    parent = find(root, path[:-1])
    if parent is None or find(root, path) is None:
        return text
    last = path[-1]
    index = last if isinstance(last, int) else max(i for i, one in enumerate(parent.children) if one.key == last)
    child = parent.children[index]
    end = child.comma + 1 if child.comma >= 0 else child.node.end
    start = child.start
    if not _rest_of_line(text, end):
        start = _line_break_before(text, start)
    elif index < len(parent.children) - 1:
        end = _end_of_blanks(text, end)
    elif not ends_in_line_comment(text[parent.children[index - 1].comma + 1 if index else parent.start + 1 : start]):
        start = _line_break_before(text, start)
    result = text[:start] + text[end:]
    closing = parent.end - (end - start)
    if child.comma < 0 and index > 0:
        comma = parent.children[index - 1].comma
        result = result[:comma] + result[comma + 1 :]
        closing -= 1
    if len(parent.children) == 1 and not result[parent.start + 1 : closing - 1].strip():
        result = result[: parent.start + 1] + result[closing - 1 :]
    return result


def _begin(text: str, path: tuple[str, ...], value: Any) -> str:
    """Write the document into a text that has none."""
    newline = _newline(text)
    gap = newline if text.strip("\ufeff") and not text.endswith("\n") else ""
    return text + gap + _dump(_nested(path, value), _Layout(newline, "  "), "") + newline


def _insert(text: str, root: Node, parent: Node, key: str | None, value: Any) -> str:
    """Add a member (or, without a key, an element) at the end of an object or a list."""
    layout = _layout(text, root)
    label = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
    if not parent.children:
        return _fill(text, parent, label, value, layout)
    last = parent.children[-1]
    trailing = last.comma >= 0
    at = last.comma + 1 if trailing else last.node.end
    if "\n" not in text[parent.start : parent.children[0].start]:
        piece = label + json.dumps(value, ensure_ascii=False)
        return text[:at] + (f" {piece}," if trailing else f", {piece}") + text[at:]
    indent = _own_indent(text, last.start)
    if indent is None:
        indent = _indent_at(text, parent.start) + layout.unit
    line = _LINE_REST.match(text, at)
    end = line.end() if line else at
    end = _without_blanks(text, at, end)
    piece = layout.newline + indent + label + _dump(value, layout, indent)
    if trailing:
        return text[:end] + piece + "," + text[end:]
    return text[:at] + "," + text[at:end] + piece + text[end:]


def _fill(text: str, parent: Node, label: str, value: Any, layout: _Layout) -> str:
    """Write the first member or element of a container, behind the comments that stand in it."""
    outer = _indent_at(text, parent.start)
    inner = outer + layout.unit
    kept = text[parent.start + 1 : parent.end - 1].rstrip()
    piece = layout.newline + inner + label + _dump(value, layout, inner) + layout.newline + outer
    return text[: parent.start + 1] + kept + piece + text[parent.end - 1 :]


def _dump(value: Any, layout: _Layout, indent: str) -> str:
    lines = json.dumps(value, ensure_ascii=False, indent=layout.unit).split("\n")
    return (layout.newline + indent).join(lines)


def _nested(path: tuple[str, ...], value: Any) -> Any:
    for key in reversed(path):
        value = {key: value}
    return value


def _layout(text: str, root: Node) -> _Layout:
    """The line ends of a document, and what it indents by, two blanks where it does not show."""
    unit = _own_indent(text, root.children[0].start) if root.children else None
    return _Layout(_newline(text), unit or "  ")


def _newline(text: str) -> str:
    at = text.find("\n")
    return "\r\n" if at > 0 and text[at - 1] == "\r" else "\n"


def _indent_at(text: str, at: int) -> str:
    """The blanks that the line of a place begins with."""
    start = text.rfind("\n", 0, at) + 1
    match = _BLANKS.match(text, start)
    return match[0] if match else ""


def _own_indent(text: str, at: int) -> str | None:
    """The blanks before a place, when nothing else stands before it on its line."""
    start = text.rfind("\n", 0, at) + 1
    before = text[start:at]
    return before if start and not before.strip(" \t") else None


def _rest_of_line(text: str, at: int) -> str:
    end = text.find("\n", at)
    return text[at : end if end >= 0 else len(text)].strip()


def _end_of_blanks(text: str, at: int) -> int:
    match = _BLANKS.match(text, at)
    return match.end() if match else at


def _without_blanks(text: str, start: int, end: int) -> int:
    return start + len(text[start:end].rstrip(" \t"))


def _line_break_before(text: str, at: int) -> int:
    """Where the blanks before a place begin, with the line break before them."""
    at = _without_blanks(text, 0, at)
    if at and text[at - 1] == "\n":
        at -= 1
        if at and text[at - 1] == "\r":
            at -= 1
    return at


def _article(kind: Node | str) -> str:
    name = kind if isinstance(kind, str) else kind.kind
    return {"object": "an object", "array": "a list"}.get(name, "a plain value")
