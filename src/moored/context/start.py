"""The brief at the start of a session, on its resumption, and after a compaction."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from moored.context.attention import Attention, attention
from moored.context.entries import note_entry, profile_entry
from moored.context.pack import Block, Entry, pack
from moored.context.permitted import in_force, permitted
from moored.context.reminders import due_now, reminder_block
from moored.context.work_text import blocks_of, recent
from moored.context.working_state import working_state
from moored.ledger.sight import Sight
from moored.model.characters import well_formed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import tzinfo

    from moored.context.brief import Brief
    from moored.model.notes import Note
    from moored.model.projects import Project, Session, Tree
    from moored.recall.rules import InForce
    from moored.store.port import View
    from moored.store.rows import SessionSpan

SESSIONS = 3
"""Sessions of recent work that are told."""

READS = 40
"""Changed files that are read for the verdicts: the host waits, and after a change of branch there can be hundreds."""

NOTES = 8
"""Notes of the project that are shown, newest first."""

PREFERENCES = 5
"""Lines of the profile that are shown."""

RULED = 200
"""Notes among which those are looked for, where rules may refuse some."""

MOMENTS = {
    "compact": "after compaction",
    "resume": "session resumed",
}
START = "session start"


def start(
    view: View,
    project: Project,
    tree: Tree,
    *,
    host: str,
    session: str,
    source: str,
    budget: int,
    now: int,
    zone: tzinfo,
) -> Brief:
    """What is to be known when a session begins (`startup`, `clear`, `fork`), goes on (`resume`) or was compacted.

    Without a session, `resume` and `compact` mean the one that was active last.
    """
    going_on = source in MOMENTS
    spans = view.sessions.latest(project, SESSIONS + 1)
    own = view.projects.session(project, well_formed(host), well_formed(session)) if session else None
    if going_on and not session and spans:
        own = spans[0].session
    others = [span for span in spans if own is None or span.session.row != own.row][:SESSIONS]
    sight = Sight(view, tree, reads=READS)
    since, heading = _since(view, project, own if going_on else None, source, others)
    rules = in_force(view, project, own.id if own else session, now)
    changed = attention(view, sight, project, since)
    state = working_state(view, project, own) if own and going_on else None
    if state:
        worked = blocks_of(state, tree.root, _judged(view, project, sight, state.notes, rules))
    else:
        worked = [_recent(view, project, others, tree.root)]
    written = {note.id for note in (state.notes if state else ())}
    attended = _attended(view, project, changed, heading, written, rules)
    shown = written | {one.note.id for one in changed.notes}
    blocks = [*worked, attended] if source == "compact" else [attended, *worked]
    blocks += [_wanted(view, project, sight, shown, rules), _notes(view, project, sight, shown, rules)]
    degraded = [f"verdicts: could not read {', '.join(sorted(sight.unreadable))}"] if sight.unreadable else []
    if changed.unjudged:
        degraded.append(f"verdicts: {changed.unjudged} more notes about changed files were not judged")
    moment = MOMENTS.get(source, START)
    due = due_now(view, project, tree, now=now, zone=zone)
    blocks = [reminder_block(due, len(view.reminders.proposed(project))), *blocks]
    pins = view.pins.all(project)
    return pack(pins, blocks, project=project.name, moment=moment, budget=budget, degraded=degraded)


def _since(
    view: View, project: Project, own: Session | None, source: str, others: Sequence[SessionSpan]
) -> tuple[int, str]:
    """The moment from which on changes are told, and how it is called: the last one at which a brief told them."""
    span = view.sessions.span(project, own) if own else None
    if span and source == "compact":
        return span.started_at, "Changed since this session began:"
    if span:
        return span.ended_at, "Changed since this session was left:"
    if others:
        return others[0].started_at, "Changed since the last session began:"
    return 0, "Does not hold any more:"


def _attended(
    view: View, project: Project, changed: Attention, heading: str, written: set[str], rules: InForce | None
) -> Block:
    """What does not hold any more, without the notes that are told as written in the session."""
    new = [one for one in changed.notes if one.note.id not in written]
    entries = [note_entry(one, trust) for one, trust in permitted(view, project, new, rules)]
    rest = [
        f"{changed.unjudged} more about changed files {'was' if changed.unjudged == 1 else 'were'} not judged"
        if changed.unjudged
        else "",
        f"{changed.older} older note{'' if changed.older == 1 else 's'} changed before" if changed.older else "",
    ]
    if any(rest):
        entries.append(Entry("", f"- {'; '.join(part for part in rest if part)}: `moored stale` judges all"))
    return Block(heading, "changed note", entries, "attention")


def _wanted(view: View, project: Project, sight: Sight, shown: set[str], rules: InForce | None) -> Block:
    """What is best founded of what the user and the project want, and on how many occasions it was said or done."""
    entries: list[Entry] = []
    if view.profiles.notes(project):
        # What reads words has many patterns, and a host waits for its brief.
        from moored.atlas.profile.reading import strongest

        found = [one for one in strongest(view, sight, project, PREFERENCES) if one.judged.note.id not in shown]
        told = {judged.note.id for judged, _ in permitted(view, project, [one.judged for one in found], rules)}
        entries = [profile_entry(one) for one in found if one.judged.note.id in told]
    return Block("Wanted here, the best founded first:", "preference", entries)


def _recent(view: View, project: Project, others: Sequence[SessionSpan], root: str) -> Block:
    return Block("Recent work:", "session", [recent(view, project, span, root) for span in others])


def _notes(view: View, project: Project, sight: Sight, shown: set[str], rules: InForce | None) -> Block:
    """The newest notes that are not shown yet, without those of the profile, which has its own block."""
    learned = {note.id for note in view.profiles.notes(project)}
    found = view.notes.newest(project, (RULED if rules else NOTES) + len(shown) + len(learned))
    newest = (note for note in found if note.id not in shown | learned)
    return Block("Notes of this project, newest first:", "note", _judged(view, project, sight, newest, rules, NOTES))


def _judged(
    view: View,
    project: Project,
    sight: Sight,
    notes: Iterable[Note],
    rules: InForce | None,
    most: int | None = None,
) -> list[Entry]:
    """Notes as they hold now, the first `most` of them that no rule refuses."""
    from moored.atlas.contested import contested
    from moored.atlas.verdict import judge

    judged = (contested(view, project, [judge(sight, view, project, note)])[0] for note in notes)
    told = permitted(view, project, judged, rules)
    return [note_entry(judged, trust) for judged, trust in islice(told, most)]
