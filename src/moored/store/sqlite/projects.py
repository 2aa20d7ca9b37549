"""SQL of projects, trees, sessions and operations."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from moored.model.projects import Project, Session, Tree
from moored.store.sqlite.vectors import BEFORE, Vectors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.model.notes import Operation
    from moored.store.sqlite.connection import Connection

_OPERATION = """
SELECT o.id, o.kind, o.detail, o.started_at, o.undone_at,
    (SELECT count(*) FROM operation_episode oe WHERE oe.operation = o.row)
FROM operation o
"""


class Projects:
    """Reads and writes projects, their trees, sessions and operations."""

    def __init__(self, connection: Connection) -> None:
        self._db = connection

    def by_key(self, key: str) -> Project | None:
        row = self._db.row("SELECT row, id, key, name FROM project WHERE key = ?", key)
        return Project(*row) if row else None

    def by_id(self, project_id: str) -> Project | None:
        row = self._db.row("SELECT row, id, key, name FROM project WHERE id = ?", project_id)
        return Project(*row) if row else None

    def all(self) -> list[Project]:
        return [Project(*row) for row in self._db.rows("SELECT row, id, key, name FROM project ORDER BY row")]

    def add(self, project_id: str, key: str, name: str, at: int) -> Project:
        self._db.execute(
            "INSERT INTO project (id, key, name, created_at) VALUES (?, ?, ?, ?)", (project_id, key, name, at)
        )
        return Project(self._db.last_insert_rowid(), project_id, key, name)

    def tree(self, project: Project, root: str) -> Tree | None:
        row = self._db.row("SELECT row, id, root FROM tree WHERE project = ? AND root = ?", project.row, root)
        return Tree(row[0], row[1], project, row[2]) if row else None

    def trees(self, project: Project) -> list[Tree]:
        rows = self._db.rows("SELECT row, id, root FROM tree WHERE project = ? ORDER BY row", project.row)
        return [Tree(row, tree_id, project, root) for row, tree_id, root in rows]

    def add_tree(self, tree_id: str, project: Project, root: str, at: int) -> Tree:
        self._db.execute(
            "INSERT INTO tree (id, project, root, created_at) VALUES (?, ?, ?, ?)", (tree_id, project.row, root, at)
        )
        return Tree(self._db.last_insert_rowid(), tree_id, project, root)

    def session(self, project: Project, host: str, name: str) -> Session | None:
        row = self._db.row(
            "SELECT row, id, host, name FROM session WHERE project = ? AND host = ? AND name = ?",
            project.row,
            host,
            name,
        )
        return Session(*row) if row else None

    def add_session(self, session_id: str, project: Project, host: str, name: str, at: int) -> Session:
        self._db.execute(
            "INSERT INTO session (id, project, host, name, created_at) VALUES (?, ?, ?, ?, ?)",
            (session_id, project.row, host, name, at),
        )
        return Session(self._db.last_insert_rowid(), session_id, host, name)

    def count_sessions(self, project: Project) -> int:
        return self._db.value("SELECT count(*) FROM session WHERE project = ?", project.row)

    def add_operation(self, operation_id: str, project: Project, kind: str, detail: str, at: int) -> None:
        self._db.execute(
            "INSERT INTO operation (id, project, kind, detail, started_at) VALUES (?, ?, ?, ?, ?)",
            (operation_id, project.row, kind, detail, at),
        )

    def operations(self, project: Project) -> list[Operation]:
        from moored.model.notes import Operation

        return [Operation(*r) for r in self._db.rows(_OPERATION + "WHERE o.project = ? ORDER BY o.row", project.row)]

    def operation(self, project: Project, operation_id: str) -> Operation | None:
        from moored.model.notes import Operation

        row = self._db.row(_OPERATION + "WHERE o.project = ? AND o.id = ?", project.row, operation_id)
        return Operation(*row) if row else None

    def attribute(self, project: Project, operation_id: str, episode_id: str) -> None:
        """Count an episode among those that an operation brought in, and show it again if it was hidden."""
        seq = self._db.value("SELECT seq FROM episode WHERE project = ? AND id = ?", project.row, episode_id)
        self._db.execute(
            "INSERT OR IGNORE INTO operation_episode SELECT row, ? FROM operation WHERE project = ? AND id = ?",
            (seq, project.row, operation_id),
        )
        self._db.execute("DELETE FROM hidden_episode WHERE episode = ?", (seq,))

    def attribute_all(self, project: Project, operation_id: str, episode_ids: Sequence[str]) -> None:
        """Do the same for several episodes of the project."""
        episodes = "SELECT e.seq FROM json_each(?3) w CROSS JOIN episode e ON e.project = ?1 AND e.id = w.value"
        values = (project.row, operation_id, json.dumps(episode_ids))
        self._db.execute(
            f"""INSERT OR IGNORE INTO operation_episode
            SELECT o.row, s.seq FROM operation o CROSS JOIN ({episodes}) s WHERE o.project = ?1 AND o.id = ?2""",
            values,
        )
        self._db.execute(f"DELETE FROM hidden_episode WHERE ?2 <> '' AND episode IN ({episodes})", values)

    def undo(self, project: Project, operation_id: str, at: int) -> int:
        """Hide the episodes that only this operation brought in; return how many that hid.

        Transcripts are read from their beginning again, so that another import shows them again.
        """
        self._db.execute(
            """DELETE FROM transcript WHERE project = ?1 AND EXISTS (
                SELECT 1 FROM operation o WHERE o.project = ?1 AND o.id = ?2)""",
            (project.row, operation_id),
        )
        self._db.execute(
            "UPDATE operation SET undone_at = ? WHERE project = ? AND id = ?", (at, project.row, operation_id)
        )
        self._db.execute(
            """
            INSERT OR IGNORE INTO hidden_episode
            SELECT oe.episode, oe.operation FROM operation_episode oe JOIN operation o ON o.row = oe.operation
            WHERE o.project = ? AND o.id = ? AND NOT EXISTS (
                SELECT 1 FROM operation_episode other JOIN operation p ON p.row = other.operation
                WHERE other.episode = oe.episode AND p.undone_at IS NULL)
            """,
            (project.row, operation_id),
        )
        hidden = self._db.changes()
        if hidden:
            self._embed_again(project, operation_id)
        return hidden

    def _embed_again(self, project: Project, operation_id: str) -> None:
        """Let what was said right after the hidden episodes wait for a vector again, as they may be part of its own."""
        after: list[int] = [
            row[0]
            for row in self._db.rows(
                """SELECT DISTINCT n.row FROM hidden_episode h JOIN operation o ON o.row = h.operation
                JOIN window w ON w.episode = h.episode
                JOIN window n ON n.session = w.session AND n.ordinal BETWEEN w.ordinal + 1 AND w.ordinal + ?3
                WHERE o.project = ?1 AND o.id = ?2 AND n.dense = 1
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
