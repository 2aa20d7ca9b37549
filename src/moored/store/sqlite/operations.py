"""SQL of operations, of what they changed, and of the episodes that they brought in or hid."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from moored.store.sqlite.vectors import BEFORE, Vectors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.model.operations import Change, Operation
    from moored.model.projects import Project
    from moored.store.sqlite.connection import Connection

_OPERATION = """
SELECT o.id, o.kind, o.detail, o.started_at, o.undone_at, o.actor, o.asked, coalesce(u.id, ''), o.lasting,
    (SELECT count(*) FROM operation_episode oe WHERE oe.operation = o.row),
    (SELECT count(DISTINCT c.note) FROM change c WHERE c.operation = o.row)
FROM operation o LEFT JOIN operation u ON u.row = o.undoes
"""
_ROW = "(SELECT row FROM operation WHERE project = ?1 AND id = ?2)"
_MARKS = (
    *((table, "operation") for table in ("change", "operation_episode", "hidden_episode", "erased", "tombstone")),
    *((table, "operation") for table in ("link", "evidence", "dispute", "settlement", "proposal", "decision")),
    *((table, "operation") for table in ("rating", "rule", "reminder")),
    ("operation", "undoes"),
)
"""Where an operation leaves a mark of what it did: tables and their columns."""

_EPISODES = "SELECT e.seq FROM json_each(?3) w CROSS JOIN episode e ON e.project = ?1 AND e.id = w.value"


class Operations:
    """Reads and writes operations. A note changes only under one that is under way."""

    def __init__(self, connection: Connection) -> None:
        self._db = connection

    def begin(
        self,
        project: Project,
        operation_id: str,
        kind: str,
        detail: str,
        at: int,
        *,
        actor: str,
        asked: bool = False,
        undoes: str = "",
        lasting: bool = False,
    ) -> None:
        """Begin an operation. `asked` says that a person or an agent asked for just this, `lasting` that it stays."""
        self._db.execute(
            """INSERT INTO operation (id, project, kind, detail, started_at, actor, asked, open, undoes, lasting)
            VALUES (?2, ?1, ?3, ?4, ?5, ?6, ?7, 1, (SELECT row FROM operation WHERE project = ?1 AND id = ?8), ?9)""",
            (project.row, operation_id, kind, detail, at, actor, asked, undoes, lasting),
        )

    def finish(self, project: Project, operation_id: str) -> None:
        """Say that nothing more is changed under an operation; one that did nothing leaves no trace."""
        did = " OR ".join(f"EXISTS (SELECT 1 FROM {table} WHERE {column} = o.row)" for table, column in _MARKS)
        idle = self._db.row(
            f"""SELECT o.row FROM operation o WHERE o.project = ? AND o.id = ? AND o.undoes IS NULL AND o.lasting = 0
                AND NOT ({did})""",
            project.row,
            operation_id,
        )
        if idle:
            self._db.execute("DELETE FROM operation WHERE row = ?", idle)
        self._db.execute("UPDATE operation SET open = 0 WHERE project = ? AND id = ?", (project.row, operation_id))

    def latest(self, project: Project) -> str:
        """The id of the newest operation of a project; empty where there is none."""
        found = self._db.row("SELECT id FROM operation WHERE project = ? ORDER BY row DESC LIMIT 1", project.row)
        return found[0] if found else ""

    def all(self, project: Project) -> list[Operation]:
        """The operations of a project, oldest first."""
        return self._operations("WHERE o.project = ? ORDER BY o.row", project.row)

    def get(self, project: Project, operation_id: str) -> Operation | None:
        found = self._operations("WHERE o.project = ? AND o.id = ?", project.row, operation_id)
        return found[0] if found else None

    def changes(self, project: Project, operation_id: str) -> list[Change]:
        """What an operation changed of notes, in order."""
        from moored.model.operations import Change

        rows = self._db.rows(
            f"""SELECT n.id, c.field, c.before, c.after FROM change c JOIN note n ON n.row = c.note
            WHERE c.operation = {_ROW} ORDER BY c.row""",
            project.row,
            operation_id,
        )
        return [Change(*row) for row in rows]

    def of_note(self, project: Project, note_id: str) -> list[Operation]:
        """The operations that changed a note, oldest first."""
        return self._operations(
            """WHERE o.project = ?1 AND o.row IN (SELECT c.operation FROM change c JOIN note n ON n.row = c.note
                WHERE n.project = ?1 AND n.id = ?2) ORDER BY o.row""",
            project.row,
            note_id,
        )

    def later(self, project: Project, operation_id: str, note_id: str) -> list[str]:
        """The operations that stand and changed a note after this one was done, newest first."""
        rows = self._db.rows(
            f"""SELECT DISTINCT o.row, o.id FROM note n JOIN change c ON c.note = n.row
            JOIN operation o ON o.row = c.operation
            WHERE n.project = ?1 AND n.id = ?3 AND o.undone_at IS NULL AND o.undoes IS NULL AND o.row <> {_ROW}
                AND c.row > (SELECT max(x.row) FROM change x WHERE x.operation = {_ROW})
            ORDER BY o.row DESC""",
            project.row,
            operation_id,
            note_id,
        )
        return [row[1] for row in rows]

    def attribute(self, project: Project, operation_id: str, episodes: Sequence[str]) -> None:
        """Count episodes among those that an operation brought in, and show them again if undoing one hid them."""
        values = (project.row, operation_id, json.dumps(list(episodes)))
        self._db.execute(
            f"""INSERT OR IGNORE INTO operation_episode
            SELECT o.row, s.seq FROM operation o CROSS JOIN ({_EPISODES}) s WHERE o.project = ?1 AND o.id = ?2""",
            values,
        )
        self._db.execute(
            f"""DELETE FROM hidden_episode WHERE ?2 <> '' AND episode IN ({_EPISODES})
                AND operation NOT IN (SELECT row FROM operation WHERE kind = 'forget')""",
            values,
        )

    def hide(self, project: Project, operation_id: str, episodes: Sequence[str] | None = None) -> int:
        """Hide these episodes by an operation, or those that only it brought in; return how many that hid.

        Transcripts are read from their beginning again, so that another import shows them again.
        """
        if episodes is None:
            self._db.execute(
                f"DELETE FROM transcript WHERE project = ?1 AND {_ROW} IS NOT NULL", (project.row, operation_id)
            )
            self._db.execute(
                f"""INSERT OR IGNORE INTO hidden_episode
                SELECT oe.episode, oe.operation FROM operation_episode oe
                WHERE oe.operation = {_ROW} AND NOT EXISTS (
                    SELECT 1 FROM operation_episode other JOIN operation p ON p.row = other.operation
                    WHERE other.episode = oe.episode AND p.undone_at IS NULL AND p.row <> oe.operation)""",
                (project.row, operation_id),
            )
        else:
            self._db.execute(
                f"INSERT OR IGNORE INTO hidden_episode SELECT s.seq, {_ROW} FROM ({_EPISODES}) s",
                (project.row, operation_id, json.dumps(list(episodes))),
            )
        hidden = self._db.changes()
        if hidden:
            self._embed_again(f"h.operation = {_ROW}", project, operation_id)
        return hidden

    def show(self, project: Project, operation_id: str) -> int:
        """Show the episodes again that an operation hid, or that undoing those hid which brought them in as it did.

        Returns how many. What another operation forgot as well stays hidden by that one.
        """
        gone = f"""(h.operation = {_ROW} OR h.episode IN (
            SELECT oe.episode FROM operation_episode oe WHERE oe.operation = {_ROW})
            AND h.operation NOT IN (SELECT row FROM operation WHERE kind = 'forget'))"""
        self._embed_again(gone, project, operation_id)
        self._db.execute(f"DELETE FROM hidden_episode AS h WHERE {gone}", (project.row, operation_id))
        return self._db.changes()

    def set_undone(self, project: Project, operation_id: str, at: int | None) -> None:
        """Say that an operation was undone, or, with None, that it stands again."""
        self._db.execute(
            "UPDATE operation SET undone_at = ?3 WHERE project = ?1 AND id = ?2", (project.row, operation_id, at)
        )

    def _operations(self, where: str, *values: object) -> list[Operation]:
        from moored.model.operations import Operation

        return [
            Operation(id_, kind, detail, at, undone, actor, bool(asked), undoes, bool(lasting), episodes, notes)
            for id_, kind, detail, at, undone, actor, asked, undoes, lasting, episodes, notes in self._db.rows(
                _OPERATION + where, *values
            )
        ]

    def _embed_again(self, which: str, project: Project, operation_id: str) -> None:
        """Let what was said right after these hidden episodes wait for a vector again: they may be part of its own."""
        after: list[int] = [
            row[0]
            for row in self._db.rows(
                f"""SELECT DISTINCT n.row FROM hidden_episode h JOIN window w ON w.episode = h.episode
                JOIN window n ON n.session = w.session AND n.ordinal BETWEEN w.ordinal + 1 AND w.ordinal + ?3
                WHERE {which} AND n.dense = 1
                    AND NOT EXISTS (SELECT 1 FROM hidden_episode x WHERE x.episode = n.episode)""",
                project.row,
                operation_id,
                BEFORE,
            )
        ]
        vectors = Vectors(self._db)
        for row in after:
            vectors.remove("window", row)
        vectors.enqueue(project, "window", after)
