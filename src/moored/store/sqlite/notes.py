"""SQL of notes, revisions, anchors and pins."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from moored.model.files import IndexedFile
from moored.store.sqlite.facts import FILE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from moored.model.notes import Anchor, Note, Pin, Revision
    from moored.model.operations import Change
    from moored.model.projects import Project, Tree
    from moored.store.sqlite.connection import Connection


def replacing(note: str) -> str:
    """The id of the note in force that replaced this one, by way of others that are not; NULL where none did."""
    return f"""CASE WHEN {note}.superseded_by IS NOT NULL THEN (
        WITH RECURSIVE later (id, withdrawn, next) AS (
            SELECT id, withdrawn, superseded_by FROM note WHERE row = {note}.superseded_by
            UNION SELECT m.id, m.withdrawn, m.superseded_by FROM later l JOIN note m ON m.row = l.next
            WHERE l.withdrawn IS NOT NULL)
        SELECT id FROM later WHERE withdrawn IS NULL) END"""


def standing(note: str) -> str:
    """That a note is in force, and not replaced by one that is."""
    return f"{note}.withdrawn IS NULL AND {replacing(note)} IS NULL"


_NOTE = f"""
SELECT n.row, n.id, n.kind, coalesce({replacing("n")}, ''), n.created_at, coalesce(n.protected, ''),
    coalesce(w.id, ''), n.head
FROM note n LEFT JOIN operation w ON w.row = n.withdrawn
"""
IN_FORCE = "n.withdrawn IS NULL"
STANDING = standing("n")
"""In force, and not replaced by a note that is."""

_OPERATION = "(SELECT row FROM operation WHERE project = ?1 AND id = ?2)"
_REVISION = """
SELECT r.row, r.id, n.id, r.number, r.text, r.tags, r.cause, r.actor, e.id, r.proof, r.created_at
FROM revision r JOIN note n ON n.row = r.note JOIN episode e ON e.seq = r.episode
"""
_ANCHOR = """
SELECT a.revision, a.role, coalesce(f.id, ''), coalesce(e.id, ''), a.path, a.kind, a.name, a.signature_hash,
    a.body_hash, a.value
FROM anchor a LEFT JOIN fact f ON f.row = a.fact LEFT JOIN episode e ON e.seq = a.episode
"""

# A target that the ledger shows as the anchor has it needs no second look; for the others it matters when it changed.
_SUSPECTS = f"""
SELECT n.head, max(
    coalesce(CASE WHEN f.tree IN (0, ?2) THEN coalesce(f.gone_at, f.since) END, 0),
    coalesce((SELECT max(g.since) FROM fact g
        WHERE g.tree = ?2 AND g.path = a.path AND g.name = a.name AND g.gone_at IS NULL AND a.path <> ''), 0),
    coalesce((SELECT max(c.recorded_at) FROM episode c WHERE c.corrects = coalesce(a.episode, nullif(f.episode, 0))), 0)
) AS at
FROM note n JOIN anchor a ON a.revision = n.head LEFT JOIN fact f ON f.row = a.fact
WHERE n.project = ?1 AND {STANDING} AND CASE
    WHEN a.path <> '' THEN NOT coalesce(f.tree = ?2 AND f.gone_at IS NULL AND f.path = a.path AND f.name = a.name
            AND f.body_hash = a.body_hash AND f.signature_hash = a.signature_hash, 0)
        AND NOT EXISTS (SELECT 1 FROM fact g WHERE g.tree = ?2 AND g.path = a.path AND g.name = a.name
            AND g.gone_at IS NULL AND g.body_hash = a.body_hash AND g.signature_hash = a.signature_hash)
    WHEN a.kind = 'command' THEN f.body_hash <> a.body_hash
    ELSE EXISTS (SELECT 1 FROM episode c WHERE c.corrects = coalesce(a.episode, f.episode))
