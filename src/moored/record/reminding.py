"""Reminders in what somebody says: what is to be told, and on what.

`when_of` reads the words that name an occasion ("editing src/auth.py", "every Monday", "a test fails"); by their form
alone, for what a name stands for is for the ledger to say. `proposed` finds the sentences of a user's turn that ask to
be reminded. What they give is a proposal, never more, and words that are not the user's own give none (I-21).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from moored.model.episodes import Channel, Trust
from moored.model.reminders import ReminderKind, When
from moored.model.schedule import find, read
from moored.model.stopwords import is_stop_word
from moored.record.own_words import own_sentences

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import tzinfo

MAX_LENGTH = 300
"""Characters of the longest sentence that is proposed as a reminder."""

MAX_WORDS = 4
"""Words of a keyword that is read from a sentence; more than these hardly ever stand together again."""

MOST = 5
"""Reminders that one turn proposes."""

TEST_FAILS = "test fails"
COMMAND_FAILS = "command fails"
BRANCH = "branch"
"""How the pattern of an event begins; the last two go on with what they are about."""

_KIND = re.compile(rf"\s*({'|'.join(ReminderKind)})\s*:\s*(.+)", re.IGNORECASE | re.DOTALL)
_OPENS = re.compile(
    r"(?:on|when(?:ever)?|if|once|as soon as|before|after|during|at|(?:the )?next time|every time|each time)\s+",
    re.IGNORECASE,
)
_WHO = r"(?:(?:i|we|you|someone|somebody|anyone|anybody|the agent|it)(?:['\u2019](?:re|m|s))?\s+)?(?:(?:are|am|is)\s+)?"
_AGAIN = r"(?:(?:next|ever|again)\s+)?"
_TOUCHES = re.compile(
    rf"{_WHO}{_AGAIN}(?:touch|edit|chang|modif|refactor|rewrit|open)(?:e|y|es|s|ies|ing|ying)?\s+(?:to\s+)?(.+)|"
    rf"{_WHO}{_AGAIN}(?:work(?:ing|s)?\s+(?:on|in)|look(?:ing|s)?\s+at|com(?:e|es|ing)\s+(?:back\s+)?to|"
    r"get(?:ting|s)?\s+(?:back\s+)?to|go(?:ing|es)?\s+(?:back\s+)?(?:to|into))\s+(.+)",
    re.IGNORECASE | re.DOTALL,
)
_SPEAKS = re.compile(
    rf"{_WHO}{_AGAIN}(?:talk(?:ing)?\s+about|speak(?:ing)?\s+(?:of|about)|mention(?:ing)?|discuss(?:ing)?|"
    r"ask(?:ing)?\s+about)\s+(.+)",
    re.IGNORECASE | re.DOTALL,
)
_TEST = re.compile(
    r"(?:an?y?\s+|the\s+|some\s+)?(?:unit\s+)?(?:tests?|test suite)\s+"
    r"(?:fails?|failed|failing|(?:is|are)\s+(?:red|failing)|breaks?)",
    re.IGNORECASE,
)
_COMMAND = re.compile(
    r"(?:an?y?\s+|the\s+)?command\s+(?:fails|failed)(?:\s*:\s*(.+))?|`([^`]+)`\s+(?:fails?|breaks?)|"
    r"(?:an?y?\s+|the\s+)?command\s+`?([^`]+?)`?\s+fails",
    re.IGNORECASE | re.DOTALL,
)
_BRANCH = re.compile(
    rf"(?:(?:on\s+)?(?:the\s+)?branch\s+|{_WHO}{_AGAIN}(?:check(?:ing)?\s*out|switch(?:ing)?\s+to)\s+(?:the\s+)?(?:branch\s+)?)"
    r"`?([\w*?][\w./*?-]*)`?(?:\s+branch)?(?:\s+is\s+checked\s+out)?",
    re.IGNORECASE,
)
_PATH = re.compile(r"(?:\.{0,2}/)?[\w.@*?-]+(?:/[\w.@*?-]+)*/?")
_EXTENSION = re.compile(r"[^/]\.[A-Za-z]\w{0,9}$")
_SYMBOL = re.compile(r"(?:[\w./-]+::)?[^\W\d]\w*(?:(?:\.|::|#)[^\W\d]\w*)*(?:\(\))?")
_THING = re.compile(
    r"^(?:the|a|an|our|my|this|that)\s+|\s+(?:again|module|file|folder|directory|function|class|method)$|"
    r"^(?:file|folder|directory|module|function|class|method|symbol)\s+(?=\S+$)",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w+")

_MEMORY = (
    r"(?:please\s+|then\s+|also\s+|,\s*)*(?:remember|remind\s+(?:me|us)|do(?:n['\u2019]t|\s+not)\s+forget|keep\s+in\s+mind|"
    r"make\s+sure|be\s+sure|bear\s+in\s+mind)\b"
)
_TOLD = (
    r"(?:please\s+|then\s+|also\s+)*(?:remember|remind|do(?:n['\u2019]t|\s+not)|keep\s+in\s+mind|make\s+sure|be\s+sure|always|"
    r"never|(?:we|you|i)\s+(?:must|should|need\s+to|have\s+to|ought\s+to)|check|run|bump|update|rotate|tell|ask|add|remove|"
    r"use|look|verify|test|regenerate|rebuild|clear|tag|write|call|notify|ping|back\s+up|warn|start|stop|set|rename)\b"
)
_OCCASION = r"(?:(?:the\s+)?next\s+time|every\s+time|each\s+time|when(?:ever)?|once|as\s+soon\s+as|before|after|if)"
_FIRST = re.compile(
    rf"(?:and\s+|so\s+|also,?\s+)?(?P<lead>{_OCCASION})\s+(?P<when>[^,:]+?)\s*[,:]\s*(?P<rest>.+)", re.IGNORECASE
)
_BARE_FIRST = re.compile(rf"(?P<lead>{_OCCASION})\s+(?P<when>.+?)\s+(?P<rest>{_MEMORY}.+)", re.IGNORECASE)
_LAST = re.compile(rf"(?P<memory>{_MEMORY}).+?\s(?P<lead>{_OCCASION})\s+(?P<when>[^,]+)", re.IGNORECASE)
_REMIND = re.compile(
    r"(?:(?:please|and|also|can\s+you|could\s+you)\s+)*remind\s+(?:me|us)\b(?!\s+(?:of|what|how|why|which|where|who|again)\b)(?P<rest>.+)",
    re.IGNORECASE,
)
_LOOSE = re.compile(r"(?:the\s+)?next\s+time|before", re.IGNORECASE)


class Proposed(NamedTuple):
    """A sentence of the user's that asks to be reminded of it, and on what."""

    when: When
    text: str


