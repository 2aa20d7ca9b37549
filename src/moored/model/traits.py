"""What kind of thing a window says, as far as its words show it: a bit mask that is read once, at admission.

The rules are patterns over English words. They err on the side of silence: a trait only lifts what a question already
points to.
"""

from __future__ import annotations

import re
from functools import cache
from string import ascii_letters, digits
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

DIRECTIVE = 1
"""A standing instruction: how something is to be done from now on."""

PREFERENCE = 2
"""What somebody likes, wants or avoids."""

TIMED = 4
"""Says when something happens or happened, or for how long."""

QUESTION = 8
"""A short turn that ends with a question mark: it holds what is asked, and seldom what is known."""

FOLLOWS = 16
"""Stands right after a question that somebody else asked; what a tool gave back, after what an agent said before."""

NUMBER = 32
"""Has a number in it, in digits or in words."""

FIRST_PERSON = 64
"""Speaks of the speaker."""

NAMES = 7
"""The bit from which on the mask counts capitalised words inside sentences, up to `MOST_NAMES`."""

MOST_NAMES = 3

EVENT = 512
"""Tells what the speaker did, or what happened lately."""

ACKNOWLEDGES = 1024
"""Opens by answering to what was said: thanks, praise, agreement."""

QUOTED = 2048
"""Has something in double quotation marks, such as a title."""

ERROR = 4096
"""Of what a tool gave back: something went wrong, an exception, a failure, an exit status that is not 0."""

SHORT_QUESTION = 200
"""Characters of the longest question that counts as one."""

SHORT = 300
"""Characters of the longest text that can be a standing instruction."""

# A standing instruction opens a sentence, or names the occasion on which it holds.
_OPENS = (
    r"always|never|from now on|from here on|going forward|in (?:the )?future,|do not ever|don['\u2019]t ever|"
    r"remember to|remember that you|make sure (?:to|you|that)|be sure to|every time (?:i|you|we)"
)
_OCCASION = r"when(?:ever)? i(?:['\u2019]m| am)? (?:ask|asking|request|requesting|say)\b"

_PREFERS = (
    r"\bi(?:['\u2019]d| would)? (?:(?:really|always|usually|generally|much|also|just|don['\u2019]t|do not) )?"
    r"(?:prefer|like to|hate|love|dislike|avoid|enjoy|want you to|would rather)\b|"
    r"\bi['\u2019]d rather\b|\bmy (?:preference|favou?rite|preferred|go-to)\b"
)

# To look a pattern up takes ten times as long as to see that none of its words stands there. So a window is cut into
# its words once, and a pattern is looked up only where one of these does.
_DIRECTS = ("always", "never", "from ", "going forward", "in ", "ever", "remember t", "sure t", "every time", "when")
_PREFERRED = frozenset(["prefer", "like", "hate", "love", "dislike", "avoid", "enjoy", "want", "rather"])
_MINE_PREFERRED = frozenset(["preference", "favorite", "favourite", "preferred", "go"])

_MONTHS = [
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
]
_DAYS = [f"{day}day" for day in ("mon", "tues", "wednes", "thurs", "fri", "satur", "sun")]
_SPANS = ["minute", "hour", "night", "day", "weekend", "week", "month", "quarter", "year", "decade"]
_SEASONS = ["summer", "winter", "spring", "fall", "autumn"]
_TIMES = frozenset(
    [
        *("yesterday", "today", "tonight", "tomorrow", "ago", "recently", "lately", "since", "just", "deadline"),
        *("weekend", *_MONTHS, *_DAYS, *(f"{day}s" for day in _DAYS)),
    ]
)
"""Words that tell a time by themselves."""

_MEASURES = frozenset([*_SPANS, *(f"{span}s" for span in _SPANS), *_SEASONS, "end"])
"""Words that tell one together with those before them."""

