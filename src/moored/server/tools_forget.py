"""The tool by which something is forgotten: a preview first, then just that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from moored.server.arguments import called, names, text
from moored.server.tool import STRING, Answer, Tool, structure
from moored.server.words import one_line

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
        return [f"{done.outcome}: {done.receipt[0]}", *done.receipt[1:], f"operation {done.operation}"]
    shown = [f"{id_} {one_line(words)}" for id_, words in plan.shown[:SHOWN]]
    ask = f"Nothing has gone yet. Call again with confirm={plan.token} once the user agrees."
    return [f"would go: {done.receipt[0]}", *done.receipt[1:], *shown, ask]


def _data(done: Forgotten) -> dict[str, Any]:
    data = {"outcome": done.outcome}
    if done.outcome == "preview":
        data["confirm"] = done.plan.token
    if done.operation:
        data["operation"] = done.operation
    return data


FORGET = Tool(
    "forget",
    "Call when the user wants something forgotten: it shows what would go. Once they agree, again with confirm.",
    (
        names("ids", ""),
        called("session", "", required=False),
        text("fragment", "Only this text, wherever it is."),
        text("how", "erase: for good.", choices=(HIDE, ERASE), default=HIDE),
        called("confirm", "", required=False),
    ),
    structure(("outcome",), outcome=STRING, confirm=STRING, operation=STRING),
    forget,
    writes=True,
    destroys=True,
    repeatable=False,
)
