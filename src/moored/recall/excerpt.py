"""What is shown of a hit within a number of tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.model.text import shorten
from moored.model.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.recall.verify import Examined

LEAST = 40
"""Tokens below which an excerpt says too little to be shown."""


def shown(examined: Examined, terms: Sequence[str], room: int, cap: int) -> str | None:
    """The text of a hit in at most `room` tokens, or None when it does not fit.

    A note or a fact is whole or not at all. Of an episode the part that matched is shown, in at most `cap` tokens;
    an ellipsis marks each end that is not the text's own, and the id by which the whole is fetched follows.
    """
    whole = examined.head + examined.text
    if examined.span is None:
        if count_tokens(whole) <= room:
            return whole
        return _excerpt(examined, (0, len(examined.text)), terms, min(room, cap)) if examined.id[:2] == "ep" else None
    if examined.span == (0, len(examined.text)) and count_tokens(whole) <= min(room, cap):
        return whole
    return _excerpt(examined, examined.span, terms, min(room, cap))


def _excerpt(examined: Examined, span: tuple[int, int], terms: Sequence[str], most: int) -> str | None:
    """As much as fits of a part of the text, around the first of the terms that stands in it."""
    start, end = span
    examined = _with_short_head(examined, most // 2)
    at = start + _first(examined.text[start:end], terms)
    length = end - start
    while most >= LEAST and length > 0:
        low = max(start, min(at - length // 4, end - length))
        text = _marked(examined, low, low + length)
        tokens = count_tokens(text)
        if tokens <= most:
            return text
        length = min(length * most // (tokens + 1), length - 1)
    return None


def _with_short_head(examined: Examined, most: int) -> Examined:
    """The hit with its head in at most about `most` tokens, so that there is room for what matched."""
    head, tokens = examined.head, count_tokens(examined.head)
    if tokens <= most:
        return examined
    return examined._replace(head=shorten(head, max(len(head) * most // tokens, 1)) + "\n")


def _marked(examined: Examined, start: int, end: int) -> str:
    text = examined.text
    before, after = "…" if start else "", "…" if end < len(text) else ""
    fetch = f" [the whole: {examined.id}]" if before or after else ""
    return f"{examined.head}{before}{text[start:end].strip()}{after}{fetch}"


def _first(text: str, terms: Sequence[str]) -> int:
    """Where the first of the terms that stands in a text stands, else 0."""
    lower = text.lower()
    places = (lower.find(term.lower()) for term in terms)
    return next((place for place in places if place >= 0), 0)
