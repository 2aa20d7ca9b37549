"""Tools of disputes: disputes, resolve."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.model.clock import iso
from moored.server.arguments import called
from moored.server.tool import STRING, Answer, Tool, several, structure
from moored.server.words import one_line

if TYPE_CHECKING:
    from moored.atlas.disputes import Disputed
    from moored.memory import Memory


def disputes(memory: Memory) -> Answer:
    """The notes that cannot both hold."""
    found = memory.disputes()
    lines = [line for one in found for line in _lines(one)]
    data = {
        "disputes": [
            {
                "id": one.dispute.id,
                "reason": one.dispute.reason,
                "newer": one.newer.id,
                "older": one.older.id,
                "fact": one.fact.told if one.fact else "",
            }
            for one in found
        ]
    }
    return Answer("\n".join(lines) or "no note is disputed", data)


def resolve(memory: Memory, dispute: str, holds: str) -> Answer:
    """Settle a dispute."""
    done = memory.resolve(dispute, holds, actor="agent")
    said = f"{done.outcome} holds, {done.superseded} is superseded" if done.superseded else "both notes hold"
    data = {"id": done.dispute, "outcome": done.outcome, "superseded": done.superseded, "operation": done.operation}
    return Answer(f"{done.dispute}: {said} ({done.operation})", data, ("brief", "stale", "status"))


def _lines(one: Disputed) -> list[str]:
    sides = (("newer", one.newer), ("older", one.older))
    return [
        f"{one.dispute.id}: {one.dispute.reason}",
        *(f"- {age} {note.id} {iso(note.head.created_at)[:10]}: {one_line(note.head.text)}" for age, note in sides),
        *((f"- {one_line(one.fact.told)}",) if one.fact else ()),
    ]


DISPUTES = Tool(
    "disputes",
    "Call when a hit is disputed, or before relying on notes that may contradict each other: which two cannot both "
    "hold, and why.",
    (),
    structure(
        ("disputes",),
        disputes=several(
            structure(("id", "reason"), id=STRING, reason=STRING, newer=STRING, older=STRING, fact=STRING)
        ),
    ),
    disputes,
)

RESOLVE = Tool(
    "resolve",
    "Call when it is known which of two disputed notes holds, from the user or from the source itself.",
    (
        called("dispute", "Its id."),
        called("holds", "The id of the note that holds, or `both`."),
    ),
    structure(("id", "outcome"), id=STRING, outcome=STRING, superseded=STRING, operation=STRING),
    resolve,
    writes=True,
    repeatable=False,
)

DISPUTE_TOOLS = (DISPUTES, RESOLVE)
