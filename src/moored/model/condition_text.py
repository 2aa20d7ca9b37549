"""Conditions as people write them.

    kind=decision and not (tag=draft or age>90d)
    path=src/api/** and text~"force push"

    either = both { "or" both }
    both   = one { "and" one }
    one    = "not" one | "(" either ")" | field operator value

A value runs to the next blank or parenthesis; one that holds these, or is a word of the language, stands in quotes,
in which a backslash goes before a quote or a backslash. Whatever does not read so is an error with its place.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from moored.errors import InvalidInput
from moored.model.conditions import COMPARED, Clause, Condition, Every, Field, Not, Some
from moored.model.episodes import Trust
from moored.model.notes import State
from moored.model.text import fold, shorten, well_formed

LONGEST = 2_000
"""Characters of a condition."""

DEEPEST = 20
"""Conditions within one another."""

UNITS = {"h": 3_600_000, "d": 86_400_000, "w": 604_800_000, "y": 31_536_000_000}
"""Milliseconds of an hour, a day, a week and a year of 365 days."""

LONGEST_AGE = 1_000
"""Years of the longest age."""

_TOKEN = re.compile(r"""\s*(?:([()]|[<>!]=|[=<>~])|("(?:[^"\\]|\\.)*")|([^\s()"=<>!~]+)|(.))""", re.DOTALL)
_VALUE = re.compile(r"""\s*(?:()("(?:[^"\\]|\\.)*")|([^\s()"=][^\s()"]*)|(.))""", re.DOTALL)
"""A mark, a text in quotes, a word, or a character that begins none of these; what a word may hold differs."""

_AGE = re.compile(r"(\d{1,9})([hdwy])")
_JOINING = ("and", "or", "not")

OPERATORS = {
    **dict.fromkeys(Field, ("=", "!=")),
    Field.AGE: tuple(COMPARED),
    Field.TEXT: ("~",),
}

CHOICES = {Field.VERDICT: tuple(State), Field.TRUST: tuple(Trust)}

EXAMPLES = {
    Field.KIND: "note, episode, fact, or the kind of a note such as decision",
    Field.TAG: "a tag such as auth, or auth*",
    Field.PATH: "a path from the root of the project such as src/api or src/**/*.py",
    Field.SYMBOL: "a name such as Boat.moor, or Boat.*",
    Field.AGE: "an age such as 90d",
    Field.VERDICT: ", ".join(State),
    Field.TRUST: ", ".join(Trust),
    Field.TEXT: 'words in quotes such as "force push"',
}


def parse(text: str) -> Condition:
    """Read a condition. Raises `InvalidInput`, which says what does not read, where, and what could stand there."""
    if len(text) > LONGEST:
        raise InvalidInput(f"The condition has {len(text):,} characters; it may have {LONGEST:,}. Make it shorter.")
    return _Reading(well_formed(text)).whole()


def written(condition: Condition) -> str:
    """The text of a condition, which reads as the same condition again."""
    match condition:
        case Clause(Field.AGE, operator, value):
            return f"age{operator}{_age_text(int(value))}"
        case Clause(field, operator, value):
            return f"{field}{operator}{_quoted(str(value))}"
        case Not(Clause(field, "=", value)):
            return f"{field}!={_quoted(str(value))}"
        case Not(part):
            return f"not {_grouped(part)}"
        case Every(parts):
            return " and ".join(map(_grouped, parts))
        case Some(parts):
            return " or ".join(map(_grouped, parts))


def path_inside(text: str) -> str:
    """A path or pattern from the root of the project, without `./` and an ending slash; empty when it is none."""
    path = fold(well_formed(text)).removeprefix("./").rstrip("/")
    return "" if path.startswith("/") or "\\" in path or ".." in path.split("/") else path


class _Token(NamedTuple):
    """A piece of the text and where it begins. `sort` is `mark`, `quoted`, `word`, `bad` or `end`."""

    sort: str
    text: str
    at: int

    def says(self, word: str) -> bool:
        return self.sort in ("mark", "word") and self.text.lower() == word


