"""The state of a note: heat, confidence, importance and stability, as pure functions of what is counted.

No job makes them and none is stored but the accumulator of heat, so they are the same however often anybody asks, and
nothing climbs or decays by being looked at. With `d` in days:

- **heat** at `t` is the sum of `2^(-(t - t_i) / 14 d)` over the times `t_i` at which the note was told.
- **confidence** is `(0.6 * 4 + for) / (4 + for + against)`, times the authority that the verdict leaves: 1 when the
  note holds, 0.35 when it is stale or superseded, 0.7 when disputed. `for` counts sessions that said the same or spoke
  for it (1 each, 5 at most of either), disputes it won (1) and proposals to change it that were rejected (1); `against`
  counts sessions that spoke against it (1 each, 5 at most), disputes open (1) and lost (2) and accepted proposals (1).
  Of `n` ratings the useful part goes to the one and the rest to the other, all together with the weight
  `2 n / (n + 4)`.
- **importance** is a base for the kind, 0.2 for being protected, 0.04 for each anchor in the tree that holds (4 at
  most) and 0.025 for each linked note (5 at most). Use and time are no part of it.
- **stability** is `(q / (q + 30 d)) / (1 + r)`: `q` is how long the note has stood as it is, 0 when it does not hold;
  `r` is how many later revisions it had for each 30 days since it was begun (at least one such span). It is unknown
  where nothing can be checked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.model.clock import iso
from moored.model.notes import AnchorRole, State
from moored.model.state import AUTHORITY, Counts, Measure, NoteState, Use

if TYPE_CHECKING:
    from collections.abc import Iterable

    from moored.model.notes import JudgedNote

DAY = 86_400_000
"""Milliseconds."""

HALF_LIFE = 14 * DAY
"""How long it takes until a use counts half."""

PRIOR, STRENGTH = 0.6, 4.0
"""The confidence in a note of which nothing else is known, and how many pieces of evidence that is worth."""

MOST_SESSIONS = 5
"""Sessions that speak the same way and are counted: who repeats himself proves little."""

RATINGS = 2.0
"""What all ratings together weigh at most, however many there are."""

IMPORTANCE = {"constraint": 0.5, "decision": 0.4, "lesson": 0.35, "preference": 0.35, "belief": 0.25}
PLAIN = 0.2
PROTECTED = 0.2
"""What kinds of notes matter, those that have no number of their own, and being protected."""

ANCHOR, MOST_ANCHORS = 0.04, 4
LINK, MOST_LINKS = 0.025, 5

SETTLED = 30 * DAY
"""How long a note has to stand unchanged for half of the stability."""


def heat(use: Use | None, at: int) -> float:
    """The heat of a note at a time: each use counts 1 when it happens and half as much after each half-life."""
    return use.heat * _faded(at - use.last_at) if use else 0.0


def told(use: Use | None, at: int) -> Use:
    """The use of a note that was told once more at a time."""
    return together(use, Use(1, at, 1.0))


def together(use: Use | None, other: Use) -> Use:
    """The use of a note from two accounts of it, whichever is the later: as if all had been counted in one."""
    if use is None:
        return other
    last = max(use.last_at, other.last_at)
    return Use(use.uses + other.uses, last, heat(use, last) + heat(other, last))


def state(judged: JudgedNote, use: Use | None, counts: Counts, now: int) -> NoteState:
    """The state of a note as it is judged now (milliseconds since the epoch)."""
    return NoteState(_heat(use, now), _confidence(judged, counts), _importance(judged, counts), _stability(judged, now))


def _faded(milliseconds: int) -> float:
    # A use that happens later than now, by the clock of another machine, counts as one of now.
    return 2.0 ** -(max(milliseconds, 0) / HALF_LIFE)


def _heat(use: Use | None, now: int) -> Measure:
    if use is None:
        return Measure(0.0, ("it was not told yet",))
    said = f"told {_times(use.uses)}, last {iso(use.last_at)}; each time counts half after {HALF_LIFE // DAY} days"
    return Measure(heat(use, now), (said,))


def _confidence(judged: JudgedNote, counts: Counts) -> Measure:
    ratings = counts.useful + counts.useless
    weight = RATINGS * ratings / (ratings + 4) if ratings else 0.0
    useful = weight * counts.useful / ratings if ratings else 0.0
    supporting = _most(counts.restated) + _most(counts.supporting) + counts.won + counts.upheld + useful
    opposing = _most(counts.opposing) + counts.disputes + 2 * counts.lost + counts.overturned + weight - useful
    borne_out = (PRIOR * STRENGTH + supporting) / (STRENGTH + supporting + opposing)
    authority = AUTHORITY.get(judged.verdict.state, 1.0)
    said = (
        *_counted(counts.restated, "session says the same", "sessions say the same"),
        *_counted(counts.supporting, "session speaks for it", "sessions speak for it"),
        *_counted(counts.opposing, "session speaks against it", "sessions speak against it"),
        *_counted(counts.disputes, "open dispute", "open disputes"),
        *_counted(counts.won, "dispute settled for it", "disputes settled for it"),
        *_counted(counts.lost, "dispute settled against it", "disputes settled against it"),
        *_counted(counts.upheld, "proposal to change it rejected", "proposals to change it rejected"),
        *_counted(counts.overturned, "proposal to change it accepted", "proposals to change it accepted"),
    )
    if ratings:
        said += (f"found useful {_times(counts.useful)}, useless {_times(counts.useless)}",)
    if not said:
        said = ("nothing speaks for or against it yet",)
    if authority < 1:
        said += (f"times {authority}, since it is {judged.verdict.state}",)
    return Measure(borne_out * authority, said)


def _importance(judged: JudgedNote, counts: Counts) -> Measure:
    note = judged.note
    base = IMPORTANCE.get(note.kind, PLAIN)
    holding = sum(
        one.anchor.role is not AnchorRole.SOURCE and one.verdict.state is State.CURRENT for one in judged.anchors
    )
    value = base + ANCHOR * min(holding, MOST_ANCHORS) + LINK * min(counts.links, MOST_LINKS)
    said = [f"{base} for the kind {note.kind}"]
    if note.protected:
        value += PROTECTED
        said.append(f"{PROTECTED} for being protected: {note.protected}")
    said += _counted(holding, "anchor that holds", "anchors that hold")
    said += _counted(counts.links, "linked note", "linked notes")
    return Measure(value, tuple(said))


def _stability(judged: JudgedNote, now: int) -> Measure:
    head = judged.note.head
    if judged.verdict.state is State.UNVERIFIABLE:
        return Measure(None, ("unknown: nothing that it is about can be checked",))
    later = head.number - 1
    spans = max((now - judged.note.created_at) / SETTLED, 1.0)
    stood = max(now - head.created_at, 0) if judged.verdict.state is State.CURRENT else 0
    since = f"as it is since {iso(head.created_at)}, {stood // DAY} days"
    said = [since if judged.verdict.state is State.CURRENT else f"it does not stand: it is {judged.verdict.state}"]
    said += _counted(later, "later revision", "later revisions")
    return Measure((stood / (stood + SETTLED)) / (1 + later / spans), tuple(said))


def _most(sessions: int) -> int:
    return min(sessions, MOST_SESSIONS)


def _counted(number: int, one: str, many: str) -> Iterable[str]:
    return (f"{number:,} {one if number == 1 else many}",) if number else ()


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"
