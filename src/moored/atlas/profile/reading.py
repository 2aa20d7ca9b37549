"""Reading a profile: what the user and the project want, each with all that it rests on, the strongest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.atlas.notes_seen import trust_of
from moored.atlas.profile.standing import SHOWN, is_learned, judged_by
from moored.atlas.profile.wording import key_of, stated
from moored.atlas.verdict import judge
from moored.model.notes import Change, JudgedNote, State, Verdict
from moored.model.profiles import BELIEF, Entry
from moored.model.text import shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.ledger.sight import Sight
    from moored.model.kin import Opponent
    from moored.model.notes import Note
    from moored.model.profiles import Piece
    from moored.model.projects import Project
    from moored.store.port import View


def profile(view: View, sight: Sight, project: Project, *, about: str = "", every: bool = False) -> tuple[Entry, ...]:
    """The preferences and beliefs of a project that hold, those with the most evidence first, then the newest.

    `about` limits them to a key. With `every` those that were replaced, or lost what they rested on, follow.
    """
    wanted = about.strip().lower()
    notes = [
        note
        for note in view.profiles.notes(project)
        if (every or not note.superseded_by) and wanted in ("", key_of(note))
    ]
    pieces = view.profiles.pieces(project, [note.id for note in notes])
    disputed = view.kin.opponents(project, [note.id for note in notes])
    entries = [_entry(view, sight, project, note, pieces[note.id], disputed.get(note.id, ())) for note in notes]
    held = [entry for entry in entries if every or holds(entry)]
    return tuple(sorted(held, key=_order))


def holds(entry: Entry) -> bool:
    """Whether a line of a profile is to be gone by: neither replaced nor without what it rested on."""
    return not entry.replaced and entry.judged.verdict.state is not State.STALE


def _order(entry: Entry) -> tuple[bool, int, bool, int]:
    return not holds(entry), -entry.occasions, entry.judged.note.kind != BELIEF, -entry.last_at


def strongest(view: View, sight: Sight, project: Project, most: int) -> tuple[Entry, ...]:
    """The lines that a brief shows: at most `most`, and of a belief and a preference that say the same the belief."""
    shown: dict[tuple[str, str, str, bool], Entry] = {}
    for entry in profile(view, sight, project):
        note, said = entry.judged.note, entry.preference
        same = (
            (entry.key, said.scope.lower(), said.value.lower(), said.wanted) if said else (note.head.text, "", "", True)
        )
        if same not in shown or note.kind == BELIEF:
            shown[same] = entry
    return tuple(shown.values())[:most]


def _entry(
    view: View, sight: Sight, project: Project, note: Note, pieces: Sequence[Piece], opponents: Sequence[Opponent]
) -> Entry:
    if is_learned(note) and not note.superseded_by:
        judged = JudgedNote(note, judged_by(view, project, note, pieces), ())
    else:
        judged = judge(sight, view, project, note)
    if opponents and judged.verdict.state is not State.STALE:
        first = opponents[0]
        reason = f"disputed by {first.note}: {first.reason} ({first.dispute})"
        judged = judged._replace(verdict=Verdict(State.DISPUTED, Change.NONE, reason, shorten(first.text, SHOWN)))
    trust = trust_of(view, project, note)
    return Entry(judged, trust, stated(note), key_of(note), tuple(pieces), bool(note.superseded_by))


def meaning(entry: Entry) -> str:
    """What a line of a profile comes to, in a few words: what it is about, whose it is, and what is wanted."""
    said = entry.preference
    if said is None:
        return entry.key
    behind = f" over {said.over}" if said.over else ""
    limit = f", for {said.scope}" if said.scope else ""
    return f"{entry.key} of the {said.subject}: {'' if said.wanted else 'not '}{said.value}{behind}{limit}"
