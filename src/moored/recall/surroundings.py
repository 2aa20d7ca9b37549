"""The turns around what was found: what was said and done right before and after it, in the same session.

They are told when every hit is chosen, in what is left of the budget: first those around the best hit, from the nearest
outwards, and none behind a gap that has no room. What is a hit itself, or stands beside another already, is not told
twice.
"""

from __future__ import annotations

from itertools import groupby, zip_longest
from typing import TYPE_CHECKING

from moored.model.episodes import Role
from moored.model.recall import HitKind, Turn
from moored.model.text import fold, shorten
from moored.model.tokens import count_tokens
from moored.recall.fusion import Candidate
from moored.recall.verify import examine

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from moored.model.projects import Project
    from moored.model.recall import Hit
    from moored.recall.rules import InForce
    from moored.store.port import View
    from moored.store.rows import Neighbour

LONGEST = 300
"""Characters that are shown of a turn."""

INPUT = 120
"""Characters of them that may be the input of a tool."""

DEAREST = 100
"""Tokens that a turn may cost, whatever its script."""


def with_surroundings(
    view: View, project: Project, hits: Sequence[Hit], most: int, room: int, rules: InForce | None = None
) -> tuple[tuple[Hit, ...], int, int]:
    """The hits with up to `most` turns before and after each that is an episode, in at most `room` tokens.

    What a rule refuses is not told here either. Also the tokens that those take, and how many had no room.
    """
    asked = [hit.id for hit in hits if hit.kind is HitKind.EPISODE]
    told = {hit.id for hit in hits}
    told |= {hit.evidence[0].id for hit in hits if hit.kind is HitKind.NOTE}  # the episode in which it was said
    around = {of: list(near) for of, near in groupby(view.sessions.around(project, asked, most), lambda one: one.of)}
    left, omitted = room, 0
    made: list[Hit] = []
    for hit in hits:
        near = [one for one in around.get(hit.id, []) if one.id not in told and not _refused(view, project, one, rules)]
        chosen, left = _fitting(near, left)
        omitted += len(near) - len(chosen)
        told.update(turn.id for turn in chosen)
        order = {one.id: one.seq for one in near}
        made.append(hit._replace(context=tuple(sorted(chosen, key=lambda turn: order[turn.id]))))
    return tuple(made), room - left, omitted


def _fitting(near: Sequence[Neighbour], room: int) -> tuple[list[Turn], int]:
    """The turns that fit, from the nearest outwards, none behind one that does not; and the room that they leave."""
    chosen: list[Turn] = []
    full: set[bool] = set()
    for one in _outwards(near):
        if one.before in full:
            continue
        turn = _turn(one)
        if turn.tokens > room:
            full.add(one.before)
        else:
            chosen.append(turn)
            room -= turn.tokens
    return chosen, room


def _refused(view: View, project: Project, one: Neighbour, rules: InForce | None) -> bool:
    if rules is None:
        return False
    turn = examine(view, project, None, Candidate(HitKind.EPISODE, one.seq, 0.0, {}), {}, {})
    return turn is None or bool(rules.refusal(turn))


def _outwards(near: Sequence[Neighbour]) -> Iterator[Neighbour]:
    """The turns of both sides, the nearest first."""
    before, after = [one for one in reversed(near) if one.before], [one for one in near if not one.before]
    for pair in zip_longest(before, after):
        yield from (one for one in pair if one is not None)


def _turn(one: Neighbour) -> Turn:
    text = _shown(one)
    return Turn(one.id, one.role, one.author, one.at, one.trust, text, count_tokens(text), one.before, one.corrected_by)


def _shown(one: Neighbour) -> str:
    """A turn on one line: its beginning, and of a tool's what it was called with and how it ended."""
    head = ""
    if one.role == Role.TOOL:
        given = f" {shorten(one.input, INPUT)}" if fold(one.input) else ""
        status = f" (exit status {one.exit_status})" if one.exit_status is not None else ""
        head = f"{one.tool or 'tool'}{given}{status}: "
    line = head + fold(one.begins) + ("" if one.whole else "…")
    text = shorten(line, LONGEST)
    while (tokens := count_tokens(text)) > DEAREST:
        text = shorten(line, len(text) * DEAREST // tokens)
    return text
