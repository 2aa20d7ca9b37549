"""Operations: what was done to the memory, by whom, and what of it can be taken back."""

from __future__ import annotations

from typing import NamedTuple

UNDO = "undo"
FORGET = "forget"


class Operation(NamedTuple):
    """Something that was done and can be undone. `undone_at` is None while it stands.

    `actor` is `person`, `agent`, the name of a rule, or `unknown` for what an older version did. `asked` says that a
    person or an agent asked for just this. `undoes` is the id of the operation that it took back, or empty. `lasting`
    says that it cannot be undone. `episodes` counts those that it brought in, `notes` those that it changed.
    """

    id: str
    kind: str
    detail: str
    started_at: int
    undone_at: int | None
    actor: str
    asked: bool
    undoes: str
    lasting: bool
    episodes: int
    notes: int


class Change(NamedTuple):
    """What an operation changed of one note.

    `field` is `begun` (the note was written), `head`, `superseded_by`, `withdrawn` or `protected`; `before` and `after`
    are its values: numbers of rows, or the reason of a protection.
    """

    note: str
    field: str
    before: int | str | None
    after: int | str | None


class Undone(NamedTuple):
    """The account of an undo: its own operation, the operation taken back, and what that changed."""

    operation: str
    undone: str
    hidden: int
    shown: int
    notes: tuple[str, ...]
