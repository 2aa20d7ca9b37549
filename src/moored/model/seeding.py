"""Seeding: the account of what was read from a tree into notes."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

SEED = "seed"
"""The name of the rule that writes the notes of a seed, the kind of these notes, and that of its operations."""


class SeedOutcome(StrEnum):
    """What becomes of one note of a seed."""

    NEW = "new"
    REVISED = "revised"
    RESTORED = "restored"  # it was withdrawn, by an undo or because nothing said it any more, and is told again
    UNCHANGED = "unchanged"
    WITHDRAWN = "withdrawn"  # nothing says it any more, or there was no room for it
    LEFT = "left alone"  # somebody made it theirs: it was reworded, replaced, forgotten or protected


class SeededNote(NamedTuple):
    """One note of a seed.

    `key` names it from run to run: a topic, a colon, and the path or component that it is about. `note` is its id,
    empty where it is not written yet. `about` are the addresses of what it rests on, `why` says in words what the
    outcome alone does not.
    """

    key: str
    outcome: SeedOutcome
    note: str
    text: str
    tokens: int
    about: tuple[str, ...] = ()
    why: str = ""


class Seeded(NamedTuple):
    """The account of one run.

    `operation` is empty when nothing changed, or when it was a dry run. `tokens` counts what the notes that were found
    say together. `omitted` counts, by topic, what there was no room for; `unknown` says what could not be read: what it
    told before was left as it is.
    """

    operation: str
    dry_run: bool
    notes: tuple[SeededNote, ...]
    tokens: int
    omitted: Mapping[str, int]
    unknown: tuple[str, ...]

    def count(self, outcome: SeedOutcome) -> int:
        """How many notes have this outcome."""
        return sum(one.outcome is outcome for one in self.notes)
