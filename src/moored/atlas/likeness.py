"""How two texts of notes are alike: whether the newer says anything that the older does not, and what.

Words are compared in canonical form, without statistics of the project: what is compared first is what may tell two
facts apart (numbers, names, versions, negations, paths, units, identifiers, quoted words). Where any of these differs,
two texts are never the same, however alike they sound.

Three more things keep texts apart whose words are the same: two words that have exchanged places (`A calls B`), a
number or name with other neighbours, and a word that only one of them denies. So does any plain word that only the
newer text has. No embedder is asked: to one, what is done "partly", "manually" or "twice" is as near as a rewording is.
"""

from __future__ import annotations

import re
from collections import Counter
from enum import StrEnum
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from moored.atlas.lexicon import MEASURED, OPPOSITE, SINGLE
from moored.atlas.statement import Statement, Word, statement

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

LEFT_OUT = 0.2
"""Part of the words of the older text that the newer may leave out and still say the same."""

LEAST = 3
"""Words of the shortest text that can be a part of another: what has fewer may say anything about them."""

SUBJECT = 0.5
"""Part of the words of the shorter text that both must have to speak of the same thing."""

KINDRED = 0.34
"""The same to be related."""


class Likeness(StrEnum):
    """What a newer text is to an older one."""

    SAME = "same"
    NEAR = "near"  # other words, nothing new
    PART = "part"  # the older says this and more
    MORE = "more"  # the newer says what the older does, and more
    UPDATE = "update"  # says that something is another way now
    CONTRADICTION = "contradiction"  # both cannot hold
    RELATED = "related"
    DISTINCT = "distinct"


class Compared(NamedTuple):
    """The outcome, why in words, what only the older and only the newer text has, and how much they share, 0 to 1.

    `covers` says of an update or a contradiction whether the newer text speaks of all that the older says.
    """

    likeness: Likeness
    reason: str
    older: tuple[str, ...] = ()
    newer: tuple[str, ...] = ()
    shared: float = 0.0
    covers: bool = False


class _Pair(NamedTuple):
    """Two statements side by side, by the forms of their words."""

    old: Statement
    new: Statement
    missing: tuple[Word, ...]
    extra: tuple[Word, ...]
    shared: float


def compare(older: str, newer: str) -> Compared:
    """Compare a newer text with an older one."""
    old, new = statement(older), statement(newer)
    if old.tokens == new.tokens:
        return Compared(Likeness.SAME, "says the very same", shared=1.0)
    if old.tokens == tuple(word for word in new.tokens if word != "now"):
        return Compared(Likeness.NEAR, "says the same in other words", shared=1.0)
    pair = _pair(old, new)
    flipped = _flipped(pair)
    if flipped:
        return _denied(pair, flipped)
    clash = _clash(pair)
    if not clash and not pair.old.foreign and not pair.new.foreign:
        same = _nothing_new(pair)
        if same:
            return same
    return _differing(pair, clash, older, newer)


def is_step(text: str) -> bool:
    """Whether a text tells of a step of ongoing work."""
    return _step().search(text.casefold()) is not None


def _pair(old: Statement, new: Statement) -> _Pair:
    mine, yours = old.words, new.words
    had, has = Counter(word.form for word in mine), Counter(word.form for word in yours)
    missing = tuple({word.form: word for word in mine if word.form not in has}.values())
    extra = tuple({word.form: word for word in yours if word.form not in had}.values())
    both = len(had.keys() & has.keys())
    return _Pair(old, new, missing, extra, both / (min(len(had), len(has)) or 1))


def _nothing_new(pair: _Pair) -> Compared | None:
    """The outcome where the newer text says no more than the older, or the older no more than the newer."""
    missing, extra = _forms(pair.missing), _forms(pair.extra)
    left = len(pair.missing) / (len({word.form for word in pair.old.words}) or 1)
    little = left <= LEFT_OUT and not any(word.critical for word in pair.missing)
    if not pair.extra and little:
        return Compared(Likeness.NEAR, "says the same in other words", missing, (), pair.shared)
    if not pair.extra and len(pair.new.words) >= LEAST and _contained(pair.new, pair.old):
        return Compared(Likeness.PART, "says a part of it", missing, (), pair.shared)
    if not pair.missing and pair.extra and _contained(pair.old, pair.new) and _added(pair):
        return Compared(Likeness.MORE, "says it and more", (), extra, pair.shared, covers=True)
    return None


