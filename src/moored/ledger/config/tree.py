"""The tree that every hierarchical format is read into, with the bytes of each part.

Nodes may be shared (a YAML alias), so the tree is a graph without cycles whose height the readers bound by
`MAX_DEPTH`: that makes recursion over it safe, and memory by identity makes it linear.
"""

from __future__ import annotations

from dataclasses import dataclass, field

MAX_DEPTH = 100
MAX_DIGITS = 1_000


@dataclass(frozen=True, slots=True)
class Scalar:
    """One value. `tag` is its type (`str`, `int`, `float`, `bool`, `null`, `datetime`, a YAML tag).

    `text` is canonical: `255` for `0xff`, `true` for `True`, the content of a string without its quotes.
    """

    tag: str
    text: str
    start: int
    end: int


@dataclass(slots=True)
class Entry:
    """A key with its value; `[start, end)` are the bytes of the pair."""

    key: str
    value: Value
    start: int
    end: int


@dataclass(slots=True)
class Table:
    """A mapping in source order. Repeated keys are all kept."""

    start: int
    end: int
    entries: list[Entry] = field(default_factory=list[Entry])


@dataclass(slots=True)
class Array:
    """A sequence."""

    start: int
    end: int
    items: list[Value] = field(default_factory=list["Value"])


Value = Scalar | Table | Array


def widen(entry: Entry, end: int) -> None:
    """Let an entry and its collection reach to `end` at least."""
    entry.end = max(entry.end, end)
    if not isinstance(entry.value, Scalar):
        entry.value.end = max(entry.value.end, end)


@dataclass(frozen=True, slots=True)
class Document:
    """What a reader made of a source; `errors` counts the places it could not read."""

    root: Value | None
    errors: int = 0


def sound(text: str) -> str:
    """Join surrogate pairs and replace what is left of them: such a text could not be stored as UTF-8."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def number(text: str) -> tuple[str, str]:
    """Give tag and canonical text of a number in any of the notations of JSON5, TOML and YAML.

    A text that is no number, or is too long for one (Python refuses to print it), is tagged `number` as written.
    """
    if len(text) <= MAX_DIGITS:
        try:
            return "int", str(int(text, 0 if text.lstrip("+-")[1:2].isalpha() else 10))
        except ValueError:
            pass
        try:
            return "float", repr(float(text))
        except ValueError:
            pass
    return "number", text
