"""The brief that is asked for in so many words: pins, the notes that do not hold, and what is known of a question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.context.entries import hit_entry, note_entry
from moored.context.frame import framed
from moored.context.pack import Block, pack
from moored.context.permitted import in_force, permitted
from moored.context.pin_text import listed, render_pins
from moored.context.reminders import reminder_block
from moored.model.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.context.brief import Brief
    from moored.context.pack import Entry
    from moored.model.notes import JudgedNote, Pin
    from moored.model.projects import Project
    from moored.model.recall import Recall
    from moored.model.reminders import Due
    from moored.store.port import View

MOMENT = "asked"
ATTENTION = "Notes that need attention:"
RECALLED = "Known about this:"


def asked(
    view: View,
    project: Project,
    attention: Sequence[JudgedNote],
    recall: Recall | None,
    budget: int,
    due: Sequence[Due] = (),
    *,
    now: int,
) -> Brief:
    """Pins, what is due, notes that need attention (worst first) and the hits of a recall, within `budget` tokens.

    Raises `PinOverflow` when the pins alone do not fit (I-15).
    """
    told = permitted(view, project, attention, in_force(view, project, "", now))
    entries = [note_entry(one, trust) for one, trust in told]
    return composed(view.pins.all(project), entries, recall, project=project.name, budget=budget, due=due)


def composed(
    pins: Sequence[Pin],
    attention: Sequence[Entry],
    recall: Recall | None,
    *,
    project: str,
    budget: int,
    due: Sequence[Due] = (),
) -> Brief:
    """The same of entries that are made already."""
    whole = listed(pins)
    frame = count_tokens(framed(whole, project=project, moment=MOMENT, pinned=True)) - count_tokens(whole)
    render_pins(pins, budget - frame)
    hits = recall.hits if recall else ()
    blocks = [
        reminder_block(due),
        Block(ATTENTION, "note", attention, "attention"),
        Block(RECALLED, "hit", [hit_entry(hit) for hit in hits], "hits"),
    ]
    degraded = recall.receipt.degraded if recall else ()
    return pack(pins, blocks, project=project, moment=MOMENT, budget=budget, degraded=degraded)
