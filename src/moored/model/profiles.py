"""Profiles: what is known of how the user and the project want things done, and what each of it rests on."""

from __future__ import annotations

from typing import NamedTuple

from moored.model.episodes import Trust
from moored.model.notes import JudgedNote
from moored.model.preferences import Preference

PROFILE = "profile"
"""The name of the rule that writes preferences and beliefs, and of its operations."""

PREFERENCE = "preference"
BELIEF = "belief"
KINDS = (PREFERENCE, BELIEF)
"""The kinds of notes that a profile is made of."""

LEAST_PIECES = 3
"""Independent pieces of evidence from which a belief is derived, and below which it does not hold any more."""


class Piece(NamedTuple):
    """One piece of evidence: an episode, the session and the day (UTC) of it, and whether it still counts.

    One that is hidden, erased or corrected counts no more.
    """

    episode: str
    session: int
    at: int
    stands: bool

    @property
    def occasion(self) -> tuple[int, int]:
        """Two pieces are independent of each other when their occasions differ."""
        return self.session, self.at // 86_400_000


class Run(NamedTuple):
    """One run of a command: its episode, the number of its session, when it ended, and with what status."""

    episode: str
    session: int
    at: int
    status: str


class Turn(NamedTuple):
    """A user's turn: its number and id, the number of its session, when it was said, and what."""

    seq: int
    episode: str
    session: int
    at: int
    text: str


class Entry(NamedTuple):
    """One line of a profile: the note with its verdict, what it states, and all that it rests on, oldest first.

    `replaced` says that a newer one took its place. `preference` is None where the note's words state nothing that a
    rule can read. `trust` is that of the episode which holds its words.
    """

    judged: JudgedNote
    trust: Trust
    preference: Preference | None
    key: str
    pieces: tuple[Piece, ...]
    replaced: bool

    @property
    def standing(self) -> int:
        """How many pieces still count."""
        return sum(piece.stands for piece in self.pieces)

    @property
    def occasions(self) -> int:
        """On how many occasions, sessions or days, it was said or done."""
        return len({piece.occasion for piece in self.pieces if piece.stands})

    @property
    def last_at(self) -> int:
        """When it was said or done last, in milliseconds."""
        return max((piece.at for piece in self.pieces if piece.stands), default=self.judged.note.head.created_at)


class Learned(NamedTuple):
    """The account of one reading: how many turns were read, and the notes that came of it.

    `operation` is the id under which they were written, or empty when nothing was.
    """

    turns: int
    preferences: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()
    beliefs: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    disputed: tuple[str, ...] = ()
    operation: str = ""
