"""Reading the text of a declared type: which class it names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAME = re.compile(r"[A-Za-z_$][\w$]*(?:(?:::|[.\\])[A-Za-z_$][\w$]*)*")
_LEADING = re.compile(r"^(?:[&*?\s]|'\w+\s|\b(?:mut|const|dyn|impl|readonly|final|struct|enum|in|out|ref)\b)+")
_NOTHING = frozenset({"None", "null", "undefined", "void", "nil"})
_PAIRS = {"[": "]", "<": ">", "(": ")", "{": "}"}
_CLOSING = frozenset(_PAIRS.values())


def named_types(text: str, wrappers: frozenset[str]) -> Iterator[str]:
    """The classes that a value of this type may be of, in order: alternatives one by one, wrappers unwrapped.

    `list[Foo]` names `list`, not `Foo`: what a container holds is not what the container is.
    """
    for part in _split(text.strip().strip("'\""), "|"):
        stripped = _LEADING.sub("", part.strip().strip("'\"").lstrip("\\"))
        match = _NAME.match(stripped)
        if match is None:
            continue
        name, rest = match.group(), stripped[match.end() :].strip()
        if rest.startswith(("[]", "...")):
            continue
        if rest[:1] in ("[", "<") and re.split(r"::|[.\\]", name)[-1] in wrappers:
            inner = _split(rest[1 : _closing(rest)], ",")
            for argument in inner if name.endswith("Union") else inner[-1:] if _returns(name) else inner[:1]:
                yield from named_types(argument, wrappers)
        elif name not in _NOTHING:
            yield name


def mentioned_types(text: str) -> list[str]:
    """Every name in the text of a type, also in its arguments; not what `Annotated` adds nor literal values."""
    for wrapper, kept in (("Annotated[", 1), ("Literal[", 0)):
        at = text.find(wrapper)
        while at >= 0:
            begin = at + len(wrapper) - 1
            end = begin + _closing(text[begin:])
            inner = _split(text[begin + 1 : end], ",")[:kept]
            text = f"{text[:at]} {','.join(inner)} {text[end + 1 :]}"
            at = text.find(wrapper)
    return _NAME.findall(text)


def _returns(name: str) -> bool:
    return name.endswith("Coroutine")


def _closing(text: str) -> int:
    """Where the bracket that opens the text is closed."""
    depth = 0
    for at, char in enumerate(text):
        if char in _PAIRS:
            depth += 1
        elif char in _CLOSING:
            depth -= 1
            if depth == 0:
                return at
    return len(text)


def _split(text: str, separator: str) -> list[str]:
    """The parts between separators that stand outside of brackets."""
    if separator not in text:
        return [text]
    parts: list[str] = []
    depth = begin = 0
    for at, char in enumerate(text):
        if char in _PAIRS:
            depth += 1
        elif char in _CLOSING:
            depth -= 1
        elif char == separator and depth <= 0:
            parts.append(text[begin:at])
            begin = at + 1
    parts.append(text[begin:])
    return parts
