"""Who a question is about, where a store knows people by name, and the question as that person would say it.

What people tell is mostly about themselves, in the first person. So a question that names one of them is compared by
meaning in the form "When did I sign up?" instead of "When did Melanie sign up?", which leaves the name to the prior for
what that person said: a model otherwise finds texts that name the person, which are the other's.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

SHORTEST = 3
"""Letters of a first name that are enough of it: "Mel" is Melanie."""

_NAME = re.compile(r"\b[^\W\d_]\w+")
_JOINED = re.compile(r"^(?:['\u2019]s)?\s*(?:,|and|&|or|both)\s+$", re.IGNORECASE)


class Named(NamedTuple):
    """A person that a text names, and where."""

    author: str
    start: int
    end: int


def named(text: str, authors: Sequence[str]) -> list[Named]:
    """The first place of each author that the text names, in its order: by the whole name, or by the first one."""
    places: dict[str, re.Match[str]] = {}
    for match in _NAME.finditer(text):
        if match[0][0].isupper():
            places.setdefault(match[0], match)
    alike: dict[str, list[str]] = {}
    for author in authors if places else ():
        alike.setdefault(author.lstrip()[:1], []).append(author)
    found: dict[str, Named] = {}
    for word, match in places.items():
        for author in alike.get(word[0], ()):
            if author not in found and _is_name(word, author):
                found[author] = Named(author, match.start(), match.end())
    return list(found.values())


def subject(text: str, people: Sequence[Named]) -> str | None:
    """Who of those named the question is about: the first, unless that one is named together with the next."""
    if not people:
        return None
    first, *others = people
    if others and _JOINED.match(text[first.end : others[0].start]):
        return None
    return first.author


def as_said_by(text: str, author: str, people: Sequence[Named]) -> str:
    """The question as the author would say it: the author is "I", everybody else who is named is "you"."""
    spoken = _replaced(text, author, "my", "I")
    for other in people:
        if other.author != author:
            spoken = _replaced(spoken, other.author, "your", "you")
    return spoken


def _replaced(text: str, author: str, possessive: str, pronoun: str) -> str:
    def form(match: re.Match[str]) -> str:
        if not _is_name(match[1], author):
            return match[0]
        return possessive if match[2] else pronoun

    return re.sub(r"\b([^\W\d_]\w+)(['\u2019]s\b)?", form, text)


def _is_name(word: str, author: str) -> bool:
    first = author.split(maxsplit=1)[0] if author.split() else author
    short = len(word) >= SHORTEST and word[0].isupper() and first.startswith(word)
    return word in (author, first, f"{first}s") or short
