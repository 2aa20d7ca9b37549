"""The measures of a ranking, and the units in which it is measured.

For a question with the gold ids G, and the first k items of a ranking:

    recall@k = share of G found in them
    any@k    = 1 if one of G is found, else 0          all@k = 1 if all of G are found, else 0 (strict)
    mrr      = 1 / rank of the first item with one of G, 0 if there is none
    ndcg@10  = sum over the first 10 items with something new of G of 1 / log2(rank + 1), over the same sum for
               min(10, |G|) items at the top (binary gain; Jarvelin and Kekalainen 2002), at most 1

Units: `items`, which are turns, messages or notes, are ranked as they come. `chunks` are consecutive turns of a session
taken in twos, and a chunk ranks where its better turn ranks. `sessions` rank where their first turn ranks; their gold
ids are those of the sessions.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from moored.model.batching import batches

if TYPE_CHECKING:
    from moored.bench.cases import Message, Question

CUTS = (1, 5, 10, 20)
ITEMS, CHUNKS, SESSIONS = "items", "chunks", "sessions"

Unit = tuple[str, ...]
"""One item of a ranking: the ids that it holds."""


def measured(gold: Collection[str], ranked: Sequence[Unit]) -> dict[str, float]:
    """Every measure of one ranking, best first. There is at least one gold id; one found twice counts once."""
    wanted = set(gold)
    found: set[str] = set()
    counts: list[int] = []
    first, gain = 0, 0.0
    for rank, item in enumerate(ranked, 1):
        new = wanted.intersection(item) - found
        if new:
            first = first or rank
            gain += 1 / math.log2(rank + 1) if rank <= 10 else 0.0
            found |= new
        counts.append(len(found))
    values: dict[str, float] = {}
    for cut in CUTS:
        got = counts[min(cut, len(counts)) - 1] if counts else 0
        values[f"recall@{cut}"] = got / len(wanted)
        values[f"any@{cut}"] = float(got > 0)
        values[f"all@{cut}"] = float(got == len(wanted))
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(10, len(wanted)) + 1))
    return {**values, "mrr": 1 / first if first else 0.0, "ndcg@10": min(1.0, gain / ideal)}


def means(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The mean of each measure over questions; empty when there are none."""
    return {name: math.fsum(row[name] for row in rows) / len(rows) for name in rows[0]} if rows else {}


def chunks_of(messages: Iterable[Message]) -> dict[str, Unit]:
    """The chunk that each message is in."""
    return {
        one: tuple(pair)
        for _, session in groupby(messages, key=lambda message: message.session)
        for pair in batches((message.id for message in session), 2)
        for one in pair
    }


def in_units(unit: str, ranked: Sequence[str], units: Mapping[str, Unit]) -> list[Unit]:
    """A ranking of messages as one of units: each where its best message is. `units` tells what a message is in."""
    if unit == ITEMS:
        return [(one,) for one in ranked]
    return list(dict.fromkeys(units[one] for one in ranked))


def gold_of(unit: str, question: Question, units: Mapping[str, Unit]) -> Collection[str]:
    """The gold ids of a question in a unit. For sessions those that the set names, else those of its gold messages."""
    if unit != SESSIONS:
        return question.gold
    return question.sessions or {session for one in question.gold for session in units[one]}
