"""What a candidate says and whether it still holds, looked up at the moment of reading (I-04)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from moored.atlas.contested import CONTESTABLE, disputed
from moored.atlas.verdict import judge, unjudged
from moored.model.facts import Fact, FactKind
from moored.model.notes import CURRENT, AnchorRole, Change, JudgedAnchor, Note, State, Verdict
from moored.model.recall import Evidence, HitKind
from moored.model.state import AUTHORITY
from moored.model.text import fold, shorten

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from moored.ledger.sight import FactNow, Sight
    from moored.model.episodes import Episode
    from moored.model.projects import Project
    from moored.recall.fusion import Candidate
    from moored.store.port import View

SHOWN = 200
"""Characters that are shown of a text that replaced another, and of the input of a tool."""

NEWER_SAYS_OTHERWISE = "newer says otherwise"
"""The name of the penalty by which the older side of a dispute comes after the newer."""

NO_TREE = "no tree was named to check it against"

CHAIN = 32
"""Steps from one replacement to the next that are followed."""


class Examined(NamedTuple):
    """A candidate with what it says, its verdict and what it rests on.

    `head` is shown before the text whatever is cut; `span` are the characters of the text that matched, or None when
    it is shown whole. `penalties` are the factors on the score by name. `successors` are the ids of what replaced
    it, the last of them in force. What it was looked up as is its `episode`, `note` or `fact`, the others are None; an
    episode that began a note which was revised has that `note` as well. `newer` are the ids of the notes
    that dispute it and are newer.
    """

    id: str
    head: str
    text: str
    span: tuple[int, int] | None
    verdict: Verdict
    anchors: tuple[JudgedAnchor, ...]
    evidence: tuple[Evidence, ...]
    penalties: Mapping[str, float]
    successors: tuple[str, ...]
    episode: Episode | None = None
    note: Note | None = None
    fact: Fact | None = None
    newer: tuple[str, ...] = ()

    @property
    def sameness(self) -> str:
        """Two hits of which this is equal say the same."""
        return fold(self.head + self.text)


def fetch_notes(view: View, project: Project, candidates: Sequence[Candidate], most: int) -> dict[int, Note]:
    """The notes among the best `most` of the candidates, in one go: nearly all of them will be examined."""
    return view.notes.by_heads(project, [one.row for one in candidates[:most] if one.kind is HitKind.NOTE])


def examine(
    view: View,
    project: Project,
    sight: Sight | None,
    candidate: Candidate,
    newer: Mapping[int, int],
    notes: Mapping[int, Note],
) -> Examined | None:
    """Look a candidate up; None when there is nothing any more that could be answered.

    `notes` are those that were fetched already. `newer` says of an episode in which a note was written, and since
    revised, which revision says it now.
    """
    if candidate.kind is HitKind.NOTE:
        note = notes.get(candidate.row) or view.notes.by_heads(project, [candidate.row]).get(candidate.row)
        return _note(view, project, sight, note) if note else None
    if candidate.kind is HitKind.EPISODE:
        episode = view.episodes.by_seqs(project, [candidate.row]).get(candidate.row)
        revised = newer.get(candidate.row)
        by = view.notes.by_heads(project, [revised]).get(revised) if revised else None
        return _episode(view, project, episode, candidate.span, by) if episode else None
    fact = view.facts.by_rows(project, [candidate.row]).get(candidate.row)
    return _fact(sight, fact) if fact else None


def _note(view: View, project: Project, sight: Sight | None, note: Note) -> Examined:
    judged = judge(sight, view, project, note) if sight else unjudged(note, NO_TREE)
    replacing = _replacing(view, project, note)
    verdict = judged.verdict
    if replacing:
        latest = replacing[-1]
        verdict = Verdict(State.SUPERSEDED, Change.NONE, f"replaced by {latest.id}", shorten(latest.head.text, SHOWN))
    others = [] if replacing else view.kin.opponents(project, [note.id]).get(note.id, [])
    if others and verdict.state in CONTESTABLE:
        verdict = disputed(others)
    penalties = _penalties(verdict)
    if verdict.state is State.DISPUTED and any(other.newer for other in others):
        penalties[NEWER_SAYS_OTHERWISE] = AUTHORITY[State.DISPUTED]
    source = view.episodes.standing(project, note.head.episode)
    trust = str(source.trust) if source else "unknown"
    said = Evidence(note.head.episode, "", note.head.actor, trust, note.head.created_at)
    about = [one for one in judged.anchors if one.anchor.role is not AnchorRole.SOURCE]
    return Examined(
        id=note.id,
        head="",
        text=note.head.text,
        span=None,
        verdict=verdict,
        anchors=judged.anchors,
        evidence=(said, *(_resting_on(view, project, one, note) for one in about)),
        penalties=penalties,
        successors=tuple(newer.id for newer in replacing),
        note=note,
        newer=tuple(other.note for other in others if other.newer),
    )


def _replacing(view: View, project: Project, note: Note) -> list[Note]:
    """The notes that replaced a note, one after the other."""
    found: list[Note] = []
    by = note.superseded_by
    while by and len(found) < CHAIN and (newer := view.notes.get(project, by)):
        found.append(newer)
        by = newer.superseded_by
    return found


def _resting_on(view: View, project: Project, judged: JudgedAnchor, note: Note) -> Evidence:
    anchor = judged.anchor
    if anchor.episode:
        episode = view.episodes.get(project, anchor.episode)
        if episode:
            return _said(episode)
        return Evidence(anchor.episode, "", "unknown", "unknown", note.head.created_at)
    fact = view.facts.get(project, anchor.fact)
    where = f"{judged.path}:{judged.line}" if judged.line else anchor.path
    source, since = (fact.extractor, fact.since) if fact else ("unknown", note.head.created_at)
    return Evidence(anchor.fact, where, source, "data", since)


def _episode(view: View, project: Project, episode: Episode, span: tuple[int, int] | None, by: Note | None) -> Examined:
    verdict, penalties, successors = CURRENT, {}, ()
    if corrections := _corrections(view, project, episode):
        latest = corrections[-1]
        says = f"{latest.id}: {shorten(latest.text, SHOWN)}"
        verdict = Verdict(State.SUPERSEDED, Change.CORRECTED, f"corrected by {latest.id}", says)
        penalties = {"corrected": AUTHORITY[State.SUPERSEDED]}
        successors = tuple(later.id for later in corrections)
    elif by:
        successors = (by.id,)
        says = f"{by.id}: {shorten(by.head.text, SHOWN)}"
        verdict = Verdict(State.SUPERSEDED, Change.NONE, f"the note that it began was revised: {by.id}", says)
        penalties = _penalties(verdict)
    head = f"{episode.tool_name or 'tool'}: {shorten(episode.tool_input, SHOWN)}\n" if episode.tool_input else ""
    return Examined(
        id=episode.id,
        head=head,
        text=episode.text,
        span=span,
        verdict=verdict,
        anchors=(),
        evidence=(_said(episode),),
        penalties=penalties,
        successors=successors,
        episode=episode,
        note=by,
    )


def _corrections(view: View, project: Project, episode: Episode) -> list[Episode]:
    """The episodes that corrected an episode, one after the other."""
    found: list[Episode] = []
    by = episode.corrected_by
    while by and len(found) < CHAIN and (later := view.episodes.get(project, by)):
        found.append(later)
        by = later.corrected_by
    return found


def _said(episode: Episode) -> Evidence:
    return Evidence(episode.id, "", str(episode.role), str(episode.trust), episode.occurred_at)


def _fact(sight: Sight | None, fact: Fact) -> Examined:
    now = _standing(sight, fact) if sight and fact.path else None
    verdict = _fact_verdict(sight, fact, now) if fact.path else CURRENT
    line = now.line if now else fact.span.line
    doc = "" if sight and fact.path in sight.changed else fact.doc.strip().partition("\n")[0]
    shown = [f"$ {fact.name}" if fact.kind is FactKind.COMMAND else fact.address, fact.value, doc]
    source = fact.id if fact.path else fact.episode
    where = f"{fact.path}:{line}" if fact.path else ""
    return Examined(
        id=fact.id,
        head="",
        text="\n".join(part for part in shown if part),
        span=None,
        verdict=verdict,
        anchors=(),
        evidence=(Evidence(source, where, fact.extractor, "data", fact.since),),
        penalties=_penalties(verdict),
        successors=(),
        fact=fact,
    )


def _standing(sight: Sight, fact: Fact) -> FactNow | None:
    """The fact as it stands in its file now: the one of its kind and ordinal, else any of its name."""
    here = sight.find(fact.path, fact.name)
    same = [now for now in here if now.kind is fact.kind and now.ordinal == fact.ordinal]
    return next(iter(same or here), None)


def _fact_verdict(sight: Sight | None, fact: Fact, now: FactNow | None) -> Verdict:
    if sight is None:
        return Verdict(State.UNVERIFIABLE, Change.NONE, NO_TREE)
    if now is None:
        if fact.path in sight.unreadable:
            return Verdict(State.UNVERIFIABLE, Change.UNREADABLE, f"{fact.path} cannot be read")
        return Verdict(State.STALE, Change.GONE, f"it does not stand in {fact.path} any more", "gone")
    if now.value == fact.value and now.signature_hash == fact.signature_hash:
        return CURRENT
    change = Change.SIGNATURE if fact.signature_hash else Change.VALUE
    return Verdict(State.STALE, change, f"its {change} changed since it was indexed", shorten(now.value, SHOWN))


def _penalties(verdict: Verdict) -> dict[str, float]:
    factor = AUTHORITY.get(verdict.state)
    return {str(verdict.state): factor} if factor else {}
