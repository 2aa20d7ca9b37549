"""Preferences: what somebody wants from now on, as one sentence of theirs says it."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Subject(StrEnum):
    """Whose way it is: the user's own, or that of all who work on the project."""

    USER = "user"
    PROJECT = "project"


class Preference(NamedTuple):
    """One preference, convention or habit that a sentence states.

    `text` is the sentence, verbatim. `key` names what it is about (`package manager`), `value` what is wanted, or, with
    `wanted` false, what is not. `over` is what the sentence puts behind `value`, or empty. `known` says that `value` is
    a name that the key is known to take, so that two of them exclude each other; `scope` is what such a name is limited
    to ("unit tests"), or empty. `correction` says that the sentence only corrects what was just done ("no, use pnpm"):
    alone it is no preference.
    """

    text: str
    subject: Subject
    key: str
    value: str
    wanted: bool = True
    over: str = ""
    known: bool = False
    scope: str = ""
    correction: bool = False


def same(first: Preference, second: Preference) -> bool:
    """Whether two preferences say the same of the same thing."""
    return _about(first) == _about(second) and _value(first) == _value(second) and first.wanted == second.wanted


def excludes(newer: Preference, older: Preference) -> bool:
    """Whether the newer of two preferences leaves no room for the older.

    It says the opposite of the same value, puts the older's value behind its own, or wants another of the names that
    the key can take. What is limited to something leaves room for what holds elsewhere.
    """
    if _about(newer) != _about(older):
        return False
    if _value(newer) == _value(older):
        return newer.wanted != older.wanted
    if not (newer.wanted and older.wanted):
        return False
    return (newer.known and older.known) or newer.over.lower() == _value(older)


def _about(said: Preference) -> tuple[str, str]:
    return said.key, said.scope.lower()


def _value(said: Preference) -> str:
    return said.value.lower()
