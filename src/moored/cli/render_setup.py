"""What set-up did for each host, as lines for people and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from moored.setup.engine import Change
from moored.setup.runs import Outcome, difference


def shape(outcome: Outcome, title: str, hints: tuple[str, ...], *, taken_back: bool) -> dict[str, Any]:
    """An outcome as JSON."""
    return {
        "host": outcome.host,
        "title": title,
        "outcome": _word(outcome, taken_back),
        "reason": outcome.refused,
        "files": [{"path": str(one.file), "action": action(one), "note": one.note} for one in outcome.changes],
        "hints": list(hints),
    }


def lines(outcome: Outcome, title: str, hints: tuple[str, ...], *, taken_back: bool, dry_run: bool) -> Iterator[str]:
    """An outcome as lines, in a dry run with what would change in each file."""
    would = "would be " if dry_run and outcome.changed else ""
    yield f"{title}: {would}{_word(outcome, taken_back)}"
    if outcome.refused:
        yield f"  {outcome.refused}"
        return
    for change in outcome.changes:
        if dry_run and change.changes:
            yield from difference(change).splitlines()
        elif change.changes or change.note:
            yield f"  {action(change)} {change.file}" + (f" ({change.note})" if change.note else "")
    if outcome.changed:
        yield from (f"  {hint}" for hint in hints)


def action(change: Change) -> str:
    """What is done with a file, in a word."""
    if not change.changes:
        return "kept"
    if change.before is None:
        return "created"
    return "removed" if change.after is None else "changed"


def _word(outcome: Outcome, taken_back: bool) -> str:
    if outcome.refused:
        return "refused"
    if taken_back:
        return "taken out" if outcome.changed else "not set up"
    return "set up" if outcome.changed else "set up already"
