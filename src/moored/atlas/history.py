"""What a note said before, and what a revision changed."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from moored.atlas.notes_seen import get
from moored.atlas.verdict import called
from moored.errors import NotFound
from moored.model.notes import AnchorRole, Revision

if TYPE_CHECKING:
    from moored.model.projects import Project
    from moored.store.port import View


def history(view: View, project: Project, note_id: str) -> tuple[Revision, ...]:
    """All revisions of a note, oldest first. Raises `NotFound`."""
    return tuple(view.notes.revisions(project, get(view, project, note_id, withdrawn=True).id))


def compared(view: View, project: Project, note_id: str, first: int | None, second: int | None) -> str:
    """What changed between two revisions of a note, by their numbers; by default the last two. Raises `NotFound`."""
    revisions = {revision.number: revision for revision in history(view, project, note_id)}
    newest = max(revisions)
    second = newest if second is None else second
    first = max(second - 1, 1) if first is None else first
    for number in (first, second):
        if number not in revisions:
            raise NotFound(f"The note {note_id} has revisions 1 to {newest}, not {number}.")
    return difference(revisions[first], revisions[second])


def difference(a: Revision, b: Revision) -> str:
    """What changed from `a` to `b`: a unified diff of the text, then tags, proof and anchors in words.

    Empty when nothing did.
    """
    lines = list(difflib.unified_diff(a.text.splitlines(), b.text.splitlines(), _label(a), _label(b), lineterm=""))
    if not lines and a.text != b.text:
        lines.append("only the ends of lines differ")
    if a.tags != b.tags:
        lines.append(f"tags: {', '.join(a.tags) or 'none'} -> {', '.join(b.tags) or 'none'}")
    if a.proof != b.proof:
        lines.append(f"proof: {a.proof or 'none'} -> {b.proof or 'none'}")
    before, after = _anchors(a), _anchors(b)
    lines += [f"no longer anchored to {address}" for address in before if address not in after]
    lines += [f"now anchored to {address}" for address in after if address not in before]
    lines += [
        f"anchored anew to {address}, which had changed"
        for address in after
        if address in before and before[address] != after[address]
    ]
    return "\n".join(lines)


def _label(revision: Revision) -> str:
    return f"{revision.id} (revision {revision.number}, {revision.actor}: {revision.cause})"


def _anchors(revision: Revision) -> dict[str, frozenset[tuple[str, str]]]:
    found: dict[str, set[tuple[str, str]]] = {}
    for anchor in revision.anchors:
        if anchor.role is not AnchorRole.SOURCE:
            role = " (proof)" if anchor.role is AnchorRole.PROOF else ""
            found.setdefault(called(anchor) + role, set()).add((anchor.signature_hash, anchor.body_hash))
    return {address: frozenset(hashes) for address, hashes in found.items()}
