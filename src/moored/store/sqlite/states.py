"""SQL of the use of notes, their ratings, and the counts that their state is made from."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from moored.model.state import Counts, Rating, Use
from moored.store.sqlite.kin import SETTLED
from moored.store.sqlite.proposals import DECIDED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from moored.model.projects import Project
    from moored.store.sqlite.connection import Connection

_WANTED = "FROM json_each(?2) w CROSS JOIN note n ON n.project = ?1 AND n.id = w.value"
_STANDS = "o.undone_at IS NULL"


def _sessions(kind: str) -> str:
    """In how many sessions evidence of a kind was given."""
    return f"""(SELECT count(DISTINCT e.session) FROM evidence x JOIN operation o ON o.row = x.operation
        JOIN episode e ON e.seq = x.episode WHERE x.note = n.row AND x.kind = '{kind}' AND {_STANDS}
        AND NOT EXISTS (SELECT 1 FROM hidden_episode h WHERE h.episode = e.seq))"""


def _disputes(outcome: str) -> str:
    """How many disputes there are about a note, by what came of them; a settlement that was undone is none."""
    return f"""(SELECT count(*) FROM dispute d JOIN operation o ON o.row = d.operation
        {SETTLED}
        WHERE n.row IN (d.note, d.other) AND {_STANDS} AND {outcome})"""


def _proposals(decision: str) -> str:
    """How many proposals to change a note were decided so."""
    return f"""(SELECT count(*) FROM proposal p JOIN operation o ON o.row = p.operation
        {DECIDED}
        WHERE p.note = n.row AND {_STANDS} AND d.outcome = '{decision}')"""


def _ratings(useful: int) -> str:
    return f"""(SELECT count(*) FROM rating r JOIN operation o ON o.row = r.operation
        WHERE r.note = n.row AND r.useful = {useful} AND {_STANDS})"""


_LINKS = f"""(SELECT count(DISTINCT m.row) FROM link l JOIN operation o ON o.row = l.operation
    JOIN note m ON m.row = l.note + l.other - n.row
    WHERE n.row IN (l.note, l.other) AND m.withdrawn IS NULL AND {_STANDS})"""

_COUNTS = ", ".join(
    (
        *map(_sessions, ("same", "for", "against")),
        _disputes("s.row IS NULL"),
        _disputes("s.row IS NOT NULL AND s.outcome = n.id"),
        _disputes("s.row IS NOT NULL AND s.outcome NOT IN ('both', n.id)"),
        *map(_proposals, ("rejected", "accepted")),
        _LINKS,
        _ratings(1),
        _ratings(0),
    )
)


class States:
    """Reads and writes the use of notes and how they were rated. What was undone or hidden counts in nothing."""

    def __init__(self, connection: Connection) -> None:
        self._db = connection

    def uses(self, project: Project, notes: Sequence[str]) -> dict[str, Use]:
        """The use of those of these notes that were told."""
        rows = self._db.rows(
            f"SELECT n.id, u.uses, u.last_at, u.heat {_WANTED} JOIN note_use u ON u.note = n.row",
            project.row,
            json.dumps(list(notes)),
        )
        return {row[0]: Use(*row[1:]) for row in rows}

    def put_uses(self, project: Project, uses: Mapping[str, Use]) -> None:
        """Keep the use of notes of this project; others, and notes that are gone, are passed over."""
        self._db.executemany(
            """INSERT INTO note_use (note, uses, last_at, heat)
            SELECT row, ?3, ?4, ?5 FROM note WHERE project = ?1 AND id = ?2
            ON CONFLICT (note) DO UPDATE SET uses = excluded.uses, last_at = excluded.last_at, heat = excluded.heat""",
            ((project.row, note, *use) for note, use in uses.items()),
        )

    def rate(self, project: Project, note_id: str, rating: Rating) -> None:
        """Write a rating under its operation."""
        self._db.execute(
            """INSERT INTO rating (project, note, useful, reason, actor, operation, created_at)
            SELECT ?1, n.row, ?3, ?4, ?5, o.row, ?7 FROM note n JOIN operation o ON o.project = ?1 AND o.id = ?6
            WHERE n.project = ?1 AND n.id = ?2""",
            (project.row, note_id, rating.useful, rating.reason, rating.actor, rating.operation, rating.at),
        )

    def ratings(self, project: Project, note_id: str) -> list[Rating]:
        """The ratings of a note that stand, oldest first."""
        rows = self._db.rows(
            f"""SELECT r.useful, r.reason, r.actor, r.created_at, o.id FROM rating r
            JOIN operation o ON o.row = r.operation JOIN note n ON n.row = r.note
            WHERE r.project = ? AND n.id = ? AND {_STANDS} ORDER BY r.row""",
            project.row,
            note_id,
        )
        return [Rating(bool(useful), *rest) for useful, *rest in rows]

    def counts(self, project: Project, notes: Sequence[str]) -> dict[str, Counts]:
        """What stands beside these notes."""
        rows = self._db.rows(f"SELECT n.id, {_COUNTS} {_WANTED}", project.row, json.dumps(list(notes)))
        return {row[0]: Counts(*row[1:]) for row in rows}
