"""How one thing is written in a brief: on few lines, with its id, its verdict, and quoted where it is only data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.context.pack import Entry
from moored.model.clock import iso
from moored.model.episodes import Role, Trust
from moored.model.notes import CURRENT, Change, State
from moored.model.recall import HitKind
from moored.model.text import shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.context.working_state import Said
    from moored.model.notes import JudgedNote, Verdict
    from moored.model.profiles import Entry as Profiled
    from moored.model.recall import Hit

NOTE = 240
"""Characters that are shown of a note where it is only pointed to."""

VERBATIM = 500
"""Characters of a turn that is shown as it is; of a longer one as many are shown on one line."""


def note_entry(judged: JudgedNote, trust: Trust) -> Entry:
    """A note with its verdict, what its source says now, and the command that proved it."""
    note, verdict = judged.note, judged.verdict
    text = shorten(note.head.text, NOTE)
    first = f"- {note.id} [{verdict.state}] {note.kind}"
    lines = [first + ":", f"  > {text}"] if trust is Trust.DATA else [f"{first}: {text}"]
    lines += _verdict(verdict)
    if note.head.proof:
        lines.append(f"  proved by: {shorten(note.head.proof, NOTE)}")
    return Entry(note.id, "\n".join(lines))


def profile_entry(one: Profiled) -> Entry:
    """A line of the profile: what was said, quoted where it is only data, and how well founded it is."""
    note = one.judged.note
    pieces, occasions = one.standing, one.occasions
    founded = (
        f"{pieces} piece{'' if pieces == 1 else 's'} of evidence, {occasions} occasion{'' if occasions == 1 else 's'}"
    )
    first, text = f"- {note.id} {note.kind} ({founded}):", shorten(note.head.text, NOTE)
    return Entry(note.id, f"{first}\n  > {text}" if one.trust is Trust.DATA else f"{first} {text}")


def hit_entry(hit: Hit) -> Entry:
    """A hit of a recall: who said it when, its verdict, where what it is about stands, and its text.

    What was said or printed is so for ever, whatever became of it: it stands without a state unless it was taken back.
    """
    said = hit.evidence[0]
    places = list(dict.fromkeys(evidence.where for evidence in hit.evidence[1:] if evidence.where))[:2]
    about = f", about {', '.join(places)}" if places else ""
    happened = hit.kind is HitKind.EPISODE
    state = "" if happened and hit.verdict == CURRENT else f"[{hit.verdict.state}] "
    spoken = said.source in (Role.USER, Role.ASSISTANT)
    who = f"{hit.kind} by" if not happened else "said by" if spoken else "from"
    lines = [f"- {hit.id} {state}{who} {said.source}, {iso(said.at)[:10]}{about}"]
    lines += _verdict(hit.verdict)
    mark = "> " if said.trust == Trust.DATA else ""
    lines += [f"  {mark}{line}" for line in hit.text.splitlines()]
    return Entry(hit.id, "\n".join(lines))


def said_lines(label: str, said: Said, most: int = VERBATIM) -> list[str]:
    """What somebody said: verbatim when it is short, else its beginning, with the id of the whole."""
    text = said.text.strip()
    whole = len(text) <= most
    lines = text.splitlines() if whole else [shorten(text, most)]
    if not said.data and len(lines) == 1:
        return [f"- {label} ({said.episode}): {lines[0]}"]
    mark = "> " if said.data else ""
    return [f"- {label} ({said.episode}):", *(f"  {mark}{line}" for line in lines)]


def said_entry(label: str, said: Said, most: int = VERBATIM) -> Entry:
    """What somebody said, as an entry of its own."""
    return Entry(said.episode, "\n".join(said_lines(label, said, most)))


def some(names: Sequence[str], most: int) -> str:
    """The first names, and how many more there are."""
    more = f", and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _verdict(verdict: Verdict) -> list[str]:
    """Why something does not hold, and what its source says now, which is data."""
    nothing_to_check = verdict.state is State.UNVERIFIABLE and verdict.change is Change.NONE
    lines = [f"  {verdict.reason}"] if verdict.reason and not nothing_to_check else []
    if verdict.current and verdict.current != "gone":
        lines.append(f"  > now: {verdict.current}")
    return lines
