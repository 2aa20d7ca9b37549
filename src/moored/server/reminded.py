"""Reminders that come with an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.model.reminders import Due


def reminder_lines(due: Sequence[Due]) -> list[str]:
    """Reminders as text, each with why it is told."""
    from moored.model.reminders import told

    return ["Reminders:", *map(told, due)] if due else []


def reminder_data(one: Due) -> dict[str, Any]:
    """A reminder as values."""
    return {"id": one.id, "text": one.text, "why": one.why, "told": one.number, "most": one.most}
