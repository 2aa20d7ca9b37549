"""SQL of taking in a bundle: its rows get numbers of this store, and nothing that is there is changed.

Rows of notes come with the log of what happened to them, so that the triggers which write that log, and ask for an
operation under way, are taken away until all is in. They are back before anything is committed.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import apsw

from moored.errors import InvalidInput
from moored.model.terms import fragments, searchable
from moored.store.port_bundle import PARTS
from moored.store.sqlite.bundle import CHANGED, Bundle, Columns, columns_of, number_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from moored.store.sqlite.connection import Connection
    from moored.store.sqlite.search import Search

_LATER = ("head", "latest", "superseded_by")
"""What a note names that comes after it."""

_OWNERS = {
    "fact_version": "fact",
    "anchor": "revision",
    "operation_episode": "episode",
    "hidden_episode": "episode",
    "profile": "project",
    **dict.fromkeys(("change", "link", "evidence", "settlement", "decision", "rating"), "operation"),
}
"""What rows without an id hang on: when that is there already, they are too."""

_GOES_WITH = {
    ("fact", "tree"),
    ("fact", "episode"),
    ("anchor", "fact"),
    ("anchor", "episode"),
    ("change", "before"),
} | {("change", "after")}
"""What a row needs although its column may be empty."""

_NAMED: dict[str, tuple[str, ...]] = {
    "project": ("key",),
    "tree": ("project", "root"),
    "session": ("project", "host", "name"),
    "episode": ("project", "idempotency_key"),
    "fact": ("tree", "path", "name", "kind", "ordinal", "project", "episode"),
}
"""By what else than its id a row is known."""

_OF_NOTES = "type = 'trigger' AND tbl_name IN ('note', 'revision', 'anchor')"


class Taking:
    """Takes rows of a bundle into the store, in the order of `PARTS`."""

    def __init__(self, connection: Connection, search: Search) -> None:
        self._db = connection
        self._search = search
        self._bundle = Bundle(connection)
        connection.rows("PRAGMA defer_foreign_keys = ON")
        self._triggers = connection.rows(f"SELECT name, sql FROM sqlite_schema WHERE {_OF_NOTES} ORDER BY rowid")
        for name, _ in self._triggers:
            connection.rows(f"DROP TRIGGER {name}")
        self._before = {part: self._last(part) for part in PARTS if "id" in columns_of(connection, part).names}
        self._elsewhere: dict[tuple[str, str], int] = {}
        self._later: list[tuple[int, str, str]] = []
        self._broken: set[int] = set()

    def put(self, part: str, row: Mapping[str, Any]) -> str:
        """Write a row, unless it is there: `new`, `known`, `other` or `left out`, as in `port_bundle.Taking`."""
        if there := self.there(part, row):
            return there
        columns = columns_of(self._db, part)
        if (owner := _OWNERS.get(part)) and self._was(owner, self.number(owner, row[owner])):
            return "known"
        if part in ("revision", "change") and self._was("note", self.number("note", row["note"])):
            return "left out"
        values = dict(row)
        for name, named in self._references(part, columns, row).items():
            number = None if row[name] is None else self.number(named, row[name])
            missing = row[name] is not None and number is None and not (part == "note" and name in _LATER)
            if missing and (name in columns.needed or (part, name) in _GOES_WITH):
                self._miss(part, row)
                return "left out"
            values[name] = number
        return self._insert(part, columns, values, row)

    def there(self, part: str, row: Mapping[str, Any]) -> str:
        """`known` or `other` when something is there under the id or the name of a row, else empty."""
        columns = columns_of(self._db, part)
        if set(row) != {*columns.names} or not all(_plain(row[name], part, name) for name in columns.names):
            raise InvalidInput(f"It has a line in {part} that is no row of it.")
        if "id" not in row:
            return ""
        found = self._db.row(f"SELECT {number_of(part)} FROM {part} WHERE id = ?", row["id"])
        if found:
            return "known" if self._bundle.at(part, found[0]) == row else "other"
        if number := self._named_so(part, columns, row):
            self.stands_for(part, row["id"], number)
            return "known"
        return ""

    def number(self, part: str, id_: str) -> int | None:
        """The store's number of what has an id in the bundle, None when it was not taken."""
        if (part, id_) in self._elsewhere:
            return self._elsewhere[part, id_]
        found = self._db.row(f"SELECT {number_of(part)} FROM {part} WHERE id = ?", id_)
        return found[0] if found else None

    def stands_for(self, part: str, id_: str, number: int) -> None:
        """Let an id of the bundle name a row that is here under another one."""
        self._elsewhere[part, id_] = number

    def flush(self) -> None:
        """Write out what waits for the indexes, so that it does not gather in memory."""
        self._search.flush()

    def end(self) -> tuple[list[tuple[int, int, str, tuple[str, ...]]], int]:
        """Let notes have their newest revisions, leave out those of which something is missing, restore the triggers.

        Return project, number, text and tags of the newest revision of each new note that is to be found, and how
        many notes were left out.
        """
        for note, name, id_ in self._later:
            number = self.number("note" if name == "superseded_by" else "revision", id_)
            if number is None and name == "head":
                self._broken.add(note)
            self._db.execute(
                f"UPDATE note SET {name} = ? WHERE row = ?", (number or (None if name == "superseded_by" else 0), note)
            )
        for note in self._broken:
            self._take_out(note)
        for _, sql in self._triggers:
            self._db.rows(sql)
        new = self._db.rows(
            """SELECT n.project, n.head, r.text, r.tags FROM note n JOIN revision r ON r.row = n.head
            WHERE n.row > ? AND n.withdrawn IS NULL ORDER BY n.row""",
            self._before["note"],
        )
        return [(project, head, text, tuple(json.loads(tags))) for project, head, text, tags in new], len(self._broken)

    def _insert(self, part: str, columns: Columns, values: dict[str, Any], row: Mapping[str, Any]) -> str:
        names = list(columns.names)
        values |= {name: 0 for name in columns.zero if values[name] is None}
        if part in ("note", "revision"):
            names.append("row")
            values["row"] = self._db.value(
                f"""SELECT 1 + max(coalesce((SELECT max(row) FROM {part}), 0),
                    coalesce((SELECT max(row) FROM erased WHERE kind = '{part}'), 0))"""
            )
        if part == "note":
            values |= {"head": 0, "latest": 0, "superseded_by": None}
        joined, marks = ", ".join(f'"{name}"' for name in names), ", ".join("?" * len(names))
        try:
            self._db.execute(
                f"INSERT INTO {part} ({joined}) VALUES ({marks}) ON CONFLICT DO NOTHING",
                [values[name] for name in names],
            )
        except (apsw.ConstraintError, apsw.MismatchError) as error:
            raise InvalidInput(f"It has a line in {part} that breaks a rule of the store ({error}).") from error
        if not self._db.changes():
            return "known"
        if part == "note":
            self._later += [(values["row"], name, row[name]) for name in _LATER if row[name] is not None]
            if row["head"] is None:
                self._broken.add(values["row"])
        if part == "fact" and values["tree"] and values["gone_at"] is None and values["kind"] != "import":
            self._index(self._db.last_insert_rowid(), values)
        return "new"

    def _index(self, number: int, fact: Mapping[str, Any]) -> None:
        words = searchable(f"{fact['name']} {fact['path']} {fact['value']} {fact['doc']}")
        self._db.execute("INSERT INTO fact_fts (rowid, text) VALUES (?, ?)", (number, words))
        pieces = fragments(fact["name"]) or fact["name"]
        self._db.execute("INSERT INTO fact_trigram (rowid, text) VALUES (?, ?)", (number, pieces))

    def _references(self, part: str, columns: Columns, row: Mapping[str, Any]) -> dict[str, str]:
        """What the columns of a row name, by the column."""
        if part == "change" and row["field"] in CHANGED:
            return columns.references | dict.fromkeys(("before", "after"), CHANGED[row["field"]])
        if part == "profile":
            return columns.references | dict.fromkeys(("read_to", "compared_to"), "episode")
        return columns.references

    def _named_so(self, part: str, columns: Columns, row: Mapping[str, Any]) -> int | None:
        """The number of the row that is here under another id."""
        names = _NAMED.get(part)
        if not names or (part == "fact" and row["gone_at"] is not None):
            return None
        values = [
            row[name]
            if name not in columns.references
            else 0
            if row[name] is None
            else self.number(columns.references[name], row[name])
            for name in names
        ]
        standing = " AND gone_at IS NULL" if part == "fact" else ""
        where = " AND ".join(f'"{name}" = ?' for name in names)
        found = self._db.row(f"SELECT {number_of(part)} FROM {part} WHERE {where}{standing}", *values)
        if not found and part == "fact" and row["kind"] == "command":
            project = self.number("project", row["project"])
            found = self._db.row(
                "SELECT row FROM fact WHERE project = ? AND name = ? AND kind = 'command'", project, row["name"]
            )
        return found[0] if found else None

    def _miss(self, part: str, row: Mapping[str, Any]) -> None:
        """Leave a note out of which a revision or an anchor is: what is left would say what nobody said."""
        if part == "revision":
            note = self.number("note", row["note"])
        elif part == "anchor":
            revision = self.number("revision", row["revision"])
            note = revision and self._db.value("SELECT note FROM revision WHERE row = ?", revision)
        else:
            return
        if note and not self._was("note", note):
            self._broken.add(note)

    def _take_out(self, note: int) -> None:
        """Take out a note that this bundle brought, with all that hangs on it."""
        self._db.execute("UPDATE note SET superseded_by = NULL WHERE superseded_by = ?", (note,))
        self._db.execute("UPDATE reminder SET note = NULL WHERE note = ?", (note,))
        of_revisions = "revision IN (SELECT row FROM revision WHERE note = ?)"
        self._db.execute(f"DELETE FROM anchor WHERE {of_revisions}", (note,))
        for table in ("change", "link", "evidence", "dispute", "proposal", "note_use", "rating", "seeded", "revision"):
            self._db.execute(f"DELETE FROM {table} WHERE note = ?", (note,))
        for table in ("link", "dispute"):
            self._db.execute(f"DELETE FROM {table} WHERE other = ?", (note,))
        self._db.execute("DELETE FROM change WHERE field = 'superseded_by' AND ? IN (before, after)", (note,))
        self._db.execute("DELETE FROM note WHERE row = ?", (note,))

    def _was(self, part: str, number: int | None) -> bool:
        """Whether a row was there before anything of the bundle was."""
        return number is not None and number <= self._before[part]

    def _last(self, part: str) -> int:
        return self._db.value(f"SELECT coalesce(max({number_of(part)}), 0) FROM {part}")


def _plain(value: Any, part: str, name: str) -> bool:
    if part == "episode" and name == "content":
        return isinstance(value, bytes)
    return value is None or type(value) in (str, int, float)
