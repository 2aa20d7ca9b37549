"""SQL of projects, trees and sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.model.projects import Project, Session, Tree

if TYPE_CHECKING:
    from moored.store.sqlite.connection import Connection


class Projects:
    """Reads and writes projects, their trees and sessions."""

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

    def called(self, project: Project, name: str) -> list[Session]:
        rows = self._db.rows(
            "SELECT row, id, host, name FROM session WHERE project = ?1 AND ?2 IN (id, name) ORDER BY row",
            project.row,
            name,
        )
        return [Session(*row) for row in rows]

    def add_session(self, session_id: str, project: Project, host: str, name: str, at: int) -> Session:
        self._db.execute(
            "INSERT INTO session (id, project, host, name, created_at) VALUES (?, ?, ?, ?, ?)",
            (session_id, project.row, host, name, at),
        )
        return Session(self._db.last_insert_rowid(), session_id, host, name)

    def count_sessions(self, project: Project) -> int:
        return self._db.value("SELECT count(*) FROM session WHERE project = ?", project.row)
