"""Changing one table of a TOML text and leaving every other byte as it is.

Nothing is trusted here but the TOML parser of the standard library: every result is read again, and has to say what
the text said before with just the one table changed. A layout in which that cannot be reached is refused.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from datetime import date, datetime, time
from typing import Any, cast

from moored.errors import InvalidInput

_HEADER = re.compile(r"[ \t]*\[{1,2}[^\[\]]+\]{1,2}[ \t]*(?:#.*)?")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")

Path = tuple[str, ...]


MARK = "\ufeff"
"""The byte-order mark, which the parser of the standard library does not take."""


class _Float(str):
    """A float as it is written, so that it is equal to itself (`nan`) and is written again the same way."""

    __slots__ = ()


def find(text: str, path: Path) -> dict[str, Any] | None:
    """The table at a path, None when there is none.

    Raises `InvalidInput` naming the line when the text is no TOML, or when something else than a table stands there.
    """
    return _table(_parse(text), path)


def put(text: str, path: Path, value: Mapping[str, Any]) -> str:
    """Set the keys of a table, which comes to stand at the end when it is not there. Its other keys are kept."""
    document = _parse(text)
    table = _table(document, path)
    wanted = {**(table or {}), **value}
    if table == wanted:
        return text
    newline = "\r\n" if "\r\n" in text else "\n"
    if table is None:
        gap = "" if text in ("", MARK) else newline if text.endswith("\n") else newline * 2
        result = text + gap + newline.join(_written(path, wanted)) + newline
    else:
        result = _replaced(text, path, wanted, newline)
    return _proven(result, path, _with(document, path, wanted))


def take(text: str, path: Path) -> str:
    """Take a table out, with the tables below it and the blank line before it."""
    document = _parse(text)
    if _table(document, path) is None:
        return text
    mark = MARK if text.startswith(MARK) else ""
    lines = _LINE.findall(text.removeprefix(MARK))
    while (section := _section(lines, path, below=True)) is not None:
        start, end = section
        if start and not lines[start - 1].strip():
            start -= 1
        del lines[start:end]
    wanted = (_without(document, path, emptied=emptied) for emptied in (True, False))
    return _proven(mark + "".join(lines), path, *wanted)


def _read(text: str) -> dict[str, Any]:
    return tomllib.loads(text.removeprefix(MARK), parse_float=_Float)


def _parse(text: str) -> dict[str, Any]:
    try:
        return _read(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"it is not TOML: {error}") from error


def _table(document: dict[str, Any], path: Path) -> dict[str, Any] | None:
    node: dict[str, Any] = document
    for depth, key in enumerate(path, 1):
        if key not in node:
            return None
        if not isinstance(node[key], dict):
            raise InvalidInput(f"{'.'.join(path[:depth])} is not a table")
        node = node[key]
    return node


def _proven(result: str, path: Path, *wanted: dict[str, Any]) -> str:
    """The result, when it says one of the things that are wanted."""
    try:
        reached = _read(result) in wanted
    except tomllib.TOMLDecodeError:
        reached = False
    if not reached:
        raise InvalidInput(
            f"{'.'.join(path)} is written in a way that cannot be changed without touching its surroundings; give it a "
            f"section [{'.'.join(path)}] of its own"
        )
    return result


def _section(lines: Sequence[str], path: Path, *, below: bool) -> tuple[int, int] | None:
    """The lines of a table (`below`: or of one below it), from its header to its last line that says something."""
    start = next((at for at, line in enumerate(lines) if _heads(line, path, below)), None)
    if start is None:
        return None
    following = (at for at in range(start + 1, len(lines)) if _HEADER.fullmatch(lines[at].rstrip("\r\n")))
    end = next(following, len(lines))
    while end > start + 1 and lines[end - 1].lstrip()[:1] in ("", "#"):
        end -= 1
    return start, end


def _heads(line: str, path: Path, below: bool) -> bool:
    """Whether a line is the header of a table, or of one below it."""
    try:
        node: Any = tomllib.loads(line) if line.lstrip(" \t").startswith("[") else {}
    except tomllib.TOMLDecodeError:
        return False
    for key in path:
        if not isinstance(node, dict) or key not in node:
            return False
        node = cast(dict[str, Any], node)[key]
    return node == {} or below


def _replaced(text: str, path: Path, wanted: dict[str, Any], newline: str) -> str:
    mark = MARK if text.startswith(MARK) else ""
    lines = _LINE.findall(text.removeprefix(MARK))
    section = _section(lines, path, below=False)
    if section is None:
        return text
    apart = {key for key in wanted if _section(lines, (*path, key), below=True)}
    start, end = section
    own = {key: value for key, value in wanted.items() if key not in apart}
    return mark + "".join(lines[:start]) + newline.join(_written(path, own)) + newline + "".join(lines[end:])


def _written(path: Path, value: Mapping[str, Any]) -> list[str]:
    header = ".".join(map(_key, path))
    return [f"[{header}]", *(f"{_key(key)} = {_value(item)}" for key, item in value.items())]


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _value(key)


def _value(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case _Float():
            return str(value)
        case str():
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case list():
            return "[" + ", ".join(map(_value, cast(list[Any], value))) + "]"
        case dict():
            pairs = cast(dict[str, Any], value).items()
            return "{ " + ", ".join(f"{_key(key)} = {_value(item)}" for key, item in pairs) + " }"
        case datetime() | date() | time():
            return value.isoformat()
        case _:
            return repr(value)


def _with(document: dict[str, Any], path: Path, value: dict[str, Any]) -> dict[str, Any]:
    if not path:
        return value
    return {**document, path[0]: _with(document.get(path[0], {}), path[1:], value)}


def _without(document: dict[str, Any], path: Path, *, emptied: bool) -> dict[str, Any]:
    """The document without a table; `emptied` keeps the tables above it that are left with nothing in them."""
    head, *tail = path
    rest = dict(document)
    below = _without(document[head], tuple(tail), emptied=emptied) if tail else None
    if below or (below is not None and emptied):
        rest[head] = below
    else:
        del rest[head]
    return rest
