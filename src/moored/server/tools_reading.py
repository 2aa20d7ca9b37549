"""Tools that tell what the memory knows: recall, stale, status."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from moored.errors import InvalidInput
from moored.model.clock import iso
from moored.model.notes import CURRENT, JudgedNote
from moored.model.recall import HitKind
from moored.model.text import fold
from moored.recall.policy import MOST_CONTEXT
from moored.server.arguments import called, names, number, text
from moored.server.reminded import reminder_data, reminder_lines
from moored.server.surroundings import beside, turn_data
from moored.server.tool import ANY, INTEGER, STRING, STRINGS, Answer, Tool, several, strings, structure
from moored.server.words import about, counted, is_data, label, lines_of, one_line, packed, quoted, some

if TYPE_CHECKING:
    from moored.memory import Memory
    from moored.model.notes import Verdict
    from moored.model.recall import Hit, Receipt
    from moored.status import Status

BUDGET = 1_500
MOST_BUDGET = 20_000
NAMED = 3
"""Hits that had no room and are named all the same, so that they can be fetched."""

budget = number("budget", "Most tokens.", BUDGET, least=50, most=MOST_BUDGET)


def recall(
    memory: Memory,
    query: str,
    budget: int,
    limit: int | None,
    kinds: tuple[str, ...],
    tags: tuple[str, ...],
    context: int,
    project: str,
    session: str,
) -> Answer:
    """The hits of a question, each with its verdict, as many as the budget holds with all that is said of them."""
    if not query.strip():
        raise InvalidInput("'query' is empty. Say what you want to know, in words, names or paths.")
    found = memory.recall(
        query,
        budget=budget,
        limit=limit,
        kinds=kinds or None,
        tags=tags,
        context=context,
        session=session,
        project=project or None,
    )
    reminded = reminder_lines(found.reminders)
    spared = sum(one.tokens for one in found.reminders)
    lines, tokens = packed((_hit(hit) for hit in found.hits), budget - spared)
    hits, receipt = found.hits[: len(lines)], found.receipt
    lines, shown, spent = beside(lines, hits, budget - spared - tokens)
    tokens += spent + spared
    unsaid = receipt.context_omitted + sum(len(hit.context) for hit in found.hits) - sum(map(len, shown))
    omitted = receipt.omitted_count + len(found.hits) - len(hits)
    unshown = [hit.id for hit in found.hits[len(lines) :]]
    unshown += [one.id for one in receipt.omitted if one.reason == "budget"]
    data = {
        "hits": [
            _hit_data(hit) | ({"context": [turn_data(turn) for turn in turns]} if turns else {})
            for hit, turns in zip(hits, shown, strict=True)
        ],
        "matched": receipt.matched,
        "omitted_count": omitted,
        "unshown": unshown[:NAMED],
        "stale": sum(hit.verdict.state == "stale" for hit in hits),
        "degraded": list(receipt.degraded),
        "tokens": tokens,
    }
    if found.reminders:
        data["reminders"] = [reminder_data(one) for one in found.reminders]
    return Answer("\n".join([*reminded, *lines, _receipt(receipt, len(hits), omitted, unshown, unsaid)]), data)


def _hit(hit: Hit) -> str:
    where = next((evidence.where for evidence in hit.evidence if evidence.where), "")
    place = f" at {fold(where)}" if where and hit.kind is not HitKind.NOTE else ""
    first = hit.evidence[0]
    source = f", {fold(first.source)}, {iso(first.at)[:10]}" if hit.kind is not HitKind.FACT else ""
    # What was said is so for ever: only what was taken back since has a state.
    state = "" if hit.kind is HitKind.EPISODE and hit.verdict == CURRENT else f"{label(hit.verdict)} "
    lines = [f"## {state}{hit.kind} {hit.id}{place}{source}", quoted(hit.text, is_data(hit))]
    lines += lines_of(hit.verdict)
    if rests := about(hit.anchors):
        lines.append(f"about {some(rests)}")
    return "\n".join(lines)


def _hit_data(hit: Hit) -> dict[str, Any]:
    first = hit.evidence[0]
    data = {
        "id": hit.id,
        "kind": hit.kind.value,
        "text": quoted(hit.text, is_data(hit)),
        **verdict(hit.verdict),
        "where": next((evidence.where for evidence in hit.evidence if evidence.where), ""),
        "about": about(hit.anchors),
        "source": first.source,
        "trust": first.trust,
        "at": iso(first.at),
    }
    return {key: value for key, value in data.items() if value not in ("", [])}


def verdict(said: Verdict) -> dict[str, str]:
    """A verdict as values: its state, what changed, why, and what stands there now."""
    given = {"state": said.state.value, "change": said.change.value, "why": said.reason, "now": said.current}
    return {key: value for key, value in given.items() if value}


def _receipt(receipt: Receipt, returned: int, omitted: int, unshown: list[str], unsaid: int) -> str:
    if not receipt.matched:
        parts = ["nothing in this project matches"]
    else:
        parts = [f"{returned} of {counted(receipt.matched, 'match', 'matches')} shown"]
    if omitted:
        reasons = dict.fromkeys(one.reason for one in receipt.omitted)
        parts.append(f"{omitted} left out" + (f" ({', '.join(reasons)})" if reasons else " (budget)"))
    if unshown:
        parts.append(f"the best of what had no room: {', '.join(unshown[:NAMED])}")
    if unsaid:
        parts.append(f"{counted(unsaid, 'turn')} of the context had no room")
    parts += [f"degraded: {reason}" for reason in receipt.degraded]
    if receipt.other_projects and not returned:
        parts.append(f"{counted(receipt.other_projects, 'other project')} not looked at")
    return f"({'; '.join(parts)})"


def stale(memory: Memory, budget: int) -> Answer:
    """The notes that do not hold, worst first."""
    report = memory.stale()
    lines, _ = packed((_lost(one) for one in report.notes), budget)
    shown = report.notes[: len(lines)]
    head = f"{counted(report.total, 'note')}, {len(report.notes):,} of them not current"
    if report.total and report.rate is None:
        head += "; none can be judged, so how many hold is unknown"
    omitted = len(report.notes) - len(shown)
    if omitted:
        lines.append(f"({omitted:,} more left out; ask again with a larger budget)")
    data = {
        "total": report.total,
        "not_current": len(report.notes),
        "notes": [_lost_data(one) for one in shown],
        "omitted_count": omitted,
    }
    return Answer("\n".join([head, *lines]), data)


def _lost(one: JudgedNote) -> str:
    lines = [f"## {label(one.verdict)} {one.note.id}", one_line(one.note.head.text, 240), *lines_of(one.verdict)]
    if one.note.head.proof:
        lines.append(f"proved by: {one.note.head.proof}")
    return "\n".join(lines)


def _lost_data(one: JudgedNote) -> dict[str, Any]:
    data = {"id": one.note.id, "text": one_line(one.note.head.text, 240), **verdict(one.verdict)}
    return {**data, "proof": one.note.head.proof} if one.note.head.proof else data


def status(memory: Memory) -> Answer:
    """What there is, in numbers."""
    state = memory.status()
    counts = state.counts
    data: dict[str, Any] = {
        "project": state.project,
        "name": state.name,
        "root": state.root,
        "store": state.store,
        "read_only": state.read_only,
        "episodes": counts.episodes,
        "notes": counts.notes,
        "pins": counts.pins,
        "files": counts.files,
        "facts": sum(counts.facts.values()),
        "waiting": state.waiting,
        "indexed_at": iso(state.indexed_at) if state.indexed_at is not None else None,
        "other_projects": state.other_projects,
    }
    return Answer(status_text(state), data)


def status_text(state: Status) -> str:
    """What a project holds, in a few lines."""
    counts = state.counts
    read = f"last read {iso(state.indexed_at)}" if state.indexed_at is not None else "never read"
    return "\n".join(
        [
            f"project {state.name} ({state.project}) at {state.root}",
            f"store {state.store}" + (", read only" if state.read_only else ""),
            f"{counted(counts.episodes, 'episode')}, {counted(counts.notes, 'note')}, {counted(counts.pins, 'pin')}",
            f"{counted(counts.files, 'file')}, {counted(sum(counts.facts.values()), 'fact')}, {read}",
            f"{counted(state.waiting, 'text')} still to be encoded",
            f"{counted(state.other_projects, 'other project')} in this store",
        ]
    )


VERDICT = {"state": STRING, "change": STRING, "why": STRING, "now": STRING}

RECALL = Tool(
    "recall",
    "Call before you answer or edit what may have been decided, tried or learned before. Each hit says whether it "
    "still holds: of a STALE one trust `now`, not the text.",
    (
        text("query", "What you want to know: words, names, paths.", required=True),
        budget,
        number("limit", "Most hits.", least=1),
        names("kinds", "Only these.", choices=tuple(kind.value for kind in HitKind)),
        names("tags", ""),
        number("context", "Turns around each episode.", 0, most=MOST_CONTEXT),
        called("project", "Id of another to ask.", required=False),
    ),
    structure(
        ("hits", "omitted_count"),
        hits=several(strings(("id", "kind", "text", "state"), about=STRINGS, context=ANY)),
        matched=INTEGER,
        omitted_count=INTEGER,
        unshown=STRINGS,
        stale=INTEGER,
        degraded=STRINGS,
        tokens=INTEGER,
        reminders=ANY,
    ),
    recall,
    of_code=True,
    of_session=True,
)

STALE = Tool(
    "stale",
    "Call before you rely on older notes, or after a larger change: the notes that do not hold now, and what to "
    "revise.",
    (budget,),
    structure(
        ("notes", "omitted_count"),
        total=INTEGER,
        not_current=INTEGER,
        notes=several({"type": "object"}),
        omitted_count=INTEGER,
    ),
    stale,
)

STATUS = Tool(
    "status",
    "Call when you doubt that the memory is there or complete: says in numbers what it holds and where.",
    (),
    {
        "type": "object",
        "required": ["project", "root", "store"],
        "additionalProperties": {"type": ["string", "integer", "boolean", "null"]},
    },
    status,
)
