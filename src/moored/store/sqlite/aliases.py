"""SQL of aliases."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from moored.model.aliases import Alias, folded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.model.projects import Project
    from moored.store.sqlite.connection import Connection

_STRENGTH = "CASE a.origin WHEN 'person' THEN 0 WHEN 'agent' THEN 1 ELSE 2 END"
_SHOWN = "a.project = ?1 AND NOT EXISTS (SELECT 1 FROM hidden_episode h WHERE h.episode = a.episode)"
# Of a group SQLite takes the other columns from the row of the minimum: the oldest of the strongest.
_ALIASES = f"""
SELECT a.name, a.alias, coalesce(e.id, ''), a.origin, a.at, min(({_STRENGTH} << 48) + a.row)
FROM alias a LEFT JOIN episode e ON e.seq = a.episode WHERE {_SHOWN} {{}}
GROUP BY a.name_folded, a.alias_folded ORDER BY a.row
"""


class Aliases:
    """Reads and writes the other names of things. What was learned from a hidden episode is in no answer.

    A name that was given several times is answered once, as the oldest of the strongest of those who gave it has it: a
    person, an agent, a text.
    """

    def __init__(self, connection: Connection) -> None:
        self._db = connection

    def all(self, project: Project) -> list[Alias]:
        """The aliases of a project, oldest first."""
        return [Alias(*row[:5]) for row in self._db.rows(_ALIASES.format(""), project.row)]

    def any(self, project: Project) -> bool:
        """Whether a project has an alias."""
        return bool(self._db.rows(f"SELECT 1 FROM alias a WHERE {_SHOWN} LIMIT 1", project.row))

    def of(self, project: Project, words: Sequence[str]) -> list[Alias]:
        """The aliases of which the name or the alias is, folded, one of these words or phrases, oldest first."""
        wanted = "(SELECT value FROM json_each(?2))"
        among = f"""AND a.row IN (
            SELECT row FROM alias WHERE project = ?1 AND name_folded IN {wanted}
            UNION SELECT row FROM alias WHERE project = ?1 AND alias_folded IN {wanted})"""
        found = self._db.rows(_ALIASES.format(among), project.row, json.dumps([folded(word) for word in words]))
        return [Alias(*row[:5]) for row in found]

    def add(self, project: Project, alias: Alias) -> bool:
        """Write an alias; False when the pair is known as surely already, by whatever case.

        Each episode that gives it is kept, so that it stays while one of them is left; of texts, which repeat names
        all the time, only the first.
        """
        pair = (project.row, folded(alias.name), folded(alias.alias))
        known = self._db.rows(
            f"SELECT a.origin FROM alias a WHERE {_SHOWN} AND a.name_folded = ?2 AND a.alias_folded = ?3", *pair
        )
        origins = {origin for (origin,) in known}
        if alias.origin != "text" or "text" not in origins:
            self._db.execute(
                """INSERT INTO alias (project, name, name_folded, alias, alias_folded, episode, origin, at)
                VALUES (?1, ?4, ?2, ?5, ?3, (SELECT seq FROM episode WHERE project = ?1 AND id = ?6), ?7, ?8)
                ON CONFLICT (project, name_folded, alias_folded, coalesce(episode, 0)) DO UPDATE
                SET name = excluded.name, alias = excluded.alias, origin = excluded.origin, at = excluded.at
                WHERE origin <> 'person' AND excluded.origin = 'person'""",
                (*pair, alias.name, alias.alias, alias.episode, alias.origin, alias.at),
            )
        return not any(origin in ("person", alias.origin) or alias.origin == "text" for origin in origins)

    def remove(self, project: Project, name: str, alias: str) -> bool:
        """Delete an alias; False when there is none."""
        self._db.execute(
            "DELETE FROM alias WHERE project = ? AND name_folded = ? AND alias_folded = ?",
            (project.row, folded(name), folded(alias)),
        )
        return self._db.changes() > 0
