"""What `forget` says, as lines and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from moored.model.clock import iso
from moored.model.text import fold, shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.model.forgetting import Forgotten, Proof

_HEADS = {
    "preview": "would go",
    "hidden": "is out of every answer",
    "erased": "is erased",
    "redacted": "is redacted",
}


def lines(done: Forgotten) -> list[str]:
    """The account of a `forget`."""
    if done.plan.empty:
        return ["there is nothing to forget"]
    head = f"{_HEADS[done.outcome]}: {done.receipt[0]}"
    shown = [f"  {id_} {text}" for id_, text in done.plan.shown] if done.outcome == "preview" else []
    more = len(done.plan.episodes) + len(done.plan.notes) + len(done.plan.pins) + len(done.plan.reminders) - len(shown)
    rest = [f"  and {more:,} more"] if shown and more > 0 else []
    tail = [f"operation {done.operation}"] if done.operation else []
    scanned = [f"  {one.file}: {one.size:,} bytes" for one in done.proof.files] if done.proof else []
    return [head, *done.receipt[1:], *shown, *rest, *scanned, *tail]


def found(hits: Sequence[dict[str, str]]) -> list[str]:
    """What a question finds, to choose from."""
    if not hits:
        return ["nothing is found"]
    listed = [f"{hit['id']} {shorten(fold(hit['text']), 80)}" for hit in hits]
    return [*listed, "Forget those that you mean by their ids."]


def shape(done: Forgotten) -> dict[str, Any]:
    """The same as JSON."""
    plan = done.plan
    until = done.restorable_until
    return {
        "outcome": done.outcome,
        "operation": done.operation,
        "restorable_until": iso(until) if until is not None else None,
        "episodes": list(plan.episodes),
        "notes": list(plan.notes),
        "rebuilt": [{"note": one.note, "erased": list(one.erased), "text": one.text} for one in plan.rebuilt],
        "pins": list(plan.pins),
        "reminders": list(plan.reminders),
        "also": dict(plan.also),
        "backups": list(plan.backups),
        "entries": list(plan.entries),
        "shown": dict(plan.shown),
        "token": plan.token,
        "receipt": list(done.receipt),
        "proof": proof(done.proof) if done.proof else None,
    }


def proof(one: Proof) -> dict[str, Any]:
    """What was scanned, and what was found."""
    return {
        "files": [{"file": scanned.file, "bytes": scanned.size} for scanned in one.files],
        "bytes": one.size,
        "fragments": one.fragments,
        "common": one.common,
        "found": list(one.found),
    }
