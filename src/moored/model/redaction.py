"""Redaction: secrets are taken out of a text before anything of it is kept, hashed, counted or indexed (I-20).

Known shapes (`secret_shapes`) and values of names (`secret_names`) are replaced by a marker that names the kind, such
as `[redacted: github token]`; every other byte stays as it is. Doing it again changes nothing.

It is on the way of every event, so it is built to find nothing fast: one pass looks for long runs of characters that
tokens are made of, and the literals of the shapes are looked for in those alone. Only patterns whose literal was seen
are compiled. Importing this module compiles none.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from moored.model.secret_names import NAMES, assigned, kind_of
from moored.model.secret_shapes import SHAPES, Shape
from moored.model.secret_values import is_placeholder, is_random

RUN = 20
"""Bytes of the shortest run in which a secret of a known shape stands; a shape that needs no run is marked `alone`."""

MAX_PASSES = 8
"""Times that a text is gone through again because taking a secret out laid another one bare."""

_BEGIN, _END = b"[redacted: ", b"]"
_MARKER = rb"\[redacted: [a-z0-9. ]{1,40}\]"
_RUN_MARK = b"a" * RUN
# Printable ASCII without blanks, quotes, brackets, commas, semicolons and backslashes is in a run.
_MASK = bytes(97 if 33 <= byte < 127 and byte not in b"\"'`()[]{}<>,;\\|" else 32 for byte in range(256))

_RANKED = [(rank, literal) for rank, shape in enumerate(SHAPES) for literal in shape.literals]
_FOLDED = tuple(one for one in _RANKED if SHAPES[one[0]].folded)
_ANYWHERE = tuple(one for one in _RANKED if SHAPES[one[0]].alone and not SHAPES[one[0]].folded)
_IN_RUNS = tuple(one for one in _RANKED if not SHAPES[one[0]].alone and not SHAPES[one[0]].folded)


class Redacted(NamedTuple):
    """A text without its secrets, and the kinds of what was taken out, each once, in order of appearance."""

    text: str
    kinds: tuple[str, ...]


class RedactedBytes(NamedTuple):
    """The same of bytes."""

    data: bytes
    kinds: tuple[str, ...]


class _Found(NamedTuple):
    start: int
    end: int
    rank: int
    kind: str
    quote: bytes = b""


def redact(text: str) -> Redacted:
    """Take the secrets out of a text. Without any, the text is the same object. Never raises."""
    done = redact_bytes(text.encode("utf-8", "surrogatepass"))
    return Redacted(done.data.decode("utf-8", "surrogatepass") if done.kinds else text, done.kinds)


def redact_bytes(data: bytes) -> RedactedBytes:
    """Take the secrets out of bytes, which need not be UTF-8. Without any, they are the same object. Never raises."""
    kinds: dict[str, None] = {}
    for _ in range(MAX_PASSES):
        found = _secrets(data)
        if not found:
            break
        kinds.update(dict.fromkeys(one.kind for one in found))
        data = _replaced(data, found)
    return RedactedBytes(data, tuple(kinds))


def redact_value(name: str, value: str) -> str:
    """A value without its secrets, where it is known what it is the value of, as in a parsed file."""
    kind = kind_of(name, value)
    return marker(kind) if kind else redact(value).text


def marker(kind: str) -> str:
    """What stands where a secret of this kind was."""
    return (_BEGIN + kind.encode() + _END).decode()


def _suspects(data: bytes, folded: bytes) -> dict[int, list[int]]:
    """Where literals of shapes stand at which a secret can begin, by the rank of the shape in the table.

    `folded` is the text in lower case.
    """
    found: dict[int, list[int]] = {}
    runs = _long_runs(data)
    of_all = b"\n".join(runs)
    for rank, literal in _IN_RUNS:
        if literal in of_all:
            places = found.setdefault(rank, [])
            for run, starts in runs.items():
                if literal in run:
                    places += [start + at for at in _places(run, literal) for start in starts]
    for where, literals in ((data, _ANYWHERE), (folded, _FOLDED)):
        for rank, literal in literals:
            if literal in where:
                found.setdefault(rank, []).extend(_places(where, literal))
    return found


def _secrets(data: bytes) -> list[_Found]:
    """The secrets of a text in order, those that overlap as one."""
    folded = data.lower()
    suspects = _suspects(data, folded)
    found = [one for rank, places in suspects.items() for one in _of_shape(data, SHAPES[rank], rank, sorted(places))]
    if any(word in folded for word in NAMES):
        found += (
            _Found(one.start, one.end, len(SHAPES) + one.rank, one.kind, one.quote) for one in assigned(data, folded)
        )
    if found and _BEGIN in data:
        marks = [mark.span() for mark in _pattern(_MARKER).finditer(data)]
        found = [one for one in found if not _touches(one, marks)]
    return _merged(found)


def _of_shape(data: bytes, shape: Shape, rank: int, places: Sequence[int]) -> Iterator[_Found]:
    """The secrets of a shape whose literals stand at these places, in their order."""
    pattern = _pattern(shape.pattern)
    grouped = "secret" in pattern.groupindex
    after = 0
    for at in places:
        match = pattern.match(data, max(at - shape.back, 0)) if at >= after else None
        if match:
            start, after = match.span("secret") if grouped else match.span()
            value = data[start:after]
            if not (grouped and is_placeholder(value)) and (is_random(value) or not shape.random):
                yield _Found(start, after, rank, shape.kind)


def _places(text: bytes, literal: bytes) -> Iterator[int]:
    at = text.find(literal)
    while at >= 0:
        yield at
        at = text.find(literal, at + len(literal))


def _touches(one: _Found, marks: Sequence[tuple[int, int]]) -> bool:
    at = bisect_left(marks, (one.end, 0)) - 1
    return at >= 0 and marks[at][1] > one.start


def _merged(found: list[_Found]) -> list[_Found]:
    merged: list[_Found] = []
    for one in sorted(found):
        if merged and one.start < merged[-1].end:
            last = merged[-1]
            first = min(last, one, key=lambda each: each.rank)
            merged[-1] = _Found(last.start, max(last.end, one.end), first.rank, first.kind, first.quote)
        else:
            merged.append(one)
    return merged


def _replaced(data: bytes, found: Sequence[_Found]) -> bytes:
    parts: list[bytes] = []
    at = 0
    for one in found:
        parts += (data[at : one.start], one.quote, marker(one.kind).encode(), one.quote)
        at = one.end
    return b"".join((*parts, data[at:]))


def _long_runs(data: bytes) -> dict[bytes, list[int]]:
    """The runs of at least `RUN` bytes that tokens are made of, each once, with the places where it begins."""
    mask = data.translate(_MASK)
    runs: dict[bytes, list[int]] = {}
    at = mask.find(_RUN_MARK)
    while at >= 0:
        end = mask.find(b" ", at)
        end = len(data) if end < 0 else end
        runs.setdefault(data[at:end], []).append(at)
        at = mask.find(_RUN_MARK, end)
    return runs


@cache
def _pattern(source: bytes) -> re.Pattern[bytes]:
    return re.compile(source)
