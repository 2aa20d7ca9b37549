"""Tools of the set `context`, for hosts that show no resources: the brief and the pins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.server.arguments import text
from moored.server.tool import INTEGER, STRING, STRINGS, Answer, Tool, several, structure
from moored.server.tools_reading import budget

if TYPE_CHECKING:
    from moored.memory import Memory


def brief(memory: Memory, query: str, budget: int) -> Answer:
    """The pins whole, what needs attention, and what is known about a question."""
    made = memory.brief(query, budget=budget)
    text = made.text or "nothing is pinned and no note needs attention"
    if made.omitted:
        text += f"\n({len(made.omitted):,} left out)"
    data = {"text": made.text, "tokens": made.tokens, "omitted": list(made.omitted), "omitted_count": len(made.omitted)}
    return Answer(text, data)


def pins(memory: Memory) -> Answer:
    """The pins that stand."""
    standing = memory.pins()
    lines = [f"- {one.id}: {one.text}" for one in standing] or ["nothing is pinned"]
    return Answer("\n".join(lines), {"pins": [{"id": one.id, "text": one.text} for one in standing]})


BRIEF = Tool(
    "brief",
    "Call at the beginning of a task and after a compaction: the pins, what needs attention, and what is known.",
    (text("query", "The task."), budget),
    structure(("text", "omitted_count"), text=STRING, tokens=INTEGER, omitted=STRINGS, omitted_count=INTEGER),
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
