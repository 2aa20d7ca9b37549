"""What a short text states, as far as its words show it: clauses of comparable words, some of them denied.

Words come in canonical form (see `lexicon`): `The timeouts are thirty seconds` and `timeout: 30 s` have the same. What
may tell two facts apart is marked as critical: numbers, names, versions, paths, identifiers, quoted and marked words.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from moored.atlas.lexicon import (
    CUES,
    DENIES,
    ENDS_DENIAL,
    GONE,
    GROUPS,
    NUMBERS,
    PASSIVE,
    PHRASES,
    WAS,
    is_light,
    stem,
)
from moored.model.terms import is_mostly_cjk

if TYPE_CHECKING:
    from collections.abc import Sequence

REACH = 2
"""Words that a denial reaches."""

_TOKEN = re.compile(
    r"[~.]{0,2}/?(?<![\w])-{0,2}\w+(?:(?:[./\\:@#&+]|::|->|-|_|(?<=\d),(?=\d))+\w+)*\+{0,2}/?|==|!=|<=|>=|\*"
)
_CLAUSE = re.compile(
    r"[;:.!?](?=\s|$)|\n|,|\s-\s|[()\u2013\u2014\u3002\uff0c]|\b(?:and|but|while|whereas|und|aber|y|et|mais|pero)\b"
)
_UNIT = re.compile(
    r"(?<![\w.])(\d+(?:[.,]\d+)?) ?(ms|sec|s|min|h|kb|mb|gb|tb|kib|mib|gib|%|px|days?)(?![\w])", re.IGNORECASE
)
_MARKED = re.compile(r"`([^`\n]+)`|\"([^\"\n]+)\"")
_QUOTED = re.compile(r"\"([^\"\n]{1,120})\"")
_CONTRACTED = re.compile(r"\b(can|do|does|did|is|are|was|were|has|have|should|must|would|could)n't\b", re.IGNORECASE)
_CODE = re.compile(r"[\d_./\\:@#&+]|^-|[a-z][A-Z]|==|!=|[<>]=")
_MEANING = frozenset(["before", "after", "atmost", "atleast", "above", "below", "parallel", "always", "only"])
_QUOTES = str.maketrans("\u2018\u2019\u201c\u201d\u00ab\u00bb\u201e", '\'\'"""""')


class Word(NamedTuple):
    """A word of a text: its canonical `form`, whether it is `critical`, and whether its clause denies it."""

    form: str
    critical: bool
    denied: bool


class Statement(NamedTuple):
    """A text as it is compared: its raw tokens, its clauses, and whether it says that something changed.

    `instead` says that it names what it takes the place of, which may be a change. `foreign` says that the lists of
    English words tell little about it.
    """

    tokens: tuple[str, ...]
    clauses: tuple[tuple[Word, ...], ...]
    changed: bool
    instead: bool
    foreign: bool

    @property
    def words(self) -> tuple[Word, ...]:
        return tuple(word for clause in self.clauses for word in clause)


@lru_cache(maxsize=256)
def statement(text: str) -> Statement:
    """Read a text."""
    plain = unicodedata.normalize("NFKC", text.translate(_QUOTES))
    marked = frozenset(
        token.casefold()
        for span in _MARKED.finditer(plain)
        for token in _TOKEN.findall(span[1] or span[2])
        if len(span[0]) < 120
    )
    tokens = tuple(_shape(token) for token in _TOKEN.findall(_UNIT.sub(r"\1 \2", plain.replace("`", ""))))
    named = _names(plain)
    quoted = _QUOTED.sub(lambda said: " " + "_".join(said[1].casefold().split()) + " ", plain.replace("`", ""))
    spelled = _phrased(_UNIT.sub(r"\1 \2", quoted))
    clauses = _joined([_clause(part, marked, named) for part in _CLAUSE.split(_kept_numbers(spelled))])
    said = plain.casefold()
    changed = _cue().search(said) is not None
    return Statement(tokens, clauses, changed, "instead of" in said, is_mostly_cjk(plain))


