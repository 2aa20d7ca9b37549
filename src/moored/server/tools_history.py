"""Tools of the set `history`: what was said before, what a change puts at risk, and what machines did."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from moored.model.clock import iso
from moored.model.notes import Revision
from moored.model.text import fold
from moored.server.arguments import called, number
from moored.server.tool import BOOLEAN, INTEGER, STRING, STRINGS, Answer, Tool, several, strings, structure
from moored.server.tools_reading import budget, verdict
from moored.server.words import counted, label, lines_of, one_line, packed, quoted

if TYPE_CHECKING:
    from moored.atlas.affected import AffectedNote
    from moored.memory import Memory
    from moored.model.facts import FactVersion
    from moored.model.notes import Note
    from moored.model.operations import Operation


def history(memory: Memory, name: str, budget: int) -> Answer:
    """Every revision of a note or version of a fact, newest first."""
    versions = [*reversed(memory.history(name))]
    lines, _ = packed((_version(one) for one in versions), budget)
    omitted = len(versions) - len(lines)
    shown = [_version_data(one) for one in versions[: len(lines)]]
    if omitted:
        lines.append(f"({omitted:,} older left out)")
    head = f"{counted(len(versions), 'version')} of {name}, newest first"
    if any(isinstance(one, Revision) for one in versions):
        head += _standing(memory.note(name))
    return Answer("\n".join([head, *lines]), {"versions": shown, "omitted_count": omitted})


def _standing(note: Note) -> str:
    protected = f"; protected: {fold(note.protected)}" if note.protected else ""
    return protected + (f"; taken out of every answer by {note.withdrawn}" if note.withdrawn else "")


def _version(one: Revision | FactVersion) -> str:
    if isinstance(one, Revision):
        return f"## {one.number}. {one.id}, {iso(one.created_at)}, by {one.actor}: {fold(one.cause)}\n{one.text}"
    until = iso(one.until) if one.until is not None else "now"
    change = f", then {one.change}" if one.change else ""
    head = f"## {iso(one.since)} to {until}, {fold(one.path or one.name)}, line {one.line}{change}"
    return f"{head}\n{quoted(one.value, data=True)}"


def _version_data(one: Revision | FactVersion) -> dict[str, Any]:
    if isinstance(one, Revision):
        return {"text": one.text, "at": iso(one.created_at), "id": one.id, "by": one.actor, "cause": one.cause}
    until = {"until": iso(one.until)} if one.until is not None else {}
    return {"text": one.value, "at": iso(one.since), "cause": one.change, **until}


def difference(memory: Memory, note: str, first: int | None, second: int | None) -> Answer:
    """What changed between two revisions of a note."""
    found = memory.difference(note, first, second)
    return Answer(found or "no difference", {"text": found})


def affected(memory: Memory, base: str, budget: int) -> Answer:
    """The notes and pins that a change puts at risk."""
    report = memory.affected(base or None)
    lines, tokens = packed((_at_risk(one) for one in report.notes), budget)
    notes = report.notes[: len(lines)]
    named, _ = packed(
        (f"{one.id} mentions {', '.join(one.names)}: {one_line(one.text)}" for one in report.mentions), budget - tokens
    )
    mentions = report.mentions[: len(named)]
    omitted = len(report.notes) - len(notes) + len(report.mentions) - len(mentions)
    head = f"{counted(len(report.files), 'file')} changed, {counted(len(report.notes), 'note')} at risk"
    if omitted:
        named.append(f"({omitted:,} left out)")
    data = {
        "files": [change.path for change in report.files],
        "notes": [
            {
                "id": one.judged.note.id,
                "text": one_line(one.judged.note.head.text, 240),
                **verdict(one.judged.verdict),
                "changes": [f"{change.address}: {change.change or 'new'}" for change in one.changes],
            }
            for one in notes
        ],
        "mentions": [{"id": one.id, "text": one_line(one.text), "names": list(one.names)} for one in mentions],
        "omitted_count": omitted,
    }
    return Answer("\n".join([head, *lines, *named]), data)


def _at_risk(one: AffectedNote) -> str:
    judged = one.judged
    lines = [f"## {label(judged.verdict)} {judged.note.id}", one_line(judged.note.head.text, 240)]
    lines += [f"{fold(change.address)}: {change.change or 'new'}" for change in one.changes]
    return "\n".join([*lines, *lines_of(judged.verdict)])


def operations(memory: Memory) -> Answer:
    """What was done that can be undone."""
    done = memory.operations()
    lines = [_operation(one) for one in done] or ["no operations"]
    data = [
        {
            "id": one.id,
            "kind": one.kind,
            "detail": one.detail,
            "at": iso(one.started_at),
            "actor": one.actor,
            "episodes": one.episodes,
            "notes": one.notes,
            "undone": one.undone_at is not None,
        }
        for one in done
    ]
    return Answer("\n".join(lines), {"operations": data})


def _operation(one: Operation) -> str:
    undone = f", undone {iso(one.undone_at)}" if one.undone_at is not None else ""
    what = f"{one.kind} by {one.actor}" + (f" of {one.undoes}" if one.undoes else "")
    did = f"{counted(one.notes, 'note')}, {counted(one.episodes, 'episode')}"
    return f"{one.id} {iso(one.started_at)} {what}: {', '.join(part for part in (one.detail, did) if part)}{undone}"


def undo(memory: Memory, operation: str) -> Answer:
    """Take one operation back, alone."""
    done = memory.undo(operation, actor="agent")
    said = f"undone: {done.undone} by {done.operation}; {counted(len(done.notes), 'note')} given back"
    said += f", {counted(done.hidden, 'episode')} hidden, {done.shown:,} shown again"
    data = {"operation": done.operation, "notes": list(done.notes), "hidden": done.hidden, "shown": done.shown}
    changed = ("status", "stale", "brief", *(f"note/{note}" for note in done.notes))
    return Answer(said, data, changed)


HISTORY = Tool(
    "history",
    "Call to see what a note said before and why it changed, or what a symbol or key was.",
    (called("name", "A note's id, a fact's id, or a name as for symbol."), budget),
    structure(
        ("versions", "omitted_count"),
        versions=several(strings(("text",))),
        omitted_count=INTEGER,
    ),
    history,
)

DIFFERENCE = Tool(
    "difference",
    "Call to see what changed between two revisions of a note; the last two unless numbered.",
    (called("note", "Its id."), number("first", "", least=1), number("second", "", least=1)),
    structure(("text",), text=STRING),
    difference,
)

AFFECTED = Tool(
    "affected",
    "Call before you commit or review: the notes and pins that the uncommitted changes, or all since a branch was "
    "left, put at risk.",
    (called("base", "A branch or commit.", required=False), budget),
    structure(
        ("files", "notes", "mentions", "omitted_count"),
        files=STRINGS,
        notes=several(structure(id=STRING, text=STRING, state=STRING, why=STRING, now=STRING, changes=STRINGS)),
        mentions=several(structure(id=STRING, text=STRING, names=STRINGS)),
        omitted_count=INTEGER,
    ),
    affected,
)

OPERATIONS = Tool(
    "operations",
    "Call to see what was done, by whom, and what of it can be undone.",
    (),
    structure(
        ("operations",),
        operations=several(
            structure(
                id=STRING,
                kind=STRING,
                detail=STRING,
                at=STRING,
                actor=STRING,
                episodes=INTEGER,
                notes=INTEGER,
                undone=BOOLEAN,
            )
        ),
    ),
    operations,
)

UNDO = Tool(
    "undo",
    "Call when the user wants an operation taken back, alone: every question has its former answer again.",
    (called("operation", "Its id."),),
    structure(("operation",), operation=STRING, notes=STRINGS, hidden=INTEGER, shown=INTEGER),
    undo,
    writes=True,
    destroys=True,
)

HISTORY_SET = (DIFFERENCE, AFFECTED, OPERATIONS, UNDO)
