"""SQL of the keys of seeded notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from moored.model.projects import Project
    from moored.store.sqlite.connection import Connection


class Seeds:
    """Reads and writes the keys of seeded notes."""

    def __init__(self, connection: Connection) -> None:
        self._db = connection

    def all(self, project: Project) -> dict[str, str]:
        """The id of the note of each key, in the order of the keys; withdrawn ones too."""
        return dict(
            self._db.rows(
                """SELECT s.key, n.id FROM seeded s JOIN note n ON n.row = s.note AND n.project = s.project
                WHERE s.project = ? ORDER BY s.key""",
                project.row,
            )
        )

    def put(self, project: Project, key: str, note_id: str) -> None:
        """Say which note stands for a key from now on."""
        self._db.execute(
            """INSERT INTO seeded (project, key, note) SELECT ?1, ?2, row FROM note WHERE project = ?1 AND id = ?3
            ON CONFLICT (project, key) DO UPDATE SET note = excluded.note""",
            (project.row, key, note_id),
        )
