"""Tools of what is proposed for notes, and of their protection: review, protect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from moored.errors import InvalidInput
from moored.model.clock import iso
from moored.model.text import fold
from moored.server.arguments import called, text
from moored.server.tool import INTEGER, STRING, STRINGS, Answer, Tool, several, structure
from moored.server.tools_reading import budget, verdict
from moored.server.words import counted, label, one_line, packed, quoted

if TYPE_CHECKING:
    from moored.memory import Memory
    from moored.model.proposals import Decided, Proposed

LONG = 1_000
"""Characters of a text that is proposed or replaced."""


def review(memory: Memory, accept: str, text: str, reject: str, because: str, budget: int) -> Answer:
    """What is proposed, or one decision."""
    if accept and reject:
        raise InvalidInput("One proposal is decided at a time. Nothing was changed: give 'accept' or 'reject'.")
    if accept:
        return _decided(memory.accept(accept, text or None, actor="agent"))
    if reject:
        return _decided(memory.reject(reject, because, actor="agent"))
    found = memory.review()
    lines, _ = packed(map(_proposed, found.proposals), budget)
    shown = found.proposals[: len(lines)]
    omitted = len(found.proposals) - len(shown)
    head = counted(len(found.proposals), "open proposal") + (f", {omitted:,} left out" if omitted else "")
    if found.unsaid:
        lines.append(f"({counted(found.unsaid, 'other note')} stale, of which nothing follows: see `stale`)")
    data = {"proposals": [_data(one) for one in shown], "omitted_count": omitted, "unsaid": found.unsaid}
    return Answer("\n".join([head, *lines]), data)


def _decided(done: Decided) -> Answer:
    said = "\n".join([f"{done.decision}: {done.proposal} ({done.operation})", *done.receipt])
    data = {"decision": done.decision, "note": done.note, "operation": done.operation}
    return Answer(said, data, ("brief", "stale", "status", f"note/{done.note}"))


def _proposed(one: Proposed) -> str:
    proposal, note = one.proposal, one.judged.note
    lines = [
        f"## {proposal.id} {proposal.action} {note.id}, {label(one.judged.verdict)}",
        one_line(note.head.text, 240),
    ]
    if note.protected:
        lines.append(f"protected: {fold(note.protected)}")
    if one.told_at:
        lines.append(f"told {iso(one.told_at)[:16]}, when it was so already")
    if proposal.successor:
        lines.append(f"{proposal.successor} would stand in its place")
    lines += [f"> {fold(said)}" for said in one.evidence]
    if one.difference:
        lines.append(quoted("\n".join(one.difference.splitlines()[2:]), data=True))
    elif proposal.text:
        lines.append("the same words, about where it is now")
    elif proposal.action == "revise":
        lines.append("no text follows from the sources: accept it with `text`")
    return "\n".join(lines)


def _data(one: Proposed) -> dict[str, Any]:
    proposal, note = one.proposal, one.judged.note
    return {
        "id": proposal.id,
        "note": note.id,
        "action": proposal.action.value,
        "evidence": list(one.evidence),
        "was": one_line(note.head.text, LONG),
        "text": one_line(proposal.text, LONG) if proposal.text else "",
        "successor": proposal.successor,
        "protected": note.protected,
        **verdict(one.judged.verdict),
    }


def protect(memory: Memory, note: str, because: str, lift: str) -> Answer:
    """Protect a note, or protect it no more."""
    if lift == "yes":
        operation = memory.unprotect(note, actor="agent")
        said = f"{note} is protected no more ({operation})" if operation else f"{note} was not protected"
    else:
        operation = memory.protect(note, because, actor="agent")
        said = f"{note} is protected ({operation})" if operation else f"{note} was protected for that already"
    data = {"note": note, "protected": memory.note(note).protected, "operation": operation}
    return Answer(said, data, (f"note/{note}",) if operation else ())


REVIEW = Tool(
    "review",
    "Call when notes turned out stale or the user asks what to tidy: what is proposed for them, with evidence. Then "
    "decide each: accept what the evidence bears out, or reject it.",
    (
        called("accept", "The id of a proposal.", required=False),
        text("text", "With accept: what the note is to say instead."),
        called("reject", "The id of a proposal.", required=False),
        text("because", "With reject: why."),
        budget,
    ),
    structure(
        (),
        proposals=several(
            structure(
                ("id", "note", "action"),
                id=STRING,
                note=STRING,
                action=STRING,
                evidence=STRINGS,
                was=STRING,
                text=STRING,
                successor=STRING,
                protected=STRING,
                state=STRING,
                change=STRING,
                why=STRING,
                now=STRING,
            )
        ),
        omitted_count=INTEGER,
        unsaid=INTEGER,
        decision=STRING,
        note=STRING,
        operation=STRING,
    ),
    review,
    writes=True,
    repeatable=False,
)

PROTECT = Tool(
    "protect",
    "Call when the user says that a note must stay as it is: only what is asked for explicitly changes it then.",
    (
        called("note", "Its id."),
        text("because", "Why."),
        text("lift", "yes: protect it no more, if the user says so.", default="no", choices=("no", "yes")),
    ),
    structure(("note",), note=STRING, protected=STRING, operation=STRING),
    protect,
    writes=True,
)

REVIEW_TOOLS = (REVIEW, PROTECT)