def proposed(text: str, channel: Channel, trust: Trust, now_ms: int, zone: tzinfo) -> tuple[Proposed, ...]:
    """The reminders for which a turn of the user's asks, said at `now_ms` in a zone.

    Words that came in by any other way than from the user themselves propose nothing.
    """
    if channel is not Channel.USER or trust is not Trust.USER or not _hints(text):
        return ()
    found = [
        Proposed(when, sentence)
        for sentence in own_sentences(text)
        if len(sentence) <= MAX_LENGTH and not sentence.endswith("?") and (when := _asked(sentence, now_ms, zone))
    ]
    return tuple(found[:MOST])


def when_of(text: str, now_ms: int, zone: tzinfo) -> When | None:
    """What an occasion in words is; None for a time that has passed and for words that say nothing.

    `kind: pattern` names the kind; without it the form tells: a time, an event, a path, a symbol, else words that must
    all fall.
    """
    if explicit := _KIND.fullmatch(text):
        return _of_kind(ReminderKind(explicit[1].lower()), explicit[2].strip(), now_ms, zone)
    text = text.strip().rstrip(".")
    if schedule := read(text, now_ms, zone):
        return When(ReminderKind.TIME, schedule.text)
    return next((when for one in _readings(text) if (when := _by_form(one))), None)


def _readings(text: str) -> Iterator[str]:
    yield text
    if opening := _OPENS.match(text):
        yield text[opening.end() :]


def _by_form(text: str) -> When | None:
    if event := event_of(text):
        return When(ReminderKind.EVENT, event)
    if touches := _TOUCHES.fullmatch(text):
        return _target(touches[1] or touches[2])
    if speaks := _SPEAKS.fullmatch(text):
        return When(ReminderKind.ENTITY, _bare(speaks[1]))
    if _OPENS.match(text):
        return None
    return _target(text)


