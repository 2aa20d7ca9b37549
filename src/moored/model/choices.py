"""Words of a closed list, as callers hand them in."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

from moored.errors import InvalidInput

E = TypeVar("E", bound=StrEnum)


def chosen(words: type[E], word: str, what: str) -> E:
    """The member that a word names. Raises `InvalidInput`, listing the words there are."""
    try:
        return words(word)
    except ValueError:
        known = ", ".join(words)
        raise InvalidInput(f"'{word}' is not a {what}. Choose one of {known}.") from None
