"""The JSON of what stands behind notes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from moored.cli.shapes import judged_note, plain, time

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.model.state import Explained, NoteState, Stated


def notes(found: Sequence[Stated], total: int) -> dict[str, Any]:
    """The answer of `notes`; `total` is how many there are."""
    listed = [{**judged_note(one.judged), "uses": one.uses, "state": _values(one.state)} for one in found]
    return {"notes": listed, "total": total}


def explained(value: Explained) -> dict[str, Any]:
    """The answer of `explain`."""
    return {
        "note": judged_note(value.judged),
        "protected": value.judged.note.protected,
        "withdrawn": value.judged.note.withdrawn,
        "state": plain(value.state),
        "uses": value.uses,
        "used_at": time(value.used_at),
        "ratings": plain(value.ratings),
        "operations": plain(value.operations),
    }


def _values(state: NoteState) -> dict[str, float | None]:
    return {name: measure.value for name, measure in zip(state._fields, state, strict=True)}
