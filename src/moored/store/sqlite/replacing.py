"""SQL of erasure, where rows are taken out of indexes, or others are put in their place under the same number."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from moored.model.episodes import Channel, Role
from moored.model.terms import fragments, searchable
from moored.model.windowing import cut, embedded
from moored.store.sqlite.entries import ENTRY, numbered
from moored.store.sqlite.episodes import decoded, encoded
from moored.store.sqlite.full_text import merge, take_out
from moored.store.sqlite.vectors import Vectors

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from moored.model.projects import Project
    from moored.model.windowing import Window
    from moored.store.port_erasure import ReplacedEpisode
    from moored.store.sqlite.connection import Connection

_ROWS = "(SELECT value FROM json_each(?1))"
_APART = 10**9
"""What is added to the ordinals of windows while they move."""

# Texts that are replaced where they stand: the plural of what they are of, the table, its columns, its project.
_SAID: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("proposals", "proposal", ("text", "reason", "evidence")),
    ("decisions", "decision", ("because",)),
    ("disputes", "dispute", ("reason",)),
    ("links", "link", ("reason",)),
    ("ratings", "rating", ("reason",)),
    ("reasons of rules", "rule", ("reason",)),
    ("operations", "operation", ("detail",)),
)
_PLAIN = (("reminders", "reminder", ("pattern", "text")), *_SAID, ("sessions", "session", ("name",)))
# What ends with a text that it is about: with a mark in its place it would be about every text that was replaced.
_RULES = ("rules", "rule", ("condition", "scope"))
_ALIASES = ("aliases", "alias", ("name", "alias", "name_folded", "alias_folded"))
# The same of rows that are replaced as a whole, because they never change.
_WHOLE: tuple[tuple[str, str, tuple[str, ...], str], ...] = (
    ("anchors", "anchor", ("path", "name", "value"), "revision"),
    ("pins", "pin", ("text",), "row"),
)
_PROJECT_OF = {
    "anchor": "(SELECT n.project FROM revision r JOIN note n ON n.row = r.note WHERE r.row = t.revision)",
    "pin": "t.project",
}
_OF_PROJECT = "(SELECT n.project FROM note n WHERE n.row = t.note) = {}"
_TEXTLESS = re.compile(r"(_fts|_trigram)(_|$)|^sqlite_|^vector|^token_code$|^tombstone$")


class Replacing:
    """Takes rows out of indexes and replaces rows that never change otherwise."""

    def __init__(self, connection: Connection) -> None:
        self._db = connection

    def take_out_windows(self, seqs: Sequence[int]) -> None:
        """Take what the windows of episodes say out of the indexes, with their vectors."""
        words: list[tuple[int, str]] = []
        pieces: list[tuple[int, str]] = []
        vectors = Vectors(self._db)
        for seq in seqs:
            rows = self._db.rows(
                f"SELECT row, {numbered('project', 'row')} FROM window WHERE episode = ? ORDER BY start", seq
            )
            windows = self._cut(seq)
            # An older version may have cut it in another way: then the numbers of words differ as well.
            texts = [(one.words, one.fragments) for one in windows] + [("", "")] * len(rows)
            for (row, at), (text, fragment) in zip(rows, texts, strict=False):
                words.append((at, text))
                pieces.append((at, fragment))
                vectors.remove("window", row)
        take_out(self._db, "window_fts", words)
        take_out(self._db, "window_trigram", pieces)

    def take_out_revisions(self, rows: Sequence[int]) -> None:
        """Take what revisions say out of the indexes, with their vectors."""
        found = self._db.rows(
            f"""SELECT e.at, e.text, e.tags, (SELECT count(*) FROM revision_fts_docsize d WHERE d.id = e.at)
            FROM (SELECT {numbered("n.project", "r.row")} AS at, r.text, r.tags FROM revision r
                JOIN note n ON n.row = r.note WHERE r.row IN {_ROWS}) e""",
            json.dumps(list(rows)),
        )
        vectors = Vectors(self._db)
        for row in rows:
            vectors.remove("revision", row)
        take_out(self._db, "revision_fts", [(at, _words_of(text, tags)) for at, text, tags, _ in found])
        take_out(
            self._db,
            "revision_trigram",
            [(at, fragments("\n".join((text, *json.loads(tags))))) for at, text, tags, _ in found],
        )
        if any(not indexed for *_, indexed in found):
            # An older revision left the index when the next one came; its words may still lie under a tombstone.
            merge(self._db, "revision_fts")
            merge(self._db, "revision_trigram")

    def episode(self, seq: int, changes: Mapping[str, object], at: int) -> None:
        """Replace an episode by one that differs in these columns, under a permission that is used up by it."""
        self._db.execute("INSERT OR REPLACE INTO erasure VALUES (?, 'replaced', ?)", (seq, at))
        self._replace("episode", "seq", seq, changes)
        self._db.execute("DELETE FROM erasure WHERE episode = ?", (seq,))

    def with_words(
        self, project: Project, operation: int, seq: int, new: ReplacedEpisode, windows: Sequence[Window], at: int
    ) -> None:
        """Let an episode say something else, and index that where its windows stood; those were taken out before."""
        content, encoding = encoded(new.content)
        before: str = self._db.value("SELECT content_hash FROM episode WHERE seq = ?", seq)
        self.episode(
            seq,
            {
                "content": content,
                "encoding": encoding,
                "size": len(new.content),
                "content_hash": new.content_hash,
                "tokens": new.tokens,
                "tool_name": new.tool_name,
                "tool_input": new.tool_input,
                "author": new.author,
            },
            at,
        )
        session, first, old = self._db.rows(
            "SELECT session, min(ordinal), count(*) FROM window WHERE episode = ?", seq
        )[0]
        self._db.execute("DELETE FROM window WHERE episode = ?", (seq,))
        self._move(session, first + old - 1, len(windows) - old)
        rows: list[int] = []
        for ordinal, one in enumerate(windows, first):
            self._db.execute(
                """INSERT INTO window (episode, project, session, ordinal, start, "end", traits)
                VALUES (?, ?, ?, ?, ?, ?, ?)""",
                (seq, project.row, session, ordinal, one.start, one.end, one.traits),
            )
            rows.append(self._db.last_insert_rowid())
        for row, one in zip(rows, windows, strict=True):
            self._index("window", row, one.words, one.fragments)
        Vectors(self._db).enqueue(project, "window", embedded(rows))
        for row, revision in self._db.rows(
            "SELECT row, revision FROM anchor WHERE episode = ? AND body_hash = ?", seq, before
        ):
            self._permit(operation, "revision", revision)
            self._replace("anchor", "row", row, {"body_hash": new.content_hash})

    def close_ranks(self, operation: int, notes: Sequence[int]) -> None:
        """Let the revisions that a note has left follow each other: the first of them becomes number 1."""
        for note in notes:
            before: int | None = None
            for row, number, parent in self._db.rows(
                "SELECT row, number, parent FROM revision WHERE note = ? ORDER BY number", note
            ):
                due = 1 if before is None else number
                if (due, before) != (number, parent):
                    self._revision(operation, row, {"number": due, "parent": before})
                before = row

    def redact(self, project: Project, operation: int, replaced: Mapping[str, str]) -> dict[str, int]:
        """Replace texts in everything but episodes; return how many rows were changed, by their names in the plural."""
        changed: dict[str, int] = {}
        if revisions := self._redact_revisions(project, operation, replaced):
            changed["revisions"] = revisions
        for name, table, columns, permit in _WHOLE:
            kind = "revision" if table == "anchor" else table
            rows = self._holding(table, columns, replaced, f"{_PROJECT_OF[table]} = {project.row}", permit)
            for row, permitted, *texts in rows:
                self._permit(operation, kind, permitted)
                self._replace(table, "row", row, _redacted(columns, texts, replaced))
            changed |= {name: len(rows)} if rows else {}
        for ended in (_RULES, _ALIASES):
            changed |= self._end(ended, project, replaced)
        changed |= self._redact_plain(_PLAIN, project, replaced)
        if reasons := self._redact_protection(project, operation, replaced):
            changed["reasons of protections"] = reasons
        if facts := self._redact_facts(project, replaced):
            changed["facts"] = facts
        return changed

    def redact_said(self, project: Project, operation: int, replaced: Mapping[str, str]) -> None:
        """Replace texts in what was said about notes, in rules and in operations: in what has no episode of its own.

        A rule that is about such a text ends.
        """
        self._end(_RULES, project, replaced)
        self._redact_plain(_SAID, project, replaced)
        self._redact_protection(project, operation, replaced)
        for row, _, cause in self._holding("revision", ("cause",), replaced, _OF_PROJECT.format(project.row), "row"):
            self._revision(operation, row, _redacted(("cause",), (cause,), replaced))

    def every_text(self) -> Iterator[bytes]:
        """Every text of every project as bytes, also those kept compressed; the contents of episodes come last."""
        tables = self._db.rows(
            """SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'
            ORDER BY name IN ('episode', 'window', 'fact'), rowid"""
        )
        for (table,) in tables:
            if _TEXTLESS.search(table):
                continue
            columns = [
                row[1]
                for row in self._db.rows(f"PRAGMA table_info ({table})")
                if row[2].upper() in ("TEXT", "BLOB", "ANY") and (table, row[1]) != ("episode", "content")
            ]
            if columns:
                joined = ", ".join(f'"{column}"' for column in columns)
                for row in self._db.execute(f"SELECT {joined} FROM {table}"):
                    yield b"\n".join(_bytes(value) for value in row)
        for content, encoding in self._db.execute("SELECT content, encoding FROM episode"):
            yield decoded(content, encoding)

    def _end(
        self, ended: tuple[str, str, tuple[str, ...]], project: Project, replaced: Mapping[str, str]
    ) -> dict[str, int]:
        """Delete the rows of a table that are about one of these texts."""
        name, table, columns = ended
        rows = self._holding(table, columns, replaced, f"t.project = {project.row}", "row")
        self._db.executemany(f"DELETE FROM {table} WHERE row = ?", [(row,) for row, *_ in rows])
        return {name: len(rows)} if rows else {}

    def _redact_plain(
        self, texts: Sequence[tuple[str, str, tuple[str, ...]]], project: Project, replaced: Mapping[str, str]
    ) -> dict[str, int]:
        changed: dict[str, int] = {}
        for name, table, columns in texts:
            rows = self._holding(table, columns, replaced, f"t.project = {project.row}", "row")
            for row, _, *said in rows:
                new = _redacted(columns, said, replaced)
                put = ", ".join(f"{column} = ?" for column in new)
                self._db.execute(f"UPDATE {table} SET {put} WHERE row = ?", (*new.values(), row))
            changed |= {name: len(rows)} if rows else {}
        return changed

    def _redact_facts(self, project: Project, replaced: Mapping[str, str]) -> int:
        """Replace texts in what is shown of facts, now and before. Their hashes stay, as for a secret in a file."""
        columns = ("value", "doc")
        rows = self._holding("fact", columns, replaced, f"t.project = {project.row}", "row")
        scope = f"(SELECT f.project FROM fact f WHERE f.row = t.fact) = {project.row}"
        older = self._holding("fact_version", ("value",), replaced, scope, "row")
        for row, _, *texts in rows:
            new = _redacted(columns, texts, replaced)
            before = self._fact_entry(row)
            with self._db.ledger_writer():
                self._db.execute("UPDATE fact SET value = ?, doc = ? WHERE row = ?", (*new.values(), row))
            if self._db.row("SELECT 1 FROM fact_fts_docsize WHERE id = ?", row):
                take_out(self._db, "fact_fts", [(row, before)])
                self._db.execute("INSERT INTO fact_fts (rowid, text) VALUES (?, ?)", (row, self._fact_entry(row)))
        with self._db.ledger_writer():
            for row, _, value in older:
                new = _redacted(("value",), (value,), replaced)
                self._db.execute("UPDATE fact_version SET value = ? WHERE row = ?", (new["value"], row))
        return len(rows) + len(older)

    def _redact_protection(self, project: Project, operation: int, replaced: Mapping[str, str]) -> int:
        """Replace texts in why notes are protected, and in what the log keeps of it; the reason given stays one."""
        rows = self._holding("note", ("protected",), replaced, f"t.project = {project.row}", "row")
        for row, _, reason in rows:
            new = _redacted(("protected",), (reason,), replaced)["protected"]
            self._db.execute("UPDATE note SET protected = ?, operation = ? WHERE row = ?", (new, operation, row))
        of_project = f"t.field = 'protected' AND {_OF_PROJECT.format(project.row)}"
        for column in ("before", "after"):
            for row, _, reason in self._holding("change", (column,), replaced, of_project, "row"):
                new = _redacted((column,), (reason,), replaced)[column]
                self._db.execute(f"UPDATE change SET {column} = ? WHERE row = ?", (new, row))
        return len(rows)

    def _fact_entry(self, row: int) -> str:
        """What the index holds of a fact of a file."""
        name, path, value, doc = self._db.rows("SELECT name, path, value, doc FROM fact WHERE row = ?", row)[0]
        return searchable(f"{name} {path} {value} {doc}")

    def _redact_revisions(self, project: Project, operation: int, replaced: Mapping[str, str]) -> int:
        columns = ("text", "tags", "cause", "proof")
        rows = self._holding("revision", columns, replaced, _OF_PROJECT.format(project.row), "row")
        self.take_out_revisions([row for row, *_ in rows])
        for row, _, *texts in rows:
            new = _redacted(columns, texts, replaced)
            self._revision(operation, row, new)
            if self._db.row("SELECT 1 FROM note WHERE head = ?", row):
                entry = "\n".join((str(new["text"]), *json.loads(str(new["tags"]))))
                self._index("revision", row, searchable(entry), fragments(entry))
                Vectors(self._db).enqueue(project, "revision", [row])
        return len(rows)

    def _revision(self, operation: int, row: int, changes: Mapping[str, object]) -> None:
        self._permit(operation, "revision", row)
        self._replace("revision", "row", row, {**changes, "operation": operation})

    def _holding(
        self, table: str, columns: Sequence[str], replaced: Mapping[str, str], scope: str, permit: str
    ) -> list[tuple[Any, ...]]:
        """Number, number to permit and texts of the rows that hold one of these texts."""
        joined = ", ".join(f"t.{column}" for column in columns)
        holds = " OR ".join(
            f"EXISTS (SELECT 1 FROM json_each(?) w WHERE instr(t.{column}, w.value))" for column in columns
        )
        return self._db.rows(
            f"SELECT t.row, t.{permit}, {joined} FROM {table} t WHERE {scope} AND ({holds}) ORDER BY t.row",
            *(json.dumps([form for old in replaced for form in _forms(column, old)]) for column in columns),
        )

    def _replace(self, table: str, key: str, row: int, changes: Mapping[str, object]) -> None:
        """Put a row that differs in these columns in the place of another."""
        columns = [column[1] for column in self._db.rows(f"PRAGMA table_info ({table})")]
        joined = ", ".join(columns)
        old = self._db.rows(f"SELECT {joined} FROM {table} WHERE {key} = ?", row)[0]
        values = {**dict(zip(columns, old, strict=True)), **changes}
        self._db.execute(f"DELETE FROM {table} WHERE {key} = ?", (row,))
        marks = ", ".join("?" * len(columns))
        self._db.execute(f"INSERT INTO {table} ({joined}) VALUES ({marks})", [values[column] for column in columns])

    def _move(self, session: int, after: int, by: int) -> None:
        """Move the windows of a session behind an ordinal, so that they follow what stands there now."""
        if by:
            later = (session, after)
            self._db.execute(f"UPDATE window SET ordinal = ordinal + {_APART} WHERE session = ? AND ordinal > ?", later)
            self._db.execute(
                f"UPDATE window SET ordinal = ordinal - {_APART} + ? WHERE session = ? AND ordinal >= {_APART}",
                (by, session),
            )

    def _index(self, owner_kind: str, row: int, words: str, pieces: str) -> None:
        place = ENTRY[owner_kind]
        self._db.execute(f"INSERT INTO {owner_kind}_fts (rowid, text) VALUES ({place}, ?)", (row, words))
        if pieces:
            self._db.execute(f"INSERT INTO {owner_kind}_trigram (rowid, text) VALUES ({place}, ?)", (row, pieces))

    def _permit(self, operation: int, kind: str, row: int) -> None:
        self._db.execute("INSERT OR IGNORE INTO erased VALUES (?, ?, ?)", (kind, row, operation))

    def _cut(self, seq: int) -> tuple[Window, ...]:
        """The windows of an episode as they are cut now."""
        content, encoding, role, channel, author, tool_name, tool_input, status = self._db.rows(
            """SELECT content, encoding, role, channel, author, tool_name, tool_input, exit_status FROM episode
            WHERE seq = ?""",
            seq,
        )[0]
        return cut(
            decoded(content, encoding).decode("utf-8", "replace"),
            role=Role(role),
            channel=Channel(channel),
            author=author,
            tool_name=tool_name,
            tool_input=tool_input,
            exit_status=status,
        )


def _words_of(text: str, tags: str) -> str:
    return searchable("\n".join((text, *json.loads(tags))))


def _redacted(columns: Sequence[str], texts: Sequence[str], replaced: Mapping[str, str]) -> dict[str, str]:
    new = dict(zip(columns, texts, strict=True))
    for column in columns:
        for old, by in replaced.items():
            for form in _forms(column, old):
                new[column] = new[column].replace(form, by)
    return new


def _forms(column: str, text: str) -> tuple[str, ...]:
    """A text as a column has it: tags are in lower case, and of words that a reminder waits for only the words stay."""
    match column:
        case "tags":
            return (text.lower(),)
        case "pattern":
            words = " ".join(re.findall(r"\w+", text))
            return (text, words) if len(words) > 3 else (text,)
        case _:
            return (text,)


def _bytes(value: Any) -> bytes:
    if isinstance(value, bytes):
        return value
    return str(value).encode("utf-8", "surrogatepass") if value is not None else b""
