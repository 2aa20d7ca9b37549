"""Export: one project as JSON Lines, for a copy that can be read without moored. The format is in docs/export.md."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from moored.errors import InvalidInput, MooredError
from moored.model.aliases import Alias
from moored.model.clock import Clock, iso
from moored.model.episodes import Episode
from moored.model.facts import Fact, FactVersion
from moored.model.notes import Anchor, Note, Pin, Revision
from moored.model.operations import Operation
from moored.model.projects import Tree
from moored.model.reminders import Reminder
from moored.store.keys import PLAIN, keeping
from moored.store.port import Store, View

FORMAT = "moored-export"
VERSION = 1


@dataclass(slots=True)
class Exported:
    """How many lines of each sort were written, the manifest and the end not counted."""

    sessions: int = 0
    episodes: int = 0
    notes: int = 0
    revisions: int = 0
    pins: int = 0
    aliases: int = 0
    reminders: int = 0
    operations: int = 0
    facts: int = 0


def refuse_to_lay_open(store: Store) -> None:
    """Raise `InvalidInput` for a store that is encrypted: an export is not."""
    if keeping(store.path) != PLAIN:
        raise InvalidInput(
            f"The store {store.path} is encrypted, and an export would lie open. Nothing was written: ask for it with "
            "--plain (`plain=True` in Python) if that is what you want, and keep it where nobody else can read it."
        )


def export(view: View, tree: Tree, target: Path | IO[bytes], clock: Clock, *, facts: bool = False) -> Exported:
    """Write the project of a tree to a file or to a binary stream; return what was written.

    `facts` adds the facts of the tree and of the episodes with their history. A file appears under its name when it is
    whole, and only its owner can read it. Everything is as the view sees it, whatever is written meanwhile.

    Raises `MooredError` when the file cannot be written, and errors of the store; then no file appears.
    """
    if not isinstance(target, Path):
        return _write(view, tree, target, clock, facts)
    partial = target.with_name(target.name + ".partial")
    try:
        partial.unlink(missing_ok=True)
        with os.fdopen(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as stream:
            counts = _write(view, tree, stream, clock, facts)
            stream.flush()
            os.fsync(stream.fileno())
        partial.replace(target)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise MooredError(
            f"The export {target} cannot be written ({error.strerror}). Choose another path, or free some space."
        ) from error
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    return counts


def _write(view: View, tree: Tree, stream: IO[bytes], clock: Clock, facts: bool) -> Exported:
    counts = Exported()
    for line in _lines(view, tree, clock, facts, counts):
        stream.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n")
    return counts


def _lines(view: View, tree: Tree, clock: Clock, facts: bool, counts: Exported) -> Iterator[dict[str, Any]]:
    project = tree.project
    yield {
        "type": "manifest",
        "format": FORMAT,
        "version": VERSION,
        "exported_at": iso(clock.now()),
        "project": {"id": project.id, "key": project.key, "name": project.name},
        "counts": {
            "sessions": view.projects.count_sessions(project),
            "episodes": view.episodes.count(project) + view.episodes.count_hidden(project),
            "notes": view.notes.count(project),
            "pins": len(view.pins.all(project)),
            "aliases": len(view.aliases.all(project)),
            "reminders": len(view.reminders.all(project)),
            "operations": len(view.operations.all(project)),
        },
        "facts": facts,
    }
    yield from _record(view, tree, facts, counts)
    for note in view.notes.all(project):
        counts.notes += 1
        revisions = view.notes.revisions(project, note.id)
        counts.revisions += len(revisions)
        yield _note(note, revisions)
    for pin in view.pins.all(project):
        counts.pins += 1
        yield _pin(pin)
    for alias in view.aliases.all(project):
        counts.aliases += 1
        yield _alias(alias)
    for reminder in view.reminders.all(project):
        counts.reminders += 1
        yield _reminder(reminder)
    for operation in view.operations.all(project):
        counts.operations += 1
        yield _operation(operation)
    if facts:
        for path in sorted(view.facts.files(tree)):
            yield from _facts(view, tree, view.facts.in_file(tree, path, gone=True), counts)
    yield {
        "type": "end",
        "counts": {
            "sessions": counts.sessions,
            "episodes": counts.episodes,
            "notes": counts.notes,
            "revisions": counts.revisions,
            "pins": counts.pins,
            "aliases": counts.aliases,
            "reminders": counts.reminders,
            "operations": counts.operations,
            "facts": counts.facts,
        },
    }


def _record(view: View, tree: Tree, facts: bool, counts: Exported) -> Iterator[dict[str, Any]]:
    """Every episode, each session right before its first one."""
    project = tree.project
    seen: set[tuple[str, str]] = set()
    for episode in view.episodes.all(project):
        key = (episode.host, episode.session)
        if key not in seen:
            seen.add(key)
            counts.sessions += 1
            yield {"type": "session", "host": episode.host, "name": episode.session}
        counts.episodes += 1
        yield _episode(episode, hidden=view.episodes.is_hidden(project, episode.id))
        if facts:
            yield from _facts(view, tree, view.facts.of_episode(project, episode.id), counts)


def _episode(episode: Episode, *, hidden: bool) -> dict[str, Any]:
    return {
        "type": "episode",
        "id": episode.id,
        "host": episode.host,
        "session": episode.session,
        "role": episode.role,
        "channel": episode.channel,
        "trust": episode.trust,
        **_content(episode.content),
        "tool_name": episode.tool_name,
        "tool_input": episode.tool_input,
        "exit_status": episode.exit_status,
        "corrects": episode.corrects,
        "occurred_at": iso(episode.occurred_at),
        "recorded_at": iso(episode.recorded_at),
        "hidden": hidden,
        **({"author": episode.author} if episode.author else {}),
    }


def _content(content: bytes) -> dict[str, str]:
    """The content byte for byte: as text when it is UTF-8, else in base 64."""
    try:
        return {"content": content.decode("utf-8"), "encoding": "utf-8"}
    except UnicodeDecodeError:
        return {"content": base64.b64encode(content).decode("ascii"), "encoding": "base64"}


def _note(note: Note, revisions: Iterable[Revision]) -> dict[str, Any]:
    return {
        "type": "note",
        "id": note.id,
        "kind": note.kind,
        "superseded_by": note.superseded_by,
        "created_at": iso(note.created_at),
        "revisions": [
            {
                "id": revision.id,
                "number": revision.number,
                "text": revision.text,
                "tags": list(revision.tags),
                "cause": revision.cause,
                "actor": revision.actor,
                "episode": revision.episode,
                "proof": revision.proof,
                "created_at": iso(revision.created_at),
                "anchors": [_anchor(anchor) for anchor in revision.anchors],
            }
            for revision in revisions
        ],
    }


def _anchor(anchor: Anchor) -> dict[str, Any]:
    return {
        "role": anchor.role,
        "fact": anchor.fact,
        "episode": anchor.episode,
        "path": anchor.path,
        "kind": anchor.kind or "",
        "name": anchor.name,
        "signature_hash": anchor.signature_hash,
        "body_hash": anchor.body_hash,
        "value": anchor.value,
    }


def _pin(pin: Pin) -> dict[str, Any]:
    return {"type": "pin", "id": pin.id, "text": pin.text, "actor": pin.actor, "created_at": iso(pin.created_at)}


def _reminder(reminder: Reminder) -> dict[str, Any]:
    return {
        "type": "reminder",
        "id": reminder.id,
        "kind": reminder.kind.value,
        "pattern": reminder.pattern,
        "text": reminder.text,
        "episode": reminder.episode,
        "note": reminder.note,
        "actor": reminder.actor,
        "created_at": iso(reminder.created_at),
        "most": reminder.most,
        "told": reminder.fired,
        "told_at": _time(reminder.fired_at),
        "expires_at": _time(reminder.expires_at),
        "snoozed_until": _time(reminder.snoozed_until),
        "done_at": _time(reminder.done_at),
    }


def _time(at: int | None) -> str | None:
    return None if at is None else iso(at)


def _alias(alias: Alias) -> dict[str, Any]:
    return {
        "type": "alias",
        "name": alias.name,
        "alias": alias.alias,
        "episode": alias.episode,
        "origin": alias.origin,
        "at": iso(alias.at),
    }


def _operation(operation: Operation) -> dict[str, Any]:
    return {
        "type": "operation",
        "id": operation.id,
        "kind": operation.kind,
        "detail": operation.detail,
        "started_at": iso(operation.started_at),
        "undone_at": None if operation.undone_at is None else iso(operation.undone_at),
        "episodes": operation.episodes,
    }


def _facts(view: View, tree: Tree, facts: Iterable[Fact], counts: Exported) -> Iterator[dict[str, Any]]:
    for fact in facts:
        counts.facts += 1
        yield {
            "type": "fact",
            "id": fact.id,
            "kind": fact.kind,
            "path": fact.path,
            "episode": fact.episode,
            "name": fact.name,
            "ordinal": fact.ordinal,
            "value": fact.value,
            "line": fact.span.line,
            "end_line": fact.span.end_line,
            "signature_hash": fact.signature_hash,
            "body_hash": fact.body_hash,
            "extractor": fact.extractor,
            "history": [_version(version) for version in view.facts.history(tree.project, fact.id)],
        }


def _version(version: FactVersion) -> dict[str, Any]:
    return {
        "path": version.path,
        "name": version.name,
        "value": version.value,
        "line": version.line,
        "since": iso(version.since),
        "until": None if version.until is None else iso(version.until),
        "change": version.change,
    }
