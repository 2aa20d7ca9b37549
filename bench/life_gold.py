"""What the questions of BEAM about the life of a statement want, read from the set itself without a model.

BEAM names for each question the messages that answer it and, in a rubric, what an answer has to say. From these come:

- of a *knowledge update* the current figures (the numbers of the rubric, with their units), and the old ones (numbers
  with the same unit in the messages of the original, that are not current);
- of a *contradiction* the two sides, each some messages; where both are the same message there is only one;
- of a *preference* or an *instruction* the messages in which it was stated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from moored.bench.beam import file_of, leaves
from moored.bench.cases import Message, load_json

UPDATE, CONTRADICTION = "knowledge_update", "contradiction_resolution"
STATED = ("preference_following", "instruction_following")
LEAST = 10
"""A bare number below this stands in too many texts to be told by itself: it counts in the named messages alone."""

_FIGURE = re.compile(r"(?<![\w.])v?(\d[\d,]*(?:\.\d+)*) ?(%|[a-zA-Z]+\b)?")
_ATTACHED = frozenset(["%", "ms", "s", "sec", "kb", "mb", "gb", "tb", "px", "k"])


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with the word or sign behind it, in lower case and without a plural s."""

    number: str
    unit: str

    @property
    def is_telling(self) -> bool:
        return self.unit in _ATTACHED or "." in self.number or int(self.number) >= LEAST


@dataclass(frozen=True, slots=True)
class Wanted:
    """A question with what its answer is to hold.

    `current` and `old` are figures, `newer` and `older` the ids of messages: the updated and the original information,
    or the second and the first statement of a contradiction by their time. `stated` are those of a preference.
    """

    ability: str
    text: str
    current: frozenset[Figure] = frozenset()
    old: frozenset[Figure] = frozenset()
    newer: frozenset[str] = frozenset()
    older: frozenset[str] = frozenset()
    stated: frozenset[str] = frozenset()


def wanted(chat: Path, messages: dict[str, Message]) -> Iterator[Wanted]:
    """The questions of a chat about what was updated, contradicted, preferred and instructed."""
    asked = load_json(file_of(chat, "probing_questions"))
    for one in asked.get(UPDATE, ()):
        yield _update(one, messages)
    for one in asked.get(CONTRADICTION, ()):
        sides = sorted((_ids(one, "first_statement"), _ids(one, "second_statement")), key=_first)
        yield Wanted(CONTRADICTION, one["question"], older=sides[0], newer=sides[1])
    for ability in STATED:
        for one in asked.get(ability, ()):
            users = {id_ for id_ in _ids(one) if messages[id_].role == "user"}
            yield Wanted(ability, one["question"], stated=frozenset(users))


def figures(text: str) -> frozenset[Figure]:
    """The numbers in a text, digits ungrouped."""
    return frozenset(
        Figure(found[1].replace(",", "").rstrip("."), _singular((found[2] or "").lower()))
        for found in _FIGURE.finditer(text)
    )


def _singular(unit: str) -> str:
    return unit.removesuffix("s") if len(unit) > 3 else unit


def holds(text: str, all_of: frozenset[Figure], named: bool) -> bool:
    """Whether a text has every one of these figures: the unit has to fit where it is one of measure.

    `named` says that the set names the text itself.
    """
    has = figures(text)
    return bool(all_of) and all(
        (named or one.is_telling)
        and any(one.number == other.number and (one.unit == other.unit or one.unit not in _ATTACHED) for other in has)
        for one in all_of
    )


def _update(asked: dict[str, Any], messages: dict[str, Message]) -> Wanted:
    current = figures(" ".join(asked["rubric"]))
    older, newer = _ids(asked, "original_info"), _ids(asked, "updated_info")
    units = {one.unit for one in current if one.unit}
    said = frozenset(one for id_ in older for one in figures(messages[id_].text))
    numbers = {one.number for one in current}
    shared = frozenset(one for id_ in newer for one in figures(messages[id_].text))
    old = frozenset(one for one in said - shared if one.unit in units and one.number not in numbers)
    return Wanted(UPDATE, asked["question"], current, old, newer, older)


def _ids(asked: dict[str, Any], side: str = "") -> frozenset[str]:
    """The messages that a question names, or those of one side."""
    named: Any = asked.get("source_chat_ids") or {}
    return frozenset(str(one) for one in leaves(named.get(side) if side else named))


def _first(ids: frozenset[str]) -> int:
    return min((int(one) for one in ids), default=0)
