"""Which facts of a file are the ones known before: ids that survive a new reading.

A fact is identified in its file by kind and name. Where several share both (overloads, repeated keys), those
with equal hashes are paired first, then those with an equal signature, then those with an equal body, then the
rest in order of appearance: an overload inserted before another leaves the other as it was.

This module decides and changes nothing. What the caller applies is told at `Reconciliation`; what became gone and
born in all files of one refresh goes to `moored.ledger.moves.match_moves` before it is applied.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from moored.model.facts import SYMBOL_KINDS, ExtractedFact, Fact, FactKind

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


@dataclass(frozen=True, slots=True)
class Numbered:
    """A fact as it was just read, with its ordinal among those of the same kind and name in its file."""

    extracted: ExtractedFact
    ordinal: int


@dataclass(frozen=True, slots=True)
class Match:
    """A known fact and what it is now.

    `change` names what differs, joined by commas: `kind`, `signature` and `body` of a symbol, `value` of a
    configuration key, `content` of a file. Empty when only the place, the ordinal, the spelling of the value or
    the documentation may differ.
    """

    fact: Fact
    now: Numbered
    change: str


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """What to do with the facts of one file. Every known and every new fact stands in exactly one class.

    - `unchanged`: update ordinal, span, parent, value and documentation; the version stays.
    - `changed`: the same, and a new version with the hashes, the kind and `change` as its cause.
    - `revived`: a fact closed earlier holds again under its old id: open it with a new version; `change` tells
      what differs from when it was closed.
    - `born`: new facts, unless `match_moves` says that they moved here.
    - `gone`: facts to close, unless `match_moves` says where they went.
    - `closed`: facts closed earlier that stay closed; nothing to do.

    The ordinals of a group may be exchanged, so a unique index over them must not look between two updates.
    """

    unchanged: tuple[Match, ...]
    changed: tuple[Match, ...]
    revived: tuple[Match, ...]
    born: tuple[Numbered, ...]
    gone: tuple[Fact, ...]
    closed: tuple[Fact, ...]


def reconcile(old: Sequence[Fact], new: Sequence[ExtractedFact]) -> Reconciliation:
    """Compare what the ledger knows of one file, closed facts included, with what was just read from it.

    The order of either sequence does not matter: new facts are numbered by where they stand.
    """
    if not old:
        return Reconciliation((), (), (), tuple(sorted(number(new), key=new_order)), (), ())
    live = sorted((fact for fact in old if fact.gone_at is None), key=fact_order)
    closed = sorted((fact for fact in old if fact.gone_at is not None), key=_latest_first)
    pairs, live, fresh = pair_within(live, number(new), _fact_identity, _new_identity)
    rekinded, live, fresh = pair_within(live, fresh, _fact_name, _new_name)
    back, closed, fresh = pair_within(closed, fresh, _fact_identity, _new_identity)
    held = sorted((_match(*pair) for pair in [*pairs, *rekinded]), key=_match_order)
    return Reconciliation(
        unchanged=tuple(match for match in held if not match.change),
        changed=tuple(match for match in held if match.change),
        revived=tuple(sorted((_match(*pair) for pair in back), key=_match_order)),
        born=tuple(sorted(fresh, key=new_order)),
        gone=tuple(live),
        closed=tuple(sorted(closed, key=fact_order)),
    )


def number(facts: Iterable[ExtractedFact]) -> list[Numbered]:
    """Give each fact of a file its ordinal, counting from 0 in order of appearance."""
    counts: Counter[tuple[FactKind, str]] = Counter()
    numbered: list[Numbered] = []
    for fact in sorted(facts, key=_appearance):
        key = (fact.kind, fact.name)
        numbered.append(Numbered(fact, counts[key]))
        counts[key] += 1
    return numbered


def differences(fact: Fact, now: ExtractedFact) -> list[str]:
    """Name what differs between a known fact and what was read, apart from where it stands and how it is called."""
    found: list[str] = []
    if fact.kind is not now.kind:
        found.append("kind")
    if fact.signature_hash != now.signature_hash:
        found.append("signature")
    if fact.body_hash != now.body_hash:
        found.append(_BODY_WORDS.get(now.kind, "body" if now.kind in SYMBOL_KINDS else "value"))
    return found


def pair_within(
    old: Sequence[Fact],
    new: Sequence[Numbered],
    old_key: Callable[[Fact], object],
    new_key: Callable[[Numbered], object],
) -> tuple[list[tuple[Fact, Numbered]], list[Fact], list[Numbered]]:
    """Pair known and new facts that have the same key; return the pairs and what is left of either, in order.

    Facts that share a key are paired by likeness first, then in the order given.
    """
    pairs: list[tuple[Fact, Numbered]] = []
    left_old, left_new = list(old), list(new)
    for likeness in _LIKENESSES:
        waiting: dict[object, deque[Fact]] = defaultdict(deque)
        for fact in left_old:
            waiting[old_key(fact), likeness(fact.signature_hash, fact.body_hash)].append(fact)
        unpaired: list[Numbered] = []
        for now in left_new:
            look = likeness(now.extracted.signature_hash, now.extracted.body_hash)
            queue = waiting.get((new_key(now), look))
            if queue and look is not None:
                pairs.append((queue.popleft(), now))
            else:
                unpaired.append(now)
        paired = {fact.id for fact, _ in pairs}
        left_old = [fact for fact in left_old if fact.id not in paired]
        left_new = unpaired
    return pairs, left_old, left_new


def fact_order(fact: Fact) -> tuple[str, str, str, int, str]:
    """Sort known facts by path, name, kind and ordinal."""
    return (fact.path, fact.name, fact.kind, fact.ordinal, fact.id)


def new_order(now: Numbered) -> tuple[str, str, int]:
    """Sort new facts of one file by name, kind and ordinal."""
    return (now.extracted.name, now.extracted.kind, now.ordinal)


_BODY_WORDS = {FactKind.FILE: "content"}

# From the surest sign that two facts are the same to the weakest; None never matches.
_LIKENESSES: tuple[Callable[[str, str], object], ...] = (
    lambda signature, body: (signature, body),
    lambda signature, _: signature or None,
    lambda _, body: body,
    lambda _, __: "",
)


def _match(fact: Fact, now: Numbered) -> Match:
    return Match(fact, now, ", ".join(differences(fact, now.extracted)))


def _match_order(match: Match) -> tuple[str, str, int]:
    return new_order(match.now)


def _fact_identity(fact: Fact) -> tuple[FactKind, str]:
    return (fact.kind, fact.name)


def _new_identity(now: Numbered) -> tuple[FactKind, str]:
    return (now.extracted.kind, now.extracted.name)


def _fact_name(fact: Fact) -> tuple[object, str]:
    """What stays of the identity when a symbol becomes one of another kind; other facts keep theirs."""
    return ("symbol" if fact.kind in SYMBOL_KINDS else fact.kind, fact.name)


def _new_name(now: Numbered) -> tuple[object, str]:
    kind = now.extracted.kind
    return ("symbol" if kind in SYMBOL_KINDS else kind, now.extracted.name)


def _latest_first(fact: Fact) -> tuple[int, tuple[str, str, str, int, str]]:
    return (-(fact.gone_at or 0), fact_order(fact))


def _appearance(fact: ExtractedFact) -> tuple[int, int, str, str, str]:
    return (fact.span.start, fact.span.end, fact.signature_hash, fact.body_hash, fact.value)