def _added(pair: _Pair) -> bool:
    """Whether what the newer text has besides stands in clauses of its own."""
    had = {word.form for word in pair.old.words}
    return not any(0 < sum(word.form not in had for word in clause) < len(clause) / 2 for clause in pair.new.clauses)


def _contained(small: Statement, large: Statement) -> bool:
    """Whether each clause of one text stands in one clause, or two in a row, of the other, denied alike."""
    spans = [frozenset((word.form, word.denied) for word in clause) for clause in large.clauses]
    rows = [*spans, *(one | two for one, two in pairwise(spans) if len(small.clauses) > 1)]
    return all(
        any({(word.form, word.denied) for word in clause} <= row for row in rows) for clause in small.clauses if clause
    )


def _flipped(pair: _Pair) -> tuple[str, ...]:
    """The words that one text denies and the other asserts.

    Where both deny as often, and one denies some of what the other does and nothing else, it is the same denial in
    other words.
    """
    mine, yours = _polarity(pair.old), _polarity(pair.new)
    here, there = _denials(pair.old), _denials(pair.new)
    no, never = _denied_words(pair.old) & yours.keys(), _denied_words(pair.new) & mine.keys()
    if here == there and no & never and (no <= never or never <= no):
        return ()
    return tuple(
        form
        for form, denied in yours.items()
        if form in mine and len(denied) == 1 and denied != mine[form] and not (denied < mine[form])
    )


def _polarity(text: Statement) -> dict[str, set[bool]]:
    found: dict[str, set[bool]] = {}
    for word in text.words:
        found.setdefault(word.form, set()).add(word.denied)
    return found


def _denials(text: Statement) -> int:
    return sum(any(word.denied for word in clause) for clause in text.clauses)


def _denied_words(text: Statement) -> set[str]:
    return {word.form for word in text.words if word.denied}


def _denied(pair: _Pair, flipped: Sequence[str]) -> Compared:
    older, newer = _forms(pair.missing), _forms(pair.extra)
    one_subject = len(_common(pair)) >= 2 or not (pair.missing or pair.extra)
    if pair.shared < SUBJECT or not one_subject:
        alike = Likeness.RELATED if pair.shared >= KINDRED else Likeness.DISTINCT
        return Compared(alike, "speaks of some of the same things", older, newer, pair.shared)
    covers = _covers(pair)
    if _changed(pair):
        return Compared(Likeness.UPDATE, f"it is another way now: {_list(flipped)}", older, newer, pair.shared, covers)
    why = f"one denies what the other says: {_list(flipped)}"
    return Compared(Likeness.CONTRADICTION, why, older, newer, pair.shared, covers)


def _changed(pair: _Pair) -> bool:
    """Whether only the newer text says that something is another way now."""
    if pair.new.changed:
        return not pair.old.changed
    return pair.new.instead and not pair.old.instead and not any(word.denied for word in pair.old.words)


def _clash(pair: _Pair) -> tuple[str, str] | None:
    """Two words that stand in the same place, or one with other neighbours: the older and the newer, else None."""
    mine, yours = _places(pair.old), _places(pair.new)
    others = [(mine[place], form) for place, form in yours.items() if mine.get(place, form) != form]
    both = _common(pair)
    for was, form in others:
        # Words of both texts have exchanged places when that is seen at either end.
        if not both.issuperset((was, form)) or len(others) > 1:
            return was, form
    near, now = _mates(pair.old), _mates(pair.new)
    for form in near.keys() & now.keys():
        if near[form] and now[form] and not near[form] & now[form]:
            return form, form
    return None


def _places(text: Statement) -> dict[tuple[str, str], str]:
    """The word between each two words, the beginning and the end of the text being words too."""
    forms = ["", *(word.form for word in text.words), ""]
    found: dict[tuple[str, str], str] = {}
    for left, form, right in zip(forms, forms[1:], forms[2:], strict=False):
        found.setdefault((left, right), form)
    return found