END
"""


class Notes:
    """Reads and writes the atlas."""

    def __init__(self, connection: Connection) -> None:
        self._db = connection

    def get(self, project: Project, note_id: str, *, withdrawn: bool = False) -> Note | None:
        """The note of this id, or the note that a revision of this id belongs to; on request also one withdrawn."""
        found = self._notes(
            f"""WHERE n.project = ?1 AND {"TRUE" if withdrawn else IN_FORCE}
                AND (n.id = ?2 OR n.row = (SELECT r.note FROM revision r WHERE r.id = ?2))""",
            project.row,
            note_id,
        )
        return found[0] if found else None

    def by_heads(self, project: Project, revisions: Sequence[int]) -> dict[int, Note]:
        """The notes whose newest revision is among these numbers, by that number."""
        found = self._notes(
            f"WHERE +n.project = ? AND {IN_FORCE} AND n.head IN (SELECT value FROM json_each(?))",
            project.row,
            json.dumps(list(revisions)),
        )
        return {note.head.row: note for note in found}

    def all(self, project: Project) -> list[Note]:
        return self._notes(f"WHERE n.project = ? AND {IN_FORCE} ORDER BY n.row", project.row)

    def withdrawn(self, project: Project) -> list[Note]:
        """The notes that an operation took out of every answer."""
        return self._notes("WHERE n.project = ? AND n.withdrawn IS NOT NULL ORDER BY n.row", project.row)

    def about_paths(self, project: Project, paths: Iterable[str]) -> list[Note]:
        """The notes whose newest revision has an anchor in one of these files."""
        wanted = json.dumps(list(paths))
        return self._notes(
            f"""WHERE +n.project = ? AND {IN_FORCE} AND n.head IN (SELECT a.revision FROM anchor a
                WHERE a.path <> '' AND a.path IN (SELECT value FROM json_each(?))) ORDER BY n.row""",
            project.row,
            wanted,
        )

    def newest(self, project: Project, limit: int) -> list[Note]:
        """The notes that were written or revised last, newest first, without those that were replaced."""
        return self._notes(f"WHERE n.project = ? AND {STANDING} ORDER BY n.head DESC LIMIT ?", project.row, limit)

    def suspects(self, tree: Tree) -> dict[int, int]:
        """Notes that the ledger of a tree, or the record, does not bear out as it stands, without those replaced.

        By the number of their newest revision: when what they rest on changed last (milliseconds, 0 when that is not
        known). The disk is not looked at, so only a verdict says whether they hold.
        """
        return dict(self._db.rows(_SUSPECTS, tree.project.row, tree.row))

    def files(self, tree: Tree) -> list[IndexedFile]:
        """The indexed files of a tree that notes are about, without those of replaced notes."""
        rows = self._db.rows(
            f"""{FILE} WHERE tree = ? AND path IN (SELECT a.path FROM note n JOIN anchor a ON a.revision = n.head
            WHERE n.project = ? AND {STANDING} AND a.path <> '') ORDER BY path""",
            tree.row,
            tree.project.row,
        )
        return [IndexedFile(*row) for row in rows]

    def count(self, project: Project) -> int:
        return self._db.value(f"SELECT count(*) FROM note n WHERE project = ? AND {IN_FORCE}", project.row)

    def count_revisions(self, project: Project) -> int:
        return self._db.value(
            "SELECT count(*) FROM revision r JOIN note n ON n.row = r.note WHERE n.project = ?", project.row
        )

    def revisions(self, project: Project, note_id: str) -> list[Revision]:
        """All revisions of a note, oldest first."""
        return self._revisions("WHERE n.project = ? AND n.id = ? ORDER BY r.number", project.row, note_id)

    def near(self, project: Project, note_id: str, limit: int = 3) -> tuple[str, ...]:
        """Ids of notes that begin as this one does."""
        rows = self._db.rows(
            """SELECT id FROM note WHERE project = ? AND withdrawn IS NULL AND id LIKE ? || '%'
            ORDER BY row DESC LIMIT ?""",
            project.row,
            note_id[:12].replace("%", ""),
            limit,
        )
        return tuple(row[0] for row in rows)

    def add(
        self, project: Project, note_id: str, kind: str, revision: Revision, operation: str, protected: str = ""
    ) -> int:
        """Write a new note with its first revision and that one's anchors; return the number of the revision."""
        row = self._free("note")
        head = self._add_revision(project, row, revision, None, operation)
        self._db.execute(
            f"""INSERT INTO note (row, id, project, kind, head, created_at, operation, protected)
            VALUES (?3, ?4, ?1, ?5, ?6, ?7, {_OPERATION}, nullif(?8, ''))""",
            (project.row, operation, row, note_id, kind, head, revision.created_at, protected),
        )
        return head

    def revise(self, project: Project, note: Note, revision: Revision, operation: str) -> int:
        """Write the next revision of a note and make it the newest; return its number."""
        row: int = self._db.value("SELECT row FROM note WHERE project = ? AND id = ?", project.row, note.id)
        head = self._add_revision(project, row, revision, note.head.row, operation)
        self._set(project, operation, note.id, "head", head)
        return head

    def supersede(self, project: Project, note_id: str, by: str, operation: str) -> None:
        """Say that a note was replaced by another."""
        newer = self._db.row("SELECT row FROM note WHERE project = ? AND id = ?", project.row, by)
        if newer:
            self._set(project, operation, note_id, "superseded_by", newer[0])

    def withdraw(self, project: Project, note_id: str, operation: str) -> None:
        """Take a note out of every answer until that is undone. Its index entries are the caller's to remove."""
        row = self._db.row("SELECT row FROM operation WHERE project = ? AND id = ?", project.row, operation)
        if row:
            self._set(project, operation, note_id, "withdrawn", row[0])

    def protect(self, project: Project, note_id: str, reason: str, operation: str) -> None:
        """Protect a note for a reason, or with an empty one no more."""
        self._set(project, operation, note_id, "protected", reason or None)

    def restore(self, project: Project, change: Change, operation: str) -> str:
        """Give a note back what it was before a change.

        A note that was begun by the change is withdrawn. Where that cannot be, the note that stands in the way is
        returned: this one when it is not any more what the change made of it, or the one that would replace it, when
        that was replaced by it meanwhile.
        """
        field, before = change.field, change.before
        if field == "begun":
            if self._state(project, change.note, "head", change.after) and self._state(
                project, change.note, "withdrawn", None
            ):
                self.withdraw(project, change.note, operation)
                return ""
            return change.note
        if not self._state(project, change.note, field, change.after):
            return change.note
        if field == "superseded_by" and (other := self._replaced_by(project, change.note, before)):
            return other
        self._set(project, operation, change.note, field, before)
        return ""

    def _replaced_by(self, project: Project, note_id: str, row: int | str | None) -> str:
        """The id of the note with this number, if it was replaced by the other, whether or not by way of others."""
        found = self._db.row(
            """WITH RECURSIVE later (row) AS (SELECT ?3
                UNION SELECT n.superseded_by FROM later l JOIN note n ON n.row = l.row)
            SELECT (SELECT id FROM note WHERE row = ?3)
            FROM later l JOIN note n ON n.row = l.row WHERE n.project = ?1 AND n.id = ?2""",
            project.row,
            note_id,
            row,
        )
        return found[0] if found else ""

    def _state(self, project: Project, note_id: str, field: str, value: int | str | None) -> bool:
        return bool(
            self._db.row(
                f"SELECT 1 FROM note WHERE project = ? AND id = ? AND {field} IS ?", project.row, note_id, value
            )
        )

    def _set(self, project: Project, operation: str, note_id: str, field: str, value: int | str | None) -> None:
        self._db.execute(
            f"UPDATE note SET {field} = ?4, operation = {_OPERATION} WHERE project = ?1 AND id = ?3",
            (project.row, operation, note_id, value),
        )

    def _free(self, table: str) -> int:
        """A number that no row has and none that was erased had."""
        return self._db.value(
            f"""SELECT 1 + max(coalesce((SELECT max(row) FROM {table}), 0),
                coalesce((SELECT max(row) FROM erased WHERE kind = '{table}'), 0))"""
        )

    def _add_revision(self, project: Project, note: int, revision: Revision, parent: int | None, operation: str) -> int:
        row = self._free("revision")
        self._db.execute(
            f"""INSERT INTO revision
                (row, id, note, number, parent, text, tags, cause, actor, episode, proof, created_at, operation)
            VALUES (?3, ?4, ?5, (SELECT coalesce(max(number), 0) + 1 FROM revision WHERE note = ?5), ?6, ?7, ?8, ?9,
                ?10, (SELECT seq FROM episode WHERE project = ?1 AND id = ?11), ?12, ?13, {_OPERATION})""",
            (
                project.row, operation, row, revision.id, note, parent, revision.text, json.dumps(revision.tags),
                revision.cause, revision.actor, revision.episode, revision.proof, revision.created_at,
            ),
        )  # fmt: skip
        self._db.executemany(
            """INSERT INTO anchor (revision, role, fact, episode, path, kind, name, signature_hash, body_hash, value)
            VALUES (?, ?, (SELECT row FROM fact WHERE project = ? AND id = ?),
                (SELECT seq FROM episode WHERE project = ? AND id = ?), ?, ?, ?, ?, ?, ?)""",
            (
                (
                    row, a.role, project.row, a.fact, project.row, a.episode if not a.fact else "", a.path,
                    a.kind or "", a.name, a.signature_hash, a.body_hash, a.value,
                )
                for a in revision.anchors
            ),
        )  # fmt: skip
        return row

    def _notes(self, where: str, *values: Any) -> list[Note]:
        from moored.model.notes import Note

        rows = self._db.rows(_NOTE + where, *values)
        heads = {r.row: r for r in self._revisions_of([row[-1] for row in rows])}
        return [
            Note(id_, kind, by, at, heads[head], protected, withdrawn)
            for _, id_, kind, by, at, protected, withdrawn, head in rows
        ]

    def _revisions_of(self, rows: Sequence[int]) -> list[Revision]:
        return self._revisions("WHERE r.row IN (SELECT value FROM json_each(?))", json.dumps(rows))

    def _revisions(self, where: str, *values: Any) -> list[Revision]:
        from moored.model.facts import FactKind
        from moored.model.notes import Anchor, AnchorRole, Revision

        rows = self._db.rows(_REVISION + where, *values)
        anchors: dict[int, list[Anchor]] = {row[0]: [] for row in rows}
        found = self._db.rows(
            _ANCHOR + "WHERE a.revision IN (SELECT value FROM json_each(?)) ORDER BY a.row", json.dumps(list(anchors))
        )
        for revision, role, fact, episode, path, kind, *rest in found:
            anchors[revision].append(
                Anchor(AnchorRole(role), fact, episode, path, FactKind(kind) if kind else None, *rest)
            )
        return [
            Revision(
                row, id_, note, number, text, tuple(json.loads(tags)), cause, actor, episode, proof, at,
                tuple(anchors[row]),
            )
            for row, id_, note, number, text, tags, cause, actor, episode, proof, at in rows
        ]  # fmt: skip


