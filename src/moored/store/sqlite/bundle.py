"""SQL of bundles: the rows of a project, whatever they name named by its id, as the schema has them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from moored.store.port_bundle import PARTS
from moored.store.sqlite.episodes import decoded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from moored.model.projects import Project
    from moored.store.port_bundle import Row
    from moored.store.sqlite.connection import Connection

NUMBERS = ("row", "seq")
"""The columns that number rows: other rows name them, and a bundle does not hold them."""

_OF_NOTE = "t.note IN (SELECT row FROM note WHERE project = ?1)"
_OF_OPERATION = "t.operation IN (SELECT row FROM operation WHERE project = ?1)"
_MINE = {
    "project": "t.row = ?1",
    "operation_episode": _OF_OPERATION,
    "hidden_episode": _OF_OPERATION,
    "fact_version": "t.fact IN (SELECT row FROM fact WHERE project = ?1)",
    "revision": _OF_NOTE,
    "anchor": "t.revision IN (SELECT r.row FROM note n JOIN revision r ON r.note = n.row WHERE n.project = ?1)",
    "change": _OF_NOTE,
    "note_use": _OF_NOTE,
}
"""Which rows of a table are of a project, where it has no column for it."""

_ORDER = {
    "episode": "t.seq",
    "operation_episode": "t.operation, t.episode",
    "hidden_episode": "t.operation, t.episode",
    "note_use": "t.note",
    "seeded": "t.key",
    "profile": "t.project",
    "transcript_event": "t.event, t.episode",
    "tombstone": "t.hash, t.operation",
}
_REFERENCES = {
    "fact": {"tree": "tree", "episode": "episode"},
    "fact_version": {"episode": "episode"},
    "note": {"latest": "revision"},
    "proposal": {"head": "revision"},
}
"""Columns with the number of another row that are no foreign keys, as 0 stands for none in them."""

_DERIVED = {"episode": ("encoding", "size")}

CHANGED = {"begun": "revision", "head": "revision", "superseded_by": "note", "withdrawn": "operation"}
"""What the values of a change name, by the field that was changed; a protection is a text."""


class Columns(NamedTuple):
    """The columns of a table, in order, and the tables that some of them name a row of.

    `needed` may not be empty; in those of `zero`, 0 stands for none.
    """

    names: tuple[str, ...]
    references: dict[str, str]
    needed: frozenset[str]
    zero: frozenset[str]


class Bundle:
    """Reads what a bundle holds of a project."""

    def __init__(self, connection: Connection) -> None:
        self._db = connection

    def rows(self, part: str, project: Project) -> Iterator[Row]:
        """The rows of one of `PARTS` of a project, hidden ones too, in the order in which they were written."""
        where, order = _MINE.get(part, "t.project = ?1"), _ORDER.get(part, "t.row")
        return self._read(part, f"{where} ORDER BY {order}", project.row)

    def at(self, part: str, number: int) -> Row:
        """The row of this number."""
        return next(self._read(part, f"t.{number_of(part)} = ?1", number))

    def _read(self, part: str, where: str, value: int) -> Iterator[Row]:
        columns = columns_of(self._db, part)
        asked = ", ".join(_asked(part, name, columns.references.get(name)) for name in columns.names)
        extra = ", t.encoding" if part == "episode" else ""
        for row in self._db.execute(f"SELECT {asked}{extra} FROM {part} t WHERE {where}", (value,)):
            found: dict[str, Any] = dict(zip(columns.names, row, strict=False))
            if part == "episode":
                found["content"] = decoded(found["content"], row[-1])
            yield found


def columns_of(db: Connection, part: str) -> Columns:
    """The columns of a table that a bundle holds."""
    return _columns(
        part, tuple(db.rows(f"PRAGMA table_info ({part})")), tuple(db.rows(f"PRAGMA foreign_key_list ({part})"))
    )


@cache
def _columns(part: str, table: tuple[Any, ...], keys: tuple[Any, ...]) -> Columns:
    left_out = (*NUMBERS, *_DERIVED.get(part, ()))
    names = tuple(row[1] for row in table if row[1] not in left_out)
    references = {row[3]: row[2] for row in keys if row[2] in PARTS} | _REFERENCES.get(part, {})
    zero = frozenset((*_REFERENCES.get(part, {}), *(("read_to", "compared_to") if part == "profile" else ())))
    needed = frozenset(row[1] for row in table if row[3] and row[1] not in zero)
    return Columns(names, references, needed, zero)


def number_of(part: str) -> str:
    """The column that numbers the rows of a table."""
    return "seq" if part == "episode" else "row"


def _asked(part: str, name: str, reference: str | None) -> str:
    column = f't."{name}"'
    if part == "change" and name in ("before", "after"):
        cases = " ".join(f"WHEN '{field}' THEN {_id_of(table, column)}" for field, table in CHANGED.items())
        return f"CASE t.field {cases} ELSE {column} END"
    if part == "profile" and name != "project":
        # How far the record was read: everything up to the newest of these that is still there.
        upto = f"e.project = t.project AND e.seq <= {column}"
        return f"(SELECT e.id FROM episode e WHERE {upto} ORDER BY e.seq DESC LIMIT 1)"
    return _id_of(reference, column) if reference else column


def _id_of(table: str, column: str) -> str:
    return f"(SELECT r.id FROM {table} r WHERE r.{number_of(table)} = {column})"
