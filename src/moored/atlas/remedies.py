"""What may be done about one note that something speaks against, the best founded remedy first.

Asked when it is needed and stored nowhere: a remedy stands as long as its grounds are as they are now.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from moored.atlas.contradicted import contradicting
from moored.atlas.fact_settles import Stated, stated
from moored.atlas.notes_seen import trust_of
from moored.atlas.profile.standing import is_learned
from moored.atlas.regenerate import SHOWN, regenerate
from moored.atlas.values import proposed_value_text
from moored.atlas.verdict import judge
from moored.model.clock import iso
from moored.model.notes import State
from moored.model.proposals import Ground, GroundKind, Proposal, Remedy
from moored.model.seeding import SEED
from moored.model.text import shorten

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from moored.ledger.sight import Sight
    from moored.model.kin import Opponent
    from moored.model.notes import JudgedNote, Note
    from moored.store.port import View

REASON = 300
"""Characters of the reason of a proposal."""


class Wanted(NamedTuple):
    """What would be proposed for a note as it is judged now; `said` is the evidence in words.

    `since` is when its grounds became so, in milliseconds, as far as that is known, else 0.
    """

    action: Remedy
    text: str
    reason: str
    grounds: tuple[Ground, ...]
    said: tuple[str, ...]
    since: int = 0

    def is_of(self, proposal: Proposal) -> bool:
        """Whether a proposal says the same on the same evidence."""
        return (self.action, self.text, self.grounds) == (proposal.action, proposal.text, proposal.grounds)


class Remedies(NamedTuple):
    """What may be proposed for a note, and whether it is stale and nothing follows from that."""

    options: tuple[Wanted, ...]
    unsaid: bool


def remedies(view: View, sight: Sight, judged: JudgedNote, against: Collection[str] = ()) -> Remedies:
    """What may be done about a note; `against` are episodes that contradict it, beside those that are known to."""
    note = judged.note
    if note.superseded_by:
        return Remedies((), False)
    found = [*_disputed(view, sight, judged), *_contradicted(view, sight, note, against)]
    drifted = judged.verdict.state is State.STALE and not is_learned(note) and note.head.actor != SEED
    if drifted and (one := _drifted(view, sight, judged)):
        found.append(one)
    unsaid = drifted and not found
    return Remedies((*found, *_found_useless(view, sight, note)), unsaid)


def _disputed(view: View, sight: Sight, judged: JudgedNote) -> Iterator[Wanted]:
    """What follows from the disputes of a note: from a fact, where one says which side holds, else from their dates."""
    note, project = judged.note, sight.tree.project
    for opponent in view.kin.opponents(project, [note.id]).get(note.id, ()):
        other = view.notes.get(project, opponent.note)
        if other is None:
            continue
        newer, older = (other, note) if opponent.newer else (note, other)
        fact = stated(view, sight, newer, older)
        if fact is None:
            one = _outdated(view, sight, note, other, opponent) if opponent.newer else None
        else:
            one = _against_fact(view, sight, judged, other, opponent, fact)
        if one:
            yield one
            return


def _outdated(view: View, sight: Sight, note: Note, newer: Note, opponent: Opponent) -> Wanted | None:
    """That a newer note takes the place of this one, if that one holds and is trusted as far (I-21)."""
    project = sight.tree.project
    if trust_of(view, project, newer).level < trust_of(view, project, note).level:
        return None
    if judge(sight, view, project, newer).verdict.state is State.STALE:
        return None
    ground = Ground(GroundKind.DISPUTE, opponent.dispute, newer.id)
    reason = shorten(f"{newer.id} is newer and cannot hold beside it: {opponent.reason}", REASON)
    return Wanted(Remedy.ARCHIVE, "", reason, (ground,), (_says(newer),), newer.head.created_at)


def _against_fact(
    view: View, sight: Sight, judged: JudgedNote, other: Note, opponent: Opponent, fact: Stated
) -> Wanted | None:
    """That a note makes room for the other side, which a fact bears out, or, where it bears out none, is revised.

    What an agent or a person said makes no room for words of a document (I-21): it is revised.
    """
    note, project = judged.note, sight.tree.project
    if fact.holds == note.id:
        return None
    ground = Ground(GroundKind.FACT, fact.fact, fact.address, fact.was, fact.value, fact.hash)
    said = (fact.said, _says(note), _says(other))
    trusted = trust_of(view, project, other).level >= trust_of(view, project, note).level
    if fact.holds and trusted:
        reason = shorten(f"{fact.told}: {opponent.reason}", REASON)
        grounds = (ground, Ground(GroundKind.DISPUTE, opponent.dispute, other.id))
        return Wanted(Remedy.ARCHIVE, "", reason, grounds, said, fact.since)
    # A stale note is revised by what its own targets say; of two that are wrong it is the newer that is put right.
    if judged.verdict.state is State.STALE or not (fact.holds or not opponent.newer):
        return None
    text = fact.text or proposed_value_text(note.head.text, fact.was, fact.value) or ""
    as_well = "" if fact.holds else "; neither side of the dispute says so"
    return Wanted(Remedy.REVISE, text, shorten(f"{fact.said}{as_well}", REASON), (ground,), said, fact.since)


def _contradicted(view: View, sight: Sight, note: Note, against: Collection[str]) -> Iterator[Wanted]:
    """That a note is revised, since a user said otherwise after it was written."""
    one = contradicting(view, sight.tree.project, note, against)
    if one:
        grounds = (Ground(GroundKind.EPISODE, one.episode),)
        said = f"{one.episode} of {iso(one.at)}, a user: {shorten(one.sentence, SHOWN)}"
        yield Wanted(
            Remedy.REVISE,
            one.text,
            shorten(f"a user said otherwise since: {one.reason}", REASON),
            grounds,
            (said,),
            one.at,
        )


def _drifted(view: View, sight: Sight, judged: JudgedNote) -> Wanted | None:
    """What follows from targets that are not as they were."""
    made = regenerate(view, sight, judged)
    if not made.grounds:
        return None
    action = Remedy.ARCHIVE if made.gone else Remedy.REVISE
    reason = shorten(judged.verdict.reason, REASON)
    return Wanted(action, made.text, reason, made.grounds, made.said, _changed_at(view, sight, made.grounds))


def _changed_at(view: View, sight: Sight, grounds: tuple[Ground, ...]) -> int:
    """When the latest of some grounds became so, as far as the ledger or the record knows."""
    project = sight.tree.project
    facts = [view.facts.get(project, one.id) for one in grounds if one.kind is GroundKind.FACT]
    said = [view.episodes.get(project, one.id) for one in grounds if one.kind is GroundKind.EPISODE]
    times = [fact.gone_at or fact.since for fact in facts if fact]
    return max([*times, *(one.recorded_at for one in said if one)], default=0)


def _found_useless(view: View, sight: Sight, note: Note) -> Iterator[Wanted]:
    """That a note is archived which somebody found useless last, and said why."""
    ratings = view.states.ratings(sight.tree.project, note.id)
    if ratings and not ratings[-1].useful and ratings[-1].reason and ratings[-1].at >= note.head.created_at:
        last = ratings[-1]
        reason = f"found useless by {last.actor}: {last.reason}"
        ground = Ground(GroundKind.RATING, last.operation)
        said = (f"{iso(last.at)} {reason}",)
        yield Wanted(Remedy.ARCHIVE, "", shorten(reason, REASON), (ground,), said, last.at)


def _says(note: Note) -> str:
    return f"{note.id} of {iso(note.head.created_at)} says: {shorten(note.head.text, SHOWN)}"