class Pins:
    """Reads and writes the user's pins."""

    def __init__(self, connection: Connection) -> None:
        self._db = connection

    def all(self, project: Project) -> list[Pin]:
        """The pins that stand, oldest first."""
        from moored.model.notes import Pin

        rows = self._db.rows(
            """SELECT id, text, actor, tokens, created_at FROM pin WHERE project = ? AND removed_at IS NULL
            ORDER BY row""",
            project.row,
        )
        return [Pin(*row) for row in rows]

    def count(self, project: Project) -> int:
        """How many pins stand."""
        return self._db.value("SELECT count(*) FROM pin WHERE project = ? AND removed_at IS NULL", project.row)

    def add(self, project: Project, pin: Pin) -> None:
        self._db.execute(
            "INSERT INTO pin (id, project, text, actor, tokens, created_at) VALUES (?, ?, ?, ?, ?, ?)",
            (pin.id, project.row, pin.text, pin.actor, pin.tokens, pin.created_at),
        )

    def remove(self, project: Project, pin_id: str, at: int) -> bool:
        """Take a pin out of every brief; False when no such pin stands. Its row stays as history."""
        self._db.execute(
            "UPDATE pin SET removed_at = ? WHERE project = ? AND id = ? AND removed_at IS NULL",
            (at, project.row, pin_id),
        )
        return self._db.changes() > 0
