"""Pins as they stand in a brief: verbatim and whole, oldest first (I-15)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.errors import PinOverflow
from moored.model.text import fold, shorten
from moored.model.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.model.notes import Pin

SHOWN = 3
HEADING = "Constraints pinned by the user:"


def listed(standing: Sequence[Pin]) -> str:
    """All pins under a heading, verbatim and whole, oldest first; empty when there are none."""
    ordered = sorted(standing, key=lambda one: (one.created_at, one.id))
    return "\n".join([HEADING, *(f"- {one.text}" for one in ordered)]) if ordered else ""


def render_pins(standing: Sequence[Pin], budget: int) -> str:
    """All pins under a heading, verbatim and whole, oldest first; empty when there are none.

    Raises `PinOverflow` when they take more than `budget` tokens: none is ever left out.
    """
    rendered = listed(standing)
    tokens = count_tokens(rendered)
    if tokens > budget:
        largest = sorted(standing, key=lambda one: (-one.tokens, one.id))[:SHOWN]
        named = ", ".join(f"{one.id} with {one.tokens} ({shorten(fold(one.text), 40)})" for one in largest)
        raise PinOverflow(
            f"The pins alone take {tokens} tokens, {tokens - budget} more than the budget of {budget}. The largest: "
            f"{named}. Unpin or shorten one, or give a larger budget."
        )
    return rendered
