"""Reminders as JSON and as lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from moored.cli.render_care import counted
from moored.model.clock import iso
from moored.model.text import shorten

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from moored.model.reminders import Reminder


def reminders(found: Sequence[Reminder], now: int) -> dict[str, Any]:
    """A list of reminders."""
    return {"reminders": [reminder(one, now) for one in found]}


def reminder(one: Reminder, now: int) -> dict[str, Any]:
    """A reminder with its state at this moment."""
    return {
        "id": one.id,
        "kind": one.kind.value,
        "on": one.on,
        "text": one.text,
        "state": one.state(now),
        "told": one.fired,
        "most": one.most,
        "actor": one.actor,
        "episode": one.episode,
        "note": one.note,
        "created_at": iso(one.created_at),
        "told_at": _time(one.fired_at),
        "expires_at": _time(one.expires_at),
        "snoozed_until": _time(one.snoozed_until),
        "done_at": _time(one.done_at),
    }


def lines(found: Sequence[Reminder], now: int) -> Iterator[str]:
    """Reminders as text: on what, how often they were told, and what they say."""
    if not found:
        yield "no reminders"
    for one in found:
        until = f" until {iso(one.snoozed_until)}" if one.snoozed_until and one.state(now) == "snoozed" else ""
        of = f", of {one.note}" if one.note else ""
        yield f"{one.id} {one.state(now)}{until}, {_told(one)}, on {one.kind} {one.on}{of}"
        yield f"  {shorten(one.text, 240)}"


def _told(one: Reminder) -> str:
    return f"told {one.fired} of {counted(one.most, 'time')}"


def _time(at: int | None) -> str | None:
    return None if at is None else iso(at)
