"""Proposals: what is to become of notes that were recalled in a context that has changed (A-06).

Reading a note changes nothing of it (I-11). A review looks at the notes that something speaks against: targets that are
not as they were, a newer note that cannot hold beside it, somebody who found it useless and said why. For each it
proposes at most one thing, with its evidence: a revision whose text follows from the present sources (see
`regenerate`), or that the note be archived. Only an accept carries it out. What was rejected is not proposed again on
the same evidence, and a proposal whose evidence is not so any more is told no longer: all of it is judged when asked.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from moored.atlas.notes_seen import get, trust_of
from moored.atlas.profile.standing import is_learned
from moored.atlas.regenerate import SHOWN, regenerate
from moored.atlas.verdict import judge
from moored.ledger.sight import Sight
from moored.model.clock import iso
from moored.model.ids import PROPOSAL, IdSource
from moored.model.notes import State
from moored.model.proposals import (
    OUTDATED,
    REJECTED,
    Ground,
    GroundKind,
    Proposal,
    Proposed,
    Remedy,
)
from moored.model.seeding import SEED
from moored.model.text import shorten
from moored.record.operations import under_way

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from moored.model.clock import Clock
    from moored.model.notes import JudgedNote, Note
    from moored.model.projects import Tree
    from moored.store.port import Store, View

REVIEW = "review"
"""The name of the rule that proposes, and the kind of its operations."""

MOST = 1_000
"""Notes that one review looks at."""

AT_ONCE = 100
"""Notes that upkeep looks at."""

REASON = 300
"""Characters of the reason of a proposal."""


class Wanted(NamedTuple):
    """What would be proposed for a note as it is judged now; `said` is the evidence in words."""

    action: Remedy
    text: str
    reason: str
    grounds: tuple[Ground, ...]
    said: tuple[str, ...]

    def is_of(self, proposal: Proposal) -> bool:
        """Whether a proposal says the same on the same evidence."""
        return (self.action, self.text, self.grounds) == (proposal.action, proposal.text, proposal.grounds)


@dataclass(slots=True)
class Look:
    """What a review found: what to propose, which open proposals are outdated, and what it left."""

    wanted: list[tuple[Note, Wanted]] = field(default_factory=list[tuple["Note", Wanted]])
    outdated: list[str] = field(default_factory=list[str])
    unsaid: int = 0
    waiting: int = 0
    changed: frozenset[str] = frozenset()


class Proposing(NamedTuple):
    """The account of `propose`: its operation, empty when nothing was to do, and how much it did and left."""

    operation: str
    made: int
    outdated: int
    unsaid: int
    waiting: int
    changed: frozenset[str]


def propose(store: Store, tree: Tree, *, clock: Clock, ids: IdSource, most: int = MOST) -> Proposing:
    """Look at the notes that something speaks against, at most `most`, and propose what is to become of them.

    Doing it again adds nothing. `changed` of the answer are files that the ledger has to be told of.
    """
    with store.read() as view:
        found = look(view, tree, most)
    if not (found.wanted or found.outdated) or store.read_only:
        return Proposing("", 0, 0, found.unsaid, found.waiting, found.changed)
    project, made, closed = tree.project, 0, 0
    with store.write() as transaction:
        with under_way(transaction, project, REVIEW, actor=REVIEW, clock=clock, ids=ids) as operation:
            standing = transaction.proposals.standing(project)
            still_open = {one.id for one in standing if not one.decided}
            for proposal_id in found.outdated:
                if proposal_id in still_open:
                    transaction.proposals.decide(project, proposal_id, OUTDATED, operation)
                    closed += 1
            heads = transaction.notes.by_heads(project, [note.head.row for note, _ in found.wanted])
            for note, one in found.wanted:
                # Another review may have proposed it meanwhile, and the note may say something else by now.
                if note.head.row in heads and not _is_known(note, one, standing):
                    transaction.proposals.add(project, _proposal(ids.new(PROPOSAL), note, one, operation, clock.now()))
                    made += 1
        did = transaction.operations.get(project, operation) is not None
    return Proposing(operation if did else "", made, closed, found.unsaid, found.waiting, found.changed)


def propose_anew(store: Store, tree: Tree, seen: object, *, clock: Clock, ids: IdSource) -> object:
    """Propose as upkeep does, a few notes at a time, unless all is as it was when `seen` was returned.

    Returns what is to be handed in the next time.
    """
    with store.read() as view:
        stands = (view.operations.latest(tree.project), view.notes.suspects(tree))
    if stands != seen:
        propose(store, tree, clock=clock, ids=ids, most=AT_ONCE)
    return stands


def look(view: View, tree: Tree, most: int) -> Look:
    """Judge the notes that something may speak against, those that were told last first, as far as `most` reaches."""
    project, sight, found = tree.project, Sight(view, tree), Look()
    known: dict[str, list[Proposal]] = {}
    for proposal in view.proposals.standing(project):
        known.setdefault(proposal.note, []).append(proposal)
    notes = _doubtful(view, tree, known)
    found.waiting = sum(note.id not in known for note in notes[most:])
    for note in notes[:most]:
        past = known.get(note.id, [])
        options, nothing = _options(view, sight, judge(sight, view, project, note))
        rejected = [proposal for proposal in past if proposal.decision == REJECTED]
        one = next((option for option in options if not any(map(option.is_of, rejected))), None)
        still_open = [proposal for proposal in past if not proposal.decided]
        found.outdated += [proposal.id for proposal in still_open if one is None or not one.is_of(proposal)]
        if one and not any(map(one.is_of, still_open)):
            found.wanted.append((note, one))
        found.unsaid += nothing
    found.changed = sight.changed
    return found


def proposals(view: View, sight: Sight) -> tuple[Proposed, ...]:
    """The open proposals of a project that still say what its sources say, oldest first."""
    project = sight.tree.project
    found: list[Proposed] = []
    for proposal in view.proposals.standing(project):
        if not proposal.decided:
            judged = judge(sight, view, project, get(view, project, proposal.note))
            if one := _still(view, sight, judged, proposal):
                found.append(Proposed(proposal, judged, one.said, difference(judged.note, proposal)))
    return tuple(found)


def still_stands(view: View, sight: Sight, proposal: Proposal) -> bool:
    """Whether the sources of a note still say what a proposal rests on."""
    project = sight.tree.project
    judged = judge(sight, view, project, get(view, project, proposal.note))
    return _still(view, sight, judged, proposal) is not None


def difference(note: Note, proposal: Proposal) -> str:
    """What a proposal would change of the text of a note, as a unified diff."""
    if not proposal.text:
        return ""
    before, after = note.head.text.splitlines(), proposal.text.splitlines()
    return "\n".join(difflib.unified_diff(before, after, "now", "proposed", lineterm=""))


def _still(view: View, sight: Sight, judged: JudgedNote, proposal: Proposal) -> Wanted | None:
    return next((one for one in _options(view, sight, judged)[0] if one.is_of(proposal)), None)


def _is_known(note: Note, one: Wanted, standing: Sequence[Proposal]) -> bool:
    """Whether the same is proposed already, or was rejected."""
    answered = (past for past in standing if not past.decided or past.decision == REJECTED)
    return any(past.note == note.id and one.is_of(past) for past in answered)


def _doubtful(view: View, tree: Tree, known: Collection[str]) -> list[Note]:
    """The notes that the ledger, another note or somebody speaks against, and those that something is proposed for."""
    project = tree.project
    notes = {note.id: note for note in view.notes.by_heads(project, list(view.notes.suspects(tree))).values()}
    others = {*known, *view.proposals.doubted(project), *(one.other for one in view.kin.disputes(project))}
    for note_id in others - notes.keys():
        if note := view.notes.get(project, note_id):
            notes[note_id] = note
    uses = view.states.uses(project, list(notes))
    told = {note_id: use.last_at for note_id, use in uses.items()}
    return sorted(notes.values(), key=lambda note: (note.id in known, -told.get(note.id, 0), -note.head.row))


def _options(view: View, sight: Sight, judged: JudgedNote) -> tuple[list[Wanted], bool]:
    """What may be proposed for a note, the best founded first, and whether it is stale and nothing follows from it."""
    note, project = judged.note, sight.tree.project
    if note.superseded_by:
        return [], False
    found = [*_disputed(view, sight, note)]
    drifted = judged.verdict.state is State.STALE and not is_learned(note) and note.head.actor != SEED
    if drifted and (one := _drifted(view, sight, judged)):
        found.append(one)
    nothing = drifted and not found
    ratings = view.states.ratings(project, note.id)
    if ratings and not ratings[-1].useful and ratings[-1].reason and ratings[-1].at >= note.head.created_at:
        last = ratings[-1]
        reason = f"found useless by {last.actor}: {last.reason}"
        ground = Ground(GroundKind.RATING, last.operation)
        found.append(Wanted(Remedy.ARCHIVE, "", shorten(reason, REASON), (ground,), (f"{iso(last.at)} {reason}",)))
    return found, nothing


def _disputed(view: View, sight: Sight, note: Note) -> Sequence[Wanted]:
    """That a newer note takes the place of this one, if that one holds and is trusted as far (I-21)."""
    project = sight.tree.project
    for other in view.kin.opponents(project, [note.id]).get(note.id, ()):
        newer = view.notes.get(project, other.note)
        if not other.newer or newer is None:
            continue
        if trust_of(view, project, newer).level < trust_of(view, project, note).level:
            continue
        if judge(sight, view, project, newer).verdict.state is State.STALE:
            continue
        ground = Ground(GroundKind.DISPUTE, other.dispute, other.note)
        said = f"{other.note} of {iso(other.at)} says: {shorten(other.text, SHOWN)}"
        reason = shorten(f"{other.note} is newer and cannot hold beside it: {other.reason}", REASON)
        return (Wanted(Remedy.ARCHIVE, "", reason, (ground,), (said,)),)
    return ()


def _drifted(view: View, sight: Sight, judged: JudgedNote) -> Wanted | None:
    """What follows from targets that are not as they were."""
    made = regenerate(view, sight, judged)
    if not made.grounds:
        return None
    action = Remedy.ARCHIVE if made.gone else Remedy.REVISE
    return Wanted(action, made.text, shorten(judged.verdict.reason, REASON), made.grounds, made.said)


def _proposal(proposal_id: str, note: Note, one: Wanted, operation: str, at: int) -> Proposal:
    return Proposal(proposal_id, note.id, note.head.row, one.action, one.text, one.reason, one.grounds, operation, at)
