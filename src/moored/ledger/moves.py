"""Where a fact went that is gone from its place: renames, and moves to another file.

A fact is followed when its body stands unchanged in exactly one new place and is not trivial, and when no other
fact that went away had the same body. Where that is not so, nothing is followed and the ambiguity is reported:
a fact that is said to be gone can be looked for, one that is said to be elsewhere is believed. A place in the same
file comes before one in another.

Symbols and whole files are followed by themselves. What belongs to them goes along by its name inside them, also
when it is trivial: the members of a class, and every fact of a file. Configuration keys only go along, since two
keys with the same value are not the same key.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from moored.ledger.reconcile import Numbered, differences, fact_order, new_order, pair_within
from moored.model.facts import SYMBOL_KINDS, Fact, FactKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


@dataclass(frozen=True, slots=True)
class Born:
    """A new fact and the file it stands in."""

    path: str
    now: Numbered


@dataclass(frozen=True, slots=True)
class Move:
    """A fact keeps its id and is now what `now` says, in the file `path`.

    `change` names what happened, joined by commas: `moved` (another file), `renamed`, and what else differs, as in
    `moored.ledger.reconcile.Match`.
    """

    fact: Fact
    path: str
    now: Numbered
    change: str


@dataclass(frozen=True, slots=True)
class Unfollowed:
    """Facts that went away and new ones with the same body, too many to tell which became which."""

    gone: tuple[Fact, ...]
    born: tuple[Born, ...]


@dataclass(frozen=True, slots=True)
class Moves:
    """What became of the facts that were gone and born in one refresh.

    `gone` are to be closed and `born` to be given new ids; `unfollowed` tells which of them were ambiguous.
    """

    moved: tuple[Move, ...]
    gone: tuple[Fact, ...]
    born: tuple[Born, ...]
    unfollowed: tuple[Unfollowed, ...]


def match_moves(gone: Sequence[Fact], born: Sequence[Born]) -> Moves:
    """Find out where facts went, among all that are gone and all that are born in one refresh of a tree.

    Every fact of either sequence stands in exactly one of `moved`, `gone` and `born`. The order of the sequences
    does not matter.
    """
    if not gone:
        return Moves((), (), tuple(sorted(born, key=_born_order)), ())
    search = _Search(gone, born)
    found = -1
    # What goes along with one fact can leave another as the only candidate, so the search is repeated.
    while found != len(search.moved):
        found = len(search.moved)
        search.follow_unique(_across, lambda fact: fact.kind is FactKind.FILE)
        search.follow_unique(_within, search.has_members)
        search.follow_unique(_across, search.has_members)
        search.follow_unique(_within, lambda _: True)
        search.follow_unique(_across, lambda _: True)
    return Moves(
        moved=tuple(sorted(search.moved, key=lambda move: fact_order(move.fact))),
        gone=tuple(search.gone.values()),
        born=tuple(search.born.values()),
        unfollowed=tuple(search.ambiguous()),
    )


class _Search:
    """What is not followed yet, sorted, and what is."""

    def __init__(self, gone: Iterable[Fact], born: Iterable[Born]) -> None:
        self.gone = {fact.id: fact for fact in sorted(gone, key=fact_order)}
        self.born = {(item.path, new_order(item.now)): item for item in sorted(born, key=_born_order)}
        self.moved: list[Move] = []
        self._old_members: dict[tuple[str, str | None], list[Fact]] = defaultdict(list)
        self._new_members: dict[tuple[str, str | None], list[Born]] = defaultdict(list)
        for fact in self.gone.values():
            for owner in _owners(fact.kind, fact.parent):
                self._old_members[fact.path, owner].append(fact)
        for item in self.born.values():
            for owner in _owners(item.now.extracted.kind, item.now.extracted.parent):
                self._new_members[item.path, owner].append(item)

    def has_members(self, fact: Fact) -> bool:
        return bool(self._old_members.get((fact.path, _as_owner(fact.kind, fact.name))))

    def follow_unique(self, key: Callable[[FactKind, str, str], object], chosen: Callable[[Fact], bool]) -> None:
        """Follow the chosen facts that are alone on both sides with their key."""
        for facts, places in self._candidates(key):
            if len(facts) == len(places) == 1 and chosen(facts[0]):
                self._follow(facts[0], places[0])

    def ambiguous(self) -> list[Unfollowed]:
        return [Unfollowed(tuple(facts), tuple(places)) for facts, places in self._candidates(_across)]

    def _candidates(self, key: Callable[[FactKind, str, str], object]) -> list[tuple[list[Fact], list[Born]]]:
        """Group what may be followed by its key, where both sides have any."""
        facts: dict[object, list[Fact]] = defaultdict(list)
        for fact in self.gone.values():
            if _may_follow(fact.kind, fact.trivial):
                facts[key(fact.kind, fact.body_hash, fact.path)].append(fact)
        places: dict[object, list[Born]] = defaultdict(list)
        for item in self.born.values():
            extracted = item.now.extracted
            if _may_follow(extracted.kind, extracted.trivial):
                places[key(extracted.kind, extracted.body_hash, item.path)].append(item)
        return [(group, places[of]) for of, group in facts.items() if of in places]

    def _follow(self, fact: Fact, place: Born) -> None:
        """Follow one fact and take along what belongs to it."""
        pending = [(fact, place)]
        while pending:
            fact, place = pending.pop()
            where = (place.path, new_order(place.now))
            if fact.id not in self.gone or where not in self.born:
                continue
            del self.gone[fact.id], self.born[where]
            self.moved.append(Move(fact, place.path, place.now, _change(fact, place)))
            pending.extend(self._members(fact, place))

    def _members(self, fact: Fact, place: Born) -> list[tuple[Fact, Born]]:
        """Pair what belonged to a fact with what belongs to its new place, by kind and name inside of it."""
        owner = _as_owner(fact.kind, fact.name)
        new_owner = _as_owner(place.now.extracted.kind, place.now.extracted.name)
        old = [member for member in self._old_members.get((fact.path, owner), ()) if member.id in self.gone]
        new = {
            new_order(member.now): member
            for member in self._new_members.get((place.path, new_owner), ())
            if (member.path, new_order(member.now)) in self.born
        }
        pairs, _, _ = pair_within(
            old,
            [member.now for member in new.values()],
            lambda member: (member.kind, member.name.removeprefix(owner or "")),
            lambda now: (now.extracted.kind, now.extracted.name.removeprefix(new_owner or "")),
        )
        return [(member, new[new_order(now)]) for member, now in pairs]


_FAMILIES = {
    FactKind.METHOD: FactKind.FUNCTION,
    FactKind.STRUCT: FactKind.CLASS,
    FactKind.ENUM: FactKind.CLASS,
    FactKind.TRAIT: FactKind.CLASS,
    FactKind.INTERFACE: FactKind.CLASS,
    FactKind.TYPE: FactKind.CLASS,
    FactKind.VARIABLE: FactKind.CONSTANT,
}
"""Kinds between which a move may change: a method becomes a function when it leaves its class."""


def _across(kind: FactKind, body_hash: str, _: str) -> object:
    return (_FAMILIES.get(kind, kind), body_hash)


def _within(kind: FactKind, body_hash: str, path: str) -> object:
    return (_FAMILIES.get(kind, kind), body_hash, path)


def _may_follow(kind: FactKind, trivial: bool) -> bool:
    return not trivial and (kind in SYMBOL_KINDS or kind is FactKind.FILE)


def _as_owner(kind: FactKind, name: str) -> str | None:
    """Return the name under which a fact owns others: its own, or None for the file, which owns all in it."""
    return None if kind is FactKind.FILE else name


def _owners(kind: FactKind, parent: str) -> list[str | None]:
    if kind is FactKind.FILE:
        return []
    return [None, parent] if parent else [None]


def _born_order(item: Born) -> tuple[str, tuple[str, str, int]]:
    return (item.path, new_order(item.now))


def _change(fact: Fact, place: Born) -> str:
    extracted = place.now.extracted
    found = ["moved"] if fact.path != place.path else []
    # A file is called by its path, so its new name says nothing more.
    if fact.name != extracted.name and fact.kind is not FactKind.FILE:
        found.append("renamed")
    return ", ".join([*found, *differences(fact, extracted)])
