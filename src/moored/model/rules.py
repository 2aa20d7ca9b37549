"""Rules: what a person or an agent laid down about what is told, before anything is cut to a budget."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from moored.model.conditions import Condition

LEAST_FACTOR, MOST_FACTOR = 0.1, 10.0
"""The limits of a factor, and of what several rules make of one score together."""


class Action(StrEnum):
    """What a rule does to the hits that its condition is about."""

    FORBID = "forbid"  # they are never told
    REQUIRE = "require"  # of the kind that it names, only those are told
    SCOPE = "scope"  # they are told only where the work is in its scope
    BOOST = "boost"  # their score is multiplied by a factor above 1
    DAMP = "damp"  # by one below 1


class ScopeKind(StrEnum):
    """Where a rule holds."""

    PROJECT = "project"
    PATH = "path"  # for hits about a file in this path; for `scope`, while work is done in it
    SESSION = "session"  # while work is done in this session


class Rule(NamedTuple):
    """One rule.

    `factor` is that of a boost or damp, else 1. `scope` is the path or the session's name or id, empty for the project.
    `operation` is the one that made it: undoing that removes it.
    """

    id: str
    action: Action
    factor: float
    condition: Condition
    scope_kind: ScopeKind
    scope: str
    reason: str
    actor: str
    operation: str
    created_at: int


class Conflict(NamedTuple):
    """Two rules, or one rule and what is known, that do not go together, in words. `other` may be empty."""

    rule: str
    other: str
    why: str


class Added(NamedTuple):
    """A rule that was added, and what it does not go together with."""

    rule: Rule
    conflicts: tuple[Conflict, ...]


class Removed(NamedTuple):
    """The rule that holds no more, and the operation whose undo restores it."""

    rule: str
    operation: str


class Effect(NamedTuple):
    """What the rules did to one hit of a question.

    `before` and `after` are its places among the hits without and with the rules, from 1, or None where it is not told.
    `score` is that with the rules where it is told, else without. `rules` are the factors by rule, `reason` why it is
    not told, in the words of a receipt.
    """

    id: str
    text: str
    before: int | None
    after: int | None
    score: float
    rules: tuple[tuple[str, float], ...]
    reason: str


class Tested(NamedTuple):
    """What rules do to a question: how many hits there are without and with them, and each that they touch or move."""

    query: str
    without: int
    with_rules: int
    effects: tuple[Effect, ...]
