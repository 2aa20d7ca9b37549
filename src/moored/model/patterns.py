"""Patterns by which rules name paths, symbols, tags and words: `*` and `?`, and `**` for any number of folders.

Nothing here is a regular expression of the caller's, so no pattern can take long: matching goes back to the last star
alone, which costs at most the product of the two lengths. `[`, `_` and `%` are ordinary characters.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Part = TypeVar("Part")

_TOKENS = re.compile(r"\w+|[^\w\s]")
_PIECES = re.compile(r"[\w*?]+|[^\w\s]")


def fits(pattern: str, name: str) -> bool:
    """Whether a name is what a pattern says: `*` stands for any characters, `?` for one."""
    if "*" not in pattern and "?" not in pattern:
        return pattern == name
    return _fits(pattern, name, "*", lambda wanted, given: wanted in ("?", given))


def fits_path(pattern: str, path: str) -> bool:
    """Whether a pattern names a path or a folder that it is in.

    Both are relative to the root of the tree, with slashes. The pattern is compared folder by folder, so that `src/app`
    names `src/app/main.py` and not `src/app2/main.py`; `*` and `?` stay within one name, `**` is any number of folders.
    """
    return _fits([*pattern.split("/"), "**"], path.split("/"), "**", fits)


def fits_symbol(pattern: str, name: str) -> bool:
    """Whether a pattern names a qualified name or the end of one: `moor` and `Boat.*` name `harbour.Boat.moor`."""
    parts = name.split(".")
    return any(fits(pattern, ".".join(parts[at:])) for at in range(len(parts)))


def stands_in(phrase: str, text: str) -> bool:
    """Whether the words of a phrase stand in a text one after another, whatever their case and the white space.

    Words are compared whole; `*` and `?` stand for characters within one. Punctuation counts: `C++`, `pay.py`.
    """
    pieces = _PIECES.findall(phrase.casefold())
    folded = text.casefold()
    if not pieces or any(part not in folded for piece in pieces for part in re.split(r"[*?]", piece)):
        return False
    words = _words(folded)
    starts = range(len(words) - len(pieces) + 1)
    return any(all(fits(piece, words[at + n]) for n, piece in enumerate(pieces)) for at in starts)


@lru_cache(maxsize=1)
def _words(folded: str) -> list[str]:
    """The words and marks of a text, kept for the next rule that asks of the same."""
    return _TOKENS.findall(folded)


def _fits(pattern: Sequence[Part], given: Sequence[Part], star: Part, same: Callable[[Part, Part], bool]) -> bool:
    """Match a pattern whose `star` stands for any number of parts."""
    at, place, after_star, covered = 0, 0, -1, 0
    while place < len(given):
        if at < len(pattern) and pattern[at] == star:
            at += 1
            after_star, covered = at, place
        elif at < len(pattern) and same(pattern[at], given[place]):
            at, place = at + 1, place + 1
        elif after_star >= 0:
            covered += 1
            at, place = after_star, covered
        else:
            return False
    return all(part == star for part in pattern[at:])
