"""Does a note still hold? Answered when it is asked, against the files as they are on disk now (I-04).

A target is known by its identity (path, kind, name) and its hashes. If its name stands in its file, the hashes decide.
If not, it is looked for: first by its body, which must stand in exactly one other place, or in the one to which the
ledger saw it move; then by the ledger's own history, which may have seen it move before it changed. Of a file from
which an excerpt was taken only that has to stay. Nothing is stored, so what is reverted holds again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from moored.atlas.profile.standing import is_learned, standing
from moored.ledger.sight import TooMuchChanged
from moored.model.clock import iso
from moored.model.excerpts import holds, is_excerpt
from moored.model.facts import SYMBOL_KINDS, FactKind
from moored.model.notes import (
    CURRENT,
    Anchor,
    AnchorRole,
    Change,
    JudgedAnchor,
    JudgedNote,
    Note,
    State,
    Verdict,
)
from moored.model.text import shorten

if TYPE_CHECKING:
    from moored.ledger.sight import FactNow, Sight
    from moored.model.projects import Project
    from moored.store.port import View

SHOWN = 200
"""Characters of a value, or of a correcting text, that a verdict shows."""

WORST_FIRST = (
    Change.CORRECTED,
    Change.GONE,
    Change.PARTLY_GONE,
    Change.SIGNATURE_AND_BODY,
    Change.SIGNATURE,
    Change.VALUE,
    Change.BODY,
    Change.AMBIGUOUS,
    Change.MOVED,
    Change.RENAMED,
    Change.UNREADABLE,
    Change.NONE,
)
"""The order of changes: first what was taken back or is not there, then what says something else, then where it is."""

_IMPORTS = frozenset({FactKind.IMPORT, FactKind.EXPORT})


class Standing(NamedTuple):
    """Where the target of a file-backed anchor stands now: the fact that is there, or None, and what changed.

    `places` are the addresses between which it cannot be decided; `was_there` is where the same body stood already
    when the note was written, so that it is a copy and not the target moved.
    """

    now: FactNow | None
    change: Change
    places: tuple[str, ...] = ()
    was_there: str = ""


def judge(sight: Sight, view: View, project: Project, note: Note) -> JudgedNote:
    """The verdict on a note and on each of its anchors, in the tree of `sight`.

    A note is stale if anything that it is about or that proved it is not as it was, or what it rests on was
    corrected. It is `unverifiable` if there is nothing to check, or if what there is cannot be read. What was learned
    for a profile is judged by what is left of its evidence.
    """
    at = note.head.created_at
    try:
        judged = tuple(judge_anchor(sight, view, project, anchor, at) for anchor in note.head.anchors)
    except TooMuchChanged as error:
        judged = unjudged(note, str(error)).anchors
    if note.superseded_by:
        return JudgedNote(note, _superseded(view, project, note.superseded_by), judged)
    if is_learned(note):
        return JudgedNote(note, standing(view, project, note), judged)
    return JudgedNote(note, _summed_up(judged), judged)


def unjudged(note: Note, reason: str) -> JudgedNote:
    """A note of which nothing can be said just now, and why (I-22)."""
    verdict = Verdict(State.UNVERIFIABLE, Change.NONE, reason)
    return JudgedNote(note, verdict, tuple(JudgedAnchor(anchor, verdict, "", 0) for anchor in note.head.anchors))


def judge_anchor(sight: Sight, view: View, project: Project, anchor: Anchor, written_at: int) -> JudgedAnchor:
    """What became of the target of an anchor that was written at `written_at` (milliseconds)."""
    if anchor.path:
        return _judge_in_file(anchor, locate(sight, view, project, anchor, written_at))
    if anchor.kind is FactKind.COMMAND:
        verdict = _judge_command(view, project, anchor)
    else:
        verdict = _judge_episode(view, project, anchor)
    return JudgedAnchor(anchor, verdict, "", 0)


def locate(sight: Sight, view: View, project: Project, anchor: Anchor, written_at: int) -> Standing:
    """Find where the target of a file-backed anchor stands now, and in what it differs from what it was."""
    here = [now for now in sight.find(anchor.path, anchor.name) if _comparable(anchor, now)]
    if here:
        nearest = max(here, key=lambda now: _likeness(anchor, now))
        change = _difference(anchor, nearest)
        return Standing(nearest, Change.NONE if change is Change.BODY and _is_still_said(sight, anchor) else change)
    if anchor.path in sight.unreadable:
        return Standing(None, Change.UNREADABLE)
    elsewhere: dict[tuple[str, str], FactNow] = {}
    for now in sight.with_body(anchor.body_hash) if _recognisable(anchor) else ():
        if now.kind in SYMBOL_KINDS or now.kind is anchor.kind is FactKind.FILE:
            elsewhere.setdefault((now.path, now.name), now)
    copies = [now for now in elsewhere.values() if _was_there(sight, view, project, anchor, now, written_at)]
    moved = [now for now in elsewhere.values() if now not in copies]
    if len(moved) == 1:
        return Standing(moved[0], _displacement(anchor, moved[0]))
    followed = _followed(sight, view, project, anchor)
    if followed:
        return Standing(followed, _displacement(anchor, followed))
    if moved:
        return Standing(None, Change.AMBIGUOUS, tuple(_address(now) for now in moved))
    return Standing(None, Change.GONE, was_there=_address(copies[0]) if copies else "")


def called(anchor: Anchor) -> str:
    """How a sentence calls the target of an anchor."""
    if anchor.kind is FactKind.COMMAND:
        return f"$ {anchor.name}"
    return anchor.address


def _comparable(anchor: Anchor, now: FactNow) -> bool:
    """Whether something of the same name is the same sort of thing: an import is not what it imports."""
    if anchor.kind is FactKind.FILE or now.kind is FactKind.FILE:
        return anchor.kind is now.kind
    return (anchor.kind in _IMPORTS) == (now.kind in _IMPORTS)


def _likeness(anchor: Anchor, now: FactNow) -> tuple[bool, bool, bool, bool]:
    same_signature, same_body = _same_signature(anchor, now), anchor.body_hash == now.body_hash
    return same_signature and same_body, same_body, same_signature, anchor.fact == now.fact


def _same_signature(anchor: Anchor, now: FactNow) -> bool:
    return anchor.kind is now.kind and anchor.signature_hash == now.signature_hash


def _difference(anchor: Anchor, now: FactNow) -> Change:
    same_signature, same_body = _same_signature(anchor, now), anchor.body_hash == now.body_hash
    if same_signature and same_body:
        return Change.NONE
    if anchor.kind not in SYMBOL_KINDS and now.kind not in SYMBOL_KINDS:
        return Change.BODY if anchor.kind is FactKind.FILE else Change.VALUE
    if same_signature:
        return Change.BODY
    return Change.SIGNATURE if same_body else Change.SIGNATURE_AND_BODY


def _is_still_said(sight: Sight, anchor: Anchor) -> bool:
    """Whether a file that changed still says what was taken from it, where that is known."""
    return anchor.kind is FactKind.FILE and is_excerpt(anchor.value) and holds(anchor.value, sight.text(anchor.path))


def _displacement(anchor: Anchor, now: FactNow) -> Change:
    return Change.RENAMED if now.path == anchor.path else Change.MOVED


def _recognisable(anchor: Anchor) -> bool:
    return anchor.kind in SYMBOL_KINDS or anchor.kind is FactKind.FILE


def _was_there(sight: Sight, view: View, project: Project, anchor: Anchor, now: FactNow, written_at: int) -> bool:
    """Whether this body stood in this place already when the note was written, in the tree it was written in."""
    target = view.facts.get(project, anchor.fact)
    if not now.fact or now.fact == anchor.fact or target is None or target.tree != sight.tree.id:
        return False
    return any(
        version.path == now.path
        and version.name == now.name
        and version.body_hash == now.body_hash
        and version.since <= written_at
        and (version.until is None or version.until > written_at)
        for version in view.facts.history(project, now.fact)
    )


def _followed(sight: Sight, view: View, project: Project, anchor: Anchor) -> FactNow | None:
    """The fact of the anchor where the ledger follows it to: what it knows now, or will once it is told of the disk."""
    fact = view.facts.get(project, anchor.fact)
    if fact is None or fact.tree != sight.tree.id or fact.gone_at is not None:
        return None
    if moved := sight.followed(fact.id):
        return moved
    if (fact.path, fact.name) == (anchor.path, anchor.name):
        return None
    here = [now for now in sight.find(fact.path, fact.name) if _comparable(anchor, now)]
    return max(here, key=lambda now: _likeness(anchor, now)) if here else None


def _judge_in_file(anchor: Anchor, standing: Standing) -> JudgedAnchor:
    now, change = standing.now, standing.change
    if now is None:
        return JudgedAnchor(anchor, _lost(anchor, standing), anchor.path, 0)
    if change is Change.NONE:
        return JudgedAnchor(anchor, CURRENT, now.path, now.line)
    if change in (Change.MOVED, Change.RENAMED):
        also = _difference(anchor, now)
        reason = f"it {'moved to' if change is Change.MOVED else 'is now called'} {_address(now)}"
        if also is not Change.NONE and anchor.kind is not FactKind.FILE:
            reason += f", and its {also} changed"
        return JudgedAnchor(anchor, Verdict(State.STALE, change, reason, _address(now)), now.path, now.line)
    if anchor.kind is FactKind.FILE:
        reason = "the file changed"
    elif change is Change.BODY:
        reason = f"its body changed ({now.path}:{now.line})"
    else:
        reason = f"its {change} changed; it was {_shown(anchor.value)}"
    return JudgedAnchor(anchor, Verdict(State.STALE, change, reason, _shown(now.value)), now.path, now.line)


def _lost(anchor: Anchor, standing: Standing) -> Verdict:
    if standing.change is Change.UNREADABLE:
        return Verdict(State.UNVERIFIABLE, Change.UNREADABLE, f"{anchor.path} cannot be read")
    if standing.change is Change.AMBIGUOUS:
        places = ", ".join(standing.places)
        reason = f"the same body now stands in {len(standing.places)} places: {places}; not followed"
        return Verdict(State.STALE, Change.AMBIGUOUS, reason, places)
    reason = "it is gone"
    if standing.was_there:
        reason += f"; {standing.was_there} has the same body, as it had when the note was written"
    return Verdict(State.STALE, Change.GONE, reason, "gone")


def _judge_command(view: View, project: Project, anchor: Anchor) -> Verdict:
    fact = view.facts.command(project, anchor.name)
    if fact is None:
        return Verdict(State.STALE, Change.GONE, "the record holds no run of it any more", "gone")
    if fact.body_hash == anchor.body_hash:
        return CURRENT
    reason = f"{anchor.value} when written, {fact.value} at {iso(fact.since)}"
    return Verdict(State.STALE, Change.VALUE, reason, fact.value)


def _judge_episode(view: View, project: Project, anchor: Anchor) -> Verdict:
    """An episode, and what was read from it, never change: they are only corrected by a later one."""
    fact = view.facts.get(project, anchor.fact) if anchor.fact else None
    episode_id = fact.episode if fact else anchor.episode
    episode = view.episodes.standing(project, episode_id)
    if episode is None:
        return Verdict(State.STALE, Change.GONE, f"the episode {episode_id} is gone", "gone")
    if not episode.corrected_by:
        return CURRENT
    correcting = view.episodes.get(project, episode.corrected_by)
    reason = f"{episode_id} was corrected by {episode.corrected_by}"
    return Verdict(State.STALE, Change.CORRECTED, reason, _shown(correcting.text) if correcting else "")


def _superseded(view: View, project: Project, by: str) -> Verdict:
    newer = view.notes.get(project, by)
    return Verdict(State.SUPERSEDED, Change.NONE, f"replaced by {by}", _shown(newer.head.text) if newer else "")


def _summed_up(judged: tuple[JudgedAnchor, ...]) -> Verdict:
    about = [one for one in judged if one.anchor.role is AnchorRole.ABOUT]
    checked = [one for one in judged if one.anchor.role is not AnchorRole.SOURCE or one.verdict.state is State.STALE]
    lost = [one for one in checked if one.verdict.state is State.STALE]
    if lost:
        return _stale(lost, about, sum(one.verdict.state is State.CURRENT for one in checked))
    unread = [one for one in checked if one.verdict.state is State.UNVERIFIABLE]
    if unread:
        reasons = "; ".join(dict.fromkeys(one.verdict.reason for one in unread))
        return Verdict(State.UNVERIFIABLE, Change.UNREADABLE, reasons)
    if not about:
        return Verdict(State.UNVERIFIABLE, Change.NONE, "it rests on what was said; nothing in the tree to check")
    return CURRENT


def _stale(lost: list[JudgedAnchor], about: list[JudgedAnchor], others: int) -> Verdict:
    """Several anchors in one verdict: the worst change, every reason, and how many of the others still hold."""
    changes = {one.verdict.change for one in lost}
    worst = min(changes, key=WORST_FIRST.index)
    if worst is Change.GONE and any(one.verdict.change is not Change.GONE for one in about):
        worst = Change.PARTLY_GONE
    reasons = list(dict.fromkeys(f"{called(one.anchor)}: {one.verdict.reason}" for one in lost))
    values = list(dict.fromkeys(one.verdict.current for one in lost if one.verdict.current))
    if others:
        reasons.append(f"{others} other{'' if others == 1 else 's'} still hold{'s' if others == 1 else ''}")
    if len(values) > 1:
        values = list(dict.fromkeys(f"{called(one.anchor)}: {one.verdict.current}" for one in lost))
    return Verdict(State.STALE, worst, "; ".join(reasons), "; ".join(values))


def _address(now: FactNow) -> str:
    return now.path if now.kind is FactKind.FILE else f"{now.path}::{now.name}"


def _shown(value: str) -> str:
    return shorten(value, SHOWN)