def _target(text: str) -> When | None:
    """A path, a symbol, or the words."""
    name = _bare(text)
    if name and _PATH.fullmatch(name) and ("/" in name or _EXTENSION.search(name)) and not name.endswith("()"):
        kind = ReminderKind.DIRECTORY if name.endswith("/") else ReminderKind.FILE
        return When(kind, name.removeprefix("./"))
    if _SYMBOL.fullmatch(name) and _looks_like_code(name):
        return When(ReminderKind.SYMBOL, name.removesuffix("()"))
    words = [word for word in _WORD.findall(text) if not is_stop_word(word)]
    return When(ReminderKind.KEYWORD, " ".join(words[:MAX_WORDS])) if words else None


def _of_kind(kind: ReminderKind, pattern: str, now_ms: int, zone: tzinfo) -> When | None:
    match kind:
        case ReminderKind.TIME:
            schedule = read(pattern, now_ms, zone)
            return When(kind, schedule.text) if schedule else None
        case ReminderKind.EVENT:
            event = event_of(pattern)
            return When(kind, event) if event else None
        case ReminderKind.SYMBOL:
            return When(kind, pattern.removesuffix("()"))
        case ReminderKind.DIRECTORY | ReminderKind.FILE:
            return When(kind, pattern.removeprefix("./"))
        case _:
            return When(kind, pattern) if _WORD.search(pattern) else None


def event_of(text: str) -> str | None:
    """The pattern of an event: a test fails, a command (all or a pattern of one) fails, a branch is checked out."""
    if _TEST.fullmatch(text):
        return TEST_FAILS
    if command := _COMMAND.fullmatch(text):
        named = " ".join((command[1] or command[2] or command[3] or "").split())
        return f"{COMMAND_FAILS}: {named}" if named else COMMAND_FAILS
    branch = _BRANCH.fullmatch(text)
    return f"{BRANCH} {branch[1]}" if branch else None


def _hints(text: str) -> bool:
    """Whether a reminder may stand in a text at all: most turns have none, and cost nothing more."""
    lowered = text[:20_000].lower()
    return any(hint in lowered for hint in ("remind", "remember", "forget", "next time", "before", "mind", "sure"))


def _asked(sentence: str, now_ms: int, zone: tzinfo) -> When | None:
    """On what a sentence asks to be reminded, if it does."""
    said = sentence.rstrip(".! ")
    if reminded := _REMIND.fullmatch(said):
        if timed := find(reminded["rest"], now_ms, zone):
            return When(ReminderKind.TIME, timed.schedule.text)
        last = re.search(
            rf"\s({_OCCASION})\s+(?P<when>.+?)(?:\s+(?:to|that|about)\s+.+)?$", reminded["rest"], re.IGNORECASE
        )
        return _occasion(last["when"], now_ms, zone) if last else None
    first = _FIRST.fullmatch(said)
    if first and (re.match(_MEMORY, first["rest"], re.IGNORECASE) or _is_told(first)):
        return _occasion(first["when"], now_ms, zone)
    for pattern in (_BARE_FIRST, _LAST):
        if found := pattern.fullmatch(said):
            return _occasion(found["when"], now_ms, zone)
    return None


def _is_told(first: re.Match[str]) -> bool:
    """Whether what follows "next time we deploy" or "before the release" says what to do then."""
    return bool(_LOOSE.fullmatch(first["lead"]) and re.match(_TOLD, first["rest"], re.IGNORECASE))


def _occasion(words: str, now_ms: int, zone: tzinfo) -> When | None:
    """On what a clause falls: a time where it names one, else what it is about."""
    if schedule := read(words, now_ms, zone):
        return When(ReminderKind.TIME, schedule.text)
    if event := event_of(words):
        return When(ReminderKind.EVENT, event)
    when = _by_form(words)
    if when and when.kind is ReminderKind.KEYWORD:
        bare = re.sub(rf"^{_WHO}{_AGAIN}", "", words, flags=re.IGNORECASE)
        kept = [word for word in _WORD.findall(bare) if not is_stop_word(word)]
        return When(ReminderKind.KEYWORD, " ".join(kept)) if 0 < len(kept) <= MAX_WORDS else None
    return when


def _bare(text: str) -> str:
    """A name without articles, quotes and what kind of thing it is."""
    before = ""
    name = text.strip()
    while name != before:
        before, name = name, _THING.sub("", name.strip().strip("`'\"")).strip()
    return name


def _looks_like_code(name: str) -> bool:
    """Whether a name is written as only code is: joined, called, with an underscore or a capital inside."""
    plain = name.removesuffix("()")
    inside = any(char.isupper() for char in plain[1:]) and any(char.islower() for char in plain)
    return plain != name or "_" in plain.strip("_") or inside or any(mark in plain for mark in (".", "::", "#"))
