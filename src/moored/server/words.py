"""Answers as text that a model reads: short lines, verdicts first, what came in as data quoted with `> ` (I-21)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from moored.model.episodes import Trust
from moored.model.notes import AnchorRole, JudgedAnchor, State, Verdict
from moored.model.text import count_tokens, fold, shorten
from moored.server.reminded import reminder_lines

if TYPE_CHECKING:
    from moored.model.notes import Anchor, Remembered
    from moored.model.recall import Hit

WIDTH = 120
LONG = 1_000
"""Characters of a value that is shown as what stands there now."""

SHOWN = 4


def counted(number: int, one: str, many: str = "") -> str:
    """A number with its noun."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def label(verdict: Verdict) -> str:
    """The state of a verdict with what changed; what does not hold is in capitals."""
    state = verdict.state.upper() if verdict.state is State.STALE else str(verdict.state)
    return f"{state} ({verdict.change})" if verdict.change else state


def lines_of(verdict: Verdict) -> list[str]:
    """Why something does not hold, and what stands there now; each on one line, so that all of it is marked."""
    said = [f"why: {fold(verdict.reason)}"] if verdict.reason else []
    return [*said, f"> now: {one_line(verdict.current, LONG)}"] if verdict.current else said


def quoted(text: str, data: bool) -> str:
    """A text; what is data is marked line by line, so that none of it reads as an instruction."""
    return "\n".join(f"> {line}" for line in text.splitlines()) if data else text


def is_data(hit: Hit) -> bool:
    """Whether the words of a hit are nobody's own: what a file says, tool output, documents, imports."""
    return hit.kind == "fact" or hit.evidence[0].trust not in (Trust.USER, Trust.AGENT)


def about(anchors: Sequence[JudgedAnchor]) -> list[str]:
    """What a note is about, each with where it stands and, if it does not hold, what became of it."""
    return [_place(one) for one in anchors if one.anchor.role is not AnchorRole.SOURCE]


def address(anchor: Anchor) -> str:
    """The name of what a note is about, on one line: a key may have any name."""
    return fold(f"$ {anchor.address}" if anchor.kind == "command" else anchor.address)


def _place(one: JudgedAnchor) -> str:
    line = f":{one.line}" if one.line else ""
    where = f" at {fold(one.path)}{line}" if one.path and one.line else ""
    state = "" if one.verdict.state is State.CURRENT else f" [{label(one.verdict)}]"
    proof = "proved by " if one.anchor.role is AnchorRole.PROOF else ""
    return f"{proof}{address(one.anchor)}{where}{state}"


def some(items: Sequence[str], most: int = SHOWN) -> str:
    """The first items on one line, and how many more there are."""
    more = f", and {len(items) - most} more" if len(items) > most else ""
    return ", ".join(items[:most]) + more


def packed(entries: Iterable[str], budget: int) -> tuple[list[str], int]:
    """The first entries that fit a budget of tokens, whole, and the tokens they take."""
    taken: list[str] = []
    tokens = 0
    for entry in entries:
        cost = count_tokens(entry) + 1
        if tokens + cost > budget:
            break
        taken.append(entry)
        tokens += cost
    return taken, tokens


def remembered(done: Remembered) -> str:
    """What became of a note that was handed in."""
    lines = [f"{done.outcome}: {done.id} ({done.revision})", *done.receipt]
    lines += [f"not anchored: {name}" for name in unresolved(done)]
    lines += [f"see {one.id}, {one.why}: {one.text}" for one in done.related]
    return "\n".join([*lines, *reminder_lines(done.reminders)])


def unresolved(done: Remembered) -> list[str]:
    """The names to which a note was not anchored, each with the reason and what it could be."""
    fits = (f" (it could be: {some(name.candidates)})" if name.candidates else "" for name in done.unresolved)
    return [f"{name.name}: {name.reason}{could}" for name, could in zip(done.unresolved, fits, strict=True)]


def one_line(text: str, most: int = WIDTH) -> str:
    """A text on one line of bounded length."""
    return shorten(text, most)
