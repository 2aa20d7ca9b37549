"""The tool fetch: one thing whole, or a page of it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from moored.errors import InvalidInput, NotFound
from moored.model.clock import iso
from moored.model.episodes import Episode, Trust
from moored.model.facts import Fact
from moored.model.ids import PIN
from moored.model.notes import JudgedNote, Pin
from moored.server.arguments import called, number, text
from moored.server.tool import INTEGER, STRINGS, Answer, Tool, strings
from moored.server.tools_reading import verdict
from moored.server.words import LONG, about, label, lines_of, one_line, quoted, some

if TYPE_CHECKING:
    from moored.memory import Memory

PAGE = 6_000
"""Characters of a page unless asked otherwise."""

MOST_PAGE = 40_000
"""Characters of the largest page: hosts put longer answers into a file or cut them."""

CONTENT = "content"
INPUT = "input"

_QUOTED = ("input", "doc")
"""Details that are data."""

_OWN = ("id", "trust", "at")
"""What is said of a thing beside its details."""


def fetch(
    memory: Memory,
    id: str,  # noqa: A002  # the name clients know
    part: str = CONTENT,
    offset: int = 0,
    limit: int = sys.maxsize,
) -> Answer:
    """One thing whole, or a page of it. `part` is `content`, or of a tool's episode `input`."""
    shown = _pin(memory, id) if id.startswith(f"{PIN}_") else memory.show(id)
    kind, whole, data, facts = _parts(shown)
    if part == INPUT:
        whole, data = _input(id, shown), True
    own = {key: facts.pop(key) for key in _OWN if key in facts}
    total = len(whole)
    if offset > total:
        raise InvalidInput(f"{id} has {total:,} characters; the page from {offset:,} on is behind its end.")
    end = min(offset + limit, total)
    page = whole[offset:end]
    values: dict[str, Any] = {"type": kind, **own, "text": page, "total": total, "offset": offset, "details": facts}
    said = ", ".join([*_said(own), *_said(facts)])
    lines = [f"{kind} {said}", *(f"> {key}: {one_line(facts[key], LONG)}" for key in _QUOTED if key in facts)]
    if isinstance(shown, JudgedNote):
        values |= verdict(shown.verdict)
        lines = [f"{kind} {label(shown.verdict)} {said}", *lines_of(shown.verdict)]
        if rests := about(shown.anchors):
            values["about"] = rests
            lines.append(f"about {some(rests, 12)}")
    if end < total:
        values["next"] = end
        lines.append(f"(characters {offset:,} to {end:,} of {total:,}; the next page has offset {end})")
    return Answer("\n".join([*lines, quoted(page, data)]), values)


def _said(facts: dict[str, Any]) -> list[str]:
    shown = {key: one_line(str(value)) for key, value in facts.items() if key not in _QUOTED}
    return [value if key == "id" else f"{key} {value}" for key, value in shown.items()]


def _input(name: str, shown: Episode | JudgedNote | Fact | Pin) -> str:
    if not isinstance(shown, Episode):
        raise InvalidInput(f"{name} is no episode, and only those have an input. Leave out 'part'.")
    return shown.tool_input


def _pin(memory: Memory, pin_id: str) -> Pin:
    standing = memory.pins()
    for pin in standing:
        if pin.id == pin_id:
            return pin
    raise NotFound(f"There is no pin {pin_id} in this project.", near=tuple(pin.id for pin in standing[:3]))


def _parts(shown: Episode | JudgedNote | Fact | Pin) -> tuple[str, str, bool, dict[str, Any]]:
    """What a thing is, its text, whether that is data, and what else there is to say of it."""
    if isinstance(shown, Episode):
        facts = {
            "id": shown.id,
            "role": shown.role.value,
            "author": shown.author,
            "trust": shown.trust.value,
            "at": iso(shown.occurred_at),
            "host": shown.host,
            "session": shown.session,
            "tool": shown.tool_name,
            "input": one_line(shown.tool_input, LONG) if shown.tool_input else "",
            "exit_status": shown.exit_status,
            "corrects": shown.corrects,
            "corrected_by": shown.corrected_by,
        }
        return "episode", shown.text, shown.trust is Trust.DATA, _told(facts)
    if isinstance(shown, JudgedNote):
        head = shown.note.head
        facts = {
            "id": shown.note.id,
            "kind": shown.note.kind,
            "revision": head.id,
            "number": head.number,
            "by": head.actor,
            "at": iso(head.created_at),
            "cause": head.cause,
            "tags": ", ".join(head.tags),
            "proof": head.proof,
            "source": head.episode,
            "superseded_by": shown.note.superseded_by,
            "protected": shown.note.protected,
        }
        return "note", head.text, False, _told(facts)
    if isinstance(shown, Fact):
        facts = {
            "id": shown.id,
            "kind": shown.kind.value,
            "address": shown.address,
            "line": shown.span.line if shown.path else 0,
            "end_line": shown.span.end_line if shown.path else 0,
            "doc": shown.doc,
            "at": iso(shown.since),
            "gone_at": iso(shown.gone_at) if shown.gone_at is not None else "",
        }
        return "fact", shown.value, True, _told(facts)
    return "pin", shown.text, False, _told({"id": shown.id, "by": shown.actor, "at": iso(shown.created_at)})


def _told(facts: dict[str, Any]) -> dict[str, Any]:
    """What there is to tell: an exit status of 0 is."""
    return {
        key: value for key, value in facts.items() if value not in ("", None) and (value != 0 or key == "exit_status")
    }


FETCH = Tool(
    "fetch",
    "Call when an id is named or only a part is shown, to read the whole: an episode, note, revision or pin, or what "
    "is known of a symbol, path or `$ command`.",
    (
        called("id", "An id or a name."),
        text("part", "Of a tool's episode, its input.", choices=(CONTENT, INPUT), default=CONTENT),
        number("offset", "Character to begin at.", 0),
        number("limit", "Characters of the page.", PAGE, least=1, most=MOST_PAGE),
    ),
    strings(
        ("type", "id", "text", "total"),
        total=INTEGER,
        offset=INTEGER,
        next=INTEGER,
        about=STRINGS,
        details={"type": "object"},
    ),
    fetch,
)