def _mates(text: Statement) -> dict[str, set[str]]:
    """The words in the clause of each number and name, where the text has several clauses or several numbers."""
    found: dict[str, set[str]] = {}
    numbers = [word for word in text.words if word.form[:1].isdigit()]
    for clause in text.clauses:
        for at, word in enumerate(clause):
            if not word.critical:
                continue
            beside = clause[max(at - 2, 0) : at + 3] if word in numbers and len(numbers) > 1 else clause
            found.setdefault(word.form, set()).update(one.form for one in beside if one.form != word.form)
    return found


def _differing(pair: _Pair, clash: tuple[str, str] | None, older: str, newer: str) -> Compared:
    missing, extra = _forms(pair.missing), _forms(pair.extra)
    same_thing = pair.shared >= SUBJECT and len(_common(pair)) >= 2
    covers = _covers(pair)
    if same_thing and _changed(pair):
        return Compared(Likeness.UPDATE, "says how it is now", missing, extra, pair.shared, covers)
    if same_thing and (opposed := _opposed(pair)):
        why = f"the opposite: {opposed[0]}, {opposed[1]}"
        return Compared(Likeness.CONTRADICTION, why, missing, extra, pair.shared, covers)
    if same_thing and clash and clash[0] != clash[1] and _other_value(pair, clash, older, newer):
        why = f"another value for the same: {clash[0]}, {clash[1]}"
        return Compared(Likeness.CONTRADICTION, why, missing, extra, pair.shared, covers)
    if pair.shared >= KINDRED and len(_common(pair)) >= 2:
        return Compared(Likeness.RELATED, _why_related(pair), missing, extra, pair.shared)
    return Compared(Likeness.DISTINCT, "says something else", missing, extra, pair.shared)


def _opposed(pair: _Pair) -> tuple[str, str] | None:
    """A word of each text that are opposites."""
    for one in pair.missing:
        for other in pair.extra:
            if frozenset((one.form, other.form)) in OPPOSITE:
                return one.form, other.form
    return None


def _other_value(pair: _Pair, clash: tuple[str, str], older: str, newer: str) -> bool:
    """Whether the words that stand in the same place are values of one thing that can only have one."""
    swapped = not pair.missing and not pair.extra
    if swapped:
        critical = {word.form for word in pair.new.words if word.critical}
        return not critical.isdisjoint(clash)
    if len(pair.missing) != 1 or len(pair.extra) != 1 or _measured().search(f"{older}\n{newer}".casefold()):
        return False
    if is_step(older) or is_step(newer) or clash != (pair.missing[0].form, pair.extra[0].form):
        return False
    if all(form[:1].isdigit() for form in clash):
        # What stands there twice tells which of several things is spoken of: the third shed holds crates of sort 3.
        return [word.form for word in pair.old.words].count(clash[0]) == 1
    at = max(_last(pair.old, clash[0]), 0)
    return at >= 0.5 and _single().search(older.casefold()) is not None


def _last(text: Statement, form: str) -> float:
    """How far into a text a word stands, 0 to 1."""
    forms = [word.form for word in text.words]
    return forms.index(form) / (len(forms) - 1 or 1) if form in forms else -1.0


def _covers(pair: _Pair) -> bool:
    """Whether every clause of the older text shares words with the newer one."""
    has = {word.form for word in pair.new.words}
    return all(sum(word.form in has for word in clause) * 3 >= len(clause) for clause in pair.old.clauses)


@cache
def _step() -> re.Pattern[str]:
    return re.compile(
        r"^\W*(?:step|phase|part|milestone|task|todo|iteration|attempt|run)\s*#?\d+\b|^\W*(?:done|next)\s*:"
    )


@cache
def _measured() -> re.Pattern[str]:
    return re.compile(MEASURED)


@cache
def _single() -> re.Pattern[str]:
    return re.compile(SINGLE)


def _common(pair: _Pair) -> set[str]:
    return {word.form for word in pair.old.words} & {word.form for word in pair.new.words}


def _why_related(pair: _Pair) -> str:
    return f"both speak of {_list(sorted(_common(pair))[:4])}"


def _forms(words: Iterable[Word]) -> tuple[str, ...]:
    return tuple(word.form for word in words)


def _list(words: Sequence[str]) -> str:
    return ", ".join(words)
