"""What a recall gives back: hits that say what they rest on, and a receipt that says what was left out."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from moored.model.notes import JudgedAnchor, Verdict
    from moored.model.reminders import Due


class HitKind(StrEnum):
    """What a hit is."""

    NOTE = "note"
    EPISODE = "episode"
    FACT = "fact"


class Evidence(NamedTuple):
    """One thing that a hit rests on: an episode or a place in a file, who said or wrote it, and when.

    `where` is `path:line` for a place in a file, else empty. `at` is in milliseconds since the epoch.
    """

    id: str
    where: str
    source: str
    trust: str
    at: int


class Turn(NamedTuple):
    """What was said or done shortly before or after an episode, in the same session, cut to a bounded excerpt.

    `role` is user, assistant or tool, `author` who said it where the host tells people apart. `at` is in milliseconds
    since the epoch, `tokens` the estimated cost of `text`. `before` says on which side of the episode it stands, and
    `corrected_by` is the id of what corrected it since, or empty.
    """

    id: str
    role: str
    author: str
    at: int
    trust: str
    text: str
    tokens: int
    before: bool
    corrected_by: str = ""


class Hit(NamedTuple):
    """One answer of a recall.

    `text` is what is shown, `tokens` its estimated cost. `score` is after every penalty; `signals` holds the number
    that each signal gave, the penalties among them, so that the score can be followed. `context` are the turns around
    an episode, in their order, as many as were asked for and had room.
    """

    id: str
    kind: HitKind
    text: str
    score: float
    verdict: Verdict
    anchors: tuple[JudgedAnchor, ...]
    evidence: tuple[Evidence, ...]
    signals: Mapping[str, float]
    tokens: int
    context: tuple[Turn, ...] = ()


class Omitted(NamedTuple):
    """A match that was not returned, and why.

    The reason is `budget` or `limit` (no room), `superseded` (what replaced it is returned), `duplicate`, `in context`
    (the reader has it before its eyes), `asks the same` (a turn that is the question, asked before), `stale` (only when
    stale hits were not wanted), `below the floor` or `far below the best`. The score is before the penalties of what
    was not examined any more.
    """

    id: str
    kind: HitKind
    score: float
    reason: str


class Receipt(NamedTuple):
    """The account of a recall.

    `matched` counts what any signal found, `returned` what is in the answer, `omitted_count` what was left out;
    `omitted` lists the best of those with the reason. `stale` says how many of the returned are stale. `budget` and
    `tokens` are the tokens allowed and used, those of the context among them; `context_omitted` counts the turns of the
    context for which there was no room.
    `degraded` names every signal that could not play its full part and why: an empty tuple means that all did.
    `other_projects` counts the other projects of the store: nothing of theirs was looked at.
    """

    query: str
    project: str
    matched: int
    returned: int
    omitted: tuple[Omitted, ...]
    omitted_count: int
    stale: int
    budget: int
    tokens: int
    degraded: tuple[str, ...]
    other_projects: int
    context_omitted: int = 0


class Recall(NamedTuple):
    """The hits, best first, the receipt, and the reminders that the question calls up, within the same budget."""

    hits: tuple[Hit, ...]
    receipt: Receipt
    reminders: tuple[Due, ...] = ()
