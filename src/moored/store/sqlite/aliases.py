"""SQL of aliases."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from moored.model.aliases import Alias, folded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.model.projects import Project
    from moored.store.sqlite.connection import Connection

_SELECT = """
SELECT a.name, a.alias, coalesce(e.id, ''), a.origin, a.at FROM alias a LEFT JOIN episode e ON e.seq = a.episode
WHERE a.project = ?1 AND NOT EXISTS (SELECT 1 FROM hidden_episode h WHERE h.episode = a.episode)
"""


class Aliases:
    """Reads and writes the other names of things. What was learned from a hidden episode is in no answer."""

    def __init__(self, connection: Connection) -> None:
        self._db = connection

    def all(self, project: Project) -> list[Alias]:
        """The aliases of a project, oldest first."""
        return [Alias(*row) for row in self._db.rows(f"{_SELECT} ORDER BY a.row", project.row)]

    def any(self, project: Project) -> bool:
        """Whether a project has an alias."""
        return bool(self._db.rows(f"{_SELECT} LIMIT 1", project.row))

    def of(self, project: Project, words: Sequence[str]) -> list[Alias]:
        """The aliases of which the name or the alias is, folded, one of these words or phrases, oldest first."""
        wanted = "(SELECT value FROM json_each(?2))"
        found = self._db.rows(
            f"""{_SELECT} AND a.row IN (
                SELECT row FROM alias WHERE project = ?1 AND name_folded IN {wanted}
                UNION SELECT row FROM alias WHERE project = ?1 AND alias_folded IN {wanted})
            ORDER BY a.row""",
            project.row,
            json.dumps([folded(word) for word in words]),
        )
        return [Alias(*row) for row in found]

    def add(self, project: Project, alias: Alias) -> bool:
        """Write an alias; False when the pair is known, by whatever case. A person's word replaces what was learned."""
        self._db.execute(
            """INSERT INTO alias (project, name, name_folded, alias, alias_folded, episode, origin, at)
            VALUES (?1, ?2, ?3, ?4, ?5, (SELECT seq FROM episode WHERE project = ?1 AND id = ?6), ?7, ?8)
            ON CONFLICT (project, name_folded, alias_folded) DO UPDATE
            SET name = excluded.name, alias = excluded.alias, episode = excluded.episode, origin = excluded.origin,
                at = excluded.at
            WHERE origin <> 'person' AND (excluded.origin = 'person' OR origin = 'text' AND excluded.origin = 'agent'
                OR EXISTS (SELECT 1 FROM hidden_episode h WHERE h.episode = alias.episode))""",
            (
                project.row,
                alias.name,
                folded(alias.name),
                alias.alias,
                folded(alias.alias),
                alias.episode,
                alias.origin,
                alias.at,
            ),
        )
        return self._db.changes() > 0

    def remove(self, project: Project, name: str, alias: str) -> bool:
        """Delete an alias; False when there is none."""
        self._db.execute(
            "DELETE FROM alias WHERE project = ? AND name_folded = ? AND alias_folded = ?",
            (project.row, folded(name), folded(alias)),
        )
        return self._db.changes() > 0
