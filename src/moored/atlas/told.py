"""What a turn tells of how things stand: its figures, and what its speaker did or never did.

Only what speakers say themselves is read (see `record.own_words`), sentence by sentence. The rules know English.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from moored.atlas.figures import CHANGES, MONTHS, Figure, figures, forms, tokens
from moored.atlas.lexicon import form
from moored.record.own_words import own_sentences

TOPIC = 14
"""Words behind `I never` and `I have` that are read."""

_NEVER = re.compile(
    r"(?P<before>(?:[\w.-]+ ){0,4}[\w.-]+, which )?\b(?:I|we)(?:['\u2019]ve| have)? (?:actually )?never (?P<what>.+)",
    re.IGNORECASE,
)
_NOT_DONE = r"tried|wanted|needed|noticed|decided|planned|considered|heard|been (?:try|hav|consider|think|wonder)"
_ADVERBS = r"(?:(?:already|just|recently|successfully|also|now|finally|currently) )*"
_ALIKE = "met|sent|bought|found|kept|left|lost|paid|put|read|sold|spent|told|won|built|made|set"
_PAST = rf"(?:{_ALIKE}|took|went|did|came|began|chose|gave|wrote|ran|got)"
_PERFECT = rf"(?:{_ALIKE}|taken|gone|done|begun|chosen|given|written|run|been \w+ing)"
_DONE = re.compile(
    rf"\b(?:I|we) {_ADVERBS}(?P<did>(?!{_NOT_DONE})(?:\w+ed|{_PAST}) .+)|"
    rf"\b(?:I|we)(?:['\u2019]ve| have) {_ADVERBS}(?P<done>(?!{_NOT_DONE})(?:\w+ed|{_PERFECT}) .+)|"
    rf"\b(?:I'm|I am|we're|we are|I|we) {_ADVERBS}us(?:e|ing) (?P<used>.+)",
    re.IGNORECASE,
)
_DATED = re.compile(rf"(?<![\w.-])((?:[\w.-]+ ){{1,4}}\w+ed) on (?=(?:{MONTHS}) \d)", re.IGNORECASE)
_CONDITIONS = frozenset(["if", "when", "once", "unless", "should", "can", "could", "would", "do", "did", "how", "what"])
_END = re.compile(r"[;.!?](?=\s|$)|,(?! (?:or|and) )|\b(?:so|but|because|although|though|since)\b", re.IGNORECASE)

_DIGIT = re.compile(r"\d")
_LETTERS = re.compile(r"[a-z]+")

_EMPTY = """
current currently now latest many much number total average project application app my me percentage value recent
recently ever never before still help show tell give explain suggest recommend know think want need try sure example
code implement implementation make best way work review improve optimize issue problem using idea solution handle step
able look like I'm I've I'd it's what's how's
"""
_ASKING = frozenset(map(form, _EMPTY.split()))
"""Words of questions that do not say what they are about."""


class Deed(NamedTuple):
    """What a speaker did, or `never` did: the forms of the words that say what, and the sentence."""

    about: frozenset[str]
    never: bool
    sentence: str


@lru_cache(maxsize=1_024)
def figures_told(text: str) -> tuple[Figure, ...]:
    """The figures of a turn, in their order."""
    return tuple(one for sentence in _said(text) for one in figures(sentence)) if _DIGIT.search(text) else ()


@lru_cache(maxsize=1_024)
def deeds_told(text: str) -> tuple[Deed, ...]:
    """The deeds of a turn, in their order."""
    return tuple(one for sentence in _said(text) for one in _deeds(sentence))


def may_tell_change(text: str) -> bool:
    """Whether a turn has a word that tells of a change: a quick look before it is read."""
    return not CHANGES.isdisjoint(_LETTERS.findall(text.casefold()))


@lru_cache(maxsize=1_024)
def _said(text: str) -> tuple[str, ...]:
    return tuple(own_sentences(text))


def subject(question: str) -> frozenset[str]:
    """The forms of the words of a question that say what it is about."""
    return forms(tokens(question)) - _ASKING


def _deeds(sentence: str) -> list[Deed]:
    if never := _NEVER.search(sentence):
        what = _END.split(never["what"])[0]
        each = [f"{never['before'] or ''}{part}" for part in re.split(r"\bor\b", what)]
        return [Deed(_topic(part), True, sentence) for part in each]
    done = [one["did"] or one["done"] or one["used"] for one in _DONE.finditer(sentence) if _is_plain(sentence, one)]
    dated = _DATED.findall(sentence) if "ed on " in sentence else []
    return [Deed(_topic(_END.split(what)[0]), False, sentence) for what in (*done, *dated)]


def _is_plain(sentence: str, found: re.Match[str]) -> bool:
    """Whether what was found is said, and is no condition or question."""
    before = sentence[: found.start()].split()
    return not before or before[-1].casefold() not in _CONDITIONS


def _topic(text: str) -> frozenset[str]:
    return forms(tokens(text)[:TOPIC]) - _ASKING
