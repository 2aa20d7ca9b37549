"""Tools of what stands behind a note: explain, rate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from moored.model.clock import iso
from moored.model.state import WRONG
from moored.model.text import fold
from moored.server.arguments import called, text
from moored.server.tool import INTEGER, STRING, STRINGS, Answer, Tool, several, structure
from moored.server.tools_reading import VERDICT, verdict
from moored.server.words import counted, label, lines_of, one_line

if TYPE_CHECKING:
    from moored.memory import Memory
    from moored.model.operations import Operation
    from moored.model.state import Measure, Rating

MOST = 20
"""Ratings and operations that are told, the newest."""


def explain(memory: Memory, note: str) -> Answer:
    """What stands behind a note."""
    found = memory.explain(note)
    judged = found.judged
    lines = [f"## {label(judged.verdict)} {judged.note.kind} {judged.note.id}", one_line(judged.note.head.text, 240)]
    lines += lines_of(judged.verdict)
    if judged.note.withdrawn:
        lines.append(f"taken out of every answer by {judged.note.withdrawn}")
    if judged.note.protected:
        lines.append(f"protected: {fold(judged.note.protected)}")
    lines.append("numbers, none of which says whether it is true:")
    measures = dict(zip(found.state._fields, found.state, strict=True))
    lines += [f"{name} {_value(one)}: {'; '.join(map(fold, one.inputs))}" for name, one in measures.items()]
    ratings, operations = [*map(_rating, found.ratings[-MOST:])], [*map(_operation, found.operations[-MOST:])]
    lines += [*ratings, *operations]
    data: dict[str, Any] = {
        "id": judged.note.id,
        **verdict(judged.verdict),
        "protected": judged.note.protected,
        "withdrawn": judged.note.withdrawn,
        "uses": found.uses,
        "numbers": [
            {"name": name, **({} if one.value is None else {"value": one.value}), "inputs": list(one.inputs)}
            for name, one in measures.items()
        ],
        "ratings": ratings,
        "operations": operations,
    }
    return Answer("\n".join(lines), {key: value for key, value in data.items() if value not in ("", None)})


def rate(memory: Memory, note: str, worth: str, because: str) -> Answer:
    """Say that a note was useful, useless or wrong."""
    why = because or (WRONG if worth == "wrong" else "")
    done = memory.rate(note, useful=worth == "useful", because=why, actor="agent")
    said = f"{done.note} found {worth} ({done.operation}); by now {counted(done.times_useful, 'time')} useful, "
    data = {
        "id": done.note,
        "operation": done.operation,
        "times_useful": done.times_useful,
        "times_useless": done.times_useless,
    }
    return Answer(f"{said}{counted(done.times_useless, 'time')} useless", data)


def _value(measure: Measure) -> str:
    return "unknown" if measure.value is None else f"{measure.value:.2f}"


def _rating(one: Rating) -> str:
    why = f": {one_line(one.reason)}" if one.reason else ""
    return f"{iso(one.at)[:10]} found {'useful' if one.useful else 'useless'} by {one.actor} ({one.operation}){why}"


def _operation(one: Operation) -> str:
    undone = f", undone {iso(one.undone_at)[:10]}" if one.undone_at is not None else ""
    return f"{iso(one.started_at)[:10]} {one.kind} by {one.actor} ({one.id}){undone}"


EXPLAIN = Tool(
    "explain",
    "Call when the user doubts a note, or to see how far to rely on it: its verdict, how it was borne out, used and "
    "changed, and by whom.",
    (called("note", "Its id."),),
    structure(
        ("id", "state", "numbers"),
        id=STRING,
        **VERDICT,
        protected=STRING,
        withdrawn=STRING,
        uses=INTEGER,
        numbers=several(structure(("name", "inputs"), name=STRING, value={"type": "number"}, inputs=STRINGS)),
        ratings=STRINGS,
        operations=STRINGS,
    ),
    explain,
)

RATE = Tool(
    "rate",
    "Call once a note of the memory clearly helped, or misled or wasted time though it holds. One that is wrong is "
    "revised, or rated wrong where it is not known what is right.",
    (
        called("note", "Its id."),
        text("worth", "", required=True, choices=("useful", "useless", "wrong")),
        text("because", "Why, in a few words."),
    ),
    structure(("id", "operation"), id=STRING, operation=STRING, times_useful=INTEGER, times_useless=INTEGER),
    rate,
    writes=True,
    repeatable=False,
)

STATE_TOOLS = (EXPLAIN, RATE)
