"""Aliases: other names by which people call the same thing."""

from __future__ import annotations

import unicodedata
from typing import NamedTuple


class Alias(NamedTuple):
    """A name and another name of the same thing.

    `origin` is `text` when it was learned from what somebody said, in the episode of the id `episode`, and `person` or
    `agent` when one of these gave it; then `episode` may be empty. `at` is in milliseconds since the epoch.
    """

    name: str
    alias: str
    episode: str
    origin: str
    at: int


def folded(name: str) -> str:
    """The form in which names are compared: compatibility forms and case unified, white space as single blanks."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())