class _Reading:
    """One condition being read, from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def whole(self) -> Condition:
        condition = self._either(0)
        if (rest := self._take()).sort != "end":
            raise self._wrong(rest, "nothing joins it to what is before it", "and, or")
        return condition

    def _either(self, depth: int) -> Condition:
        parts = [self._both(depth)]
        while self._goes_on("or"):
            parts.append(self._both(depth))
        return parts[0] if len(parts) == 1 else Some(tuple(parts))

    def _both(self, depth: int) -> Condition:
        parts = [self._one(depth)]
        while self._goes_on("and"):
            parts.append(self._one(depth))
        return parts[0] if len(parts) == 1 else Every(tuple(parts))

    def _one(self, depth: int) -> Condition:
        token = self._take()
        if depth > DEEPEST:
            raise self._wrong(token, f"more than {DEEPEST} conditions stand within one another here", "fewer")
        if token.says("not"):
            return Not(self._one(depth + 1))
        if not token.says("("):
            return self._clause(token)
        condition = self._either(depth + 1)
        if not (end := self._take()).says(")"):
            raise self._wrong(end, f"the parenthesis at character {token.at + 1} is not closed", "), and, or")
        return condition

    def _clause(self, token: _Token) -> Condition:
        if token.sort == "end" or token.sort == "mark" or token.text.lower() in _JOINING:
            raise self._wrong(token, "a condition has to stand here", f"not, (, or one of {', '.join(Field)}")
        name = token.text.lower()
        if token.sort != "word" or name not in set(Field):
            raise self._wrong(token, "there is no such field", ", ".join(Field))
        field, operator = Field(name), self._take()
        possible = OPERATORS[field]
        if operator.sort != "mark" or operator.text not in possible:
            raise self._wrong(operator, f"{field} is not asked so", " ".join(possible))
        value = self._take(_VALUE)
        if value.sort not in ("word", "quoted"):
            raise self._wrong(value, f"{field}{operator.text} has no value", EXAMPLES[field])
        clause = Clause(field, operator.text.removeprefix("!"), self._read(field, value))
        return Not(clause) if operator.text == "!=" else clause

    def _read(self, field: Field, token: _Token) -> str | int:
        """The value of a field as it is compared."""
        value = fold(token.text)
        match field:
            case Field.AGE:
                return self._age(token)
            case Field.VERDICT | Field.TRUST:
                if value.lower() not in CHOICES[field]:
                    raise self._wrong(token, f"there is no such {field}", ", ".join(CHOICES[field]))
                value = value.lower()
            case Field.KIND | Field.TAG:
                value = value.lower().lstrip("#")
            case Field.PATH:
                value = path_inside(value)
                if not value:
                    raise self._wrong(token, "it is no path from the root of the project", EXAMPLES[field])
            case Field.SYMBOL | Field.TEXT:
                pass
        if not re.search(r"[\w*?]", value):
            raise self._wrong(token, f"{field} has no value", EXAMPLES[field])
        return value

    def _age(self, token: _Token) -> int:
        found = _AGE.fullmatch(token.text)
        length = int(found[1]) * UNITS[found[2]] if found else 0
        if not found or length > LONGEST_AGE * UNITS["y"]:
            raise self._wrong(token, "it is no age", "a number with h, d, w or y for hours, days, weeks, years: 90d")
        return length

    def _goes_on(self, word: str) -> bool:
        """Whether a joining word comes next; then it is taken."""
        before = self._at
        if self._take().says(word):
            return True
        self._at = before
        return False

    def _take(self, shape: re.Pattern[str] = _TOKEN) -> _Token:
        """The next piece of the text."""
        found = shape.match(self._text, self._at)
        if found is None:
            self._at = len(self._text)
            return _Token("end", "", self._at)
        self._at = found.end()
        mark, quoted, word, bad = found.groups()
        if mark:
            return _Token("mark", mark, found.start(1))
        if quoted is not None:
            return _Token("quoted", re.sub(r"\\(.)", r"\1", quoted[1:-1], flags=re.DOTALL), found.start(2))
        return _Token("word", word, found.start(3)) if word else _Token("bad", bad, found.start(4))

    def _wrong(self, token: _Token, why: str, possible: str) -> InvalidInput:
        if token.sort == "bad" and token.text == '"':
            why, possible = "this quote is not closed", 'another " behind the text'
        shown = "the end" if token.sort == "end" else f"'{shorten(token.text, 40)}'"
        return InvalidInput(
            f"The condition does not read at character {token.at + 1}, {shown}: {why}. Possible here: {possible}. "
            "Nothing was changed."
        )


def _grouped(part: Condition) -> str:
    text = written(part)
    return f"({text})" if isinstance(part, Every | Some) else text


def _quoted(value: str) -> str:
    """A value as it is written: in quotes where it would not be read as one word otherwise."""
    if re.fullmatch(r"""[^\s()"=][^\s()"]*""", value):
        return value
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _age_text(age: int) -> str:
    """An age in the largest unit that tells it whole."""
    unit = next((unit for unit in ("y", "w", "d") if age % UNITS[unit] == 0), "h")
    return f"{age // UNITS[unit]}{unit}"
