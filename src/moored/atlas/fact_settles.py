"""What a fact says of a dispute: which of two notes has the value that a file states now, if a parser reads one there.

Only one sort of dispute is settled so: two notes that say the same but for a value, both as something that is so, where
one key, constant or version of the project bears the name of what they speak of. In doubt nothing is said: where either
denies or prescribes something, where two files differ, where the key is of a test or of other people's code, where its
name has words that the notes do not have. Nothing is stored, so a value that changes again says something else.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from moored.atlas.likeness import Likeness, compare
from moored.atlas.profile.standing import is_learned
from moored.atlas.statement import Word, statement
from moored.atlas.values import VALUE, bare, proposed_value_text
from moored.model.clock import iso
from moored.model.facts import FactKind
from moored.model.notes import AnchorRole
from moored.model.places import in_earnest
from moored.model.seeding import SEED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from moored.ledger.sight import FactNow, Sight
    from moored.model.notes import Note
    from moored.store.port import View

LONGEST_NAME = 3
"""Words of a text in a row that may be the last part of a key: `max idle time` is `max_idle_time`."""

MOST_NAMES = 60
"""Places in a text at which a name is looked for."""

MANY = 200
"""Things of one name from which on it tells nothing which is meant."""

_KINDS = (FactKind.CONFIG_KEY, FactKind.CONSTANT)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_PLAIN = re.compile(r"[\w./:@+-]+")
_NUMBER = re.compile(r"\d+(?:\.\d+)*")
_RANGE = re.compile(r"[<>~^*|,\s]|!=")
_NOT_SO = (
    r"\?|\b(?:should|shall|must|will|would|could|might|may|plan\w*|want\w*|propos\w*|prefer\w*|suggest\w*|if|unless)\b"
)
_OF_PACKAGES = re.compile(r"(?:^|\.)(?:(?:dev-?|peer|optional|build-)?dependencies|require(?:-dev)?)$", re.IGNORECASE)
_LISTS_PACKAGES = re.compile(r"(?:^|/)(?:(?:requirements|constraints)[\w.-]*\.txt|[\w.-]+\.lock|[\w-]+-lock\.\w+)$")
_SAYS_LITTLE = frozenset(
    {
        *("app", "application", "base", "common", "conf", "config", "configuration", "constant", "constants"),
        *("default", "defaults", "env", "global", "globals", "index", "init", "main", "options", "project"),
        *("settings", "src", "tool"),
    }
)
"""Words in the names of sections and files that say nothing of what a key is about."""


class Stated(NamedTuple):
    """What a fact says of a dispute.

    `holds` is the id of the note that says so too; empty where none does, and then `text` is what the newer note says
    with that value. `address`, `value` and `hash` are those of the fact as it stands now, `fact` its id, `since` when
    it became so (milliseconds; 0 where the ledger was not told yet). `was` is what the other note has in its place.
    """

    holds: str
    fact: str
    address: str
    value: str
    hash: str
    since: int
    was: str
    text: str = ""

    @property
    def said(self) -> str:
        """What the fact states, in words."""
        return f"{self.address} is {self.value}" + (f" since {iso(self.since)}" if self.since else "")

    @property
    def told(self) -> str:
        """The same with the side that says so."""
        return f"{self.said}, as {self.holds} says" if self.holds else f"{self.said}, as neither says"


class _Differing(NamedTuple):
    """What two statements share, by the forms of their words, and the value that each has instead."""

    common: frozenset[str]
    older: frozenset[str]
    newer: frozenset[str]


def stated(view: View, sight: Sight, newer: Note, older: Note) -> Stated | None:
    """What a fact of the tree, as it is on disk now, says of two notes that cannot both hold; None if nothing does."""
    if any(is_learned(note) or note.head.actor == SEED for note in (newer, older)):
        return None
    differing = _differing(older.head.text, newer.head.text)
    if differing is None:
        return None
    facts = _named_by_anchors(view, sight, newer, older, differing) or _named_by_words(view, sight, newer, differing)
    values = {_value(fact) for fact in facts}
    if len(values) != 1:
        return None
    fact, value = facts[0], values.pop()
    forms = _forms(value)
    sides = {older.id: differing.older, newer.id: differing.newer}
    saying = [note for note, said in sides.items() if said == forms]
    if saying:
        (other,) = (said for note, said in sides.items() if note != saying[0])
        return _stated(view, sight, saying[0], fact, value, " ".join(sorted(other)))
    was = _plain_value(differing.newer, value)
    text = proposed_value_text(newer.head.text, was, value) if was else None
    return _stated(view, sight, "", fact, value, was, text) if text else None


def _stated(view: View, sight: Sight, holds: str, now: FactNow, value: str, was: str, text: str = "") -> Stated:
    known = view.facts.get(sight.tree.project, now.fact) if now.fact else None
    since = known.since if known and known.body_hash == now.body_hash else 0
    return Stated(holds, now.fact, f"{now.path}::{now.name}", value, now.body_hash, since, was, text)


def _differing(older: str, newer: str) -> _Differing | None:
    """Two texts as what they share and the value in which they differ; None where they differ otherwise."""
    old, new = statement(older), statement(newer)
    compared = compare(older, newer)
    if compared.likeness not in (Likeness.CONTRADICTION, Likeness.UPDATE) or _not_so().search(f"{older}\n{newer}"):
        return None
    if old.foreign or new.foreign or any(word.denied for word in (*old.words, *new.words)):
        return None
    was, now = _telling(old.words, compared.older), _telling(new.words, compared.newer)
    if not was or not now:
        return None
    common = frozenset(word.form for word in old.words) & frozenset(word.form for word in new.words)
    return _Differing(common, was, now)


def _telling(words: Iterable[Word], only: tuple[str, ...]) -> frozenset[str]:
    """Of the words that only one text has: those that look like a value, or all where none does."""
    critical = frozenset(word.form for word in words if word.critical and word.form in only)
    return critical or frozenset(only)


def _named_by_anchors(view: View, sight: Sight, newer: Note, older: Note, differing: _Differing) -> list[FactNow]:
    """The values that the notes are about, of several those of which both texts have the name, and their namesakes."""
    wanted = {
        (anchor.path, anchor.name): None
        for note in (newer, older)
        for anchor in note.head.anchors
        if anchor.role is AnchorRole.ABOUT and anchor.kind in _KINDS and in_earnest(anchor.path)
    }
    found = [fact for path, name in wanted for fact in sight.find(path, name) if _value(fact)]
    named = [fact for fact in found if _forms(_words(_leaf(fact.name))) <= differing.common]
    meant = (named or found) if len(found) > 1 else found
    others = [one for name in {fact.name for fact in meant} for one in view.facts.named(sight.tree, name)]
    places = {(one.path, one.name): None for one in others if one.kind in _KINDS and in_earnest(one.path)}
    return [*meant, *(fact for path, name in places for fact in sight.find(path, name) if _value(fact))]


def _named_by_words(view: View, sight: Sight, note: Note, differing: _Differing) -> list[FactNow]:
    """The values whose whole name stands in both texts, with those of the same name that may be meant as well."""
    places: dict[tuple[str, str], None] = {}
    for name in _names(note.head.text):
        called = view.facts.ending(sight.tree, name, MANY)
        for fact in called if len(called) < MANY else ():
            if fact.kind in _KINDS and in_earnest(fact.path) and _forms(_words(_leaf(fact.name))) <= differing.common:
                places.setdefault((fact.path, fact.name))
    found = [fact for path, name in places for fact in sight.find(path, name) if _value(fact)]
    meant = [fact for fact in found if _is_meant(fact, differing.common)]
    names = {fact.name for fact in meant}
    rivals = [fact for fact in found if fact.name in names or _forms(_sections(fact.name)) & differing.common]
    return [*meant, *rivals] if meant else []


def _is_meant(fact: FactNow, common: frozenset[str]) -> bool:
    """Whether the words of a text name just this value: with its section, its file, or a name that says enough."""
    sections, leaf = _forms(_sections(fact.name)), _forms(_words(_leaf(fact.name)))
    if not leaf:
        return False
    if _LISTS_PACKAGES.search(fact.path) or _OF_PACKAGES.search(fact.name.rpartition(".")[0]):
        return any(letter.isdigit() for letter in fact.value)
    if sections:
        return sections <= common
    file = _forms(_words(PurePosixPath(fact.path).name.partition(".")[0]))
    return len(leaf) > 1 or (bool(file) and file <= common)


def _value(fact: FactNow) -> str:
    """The one value that a fact states; empty for a table, a list, a range, or what is no value of a project."""
    if fact.kind not in _KINDS:
        return ""
    value = fact.value.strip()
    if fact.kind is FactKind.CONSTANT:
        name, equals, value = value.partition(" = ")
        if not equals or not name:
            return ""
    value = bare(value.strip()).removeprefix("==").strip()
    return value if 0 < len(value) <= VALUE and _PLAIN.fullmatch(value) and not _RANGE.search(value) else ""


def _plain_value(said: frozenset[str], value: str) -> str:
    """What a text has in place of a value of the same sort; empty where that is not one plain number."""
    was = next(iter(said))
    alike = _NUMBER.fullmatch(was) and _NUMBER.fullmatch(value) and was.count(".") == value.count(".")
    return was if alike and len(said) == 1 else ""


def _names(text: str) -> Iterator[str]:
    """What the last part of a key may be called whose words stand in a row in a text."""
    words = re.findall(r"[\w-]+", text)[:MOST_NAMES]
    tried: dict[str, None] = {}
    for at in range(len(words)):
        for length in range(1, LONGEST_NAME + 1):
            row = [word.lower() for word in words[at : at + length]]
            camel = row[0] + "".join(word.capitalize() for word in row[1:])
            for name in ("_".join(row), "-".join(row), camel, "_".join(row).upper(), words[at]):
                tried.setdefault(name)
    yield from tried


def _leaf(name: str) -> str:
    return name.rpartition(".")[2]


def _sections(name: str) -> str:
    return _words(name.rpartition(".")[0])


def _words(name: str) -> str:
    """The words of a name, without those that say little."""
    return " ".join(word for word in _WORD.findall(name) if word.lower() not in _SAYS_LITTLE)


def _forms(text: str) -> frozenset[str]:
    return frozenset(word.form for word in statement(text).words)


@cache
def _not_so() -> re.Pattern[str]:
    return re.compile(_NOT_SO, re.IGNORECASE)