def _shape(token: str) -> str:
    """A token as it is compared for sameness: plain words in any case, what looks like code in its own."""
    return token if _CODE.search(token) else token.casefold()


@cache
def _cue() -> re.Pattern[str]:
    return re.compile(CUES)


@cache
def _phrases() -> Sequence[tuple[re.Pattern[str], str]]:
    return [(re.compile(pattern, re.IGNORECASE), by) for pattern, by in PHRASES]


def _phrased(text: str) -> str:
    spelled = _CONTRACTED.sub(r"\1 not", text)
    for pattern, by in _phrases():
        spelled = pattern.sub(by, spelled)
    return spelled


def _kept_numbers(text: str) -> str:
    """Numbers with a comma inside, such as 1,000, in one piece."""
    return re.sub(r"(?<=\d),(?=\d{3}\b)", "", text)


def _names(text: str) -> frozenset[str]:
    """Capitalised words that do not begin a sentence, and those in capitals."""
    inside = re.findall(r"(?<=[\w,;'\")`] )[A-Z]\w+", text)
    return frozenset(word.casefold() for word in (*inside, *re.findall(r"\b[A-Z]{2,}\b", text)))


def _clause(text: str, marked: frozenset[str], named: frozenset[str]) -> tuple[Word, ...]:
    words: list[Word] = []
    denying = denied = False
    before = ""
    for token in _pieces(_active(text), marked):
        folded = token.casefold()
        form, code = _form(token, folded)
        if folded in DENIES:
            denying = denied = True
        elif denying and folded in ENDS_DENIAL:
            denying = not any(word.denied for word in words)
        elif denying and [word.denied for word in words[-REACH:]] == [True] * REACH:
            denying = False
        if form in GONE and before in WAS:
            words = [word._replace(denied=not word.denied) for word in words]
        if folded not in DENIES and (code or not is_light(folded)):
            critical = code or folded in marked or folded in named or form in _MEANING
            words.append(Word(form, critical, denying))
        if form in GONE and before not in WAS and folded.endswith("ed"):
            denying = True
        before = folded
    if denied and not any(word.denied for word in words):
        # `support pages do not`: the denial closes the clause.
        words = [word._replace(denied=True) for word in words]
    return tuple(words)


@cache
def _passive() -> re.Pattern[str]:
    return re.compile(PASSIVE, re.IGNORECASE | re.DOTALL)


def _active(clause: str) -> str:
    """A clause with what does something before what it does it to."""
    found = _passive().match(clause)
    return f"{found[3]} {found[2]} {found[1]} {found[4]}" if found else clause


def _pieces(text: str, marked: frozenset[str]) -> list[str]:
    """The tokens of a text; a word with hyphens that is neither marked nor looks like code is several."""
    found: list[str] = []
    for token in _TOKEN.findall(text):
        if token.casefold() not in marked and re.fullmatch(r"[^\W\d_]+(?:-[^\W\d_]+)+", token):
            found += token.split("-")
        else:
            found.append(token)
    return found


@lru_cache(maxsize=8_192)
def _form(token: str, folded: str) -> tuple[str, bool]:
    """The form of a token, and whether it looks like code or a number."""
    if folded in NUMBERS:
        return NUMBERS[folded], True
    if _CODE.search(token):
        return token.rstrip("/.") or token, True
    base = stem(folded.removesuffix("'s"))
    return GROUPS.get(base, base), False


def _joined(clauses: Sequence[tuple[Word, ...]]) -> tuple[tuple[Word, ...], ...]:
    """The clauses, each of a single word with the one before it: those of a list are no clauses of their own."""
    found: list[tuple[Word, ...]] = []
    for clause in clauses:
        if not clause:
            continue
        if found and len(clause) == 1 and not clause[0].denied:
            found[-1] = (*found[-1], *clause)
        else:
            found.append(clause)
    return tuple(found)
