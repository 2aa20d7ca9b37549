"""What a data set is read into: memories to fill, each with the questions that are asked of it.

A reader knows the format of its set and nothing of how moored finds things; everything after it is the same for all.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from moored.errors import InvalidInput
from moored.model.episodes import Role

TUNE, TEST = "tune", "test"
"""The halves of a set: constants may be chosen by the first, and are judged by the second."""

DAY = 86_400_000
"""Milliseconds."""


class Message(NamedTuple):
    """One message of a conversation, to be recorded as an episode.

    `author` is the person's name where the set names people, else empty. `at` is in milliseconds since the epoch.
    """

    id: str
    role: Role
    author: str
    text: str
    session: str
    at: int


class Written(NamedTuple):
    """One memory that the set gives as such, to be written as a note of this kind. `at` is as in `Message`."""

    id: str
    kind: str
    text: str
    tags: tuple[str, ...]
    at: int


class Question(NamedTuple):
    """One question.

    `gold` are the ids of the messages or notes that answer it, `sessions` those of the sessions, where the set names
    them itself. One that is not `answerable` shows what is returned where nothing should be. `groups` are further
    groups, beside its category, whose means are reported.
    """

    key: str
    text: str
    category: str
    gold: tuple[str, ...]
    sessions: tuple[str, ...] = ()
    answerable: bool = True
    groups: tuple[str, ...] = ()

    @property
    def has_gold(self) -> bool:
        return bool(self.gold or self.sessions)


class Case(NamedTuple):
    """One memory: what is put into it, in this order, and what it is asked at the time `asked_at`.

    `half` is the half of the set that it belongs to, empty where the set is not split.
    """

    name: str
    half: str
    items: tuple[Message | Written, ...]
    questions: tuple[Question, ...]
    asked_at: int


class DataSet(NamedTuple):
    """A set that can be measured: its name, how it is read, and the units of what is ranked (see `metrics`).

    `halves` says how it is split, in words.
    """

    name: str
    title: str
    read: Callable[[Path], Iterator[Case]]
    units: tuple[str, ...]
    halves: str


def load_json(file: Path) -> Any:
    """The content of a JSON file, which may be gzipped. Raises `InvalidInput`."""
    try:
        if file.suffix == ".gz":
            with gzip.open(file, "rt", encoding="utf-8") as opened:
                return json.load(opened)
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, EOFError) as error:
        raise InvalidInput(f"{file} cannot be read as JSON: {error}.") from error


def every_other(position: int) -> str:
    """The half of a set whose memories are dealt out in turn: the first is tuned by, the second tests."""
    return TUNE if position % 2 == 0 else TEST
