"""Proposals: what a rule would change of a note and why. Nothing is changed before somebody accepts it."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from moored.model.notes import JudgedNote

ACCEPTED = "accepted"
REJECTED = "rejected"
OUTDATED = ""
"""What was decided of a proposal; it is outdated when what it rested on is not so any more."""


class Remedy(StrEnum):
    """What is proposed to be done to a note."""

    REVISE = "revise"  # write its next revision
    ARCHIVE = "archive"  # take it out of every answer; its history stays


class GroundKind(StrEnum):
    """What speaks against a note as it is."""

    FACT = "fact"  # a target that is not as it was
    EPISODE = "episode"  # what was said otherwise, or corrected
    DISPUTE = "dispute"  # a note that cannot hold beside it, and stands in its place
    RATING = "rating"  # somebody found it useless and said why


class Ground(NamedTuple):
    """One piece of evidence for a proposal, by which it is known again.

    `id` is that of the fact, the correcting episode, the dispute, or the operation of the rating. Of a fact `what` is
    its address, `was` and `now` its values in short, `hash` that of its present value; of a dispute `what` is the note
    that holds. The words of the record are not repeated.
    """

    kind: GroundKind
    id: str
    what: str = ""
    was: str = ""
    now: str = ""
    hash: str = ""


class Proposal(NamedTuple):
    """What is proposed for one revision of a note.

    `head` is the number of that revision. `text` is what the note would say, empty where that does not follow from any
    source. `decided` is the operation that decided, empty while it is open; `because` is the reason of a rejection.
    """

    id: str
    note: str
    head: int
    action: Remedy
    text: str
    reason: str
    grounds: tuple[Ground, ...]
    operation: str
    created_at: int
    decided: str = ""
    decision: str = ""
    because: str = ""

    @property
    def successor(self) -> str:
        """The note that is to stand in place of this one; empty where there is none."""
        return next((one.what for one in self.grounds if one.kind is GroundKind.DISPUTE), "")


class Proposed(NamedTuple):
    """An open proposal with the note as it is judged now, what speaks for it in words, and what would change.

    `difference` is a unified diff of the text, empty where no text is proposed or the words stay. `told_at` is when the
    note was told last (milliseconds), if it was by then as it is now; else 0.
    """

    proposal: Proposal
    judged: JudgedNote
    evidence: tuple[str, ...]
    difference: str
    told_at: int = 0


class Reviewed(NamedTuple):
    """The account of a review: the open proposals, what was told last since it changed first, and what became of them.

    `operation` made `made` of them and closed `outdated` others, and is empty where it did neither. `unsaid` counts the
    notes that do not hold and for which nothing follows from their sources, `waiting` those not looked at yet.
    """

    proposals: tuple[Proposed, ...]
    operation: str
    made: int
    outdated: int
    unsaid: int
    waiting: int


class Decided(NamedTuple):
    """The account of a decision: what became of the note, by which operation, and what was done, in words."""

    proposal: str
    note: str
    decision: str
    operation: str
    receipt: tuple[str, ...]
