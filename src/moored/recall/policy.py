"""What a surface may ask of the selector: every surface is one policy, none has a selector of its own (I-13)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from moored.model.recall import HitKind
from moored.recall.weights import WEIGHTS, Weights

if TYPE_CHECKING:
    from moored.model.projects import Session
    from moored.model.rules import Rule

FLOOR = 0.72
"""Some hit must have this relevance (see `relevance`), or nothing is answered.

Of 75 questions about notes it leaves 6 unanswered that have an answer, and answers 3 of 60 that have none; with 0.65
these are 4 and 6, with 0.75 they are 8 and 2 (docs/answers.md).
"""

LEAST = 0.5
"""What every single hit must have of it once the question is answered at all."""

NEAR, SURE = 0.5, 0.8
"""A hit with less than the one part of the best relevance is beside the question, with the other it belongs."""

BESIDE = 0.65
"""Between the two a hit must have this part of the best score, in which who said it, when, and beside what count."""

REST = 0.6
"""What a hit must hold of the words that the names in a question leave unsaid, if it is not about what they name."""

FLOOR_SHARE = 0.2
"""Some hit must hold this share of the question's weight in terms (see `generate.weight`), or nothing is answered."""

LEAST_SHARE = 0.1
"""What every single hit must hold of it once the question is answered at all."""

FLOOR_STANDOUT = 1.25
"""A hit found by meaning alone must stand out so far from all of its kind (see `VectorCache.nearest`).

Cosines themselves do not tell: with the static model, questions about something else come as near as 0.8.
"""

FAR_BELOW = 0.5
"""A hit that holds less than this part of what the best holds of the question is noise beside it."""

FLOOR_WEIGHT = 0.35
"""What the matching terms of a prompt must weigh together (see `generate.weight`).

One that stands in five texts does, or two in a hundred, or three in a thousand: an order such as "run the tests", of
words that stand everywhere, matches everything and asks for nothing.
"""

MOST_CONTEXT = 5
"""Turns before and after each hit that can be asked for."""

HURRY = 12
"""Changed files that are read where a host waits, some five milliseconds each."""

UNHEARD = 0.6
"""What a word of a prompt weighs that stands in no text: as much as one that stands in one.

A prompt says what is new, mostly in words of its own; where each of them counted in full, little that is known would
ever hold its share.
"""

LOOSELY = 0.5
"""How strongly a note is named by a file that it is about (see `mentions`)."""


class Policy(NamedTuple):
    """The declared differences between surfaces.

    `budget` is the most tokens that all hits together may have, `hit_cap` the most that the excerpt of one episode
    may have, `limit` the most hits. Nothing is answered unless some match is named or has a relevance of `floor`; then
    each hit must be named or have one of `least`, and the part `sure` of the best relevance, or `near` of it and the
    part `beside` of the best score. Beside hits that a name stands for it must hold `rest` of what the names leave
    unsaid. Where there are no vectors to compare, `floor_share` and `least_share` of the question take the place of the
    relevance, or standing out in meaning by `floor_standout`, and the part `far_below` of the largest share that of the
    best relevance.
    A term that stands in no text at all weighs `unheard`. The terms that hold the share must weigh `floor_weight` as
    well. What is named counts from a strength of `named`
    on, and without `by_fragments` a code fragment that merely stands in a text names nothing.
    `unsaid_factor` is a factor on the score of what neither a person nor an assistant said. With `only_telling`, an
    episode that has nothing to tell to somebody who did not ask is left out (see `telling`).
    At most `reads` changed files are read for the verdicts, any number when it is None (see `Sight`). Without `asks`
    the text is no question and is not read for what it asks (see `asking`); `weights` are those of the signals.
    Without `include_stale`, stale hits are left out and listed in the receipt. With `tags`, only notes that have one
    of them are asked; the kinds are those of notes alone then. `context` is how many turns before and after each
    episode are told beside it (see `surroundings`).
    """

    kinds: tuple[HitKind, ...] = (HitKind.NOTE, HitKind.EPISODE, HitKind.FACT)
    budget: int = 1_500
    limit: int = 20
    hit_cap: int = 400
    floor: float = FLOOR
    least: float = LEAST
    near: float = NEAR
    sure: float = SURE
    beside: float = BESIDE
    rest: float = REST
    floor_share: float = FLOOR_SHARE
    least_share: float = LEAST_SHARE
    floor_standout: float = FLOOR_STANDOUT
    far_below: float = FAR_BELOW
    include_stale: bool = True
    floor_weight: float = 0.0
    unheard: float = 1.0
    named: float = 1.0
    by_fragments: bool = True
    unsaid_factor: float = 1.0
    only_telling: bool = False
    reads: int | None = None
    asks: bool = True
    weights: Weights = WEIGHTS
    tags: tuple[str, ...] = ()
    context: int = 0


class InContext(NamedTuple):
    """What the reader has before its eyes already, so that it need not be told again.

    That is what happened in `session` after the episode number `after`, and what `texts` say, white space folded.
    `paths` are where it works, beside those that the question names, and `works_in` is the session in which it does, by
    name or id. `rules` hold in place of those of the project.
    """

    session: Session | None = None
    after: int = 0
    texts: frozenset[str] = frozenset()
    paths: tuple[str, ...] = ()
    works_in: str = ""
    rules: tuple[Rule, ...] | None = None

    @property
    def windows(self) -> tuple[int, int] | None:
        """Session and episode, as the store's searches take them to leave out what is known."""
        return (self.session.row, self.after) if self.session else None


NOTHING = InContext()
"""Nothing is known to be in the reader's context."""

RECALL = Policy()
"""An explicit question."""

PROMPT = Policy(
    kinds=(HitKind.NOTE, HitKind.EPISODE),
    budget=600,
    limit=6,
    hit_cap=120,
    floor_share=0.25,
    least_share=0.2,
    far_below=0.4,
    floor_weight=FLOOR_WEIGHT,
    unheard=UNHEARD,
    by_fragments=False,
    unsaid_factor=0.5,
    only_telling=True,
    asks=False,
    reads=HURRY,
)
"""What is told unasked before a prompt: little, and nothing that is not plainly about it."""

EDIT = Policy(kinds=(HitKind.NOTE,), budget=800, limit=12, far_below=0.0, named=LOOSELY, reads=HURRY)
"""What was noted about a file and about the symbols in it that are meant; the brief takes the best of it."""

BRIEF = Policy(kinds=(HitKind.NOTE, HitKind.EPISODE), budget=1_000, limit=10, hit_cap=200)
"""What is worth knowing at the start of a session or after a compaction."""

RANKING = Policy(
    kinds=(HitKind.NOTE, HitKind.EPISODE),
    budget=1_000_000,
    limit=100,
    hit_cap=120,
    floor=float("-inf"),
    least=float("-inf"),
    sure=float("-inf"),
    rest=0.0,
    floor_share=0.0,
    least_share=0.0,
    far_below=0.0,
)
"""The order in which what was said comes, far beyond what is of use to a reader: for measuring it."""
