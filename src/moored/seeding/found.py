"""What a reader finds: a note as it would be written, before it is known whether there is room for it."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from moored.model.facts import Fact

MAX_ABOUT = 16
"""Facts that one note of the seed rests on at most."""


class Weight(IntEnum):
    """What a new colleague wants to know first. Where there is no room for all, the heaviest are written."""

    IDENTITY = 100
    README = 95
    COMMANDS = 90
    CONVENTIONS = 85
    ENTRY = 80
    LAYOUT = 75
    PIPELINE = 70
    COMPONENT = 65
    STYLE = 60
    DECISION = 55
    DOCUMENT = 50
    OWNERS = 45
    RECENT = 40
    STACK = 35


class Seed(NamedTuple):
    """One note of the seed.

    `key` names it from run to run: what it tells of, and of which file or component. `about` are the facts that it
    rests on: it goes stale when they change. `tags` begin with what sort of thing it tells. `taken` are the words that
    it takes from the whole files in `about`: only these have to stay in them. With none it is enough that the files are
    there; where it is None they may not change at all.
    """

    key: str
    text: str
    about: tuple[Fact, ...]
    tags: tuple[str, ...]
    weight: int
    taken: tuple[str, ...] | None = None

    @property
    def topic(self) -> str:
        """What sort of thing it tells: the part of the key before the colon."""
        return self.key.partition(":")[0]


def seed(
    topic: str,
    of: str,
    text: str,
    about: tuple[Fact | None, ...],
    weight: int,
    *tags: str,
    taken: tuple[str, ...] | None = None,
) -> Seed:
    """A seed about `of` (a path, a component or nothing); facts that are not there are left out of `about`."""
    known = {(fact.path, fact.name): fact for fact in about if fact is not None}
    return Seed(f"{topic}:{of}", text, tuple(known.values())[:MAX_ABOUT], ("seed", topic, *tags), weight, taken)
