"""Export: one project as JSON Lines, for a copy that can be read without moored. The format is in docs/export.md."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Collection, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from moored.errors import InvalidInput, MooredError
from moored.model.aliases import Alias
from moored.model.clock import Clock, iso
from moored.model.condition_text import written
from moored.model.episodes import Episode
from moored.model.facts import Fact, FactVersion
from moored.model.kin import Dispute
from moored.model.notes import Anchor, Note, Pin, Revision
from moored.model.operations import FORGET, Operation
from moored.model.projects import Project, Tree
from moored.model.proposals import Proposal
from moored.model.reminders import Reminder
from moored.model.rules import Rule
from moored.model.state import Rating
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
    rules: int = 0
    disputes: int = 0
    proposals: int = 0
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
    operations = view.operations.all(project)
    forgotten = _forgotten(view, project, operations)
    notes = [one for one in (*view.notes.all(project), *view.notes.withdrawn(project)) if one.id not in forgotten]
    notes.sort(key=lambda one: (one.created_at, one.id))
    disputes = [one for one in view.kin.disputes(project, settled=True) if forgotten.isdisjoint((one.note, one.other))]
    proposals = [one for one in view.proposals.all(project) if one.note not in forgotten]
    reminders = [*view.reminders.all(project), *view.reminders.proposed(project)]
    told = [(one.host, one.session) for one in view.episodes.all(project) if one.id not in forgotten]
    lines = {
        "notes": [_note(view, project, one, forgotten) for one in notes],
        "pins": [_pin(one) for one in view.pins.all(project)],
        "aliases": [_alias(one) for one in view.aliases.all(project)],
        "reminders": [_reminder(one) for one in reminders],
        "rules": [_rule(one) for one in view.rules.standing(project)],
        "disputes": [_dispute(one) for one in disputes],
        "proposals": [_proposal(one) for one in proposals],
        "operations": [_operation(one) for one in operations],
    }
    yield {
        "type": "manifest",
        "format": FORMAT,
        "version": VERSION,
        "exported_at": iso(clock.now()),
        "project": {"id": project.id, "key": project.key, "name": project.name},
        "counts": {
            "sessions": len(set(told)),
            "episodes": len(told),
            **{name: len(of_sort) for name, of_sort in lines.items()},
        },
        "facts": facts,
    }
    yield from _record(view, tree, facts, counts, forgotten)
    for name, of_sort in lines.items():
        setattr(counts, name, len(of_sort))
        yield from of_sort
    counts.revisions = sum(len(line["revisions"]) for line in lines["notes"])
    if facts:
        for path in sorted(view.facts.files(tree)):
            yield from _facts(view, tree, view.facts.in_file(tree, path, gone=True), counts)
    yield {"type": "end", "counts": asdict(counts)}


def _forgotten(view: View, project: Project, operations: Iterable[Operation]) -> frozenset[str]:
    """The episodes and notes that were forgotten and can still be restored: no export tells them."""
    hidden = [
        view.erasure.hidden_by(project, one.id) for one in operations if one.kind == FORGET and one.undone_at is None
    ]
    return frozenset(id_ for episodes, notes in hidden for id_ in (*episodes, *notes))


def _record(
    view: View, tree: Tree, facts: bool, counts: Exported, forgotten: Collection[str]
) -> Iterator[dict[str, Any]]:
    """Every episode, each session right before its first one."""
    project = tree.project
    seen: set[tuple[str, str]] = set()
    for episode in view.episodes.all(project):
        if episode.id in forgotten:
            continue
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


def _note(view: View, project: Project, note: Note, forgotten: Collection[str]) -> dict[str, Any]:
    revisions = view.notes.revisions(project, note.id)
    evidence = view.kin.evidence(project, note.id)
    return {
        "type": "note",
        "id": note.id,
        "kind": note.kind,
        "superseded_by": "" if note.superseded_by in forgotten else note.superseded_by,
        "protected": note.protected,
        "withdrawn": note.withdrawn,
        "created_at": iso(note.created_at),
        "revisions": [_revision(one, forgotten) for one in revisions],
        "evidence": [{"episode": episode, "kind": kind} for episode, kind in evidence if episode not in forgotten],
        "links": [
            {"note": other, "kind": kind, "reason": reason}
            for other, kind, reason in view.kin.links(project, note.id)
            if other not in forgotten
        ],
        "ratings": [_rating(one) for one in view.states.ratings(project, note.id)],
    }


def _revision(revision: Revision, forgotten: Collection[str]) -> dict[str, Any]:
    return {
        "id": revision.id,
        "number": revision.number,
        "text": revision.text,
        "tags": list(revision.tags),
        "cause": revision.cause,
        "actor": revision.actor,
        "episode": revision.episode,
        "proof": revision.proof,
        "created_at": iso(revision.created_at),
        "anchors": [_anchor(anchor, told=anchor.episode not in forgotten) for anchor in revision.anchors],
    }


def _anchor(anchor: Anchor, *, told: bool) -> dict[str, Any]:
    return {
        "role": anchor.role,
        "fact": anchor.fact,
        "episode": anchor.episode,
        "path": anchor.path,
        "kind": anchor.kind or "",
        "name": anchor.name,
        "signature_hash": anchor.signature_hash,
        "body_hash": anchor.body_hash,
        "value": anchor.value if told else "",
    }


def _rating(rating: Rating) -> dict[str, Any]:
    return {
        "useful": rating.useful,
        "reason": rating.reason,
        "actor": rating.actor,
        "operation": rating.operation,
        "at": iso(rating.at),
    }


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "type": "rule",
        "id": rule.id,
        "action": rule.action,
        "factor": rule.factor,
        "condition": written(rule.condition),
        "scope_kind": rule.scope_kind,
        "scope": rule.scope,
        "reason": rule.reason,
        "actor": rule.actor,
        "operation": rule.operation,
        "created_at": iso(rule.created_at),
    }


def _dispute(dispute: Dispute) -> dict[str, Any]:
    return {
        "type": "dispute",
        "id": dispute.id,
        "note": dispute.note,
        "other": dispute.other,
        "reason": dispute.reason,
        "created_at": iso(dispute.created_at),
        "settled": dispute.settled,
        "outcome": dispute.outcome,
    }


def _proposal(proposal: Proposal) -> dict[str, Any]:
    return {
        "type": "proposal",
        "id": proposal.id,
        "note": proposal.note,
        "revision": proposal.head,
        "action": proposal.action,
        "text": proposal.text,
        "reason": proposal.reason,
        "grounds": [ground._asdict() for ground in proposal.grounds],
        "operation": proposal.operation,
        "created_at": iso(proposal.created_at),
        "decided": proposal.decided,
        "decision": proposal.decision,
        "because": proposal.because,
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
        "proposed": reminder.proposed,
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
        "undone_at": _time(operation.undone_at),
        "actor": operation.actor,
        "asked": operation.asked,
        "undoes": operation.undoes,
        "lasting": operation.lasting,
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
