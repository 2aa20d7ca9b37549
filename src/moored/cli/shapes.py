"""The JSON of every answer. The shapes are documented in docs/cli.md and are changed only by adding keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any, cast

from moored.model.aliases import Alias
from moored.model.clock import iso
from moored.model.episodes import Episode
from moored.model.facts import Fact, FactVersion
from moored.model.notes import Anchor, JudgedAnchor, JudgedNote, Pin, Remembered, Revision, Verdict
from moored.model.recall import Hit, Recall

TIMES = frozenset(
    (
        *("at", "created_at", "gone_at", "indexed_at", "occurred_at", "recorded_at", "since", "started_at"),
        *("undone_at", "until"),
    )
)
"""Fields that hold milliseconds since the epoch, or None; in JSON they are RFC 3339."""

_INTERNAL = frozenset({"row", "seq"})


def plain(value: Any) -> Any:
    """A value of the domain as JSON: its fields by name, times as text, without the store's own numbers."""
    match value:
        case Anchor():
            return anchor(value)
        case JudgedAnchor():
            return judged_anchor(value)
        case JudgedNote():
            return judged_note(value)
        case Fact():
            return fact(value)
        case Enum():
            return value.value
        case str() | int() | float() | bool() | None:
            return value
        case bytes():
            return value.decode("utf-8", "replace")
        case Path():
            return str(value)
        case Mapping():
            return {str(plain(key)): plain(item) for key, item in cast(Mapping[Any, Any], value).items()}
        case _ if names := _names(value):
            return _shape(value, names)
        case Sequence() | frozenset() | set():
            return [plain(item) for item in cast(Sequence[Any], value)]
        case _:
            raise TypeError(f"{type(value).__name__} has no JSON shape")


def _fields(value: Any) -> dict[str, Any]:
    return _shape(value, _names(value))


def _names(value: Any) -> tuple[str, ...]:
    """The fields of a value of the domain: a named tuple or a dataclass; none of anything else."""
    if is_dataclass(value):
        return tuple(field.name for field in fields(value))
    return getattr(value, "_fields", ())


def _shape(value: Any, names: Sequence[str]) -> dict[str, Any]:
    return {
        name: time(getattr(value, name)) if name in TIMES else plain(getattr(value, name))
        for name in names
        if name not in _INTERNAL
    }


def time(at: int | None) -> str | None:
    """Milliseconds since the epoch as RFC 3339."""
    return None if at is None else iso(at)


def verdict(value: Verdict) -> dict[str, Any]:
    """Whether something holds, computed for this answer."""
    return {"state": value.state, "change": value.change, "reason": value.reason, "current": value.current}


def anchor(value: Anchor) -> dict[str, Any]:
    """What a note rests on, as it was named."""
    return {
        "role": value.role,
        "address": value.address,
        "kind": value.kind or "",
        "fact": value.fact,
        "episode": value.episode,
        "value": value.value,
    }


def judged_anchor(value: JudgedAnchor) -> dict[str, Any]:
    """What a note rests on, and what became of it."""
    return {**anchor(value.anchor), "path": value.path, "line": value.line, "verdict": verdict(value.verdict)}


def judged_note(value: JudgedNote) -> dict[str, Any]:
    """A note as it is now, with its verdict."""
    note, head = value.note, value.note.head
    return {
        "type": "note",
        "id": note.id,
        "kind": note.kind,
        "text": head.text,
        "tags": list(head.tags),
        "actor": head.actor,
        "cause": head.cause,
        "proof": head.proof,
        "revision": head.id,
        "number": head.number,
        "created_at": iso(head.created_at),
        "superseded_by": note.superseded_by,
        "protected": note.protected,
        "verdict": verdict(value.verdict),
        "anchors": [judged_anchor(item) for item in value.anchors],
    }


def remembered(value: Remembered) -> dict[str, Any]:
    """The account of `remember` and `revise`."""
    return {
        "id": value.id,
        "revision": value.revision,
        "outcome": value.outcome,
        "anchors": [anchor(item) for item in value.anchors],
        "unresolved": plain(value.unresolved),
        "receipt": list(value.receipt),
        "related": plain(value.related),
        "reminders": plain(value.reminders),
    }


def recall(value: Recall) -> dict[str, Any]:
    """The answer of `recall`."""
    return {
        "hits": [hit(item) for item in value.hits],
        "receipt": plain(value.receipt),
        "reminders": plain(value.reminders),
    }


def hit(value: Hit) -> dict[str, Any]:
    """One answer of a recall."""
    return {
        "id": value.id,
        "kind": value.kind,
        "text": value.text,
        "score": value.score,
        "verdict": verdict(value.verdict),
        "anchors": [judged_anchor(item) for item in value.anchors],
        "evidence": plain(value.evidence),
        "signals": dict(value.signals),
        "tokens": value.tokens,
        "context": plain(value.context),
    }


def fact(value: Fact) -> dict[str, Any]:
    """A fact as it stands in the ledger."""
    return {
        "type": "fact",
        "id": value.id,
        "address": value.address,
        "kind": value.kind,
        "path": value.path,
        "episode": value.episode,
        "name": value.name,
        "value": value.value,
        "line": value.span.line,
        "end_line": value.span.end_line,
        "doc": value.doc,
        "signature_hash": value.signature_hash,
        "body_hash": value.body_hash,
        "extractor": value.extractor,
        "since": iso(value.since),
        "gone_at": time(value.gone_at),
    }


def episode(value: Episode) -> dict[str, Any]:
    """An episode whole. `utf8` says whether `text` is the content or only stands for bytes that are not text."""
    try:
        value.content.decode("utf-8")
        utf8 = True
    except UnicodeDecodeError:
        utf8 = False
    return {
        "type": "episode",
        "id": value.id,
        "host": value.host,
        "session": value.session,
        "role": value.role,
        "channel": value.channel,
        "trust": value.trust,
        "text": value.text,
        "utf8": utf8,
        "bytes": len(value.content),
        "tokens": value.tokens,
        "tool_name": value.tool_name,
        "tool_input": value.tool_input,
        "exit_status": value.exit_status,
        "corrects": value.corrects,
        "corrected_by": value.corrected_by,
        "occurred_at": iso(value.occurred_at),
        "recorded_at": iso(value.recorded_at),
        **({"author": value.author} if value.author else {}),
    }


def shown(value: Episode | JudgedNote | Fact) -> dict[str, Any]:
    """The answer of `show`; `type` tells which of the three it is."""
    if isinstance(value, Episode):
        return episode(value)
    return judged_note(value) if isinstance(value, JudgedNote) else fact(value)


def version(value: Revision | FactVersion) -> dict[str, Any]:
    """One entry of `history`."""
    if isinstance(value, FactVersion):
        return {"type": "version", **_fields(value)}
    return {"type": "revision", **_fields(value)}


def alias(value: Alias) -> dict[str, Any]:
    """Another name of a thing, and where it comes from."""
    return _fields(value)


def pin(value: Pin) -> dict[str, Any]:
    """A pin."""
    return _fields(value)
