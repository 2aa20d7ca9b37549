"""The brief: what a host is told within its token budget. Pins come first and whole, then what needs attention, then
what was recalled."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from moored.context.pin_text import render_pins
from moored.model.episodes import Trust
from moored.model.notes import State
from moored.model.text import count_tokens, shorten

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from moored.model.notes import JudgedNote, Pin
    from moored.model.recall import Hit, Recall

ATTENTION = "Notes that need attention:"
RECALLED = "Recalled:"
SHOWN = 240
"""Characters of a note that needs attention."""


class Section(NamedTuple):
    """A part of a brief: how many of its entries are shown, and how many did not fit."""

    heading: str
    shown: int
    omitted: int


class Brief(NamedTuple):
    """The text and its estimated tokens. `pins`, `attention` and `hits` count what is in it.

    `omitted` are the ids of what did not fit, in the order of its rank. `sections` account for the parts that there
    are; `degraded` says what could not be looked at or judged, and why.
    """

    text: str
    tokens: int
    budget: int
    pins: int
    attention: int
    hits: int
    omitted: tuple[str, ...]
    sections: tuple[Section, ...] = ()
    degraded: tuple[str, ...] = ()


def brief(pins: Sequence[Pin], attention: Sequence[JudgedNote], recall: Recall | None, budget: int) -> Brief:
    """Pack pins, notes that need attention (worst first) and the hits of a recall into `budget` tokens.

    An entry stands whole or not at all; a smaller one behind it may still fit. Raises `PinOverflow` when the pins
    alone do not (I-15).
    """
    text = render_pins(pins, budget)
    omitted: list[str] = []
    text, noted = _pack(text, ATTENTION, _attention(attention), budget, omitted)
    text, recalled = _pack(text, RECALLED, _hits(recall.hits if recall else ()), budget, omitted)
    hits = recall.hits if recall else ()
    sections = (
        Section(ATTENTION.rstrip(":"), noted, len(attention) - noted),
        Section(RECALLED.rstrip(":"), recalled, len(hits) - recalled),
    )
    degraded = recall.receipt.degraded if recall else ()
    return Brief(text, count_tokens(text), budget, len(pins), noted, recalled, tuple(omitted), sections, degraded)


def _pack(
    text: str, heading: str, entries: Iterator[tuple[str, str]], budget: int, omitted: list[str]
) -> tuple[str, int]:
    taken = 0
    for identity, entry in entries:
        lead = "" if taken else ("\n\n" if text else "") + heading
        longer = f"{text}{lead}\n{entry}"
        if count_tokens(longer) > budget:
            omitted.append(identity)
        else:
            text, taken = longer, taken + 1
    return text, taken


def _attention(notes: Sequence[JudgedNote]) -> Iterator[tuple[str, str]]:
    for one in notes:
        verdict = one.verdict
        said = f'- {one.note.id} [{verdict.state}] "{shorten(one.note.head.text, SHOWN)}"\n  {verdict.reason}'
        if verdict.state is State.STALE and verdict.current:
            said += f"\n  now: {verdict.current}"
        if one.note.head.proof:
            said += f"\n  proved by: {one.note.head.proof}"
        yield one.note.id, said


def _hits(hits: Sequence[Hit]) -> Iterator[tuple[str, str]]:
    for hit in hits:
        verdict = hit.verdict
        head = f"- {hit.id} [{verdict.state}]" + (f" {verdict.reason}" if verdict.reason else "")
        if verdict.state is State.STALE and verdict.current:
            head += f"; now: {verdict.current}"
        yield hit.id, "\n".join([head, *_quoted(hit)])


def _quoted(hit: Hit) -> list[str]:
    """The lines of a hit, marked as a quotation when they came in as data, so that none reads as an order.

    The first evidence of a hit is where its words are from.
    """
    data = hit.evidence[0].trust == Trust.DATA
    return [f"  {'> ' if data else ''}{line}" for line in hit.text.splitlines()]
