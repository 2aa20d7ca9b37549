"""Notes beside each other: what is related to a note, and what disputes it."""

from __future__ import annotations

from typing import NamedTuple


class Related(NamedTuple):
    """A note that comes back with a save: its id, its text in short, and why it is told."""

    id: str
    text: str
    why: str


class Dispute(NamedTuple):
    """Two notes that cannot both hold. `note` is the newer, `other` the older; times are in milliseconds.

    `outcome` is empty while it is open, else the id of the note that holds, or `both`; `settled` is the operation that
    settled it, else empty.
    """

    id: str
    note: str
    other: str
    reason: str
    created_at: int
    settled: str = ""
    outcome: str = ""


class Opponent(NamedTuple):
    """The other side of an open dispute, with what it says. `newer` says that it is the newer side."""

    dispute: str
    note: str
    text: str
    at: int
    newer: bool
    reason: str


BOTH = "both"
"""The outcome of a dispute where both notes hold."""
