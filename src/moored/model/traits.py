"""What kind of thing a window says, as far as its words show it: a bit mask that is read once, at admission.

The rules are patterns over English words. They err on the side of silence: a trait only lifts what a question already
points to.
"""

from __future__ import annotations

import re
from functools import cache

DIRECTIVE = 1
"""A standing instruction: how something is to be done from now on."""

PREFERENCE = 2
"""What somebody likes, wants or avoids."""

TIMED = 4
"""Says when something happens or happened, or for how long."""

QUESTION = 8
"""A short turn that ends with a question mark: it holds what is asked, and seldom what is known."""

FOLLOWS = 16
"""Stands right after a question that somebody else asked."""

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

_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_DAYS = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_SPANS = "(?:minute|hour|night|day|weekend|week|month|quarter|year|decade)"
_TIMES = (
    r"yesterday|today|tonight|tomorrow|ago|recently|lately|since|just|deadline|weekend|by the end|"
    rf"(?:last|next|this|past|previous|coming) (?:{_SPANS}s?|summer|winter|spring|fall|autumn|{_DAYS}|{_MONTHS})|"
    rf"{_DAYS}s?|{_MONTHS}|(?:\d+|a few|few|several|a couple of) {_SPANS}s?|"
    r"(?:19|20)\d\d(?:-\d\d-\d\d)?"
)
# One of these stands in everything that the pattern finds; to look for them first is ten times as fast.
_TELLING = (
    *("day", "month", "year", "week", "night", "hour", "minute", "quarter", "decade", "tomorrow", "ago", "recently"),
    *("lately", "since", "just", "deadline", "by the end", "summer", "winter", "spring", "fall", "autumn", "19", "20"),
    *_MONTHS.split("|"),
)


# What follows in brackets describes an attachment.
_ASKS = re.compile(r"\?\W*(?:\[[^\]\n]{1,400}\]\s*)*$")
_NAME = re.compile(r"(?<=[a-z,'] )[A-Z][a-z]+")


def traits_of(text: str, window: str, *, by_person: bool) -> int:
    """The traits of a window of a text. Only what a person said instructs or prefers."""
    lowered = window.lower()
    found = TIMED if any(word in lowered for word in _TELLING) and _timed().search(lowered) else 0
    if by_person:
        if len(text) <= SHORT and _directive().search(window):
            found |= DIRECTIVE
        if _preference().search(window):
            found |= PREFERENCE
    if len(window) == len(text) and len(text) <= SHORT_QUESTION and _ASKS.search(text):
        found |= QUESTION
    if _number().search(lowered):
        found |= NUMBER
    if _first_person().search(lowered):
        found |= FIRST_PERSON
    if _event().search(lowered):
        found |= EVENT
    if _acknowledges().match(lowered):
        found |= ACKNOWLEDGES
    if '"' in window or "\u201c" in window:
        found |= QUOTED
    return found | min(len(_NAME.findall(window)), MOST_NAMES) << NAMES


def names_in(traits: int) -> int:
    """How many capitalised words stand inside the sentences of a window, up to `MOST_NAMES`."""
    return traits >> NAMES & MOST_NAMES


# Made when they are needed: programs that read no text, such as the hook, start sooner.
@cache
def _directive() -> re.Pattern[str]:
    return re.compile(rf"(?:^|[.!?:;]\s|\n)\W*(?:please,? )?(?:{_OPENS})|\b{_OCCASION}", re.IGNORECASE)


@cache
def _preference() -> re.Pattern[str]:
    return re.compile(_PREFERS, re.IGNORECASE)


@cache
def _number() -> re.Pattern[str]:
    return re.compile(
        r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|once|twice|couple|few|dozen|hundred|thousand|half)\b"
    )


@cache
def _first_person() -> re.Pattern[str]:
    return re.compile(r"\b(?:i|me|my|mine|we|us|our|ours)\b")


@cache
def _event() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:i|we) (?:\w+ed|went|got|had|made|took|saw|met|did|bought|found|won|read|wrote|gave|ran)\b|"
        rf"\b(?:just|recently|last (?:{_SPANS}|{_DAYS})|yesterday|today|the other day|lately)\b"
    )


@cache
def _acknowledges() -> re.Pattern[str]:
    return re.compile(
        r"\W*(?:wow|thank|that|yeah|yep|yes|cool|awesome|nice|great|congrat|sounds|glad|sure|absolutely|definitely|"
        r"totally|haha|oh|agreed)"
    )


@cache
def _timed() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{_TIMES})\b")