_NUMBERS = frozenset(
    [
        *("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
        *("once", "twice", "couple", "few", "dozen", "hundred", "thousand", "half"),
    ]
)
_FIRST_PERSON = frozenset(["i", "me", "my", "mine", "we", "us", "our", "ours"])
_LATELY = frozenset(["just", "recently", "yesterday", "today", "lately"])
_LATELY_MEASURES = frozenset([*_SPANS, *_DAYS])

# What follows in brackets describes an attachment.
_ASKS = re.compile(r"\?\W*(?:\[[^\]\n]{1,400}\]\s*)*$")
_NAME = re.compile(r"[A-Z](?<=[a-z,'] [A-Z])[a-z]+")
_WORD = re.compile(r"\w+")
_DIGIT = re.compile(r"\d")
_BLANKED = bytes(byte if chr(byte) in f"{ascii_letters}{digits}_" else 32 for byte in range(256))


def traits_of(text: str, window: str, *, by_person: bool) -> int:
    """The traits of a window of a text. Only what a person said instructs or prefers."""
    lowered = window.lower()
    words = _words(lowered)
    found = 0
    if _is_timed(lowered, words):
        found |= TIMED
    if by_person:
        if len(text) <= SHORT and any(part in lowered for part in _DIRECTS) and _directive().search(lowered):
            found |= DIRECTIVE
        if _prefers(lowered, words):
            found |= PREFERENCE
    if len(window) == len(text) and len(text) <= SHORT_QUESTION and _ASKS.search(text):
        found |= QUESTION
    if not _NUMBERS.isdisjoint(words) or _has_digit(lowered):
        found |= NUMBER
    if not _FIRST_PERSON.isdisjoint(words):
        found |= FIRST_PERSON
    if _tells_event(lowered, words):
        found |= EVENT
    if _acknowledges().match(lowered):
        found |= ACKNOWLEDGES
    if '"' in window or "\u201c" in window:
        found |= QUOTED
    return found | min(len(_NAME.findall(window)), MOST_NAMES) << NAMES


def of_output(window: str, *, failed: bool) -> int:
    """The traits of a window of what a tool gave back. `failed` says that its exit status was not 0."""
    return ERROR if failed or _error().search(window) else 0


def names_in(traits: int) -> int:
    """How many capitalised words stand inside the sentences of a window, up to `MOST_NAMES`."""
    return traits >> NAMES & MOST_NAMES


def _words(lowered: str) -> set[str]:
    """The words of a text, as `_WORD` finds them, which takes three times as long."""
    if lowered.isascii():
        return set(lowered.encode().translate(_BLANKED).decode().split())
    return set(_WORD.findall(lowered))


def _has_digit(lowered: str) -> bool:
    return any(digit in lowered for digit in digits) or (not lowered.isascii() and bool(_DIGIT.search(lowered)))


def _is_timed(lowered: str, words: AbstractSet[str]) -> bool:
    if not _TIMES.isdisjoint(words):
        return True
    if ("19" in lowered or "20" in lowered) and any(_is_year(word) for word in words):
        return True
    return not _MEASURES.isdisjoint(words) and bool(_measured().search(lowered))


def _is_year(word: str) -> bool:
    return len(word) == 4 and word.startswith(("19", "20")) and word.isdecimal()


def _prefers(lowered: str, words: AbstractSet[str]) -> bool:
    likely = ("i" in words and not _PREFERRED.isdisjoint(words)) or (
        "my" in words and not _MINE_PREFERRED.isdisjoint(words)
    )
    return likely and bool(_preference().search(lowered))


def _tells_event(lowered: str, words: AbstractSet[str]) -> bool:
    if not _LATELY.isdisjoint(words):
        return True
    if ("i" in words or "we" in words) and _did().search(lowered):
        return True
    if "other" in words and _other_day().search(lowered):
        return True
    return "last" in words and not _LATELY_MEASURES.isdisjoint(words) and bool(_last().search(lowered))


# Made when they are needed: programs that read no text, such as the hook, start sooner.
@cache
def _directive() -> re.Pattern[str]:
    return re.compile(rf"(?:^|[.!?:;]\s|\n)\W*(?:please,? )?(?:{_OPENS})|\b{_OCCASION}")


@cache
def _preference() -> re.Pattern[str]:
    return re.compile(_PREFERS)


@cache
def _measured() -> re.Pattern[str]:
    spans = "|".join(_SPANS)
    return re.compile(
        rf"\b(?:by the end|(?:last|next|this|past|previous|coming) (?:(?:{spans})s?|{'|'.join(_SEASONS)})|"
        rf"(?:\d+|few|several|a couple of) (?:{spans})s?)\b"
    )


# To begin with a letter, and look back from it, is what lets the engine skip to where the letter stands.
@cache
def _did() -> re.Pattern[str]:
    return re.compile(
        r"(?:i(?<!\wi)|we(?<!\wwe)) (?:\w+ed|went|got|had|made|took|saw|met|did|bought|found|won|read|wrote|gave|ran)\b"
    )


@cache
def _last() -> re.Pattern[str]:
    return re.compile(rf"last(?<!\wlast) (?:{'|'.join([*_SPANS, *_DAYS])})\b")


@cache
def _other_day() -> re.Pattern[str]:
    return re.compile(r"the(?<!\wthe) other day\b")


@cache
def _acknowledges() -> re.Pattern[str]:
    return re.compile(
        r"\W*(?:wow|thank|that|yeah|yep|yes|cool|awesome|nice|great|congrat|sounds|glad|sure|absolutely|definitely|"
        r"totally|haha|oh|agreed)"
    )


@cache
def _error() -> re.Pattern[str]:
    return re.compile(
        r"Traceback \(most recent|\b[A-Z]\w*(?:Error|Exception)\b|^ {0,8}(?:\w+ )?(?:error|fatal|panic)(?:\[\w+\])?:|"
        r"\bpanicked at\b|\bFAIL(?:ED|URES?)?\b|\b[1-9]\d* (?:failed|errors?)\b|\bexit (?:code|status)[: ]+[1-9]|"
        r"\bcommand not found\b|\bNo such file or directory\b|\bsyntax error|\b[Pp]ermission denied\b|\bnpm ERR!",
        re.MULTILINE,
    )
