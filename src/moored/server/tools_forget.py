"""The tool by which something is forgotten: a preview first, then just that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from moored.model.clock import iso
from moored.server.arguments import called, names, text
from moored.server.tool import INTEGER, STRING, STRINGS, Answer, Tool, structure
from moored.server.words import counted, one_line

if TYPE_CHECKING:
    from moored.memory import Memory
    from moored.model.forgetting import Forgotten

SHOWN = 12
"""Texts that a preview shows the beginnings of."""

HIDE, ERASE = "hide", "erase"
CHANGED = ("status", "stale", "brief")
AGENT = "agent"


def forget(memory: Memory, ids: tuple[str, ...], session: str, fragment: str, how: str, confirm: str) -> Answer:
    """Preview what would go, or, with the token of a preview, let it go."""
    preview = not confirm
    if fragment:
        done = memory.redact(fragment, *ids, preview=preview, token=confirm, actor=AGENT)
    else:
        done = memory.forget(*ids, session=session, hard=how == ERASE, preview=preview, token=confirm, actor=AGENT)
    return Answer("\n".join(_lines(done)), _data(done), () if preview else CHANGED)


def _lines(done: Forgotten) -> list[str]:
    plan = done.plan
    if plan.empty:
        return ["there is nothing to forget"]
    if done.outcome != "preview":
        return [*done.receipt, f"operation {done.operation}"]
    shown = [f"{id_} {one_line(words)}" for id_, words in plan.shown[:SHOWN]]
    ask = f"Nothing has gone yet. Call again with confirm={plan.token} once the user agrees."
    return [f"would go: {done.receipt[0]}", *done.receipt[1:], *shown, ask]


def _data(done: Forgotten) -> dict[str, Any]:
    plan = done.plan
    gone = len(plan.episodes) + len(plan.notes) + len(plan.pins) + len(plan.reminders)
    data: dict[str, Any] = {"outcome": done.outcome, "gone": gone, "receipt": [counted(gone, "thing"), *done.receipt]}
    if done.outcome == "preview":
        data["confirm"] = plan.token
    if done.operation:
        data["operation"] = done.operation
    if done.restorable_until is not None:
        data["until"] = iso(done.restorable_until)
    return data


FORGET = Tool(
    "forget",
    "Call when the user wants something forgotten. It answers with what would go; call again with confirm.",
    (
        names("ids", "Episodes, notes, pins, reminders."),
        called("session", "", required=False),
        text("fragment", "Take out only this text, wherever it stands."),
        text("how", "erase only if the user wants it gone for good.", choices=(HIDE, ERASE), default=HIDE),
        called("confirm", "From the preview.", required=False),
    ),
    structure(
        ("outcome", "gone", "receipt"),
        outcome=STRING,
        gone=INTEGER,
        receipt=STRINGS,
        confirm=STRING,
        operation=STRING,
        until=STRING,
    ),
    forget,
    writes=True,
    destroys=True,
    repeatable=False,
)
