"""Other names of things, as people and agents give them in passing: "Kubernetes (k8s)", "TS is short for TypeScript".

Few forms are read, and each has to prove itself: where the words alone do not say that two names are one, the shorter
must abbreviate the longer by its letters. A wrong alias would spoil many questions, a missing one only few.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_READ = 20_000
"""Characters of a turn that are looked at."""

MAX_NAMES = 16
"""Pairs that one turn may teach."""

MAX_LENGTH = 48
"""Characters of the longest name."""

AROUND = 120
"""Characters before a sign, and from it on, that are looked at."""

_WORD = r"(?<![\w.+#/-])[A-Za-z0-9][\w.+#/-]{0,47}"
_WORDS = rf"{_WORD}(?: {_WORD}){{0,5}}"
_SHORT = r"[`\"']?([A-Za-z][A-Za-z0-9.+#-]{1,9})[`\"']?"
_QUOTED = r"[`\"\u201c]([^`\"\u201c\u201d\n]{2,48})[`\"\u201d]"
_NAME = rf"(?:{_QUOTED}|({_WORDS}))"


class _Form(NamedTuple):
    """A way of saying it: what every such text has in it, its pattern, and the groups of the two names.

    To look for the signs first is what makes most texts cheap.
    """

    signs: tuple[str, ...]
    pattern: re.Pattern[str]
    long: int
    short: int


_HINTS = (
    _Form((" (",), re.compile(rf"({_WORDS})[`\"']? \((?:or )?{_SHORT}\)"), 1, 2),
    _Form((" (",), re.compile(rf"\b{_SHORT} \(({_WORDS})\)"), 2, 1),
    _Form((" = ", " means "), re.compile(rf"^\W*{_SHORT} (?:=|means) ({_WORDS})\W*$", re.MULTILINE), 2, 1),
    _Form(
        ("short for", "stands for", "abbreviation of"),
        re.compile(rf"\b{_SHORT},? (?:is |was )?(?:short for|stands for|an abbreviation of) [`\"']?({_WORDS})"),
        2,
        1,
    ),
)
_SAID = _Form(
    ("aka ", "a.k.a", "also known as", "also called", "which we"),
    re.compile(
        rf"{_NAME}(?:,? \(?a\.?k\.?a\.?|(?:,| \() ?(?:also (?:known as|called)|which we (?:also )?call))"
        rf" (?:the )?{_NAME}"
    ),
    0,
    0,
)

# What stands at the signs that are frequent elsewhere: brackets around a few words, and a line that is an equation.
_BRACKET = re.compile(r" \((?:or )?[`\"'a-zA-Z][\w .+#-]{1,48}[`\"']?\)")
_EQUATION = re.compile(r"\W*[`\"']?[A-Za-z][A-Za-z0-9.+#-]{1,9}[`\"']? = [A-Za-z][\w .+#/-]{1,48}\W*$", re.MULTILINE)

_CAPITALISED = re.compile(r"(?:[A-Z][\w.+#/-]*|\w*\d[\w.]*)(?: (?:[A-Z][\w.+#/-]*|\d[\w.]*))*")
_MARKED = re.compile(r"\w*(?:\d|[._/-]\w)[\w./-]*")


def names_in(text: str) -> tuple[tuple[str, str], ...]:
    """The pairs of a name and another name of the same thing that a text gives, each once."""
    part = text[:MAX_READ]
    found: dict[tuple[str, str], tuple[str, str]] = {}
    for name, other in (*_abbreviated(part), *_said(part)):
        pair = (name.strip(" .,;:-/"), other.strip(" .,;:-/"))
        key = (pair[0].lower(), pair[1].lower())
        if key[0] != key[1] and all(1 < len(one) <= MAX_LENGTH for one in pair):
            found.setdefault(key, pair)
    return tuple(found.values())[:MAX_NAMES]


def _matches(text: str, form: _Form) -> Iterator[re.Match[str]]:
    """Where a form stands in a text: only the surroundings of its signs are looked at."""
    for sign in form.signs:
        at = text.find(sign)
        while at >= 0:
            begin = text.rfind("\n", 0, at) + 1
            if sign == " = ":
                wanted = _EQUATION.match(text, begin, at + AROUND)
            else:
                wanted = sign != " (" or _BRACKET.match(text, at)
            if wanted:
                start = begin if at - begin <= AROUND else text.find(" ", at - AROUND, at) + 1
                yield from form.pattern.finditer(text[start : at + AROUND])
            at = text.find(sign, at + len(sign))


def _abbreviated(text: str) -> Iterator[tuple[str, str]]:
    """Pairs that a form hints at, and of which the shorter abbreviates the longer."""
    for form in _HINTS:
        for match in _matches(text, form):
            if name := _abbreviated_by(match[form.long], match[form.short]):
                yield name, match[form.short]


def _said(text: str) -> Iterator[tuple[str, str]]:
    """Pairs of which the text says that they are one thing; both must have the form of a name, or quotes."""
    for match in _matches(text, _SAID):
        first, second = match[1] or _last_name(match[2]), match[3] or _first_name(match[4])
        if first and second:
            yield first, second


def _last_name(words: str) -> str:
    """The name in which some words end: its capitalised words, or one word with a mark or a digit inside."""
    ends = [match[0] for match in _CAPITALISED.finditer(words) if match.end() == len(words)]
    last = words.rpartition(" ")[2]
    return ends[0] if ends else last if _MARKED.fullmatch(last) else ""


def _first_name(words: str) -> str:
    """The name with which some words begin, of the same form."""
    capitalised = _CAPITALISED.match(words)
    first = words.partition(" ")[0]
    return capitalised[0] if capitalised else first if _MARKED.fullmatch(first) else ""


def _abbreviated_by(words: str, short: str) -> str:
    """The end of some words that a short name abbreviates, or an empty text.

    It takes the first letters of words ("dead letter queue", DLQ), the capitals of one ("TypeScript", TS), or the
    first letter, the number of those between, and the last ("Kubernetes", k8s).
    """
    plain = re.sub(r"[^a-z0-9]", "", short.lower())
    starts = [match.start() for match in re.finditer(r"[^\s-]+", words)]
    for at in reversed(starts):
        end = words[at:]
        initials = "".join(piece[0] for piece in re.split(r"[\s-]+", end) if piece).lower()
        capitals = "".join(re.findall(r"[A-Z]|(?<![^\s-])[a-z0-9]", end)).lower()
        letters = re.sub(r"[^a-z0-9]", "", end.lower())
        counted = f"{letters[0]}{len(letters) - 2}{letters[-1]}" if len(letters) > 3 else ""
        if len(plain) > 1 and letters != plain and plain in (initials, capitals, counted):
            return end
    return ""
