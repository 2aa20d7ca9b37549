"""Tools of the set `context`, for hosts that show no resources and have no hooks: the brief and the pins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.server.arguments import text
from moored.server.briefing import NOTHING, briefing
from moored.server.tool import INTEGER, STRING, STRINGS, Answer, Tool, several, structure
from moored.server.tools_reading import budget

if TYPE_CHECKING:
    from moored.memory import Memory


def brief(memory: Memory, moment: str, task: str, budget: int) -> Answer:
    """What a session is to know at a moment, and what is known about a task."""
    made = briefing(memory, moment=moment, task=task, budget=budget)
    data = {
        "text": made.text,
        "tokens": made.tokens,
        "omitted": list(made.omitted),
        "omitted_count": len(made.omitted),
        "degraded": list(made.degraded),
    }
    return Answer(made.text or NOTHING, data)


def pins(memory: Memory) -> Answer:
    """The pins that stand."""
    standing = memory.pins()
    lines = [f"- {one.id}: {one.text}" for one in standing] or ["nothing is pinned"]
    return Answer("\n".join(lines), {"pins": [{"id": one.id, "text": one.text} for one in standing]})


BRIEF = Tool(
    "brief",
    "Call when a session begins and after a compaction, unless it was handed to you: pins, what stopped holding, the "
    "working state or recent work, notes.",
    (
        text("moment", "", choices=("startup", "resume", "compact"), default="startup"),
        text("task", "What you are about to do."),
        budget,
    ),
    structure(
        ("text", "omitted_count"),
        text=STRING,
        tokens=INTEGER,
        omitted=STRINGS,
        omitted_count=INTEGER,
        degraded=STRINGS,
    ),
    brief,
)

PINS = Tool(
    "pins",
    "Call to see which constraints of the user's stand, with the ids by which they are lifted.",
    (),
    structure(("pins",), pins=several(structure(id=STRING, text=STRING))),
    pins,
)

CONTEXT_SET = (BRIEF, PINS)
