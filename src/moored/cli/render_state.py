"""What stands behind notes, as short lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from moored.cli.render import label
from moored.cli.render_care import counted
from moored.model.clock import iso
from moored.model.text import fold, shorten

if TYPE_CHECKING:
    from moored.model.state import Explained, Measure, Rated, Stated

WIDTH = 100


def notes(found: Sequence[Stated], total: int) -> Iterator[str]:
    """The notes, each with its verdict and numbers, and how many there are."""
    yield f"{counted(total, 'note')}" + (f", {len(found):,} shown" if len(found) < total else "")
    for one in found:
        note = one.judged.note
        yield f"{note.id} {label(one.judged.verdict)} {note.kind}: {shorten(note.head.text, WIDTH)}"
        numbers = ", ".join(
            f"{name} {_value(measure)}" for name, measure in zip(one.state._fields, one.state, strict=True)
        )
        yield f"   {numbers}, told {counted(one.uses, 'time')}"
        if note.protected:
            yield f"   protected: {note.protected}"


def explained(found: Explained) -> Iterator[str]:
    """The verdict first, then the numbers with what made them, the ratings, and what was done to the note."""
    note, verdict = found.judged.note, found.judged.verdict
    yield f"{note.kind} {note.id} {label(verdict)}"
    yield f"  {shorten(note.head.text, WIDTH)}"
    if verdict.reason:
        yield f"  why: {verdict.reason}"
    if verdict.current:
        yield f"  now: {shorten(verdict.current, 2 * WIDTH)}"
    if note.withdrawn:
        yield f"  taken out of every answer by {note.withdrawn}"
    if note.protected:
        yield f"  protected: {note.protected}"
    yield "numbers, none of which says whether it is true:"
    for name, measure in zip(found.state._fields, found.state, strict=True):
        yield f"  {name} {_value(measure)}"
        yield from (f"    {fold(said)}" for said in measure.inputs)
    for one in found.ratings:
        worth, why = "useful" if one.useful else "useless", f": {one.reason}" if one.reason else ""
        yield f"{iso(one.at)} found {worth} by {one.actor} ({one.operation}){why}"
    for done in found.operations:
        undone = f", undone {iso(done.undone_at)}" if done.undone_at is not None else ""
        yield f"{iso(done.started_at)} {done.kind} by {done.actor} ({done.id}){undone}"


def rated(done: Rated) -> Iterator[str]:
    """What a rating did."""
    worth = "useful" if done.useful else "useless"
    yield f"{done.note} found {worth} ({done.operation})"
    yield f"  by now useful {done.times_useful:,}, useless {done.times_useless:,}; its words and its verdict stay"


def _value(measure: Measure) -> str:
    return "unknown" if measure.value is None else f"{measure.value:.2f}"
