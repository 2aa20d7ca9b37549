"""Proposals: what is to become of notes that were recalled in a context that has changed (A-06).

Reading a note changes nothing of it (I-11). A review looks at the notes that something speaks against: targets that are
not as they were, a note that cannot hold beside it, a user who said otherwise, somebody who found it useless and said
why. For each it proposes at most one thing, with its evidence: a revision whose text follows from the present sources,
or that the note be archived (see `remedies`). Only an accept carries it out. What was rejected is not proposed again on
the same evidence, and a proposal whose evidence is not so any more is told no longer: all of it is judged when asked.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from moored.atlas.contradicted import Read, read_turns
from moored.atlas.notes_seen import get
from moored.atlas.remedies import Wanted, remedies
from moored.atlas.verdict import judge
from moored.ledger.sight import Sight
from moored.model.ids import PROPOSAL, IdSource
from moored.model.proposals import OUTDATED, REJECTED, Proposal, Proposed
from moored.record.operations import under_way

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from moored.model.clock import Clock
    from moored.model.notes import JudgedNote, Note
    from moored.model.projects import Tree
    from moored.store.port import Store, Transaction, View

REVIEW = "review"
"""The name of the rule that proposes, and the kind of its operations."""

MOST = 1_000
"""Notes that one review looks at, and turns of users that it reads."""

AT_ONCE = 100
"""The same of upkeep."""


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

    Before, as many turns of users are read for what they contradict. Doing it again adds nothing. `changed` of the
    answer are files that the ledger has to be told of.
    """
    project, made, closed = tree.project, 0, 0
    with store.read() as view:
        read, after = read_turns(view, project, most), view.profiles.compared_to(project)
        found = look(view, tree, most, read.found)
    if not (found.wanted or found.outdated or read.to > after) or store.read_only:
        return Proposing("", 0, 0, found.unsaid, found.waiting, found.changed)
    with store.write() as transaction:
        with under_way(transaction, project, REVIEW, actor=REVIEW, clock=clock, ids=ids) as operation:
            # What another review read meanwhile is evidence already.
            if transaction.profiles.compared_to(project) == after:
                _keep(transaction, tree, read, operation, clock.now())
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


def _keep(transaction: Transaction, tree: Tree, read: Read, operation: str, at: int) -> None:
    """Keep which turns contradict which notes as evidence against these, and how far the record was read."""
    project = tree.project
    for note_id, episodes in read.found.items():
        for episode in episodes if transaction.notes.get(project, note_id) else ():
            transaction.kin.reinforce(project, note_id, episode, "against", operation, at)
    transaction.profiles.set_compared(project, read.to)


def propose_anew(store: Store, tree: Tree, seen: object, *, clock: Clock, ids: IdSource) -> object:
    """Propose as upkeep does, a few notes at a time, unless all is as it was when `seen` was returned.

    Returns what is to be handed in the next time.
    """
    project = tree.project
    with store.read() as view:
        # What a dispute is about need not be an anchor of either side, so any file that was read may settle it.
        files = view.facts.count_files(tree) if view.kin.disputes(project) else ()
        stands = (view.operations.latest(project), view.notes.suspects(tree), files)
        unread = view.profiles.turns(project, view.profiles.compared_to(project), 1)
    if stands != seen or unread:
        propose(store, tree, clock=clock, ids=ids, most=AT_ONCE)
    return stands


def look(view: View, tree: Tree, most: int, against: Mapping[str, Sequence[str]]) -> Look:
    """Judge the notes that something may speak against, those that were told last first, as far as `most` reaches.

    `against` are the episodes that contradict notes and are no evidence yet.
    """
    project, sight, found = tree.project, Sight(view, tree), Look()
    known: dict[str, list[Proposal]] = {}
    for proposal in view.proposals.standing(project):
        known.setdefault(proposal.note, []).append(proposal)
    notes = _doubtful(view, tree, {*known, *against})
    found.waiting = sum(note.id not in known for note in notes[most:])
    for note in notes[:most]:
        past = known.get(note.id, [])
        options, nothing = remedies(view, sight, judge(sight, view, project, note), against.get(note.id, ()))
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
    """The open proposals of a project that still say what its sources say.

    Those about what was told after it had changed come first, what was told last before the others; then the oldest.
    """
    project = sight.tree.project
    standing = [one for one in view.proposals.standing(project) if not one.decided]
    uses = view.states.uses(project, [one.note for one in standing])
    found: list[Proposed] = []
    for proposal in standing:
        judged = judge(sight, view, project, get(view, project, proposal.note))
        if one := _still(view, sight, judged, proposal):
            use = uses.get(proposal.note)
            told = use.last_at if use and 0 < one.since <= use.last_at else 0
            found.append(Proposed(proposal, judged, one.said, difference(judged.note, proposal), told))
    return tuple(sorted(found, key=lambda one: -one.told_at))


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
    return next((one for one in remedies(view, sight, judged).options if one.is_of(proposal)), None)


def _is_known(note: Note, one: Wanted, standing: Sequence[Proposal]) -> bool:
    """Whether the same is proposed already, or was rejected."""
    answered = (past for past in standing if not past.decided or past.decision == REJECTED)
    return any(past.note == note.id and one.is_of(past) for past in answered)


def _doubtful(view: View, tree: Tree, known: Collection[str]) -> list[Note]:
    """The notes that the ledger, another note or somebody speaks against, and those that something is proposed for."""
    project = tree.project
    notes = {note.id: note for note in view.notes.by_heads(project, list(view.notes.suspects(tree))).values()}
    sides = (side for one in view.kin.disputes(project) for side in (one.note, one.other))
    others = {*known, *view.proposals.doubted(project), *sides}
    for note_id in others - notes.keys():
        if note := view.notes.get(project, note_id):
            notes[note_id] = note
    uses = view.states.uses(project, list(notes))
    told = {note_id: use.last_at for note_id, use in uses.items()}
    return sorted(notes.values(), key=lambda note: (note.id in known, -told.get(note.id, 0), -note.head.row))


def _proposal(proposal_id: str, note: Note, one: Wanted, operation: str, at: int) -> Proposal:
    return Proposal(proposal_id, note.id, note.head.row, one.action, one.text, one.reason, one.grounds, operation, at)
