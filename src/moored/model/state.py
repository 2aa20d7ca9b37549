"""The state of a note in numbers, each with what it was made from, and what is counted to make them.

None of them says whether a note is true: that is told by its verdict, computed at the moment of reading. They order
lists and enter no score of a recall.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from moored.model.notes import State

if TYPE_CHECKING:
    from moored.model.notes import JudgedNote
    from moored.model.operations import Operation


AUTHORITY = {State.STALE: 0.35, State.SUPERSEDED: 0.35, State.DISPUTED: 0.7}
"""What is left of the authority of what does not hold (I-05); what is current, or cannot be checked, keeps it."""


class Use(NamedTuple):
    """How often a note was told and when last, with its heat at that time (see `moored.atlas.state.heat`)."""

    uses: int
    last_at: int
    heat: float


WRONG = "it is wrong"
"""The reason of a rating that gives no other than that."""


class Rating(NamedTuple):
    """What a person or an agent found of a note: whether it was useful, and why, as far as they said it."""

    useful: bool
    reason: str
    actor: str
    at: int
    operation: str


class Counts(NamedTuple):
    """What stands beside a note, as far as it is in force.

    `restated` counts the sessions in which the same was said again, `supporting` and `opposing` those that speak for
    and against it. `disputes` are open ones, `won` and `lost` those that were settled; `upheld` and `overturned` count
    the proposals to change it that were rejected and accepted. `links` counts the notes it is linked with, `useful` and
    `useless` the ratings.
    """

    restated: int = 0
    supporting: int = 0
    opposing: int = 0
    disputes: int = 0
    won: int = 0
    lost: int = 0
    upheld: int = 0
    overturned: int = 0
    links: int = 0
    useful: int = 0
    useless: int = 0


class Measure(NamedTuple):
    """One number, from 0 to 1 but for heat, with what went into it, in words. It is None where nothing is known."""

    value: float | None
    inputs: tuple[str, ...]


class NoteState(NamedTuple):
    """The numbers of a note: how lately it was used, how well borne out, how much depends on it, how settled it is."""

    heat: Measure
    confidence: Measure
    importance: Measure
    stability: Measure


class Stated(NamedTuple):
    """A note with its verdict and its state."""

    judged: JudgedNote
    state: NoteState
    uses: int


class Explained(NamedTuple):
    """All that stands behind a note: its verdict, its state, what it was found to be worth, and what was done to it.

    `used_at` is when it was last told, in milliseconds since the epoch, or None.
    """

    judged: JudgedNote
    state: NoteState
    uses: int
    used_at: int | None
    ratings: tuple[Rating, ...]
    operations: tuple[Operation, ...]


class Rated(NamedTuple):
    """The account of a rating: the note, its operation, and how often it was found useful and useless by now."""

    note: str
    operation: str
    useful: bool
    times_useful: int
    times_useless: int
