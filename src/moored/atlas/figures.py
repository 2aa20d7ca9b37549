"""The figures in what somebody says: numbers, versions and days that tell how things stand.

A bound, a difference or a label ("under 2 s", "by 20 %", "sprint 2") tells nothing of how things stand and is none. The
rules know English.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from moored.atlas.lexicon import form, is_light, stem

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

LEFT, RIGHT = 24, 12
"""Tokens before and behind a figure that say what it is a figure of."""

BESIDE = 12, 8
"""Those of them that are near it."""

WISHING, SAID = 5, 8
"""Tokens right before a figure by which it is wished for, and said to be so now."""

MONTHS = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    "nov(?:ember)?|dec(?:ember)?"
)
_DAY = re.compile(rf"\b({MONTHS})\.? (\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? \d{{4}}\b)?", re.IGNORECASE)
_VERSION = re.compile(r"(?<![\w.])v?(\d+(?:\.\d+){2,})\b|(?<![\w.])v(\d+(?:\.\d+)*)\b")
_DATE = re.compile(r"\b(?:19|20)\d\d-\d\d-\d\d\b")
_TIME = re.compile(r"\b(\d{1,2})(?::(\d\d))? ?([ap])\.?m\b\.?", re.IGNORECASE)
_YEAR = re.compile(r"(?:19|20)\d\d")
_PER = re.compile(r"(?<=[A-Za-z])/(?=[A-Za-z])")
_TOKEN = re.compile(
    r"[\x01\x02][\w.:-]+|\d+(?:,\d{3})*(?:\.\d+)?(?:-\d+(?:\.\d+)?)?|%|[^\W\d_]+(?:['\u2019][^\W\d_]+)?|[^\s\w]"
)
_DIGIT = re.compile(r"\d")
_NAME = re.compile(r"[A-Z]\w*")


def _words(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _stems(words: str) -> frozenset[str]:
    return frozenset(map(stem, _words(words)))


_UNITS = """
% percent ms millisecond s second sec second secs second min minut h hour kb kilobyt mb megabyt gb gigabyt k thousand
px px
"""
_MEASURES: dict[str, str] = dict(zip(_UNITS.split()[::2], _UNITS.split()[1::2], strict=True))
_MONEY = frozenset("$\u20ac\u00a3")
_LABELS = _stems(
    "sprint phase step milestone week day chapter section part http error status code line issue ticket task item "
    "lesson level figure table rfc id node page question"
)
_BOUNDS = _words("under below above over least most than within exceed exceeds exceeded exceeding beyond by between")
_ENDS = _words("for every after before until")
_OWN = _words("my me mine")
_LEADS = _words("to at of is are")
_DETERMINERS = _words("my our your the a an its this that their")
_WISHES = _words(
    "target targets targeting goal goals aim aims aiming want wants achieve achieving hope hoping need needs would "
    "should must could ideally future ensure reach"
)
CHANGES = _words(
    "now new newly updated improved increased decreased reduced dropped grew grown growth reached raised lowered "
    "changed moved extended shortened lengthened cut adjusted bumped upgraded expanded rose risen fell fallen doubled "
    "postponed rescheduled shifted managed"
)
_CLAUSE_ENDS = frozenset(",;:()")

VERSION = form("version")

UNCOUNTED = frozenset(["", "date", "time", *_MONEY, *_MEASURES.values()])
"""Units that name nothing that is counted."""


_EMPTY = frozenset([""])
_NONE: frozenset[str] = frozenset()
_NO_BOUNDS: frozenset[tuple[str, str]] = frozenset()


class Figure(NamedTuple):
    """A value with its unit, empty where it has none, and `text`, as it is shown.

    `counted` are the words behind it that may say what is counted, `about` those around it in the sentence, `near`
    those of them beside it, in their forms; `before` has for some of the latter what tells them from others. `bounds`
    are the units and values of bounds: under what it holds. `wished` and `changed` say that its clause tells of a wish
    or a change.
    """

    value: str
    unit: str
    text: str
    counted: frozenset[str]
    about: frozenset[str]
    near: frozenset[str]
    before: Mapping[str, str]
    bounds: frozenset[tuple[str, str]]
    wished: bool
    changed: bool
    sentence: str


def figures(sentence: str) -> list[Figure]:
    """The figures in a sentence, in their order."""
    if not _DIGIT.search(sentence):
        return []
    words = tokens(sentence)
    said = [_form(one) for one in words]
    found: list[tuple[int, Figure]] = []
    bounds: list[tuple[int, str, str]] = []
    for at, token in enumerate(words):
        if not (token[0].isdigit() or token[0] in "\x01\x02") or _is_label(words, at):
            continue
        unit, end = _unit(words, at)
        shown = token.strip("\x01\x02").replace("_", " ")
        value = shown.replace(",", "")
        money = at > 0 and words[at - 1] in _MONEY
        near = _clause(reversed(words[max(at - LEFT, 0) : at - money]))
        behind = words[end : end + RIGHT]
        if _is_bound(near):
            bounds.append((at, unit, value))
        elif near[:1] != ["from"] or "to" not in behind[:2]:
            counted = frozenset(said[end - 1 : end + 2]) if unit not in UNCOUNTED and "/" not in unit else _NONE
            left, right = max(at - BESIDE[0], 0), end + BESIDE[1]
            about = {*said[max(at - LEFT, 0) : at], *said[end : end + RIGHT], *unit.split("/")}
            beside = {*said[left:at], *said[end:right], *counted}
            figure = Figure(
                value=value,
                unit=unit,
                text=" ".join([f"{words[at - 1]}{shown}" if money else shown, *words[at + 1 : end]]).replace(" %", "%"),
                counted=counted,
                about=frozenset(about) - UNCOUNTED,
                near=frozenset(beside) - UNCOUNTED,
                before={**_before(words, said, left, at), **_before(words, said, end, right)},
                bounds=_NO_BOUNDS,
                wished=_is_wish(near),
                changed=_tells_change(near, _clause(behind)),
                sentence=sentence,
            )
            found.append((at, figure))
    return [one._replace(bounds=_around(at, bounds)) for at, one in found] if bounds else [one for _, one in found]


def tokens(text: str) -> list[str]:
    """Words, numbers and marks; a day and a time begin with \\x01, a version with \\x02."""
    spelled = _TIME.sub(
        lambda time: f" \x01{int(time[1])}:{time[2] or '00'}_{time[3].lower()}m ", _PER.sub(" per ", text)
    )
    spelled = _DATE.sub(lambda day: f" \x01{day[0]} ", spelled)
    spelled = _DAY.sub(lambda day: f" \x01{day[1][:3].lower()}_{int(day[2])} ", spelled)
    return _TOKEN.findall(_VERSION.sub(lambda found: f" \x02{found[1] or found[2]} ", spelled))


def forms(words: Sequence[str]) -> frozenset[str]:
    """The forms of those tokens that are words and say something of their own."""
    return frozenset(map(_form, words)) - _EMPTY


@lru_cache(maxsize=16_384)
def _form(token: str) -> str:
    """The form of a word, a day as it is, and of what says nothing of its own an empty text."""
    if token[0] == "\x01":
        return token
    return form(token) if _says(token) and token.casefold() not in CHANGES else ""


def _says(token: str) -> bool:
    """Whether a token is a word that says something of its own."""
    folded = token.casefold()
    return token[:1].isalpha() and folded not in _OWN and not is_light(folded) and "'" not in folded


def _is_label(words: Sequence[str], at: int) -> bool:
    before = words[at - 1] if at else ""
    if not words[at][0].isdigit():
        return False
    behind = words[at + 1 : at + 2]
    marked = before in ("#", "-", ":", "/", "=", ".") or behind == ["/"]
    return marked or form(before) in _LABELS or (_YEAR.fullmatch(words[at]) is not None and not any(map(_says, behind)))


def _unit(words: Sequence[str], at: int) -> tuple[str, int]:
    """The unit of the figure at a place, and the place behind it. A version is one of what is named before it."""
    token, end = words[at], at + 1
    if token[0] == "\x01":
        return ("time" if ":" in token else "date"), end
    if at and words[at - 1] in _MONEY:
        return _per(words, words[at - 1], end)
    if token[0] == "\x02" or ("." in token and at and _NAME.match(words[at - 1])):
        named = (form(one) for one in reversed(words[max(at - 4, 0) : at]) if _says(one))
        return f"{VERSION}/{next((one for one in named if one not in (VERSION, 'v')), '')}", end
    end += words[end : end + 1] == ["-"]
    behind = words[end] if end < len(words) else ""
    measure = _MEASURES.get(behind.lower())
    if not measure and not _says(behind):
        return "", at + 1
    return _per(words, measure or form(behind), end + 1)


def _per(words: Sequence[str], unit: str, end: int) -> tuple[str, int]:
    """A unit with what it is told for, and the place behind it."""
    if words[end : end + 1] and words[end] in ("per", "a", "each") and words[end + 1 :]:
        return f"{unit}/{form(words[end + 1])}", end + 2
    return unit, end


def _clause(words: Iterable[str]) -> list[str]:
    """The first of these tokens, up to the end of the clause, in lower case."""
    found: list[str] = []
    for token in words:
        if token in _CLAUSE_ENDS:
            break
        found.append(token.casefold())
    return found


def _tells_change(near: Sequence[str], behind: Sequence[str]) -> bool:
    """Whether a clause says that a figure is another one now, by the words before it, nearest first, and behind."""
    if "now" in (*near[:SAID], *behind[:4]) or "reached" in near[:WISHING]:
        return True
    leads = near[:1] != [] and (near[0] in _LEADS or "managed" in near)
    return leads and not CHANGES.isdisjoint(near if near[0] != "of" else near[:SAID])


def _is_bound(near: Sequence[str]) -> bool:
    """Whether a figure is a bound or a difference, by the words of its clause before it, nearest first."""
    right_before, further = near[:1], near[1:2]
    if right_before == ["for"] and not _WISHES.isdisjoint(further):
        return False
    after_pause = right_before and right_before[0] in _DETERMINERS
    return not (_BOUNDS | _ENDS).isdisjoint(right_before) or (not after_pause and not _BOUNDS.isdisjoint(further))


def _is_wish(near: Sequence[str]) -> bool:
    """Whether a figure is wished for, by the words of its clause before it, nearest first."""
    purpose = near[1:2] == ["to"] and _says(near[0]) and "managed" not in near
    return purpose or not _WISHES.isdisjoint(near[:WISHING])


def _before(words: Sequence[str], said: Sequence[str], start: int, end: int) -> dict[str, str]:
    """Of some words what tells them from others: the word right before, and what stands behind an `of`."""
    found: dict[str, str] = {}
    for at in range(start + 1, min(end, len(said))):
        if said[at] and said[at - 1]:
            found[said[at]] = said[at - 1]
        elif words[at] == "of" and (whose := next(filter(None, said[at + 1 : at + 3]), "")):
            found[f"{said[at - 1]} of"] = whose
    return found


def _around(at: int, bounds: Sequence[tuple[int, str, str]]) -> frozenset[tuple[str, str]]:
    return frozenset((unit, value) for place, unit, value in bounds if at - LEFT <= place <= at + RIGHT)
