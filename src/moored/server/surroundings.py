"""The turns around the hits of a recall, as text for a model and as values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from moored.model.clock import iso
from moored.model.episodes import Trust
from moored.model.text import count_tokens, fold
from moored.server.words import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.model.recall import Hit, Turn


def beside(lines: Sequence[str], hits: Sequence[Hit], room: int) -> tuple[list[str], list[list[Turn]], int]:
    """The lines of each hit with as much of its context as `room` tokens hold, the best hit first.

    Also the turns that are told of each hit, and the tokens they take. Of a hit the turns after one that has no room
    are left out: those before it from the farthest on, those after it from the nearest on.
    """
    told: list[list[Turn]] = []
    made: list[str] = []
    left = room
    for line, hit in zip(lines, hits, strict=True):
        before, after = [turn for turn in hit.context if turn.before], [turn for turn in hit.context if not turn.before]
        nearest, left = _fitting(before[::-1], left)
        following, left = _fitting(after, left)
        turns = [*nearest[::-1], *following]
        told.append(turns)
        made.append("\n".join([line, *(_turn(turn) for turn in turns)]))
    return made, told, room - left


def turn_data(turn: Turn) -> dict[str, Any]:
    """A turn as values; what is data is quoted."""
    data = {
        "id": turn.id,
        "side": "before" if turn.before else "after",
        "source": turn.author or turn.role,
        "trust": turn.trust,
        "at": iso(turn.at),
        "text": quoted(turn.text, turn.trust == Trust.DATA),
        "corrected_by": turn.corrected_by,
    }
    return {key: value for key, value in data.items() if value}


def _fitting(turns: Sequence[Turn], room: int) -> tuple[list[Turn], int]:
    """The first turns that fit, and the room that they leave."""
    taken: list[Turn] = []
    for turn in turns:
        cost = count_tokens(_turn(turn)) + 1
        if cost > room:
            break
        taken.append(turn)
        room -= cost
    return taken, room


def _turn(turn: Turn) -> str:
    corrected = f", corrected by {turn.corrected_by}" if turn.corrected_by else ""
    side = "before" if turn.before else "after"
    head = f"{side}: {fold(turn.author or turn.role)}, {iso(turn.at)[:10]}, {turn.id}{corrected}"
    return f"{head}\n{quoted(turn.text, turn.trust == Trust.DATA)}"
