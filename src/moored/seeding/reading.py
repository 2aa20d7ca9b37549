"""All that the readers find in a tree, bounded in number and in tokens."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from moored.model.tokens import count_tokens
from moored.record.cleaning import cleaned_text
from moored.seeding import automation, documents, entry_points, history, layout, manifests, ownership
from moored.seeding.commits import latest
from moored.seeding.components import components
from moored.seeding.ground import Ground

if TYPE_CHECKING:
    from collections.abc import Iterable

    from moored.model.projects import Tree
    from moored.seeding.found import Seed
    from moored.store.port import View

FEWER = 2
"""What each note of a topic weighs less than the one before it, so that no topic crowds out the others."""

FROM_HISTORY = frozenset({"authors", "recent"})
"""Topics that are not known where the history cannot be read."""


class Read(NamedTuple):
    """What was found in a tree.

    `seeds` are those that there is room for, the heaviest first, with the tokens of each. `omitted` counts the others
    by topic, `no_room` are their keys. `unknown` says what could not be read: the documents `unread`, and what the
    topics `without` are read from.
    """

    seeds: tuple[tuple[Seed, int], ...]
    tokens: int
    omitted: dict[str, int]
    no_room: frozenset[str]
    unknown: tuple[str, ...]
    unread: frozenset[str]
    without: frozenset[str]


def read(view: View, tree: Tree, *, most: int, tokens: int) -> Read:
    """Read a tree as the ledger knows it: at most `most` seeds of at most `tokens` tokens together."""
    ground = Ground(view, tree)
    parts = components(ground)
    past = latest(ground.root)
    found = [
        *manifests.read(ground, parts),
        *documents.read(ground, parts),
        *automation.read(ground, parts),
        *entry_points.read(ground, parts),
        *layout.read(ground, parts),
        *ownership.read(ground, parts, past),
        *history.read(ground, parts, past),
    ]
    seeds, no_room = _bounded(found, most, tokens)
    omitted = Counter(key.partition(":")[0] for key in no_room)
    unread = frozenset(ground.unread)
    unknown = (*((past.unknown,) if past.unknown else ()), *(f"{path} could not be read" for path in sorted(unread)))
    return Read(
        seeds,
        sum(size for _, size in seeds),
        dict(sorted(omitted.items())),
        no_room,
        unknown,
        unread,
        FROM_HISTORY if past.unknown else frozenset(),
    )


def _bounded(found: Iterable[Seed], most: int, tokens: int) -> tuple[tuple[tuple[Seed, int], ...], frozenset[str]]:
    """The heaviest seeds that fit, each key once, with their tokens, and the keys of the others.

    One that is too long for what is left gives way to the next.
    """
    kept: list[tuple[Seed, int]] = []
    used = 0
    left_out: set[str] = set()
    keys: set[str] = set()
    for one in _ranked(found):
        if one.key in keys:
            continue
        keys.add(one.key)
        cleaned = cleaned_text(one.text)
        if cleaned.withheld:
            continue
        told = one._replace(text=cleaned.text)
        size = count_tokens(told.text)
        if len(kept) < most and used + size <= tokens:
            kept.append((told, size))
            used += size
        else:
            left_out.add(one.key)
    return tuple(kept), frozenset(left_out)


def _ranked(found: Iterable[Seed]) -> list[Seed]:
    """The seeds with the heaviest first."""
    before: dict[str, int] = {}
    ranked: list[tuple[int, str, Seed]] = []
    for one in sorted(found, key=lambda one: (-one.weight, one.key)):
        before[one.topic] = before.get(one.topic, -1) + 1
        ranked.append((FEWER * before[one.topic] - one.weight, one.key, one))
    return [one for *_, one in sorted(ranked, key=lambda one: one[:2])]
