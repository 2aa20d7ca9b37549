"""Packing a brief: pins whole and first, then as many whole entries as the budget holds, then what was left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from moored.context.brief import Brief, Section
from moored.context.frame import framed
from moored.context.pin_text import listed
from moored.model.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.model.notes import Pin

REST = 4
"""Where the pins alone are more than the budget, all else together still has the budget divided by this."""


class Entry(NamedTuple):
    """Some whole lines of a brief, and the id of what they are about, or empty."""

    id: str
    text: str


class Block(NamedTuple):
    """A part of a brief: its heading, what one of its entries is called, and its entries in their order.

    `counts` says as what the entries are counted in a brief: `attention`, `hits`, `reminders` or nothing.
    """

    heading: str
    name: str
    entries: Sequence[Entry]
    counts: str = ""


def pack(
    pins: Sequence[Pin],
    blocks: Sequence[Block],
    *,
    project: str,
    moment: str,
    budget: int,
    degraded: Sequence[str] = (),
) -> Brief:
    """The brief of these parts within `budget` tokens, the earlier ones first.

    An entry stands whole or not at all; a smaller one behind it may still fit. Pins that are more than the budget stand
    all the same, whole and with a line that says by how much (I-15): then, and only then, a brief is over its budget.
    """

    def composed(shown: Sequence[Sequence[Entry]], *, account: bool = True) -> str:
        parts = [
            listed(pins),
            overflow,
            *(
                "\n".join((block.heading, *(e.text for e in some)))
                for block, some in zip(blocks, shown, strict=True)
                if some
            ),
            _left_out(blocks, shown) if account else "",
        ]
        body = "\n\n".join(part for part in parts if part) if pins or any(shown) else ""
        return framed(body, project=project, moment=moment, pinned=bool(pins))

    overflow, limit = "", budget
    shown: list[list[Entry]] = [[] for _ in blocks]
    least = count_tokens(framed(listed(pins) or "-", project=project, moment=moment, pinned=bool(pins)))
    if pins and least > budget:
        overflow = (
            f"(The pins take {least} tokens, {least - budget} more than the {budget} of a brief. "
            "All of them stand here; ask the user which to unpin or to shorten.)"
        )
        limit = count_tokens(composed(shown)) + budget // REST
    _fill(blocks, shown, limit - least)
    while (text := composed(shown)) and count_tokens(text) > limit and any(shown):
        next(some for some in reversed(shown) if some).pop()
    if count_tokens(text) > limit:
        text = composed(shown, account=False)
    taken = [{entry.text for entry in some} for some in shown]
    sections = [
        Section(block.heading.rstrip(":"), len(some), len(block.entries) - len(some))
        for block, some in zip(blocks, shown, strict=True)
        if block.entries
    ]
    return Brief(
        text=text,
        tokens=count_tokens(text),
        budget=budget,
        pins=len(pins),
        attention=sum(len(some) for block, some in zip(blocks, shown, strict=True) if block.counts == "attention"),
        hits=sum(len(some) for block, some in zip(blocks, shown, strict=True) if block.counts == "hits"),
        omitted=tuple(
            entry.id
            for block, texts in zip(blocks, taken, strict=True)
            for entry in block.entries
            if entry.id and entry.text not in texts
        ),
        sections=tuple(sections),
        degraded=tuple(degraded),
        reminded=tuple(
            entry.id
            for block, some in zip(blocks, shown, strict=True)
            if block.counts == "reminders"
            for entry in some
            if entry.id
        ),
    )


def _fill(blocks: Sequence[Block], shown: Sequence[list[Entry]], room: int) -> None:
    """Take what fits, by the sum of the parts: it is a little more than the whole, which is counted afterwards."""
    for block, some in zip(blocks, shown, strict=True):
        heading = count_tokens(f"\n\n{block.heading}")
        for entry in block.entries:
            cost = count_tokens(f"\n{entry.text}") + (0 if some else heading)
            if cost <= room:
                some.append(entry)
                room -= cost


def _left_out(blocks: Sequence[Block], shown: Sequence[Sequence[Entry]]) -> str:
    counts: dict[str, int] = {}
    for block, some in zip(blocks, shown, strict=True):
        if missing := len(block.entries) - len(some):
            counts[block.name] = counts.get(block.name, 0) + missing
    named = [f"{count} {name}{'' if count == 1 else 's'}" for name, count in counts.items()]
    return f"(Left out for want of room: {', '.join(named)}.)" if named else ""
