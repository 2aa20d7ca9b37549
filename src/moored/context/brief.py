"""The brief: what a host is told within its token budget, and the account of it."""

from __future__ import annotations

from typing import NamedTuple


class Section(NamedTuple):
    """A part of a brief: how many of its entries are shown, and how many did not fit."""

    heading: str
    shown: int
    omitted: int


class Brief(NamedTuple):
    """The text and its estimated tokens. `pins`, `attention` and `hits` count what is in it.

    `reminded` are the ids of the reminders in it, which count as told once it is handed out.
    `omitted` are the ids of what did not fit, in the order of its rank. `sections` account for the parts that there
    are; `degraded` says what could not be looked at or judged, and why.
    """

    text: str
    tokens: int
    budget: int
    pins: int
    attention: int
    hits: int
    omitted: tuple[str, ...]
    sections: tuple[Section, ...] = ()
    degraded: tuple[str, ...] = ()
    reminded: tuple[str, ...] = ()
