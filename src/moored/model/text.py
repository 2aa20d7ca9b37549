"""Text: cutting it into windows, showing it on one line, and the rest of the family under one name."""

from __future__ import annotations

from moored.errors import InvalidInput
from moored.model.characters import well_formed
from moored.model.terms import fragments, fts_query, query_terms, searchable
from moored.model.tokens import count_tokens

__all__ = [
    "count_tokens",
    "fold",
    "fragments",
    "fts_query",
    "query_terms",
    "searchable",
    "shorten",
    "well_formed",
    "windows",
]

# Where a window may end, best first: after a blank line, a line, a sentence, a word.
_CUTS = (
    ("\n\n", "\n\r\n"),
    ("\n", "\r"),
    (". ", "! ", "? ", "; ", "\u3002", "\uff01", "\uff1f"),
    (" ", "\t"),
)


def windows(text: str, size: int = 1200, overlap: int = 120) -> list[tuple[int, int]]:
    """Cut a text into overlapping windows `[start, end)` of at most `size` characters that cover all of it.

    Each window but the last is filled as far as possible and ends at the best cut in its second half; the next
    begins about `overlap` characters before that, at a line or a word. The last window may have `size * 1.25`
    characters, so a text up to that length is one window. An empty text has none.

    Raises InvalidInput if `size` is not positive or `overlap` is more than half of it.
    """
    if size < 1 or not 0 <= overlap <= size // 2:
        raise InvalidInput(
            f"Cannot cut windows of {size} characters that overlap by {overlap}: the overlap must be between 0 "
            "and half the size."
        )
    found: list[tuple[int, int]] = []
    start = 0
    while len(text) - start > size + size // 4:
        end = _best_cut(text, start + size // 2 + 1, start + size)
        found.append((start, end))
        start = _first_begin(text, end - overlap, end)
    if text:
        found.append((start, len(text)))
    return found


def fold(text: str) -> str:
    """The text on one line: every run of white space as one blank, none at the ends."""
    return " ".join(text.split())


def shorten(text: str, limit: int) -> str:
    """The folded text in at most `limit` characters (1 or more), cut between words if a word ends near enough.

    An ellipsis shows that something was cut off.
    """
    line = fold(text)
    if len(line) <= limit:
        return line
    end = line.rfind(" ", limit // 2, limit)
    return line[: end if end >= 0 else limit - 1].rstrip() + "…"


def _best_cut(text: str, low: int, high: int) -> int:
    """The last position in `[low, high]` after the best kind of cut there is, else `high`."""
    for marks in _CUTS:
        ends = [at + len(mark) for mark in marks if (at := text.rfind(mark, max(low - len(mark), 0), high)) >= 0]
        if ends:
            return max(ends)
    return high


def _first_begin(text: str, low: int, high: int) -> int:
    """The first position in `[low, high)` where a line begins, else a word, else `low`."""
    for mark in ("\n", " "):
        at = text.find(mark, max(low - 1, 0), high - 1)
        if at >= 0:
            return at + 1
    return low
