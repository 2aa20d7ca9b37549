"""Protection: what nothing but an explicit request of a person or an agent changes (I-08).

The database enforces it on every path; here is said what protects itself, and how a person protects or frees a note.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from moored.atlas.notes_seen import get
from moored.errors import InvalidInput
from moored.model.text import fold, shorten, well_formed
from moored.record.cleaning import cleaned_text
from moored.record.operations import under_way

if TYPE_CHECKING:
    from moored.model.clock import Clock
    from moored.model.ids import IdSource
    from moored.model.projects import Project
    from moored.store.port import Store

KINDS = {
    "decision": "it is a decision",
    "constraint": "it is a constraint",
}
"""Kinds of notes that protect themselves, and why."""

_DECIDED = re.compile(
    r"\b(?:we|i|the team) (?:have |has )?(?:decided|agreed|chose|opted)\b|\bdecision:|\bdecided (?:to|on|against)\b"
    r"|\bmust (?:always|never)\b|\bis not allowed\b",
    re.IGNORECASE,
)

MAX_REASON = 200
"""Characters of a reason for a protection."""


def why_protected(kind: str, text: str) -> str:
    """Why a new note protects itself; empty when it does not."""
    if kind in KINDS:
        return KINDS[kind]
    found = _DECIDED.search(text)
    return f"it says '{fold(found.group())}'" if found else ""


def protect(
    store: Store, project: Project, note_id: str, reason: str, *, actor: str, clock: Clock, ids: IdSource
) -> str:
    """Protect a note for a reason; return the operation, empty when it was protected for the same reason already.

    Raises `NotFound`, and `InvalidInput` for a reason that is empty or too long.
    """
    said = cleaned_text(fold(well_formed(reason))).text
    if not said or len(said) > MAX_REASON:
        raise InvalidInput(
            f"The reason of a protection has 1 to {MAX_REASON} characters, not {len(said)}. Nothing was changed: say "
            "in a few words why the note must stay as it is."
        )
    return _set(store, project, note_id, said, actor=actor, clock=clock, ids=ids)


def unprotect(store: Store, project: Project, note_id: str, *, actor: str, clock: Clock, ids: IdSource) -> str:
    """Protect a note no more; return the operation, empty when it was not protected. Raises `NotFound`."""
    return _set(store, project, note_id, "", actor=actor, clock=clock, ids=ids)


def _set(store: Store, project: Project, note_id: str, reason: str, *, actor: str, clock: Clock, ids: IdSource) -> str:
    if actor not in ("person", "agent"):
        raise InvalidInput(f"Only a person or an agent protects a note or frees it, not '{shorten(actor, 40)}'.")
    kind = "protect" if reason else "unprotect"
    with store.write() as transaction:
        note = get(transaction, project, note_id)
        if note.protected == reason:
            return ""
        with under_way(transaction, project, kind, actor=actor, asked=True, clock=clock, ids=ids) as operation:
            transaction.notes.protect(project, note.id, reason, operation)
    return operation
