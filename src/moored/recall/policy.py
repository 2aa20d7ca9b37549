"""What a surface may ask of the selector: every surface is one policy, none has a selector of its own (I-13)."""

from __future__ import annotations

from dataclasses import dataclass

from moored.model.recall import HitKind

FLOOR_SHARE = 0.2
"""Some hit must hold this share of the question's weight in terms (see `generate.weight`), or nothing is answered."""

LEAST_SHARE = 0.1
"""What every single hit must hold of it once the question is answered at all."""

FLOOR_STANDOUT = 1.1
"""A hit found by meaning alone must stand out so far from all of its kind (see `VectorCache.nearest`).

Cosines themselves do not tell: with the static model, questions about something else come as near as 0.8.
"""

FAR_BELOW = 0.25
"""A hit with less than this part of the best one's score is noise beside it, and the answer ends there."""


@dataclass(frozen=True, slots=True)
class Policy:
    """The declared differences between surfaces.

    `budget` is the most tokens that all hits together may have, `hit_cap` the most that the excerpt of one episode
    may have, `limit` the most hits. Nothing is answered unless some match holds
    `floor_share` of the question, stands out by `floor_standout` in meaning, or is named; then each hit must hold
    `least_share` or meet one of the other two, and no less than `far_below` of the best hit's score.
    Without `include_stale`, stale hits are left out and listed in the receipt.
    """

    kinds: tuple[HitKind, ...] = (HitKind.NOTE, HitKind.EPISODE, HitKind.FACT)
    budget: int = 1_500
    limit: int = 20
    hit_cap: int = 400
    floor_share: float = FLOOR_SHARE
    least_share: float = LEAST_SHARE
    floor_standout: float = FLOOR_STANDOUT
    far_below: float = FAR_BELOW
    include_stale: bool = True


RECALL = Policy()
"""An explicit question."""

BRIEF = Policy(kinds=(HitKind.NOTE, HitKind.EPISODE), budget=1_000, limit=10, hit_cap=200)
"""What is worth knowing at the start of a session or after a compaction."""
