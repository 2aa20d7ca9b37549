"""Conditions of rules: what a hit must be for a rule to concern it. `condition_text` reads and writes them as text.

A condition is asked of what is known of a hit. Before a hit was looked up some of that is not known, and then the
answer may be neither yes nor no: it is None, and whatever is learned later agrees with a yes or a no.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from operator import eq, ge, gt, le, lt
from typing import TYPE_CHECKING, Any, NamedTuple

from moored.model.patterns import fits, fits_path, fits_symbol, stands_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


class Field(StrEnum):
    """What a condition may ask of a hit."""

    KIND = "kind"  # note, episode, fact, or the kind of a note
    TAG = "tag"
    PATH = "path"
    SYMBOL = "symbol"
    AGE = "age"
    VERDICT = "verdict"
    TRUST = "trust"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Clause:
    """One question to a hit. `operator` is `=`, `~` for text, or a comparison for age; an age is in milliseconds."""

    field: Field
    operator: str
    value: str | int


@dataclass(frozen=True, slots=True)
class Every:
    """Holds where every part holds."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Some:
    """Holds where some part holds."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """Holds where its part does not."""

    part: Condition


Condition = Clause | Every | Some | Not


class Seen(NamedTuple):
    """What is known of a hit; None is what is not known yet.

    `kinds` are what it may be called: the kind of the hit and, of a note, its own. `paths` are the files of its anchors
    or the file that a fact stands in, `symbols` the names of what it is about. `age` is in milliseconds.
    """

    kinds: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None
    paths: tuple[str, ...] | None = None
    symbols: tuple[str, ...] | None = None
    age: int | None = None
    verdict: str | None = None
    trust: str | None = None
    text: str | None = None


def holds(condition: Condition, seen: Seen) -> bool | None:
    """Whether a condition holds for a hit; None where that depends on what is not known."""
    match condition:
        case Clause(field, operator, value):
            return _ASKED[field](seen, operator, value)
        case Not(part):
            held = holds(part, seen)
            return None if held is None else not held
        case Every(parts):
            return _first(False, parts, seen)
        case Some(parts):
            return _first(True, parts, seen)


def packed(condition: Condition) -> str:
    """The condition as JSON, as it is stored."""
    return json.dumps(_listed(condition), ensure_ascii=False, separators=(",", ":"))


def unpacked(text: str) -> Condition:
    """The condition that `packed` wrote."""
    return _made(json.loads(text))


def _first(deciding: bool, parts: Iterable[Condition], seen: Seen) -> bool | None:
    """`deciding` if a part says so, None if one may, else the contrary."""
    unknown = False
    for part in parts:
        held = holds(part, seen)
        if held is deciding:
            return deciding
        unknown = unknown or held is None
    return None if unknown else not deciding


def _some(values: Sequence[str] | None, wanted: object, same: Callable[[str, str], bool]) -> bool | None:
    return None if values is None else any(same(str(wanted), value) for value in values)


def _equal(value: str | None, wanted: object) -> bool | None:
    return None if value is None else value == wanted


def _compared(age: int | None, operator: str, limit: object) -> bool | None:
    return None if age is None else COMPARED[operator](age, int(str(limit)))


COMPARED: dict[str, Callable[[int, int], bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge}

_ASKED: dict[Field, Callable[[Seen, str, object], bool | None]] = {
    Field.KIND: lambda seen, _, value: _some(seen.kinds, value, eq),
    Field.TAG: lambda seen, _, value: _some(seen.tags, value, fits),
    Field.PATH: lambda seen, _, value: _some(seen.paths, value, fits_path),
    Field.SYMBOL: lambda seen, _, value: _some(seen.symbols, value, fits_symbol),
    Field.AGE: lambda seen, operator, value: _compared(seen.age, operator, value),
    Field.VERDICT: lambda seen, _, value: _equal(seen.verdict, value),
    Field.TRUST: lambda seen, _, value: _equal(seen.trust, value),
    Field.TEXT: lambda seen, _, value: None if seen.text is None else stands_in(str(value), seen.text),
}


def _listed(condition: Condition) -> list[object]:
    match condition:
        case Clause(field, operator, value):
            return [str(field), operator, value]
        case Not(part):
            return ["not", _listed(part)]
        case Every(parts):
            return ["and", *map(_listed, parts)]
        case Some(parts):
            return ["or", *map(_listed, parts)]


def _made(listed: Sequence[Any]) -> Condition:
    match listed[0]:
        case "not":
            return Not(_made(listed[1]))
        case "and":
            return Every(tuple(map(_made, listed[1:])))
        case "or":
            return Some(tuple(map(_made, listed[1:])))
        case field:
            return Clause(Field(field), listed[1], listed[2])
