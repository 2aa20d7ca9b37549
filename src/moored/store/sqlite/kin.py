"""SQL of what notes have to do with each other: links, evidence, disputes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from moored.model.kin import Dispute, Opponent
from moored.store.sqlite.notes import standing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.model.projects import Project
    from moored.store.sqlite.connection import Connection

_NOTE = "(SELECT row FROM note WHERE project = ?1 AND id = {})"
_OPERATION = "(SELECT row FROM operation WHERE project = ?1 AND id = {})"
SETTLED = """LEFT JOIN settlement s ON s.row = (
    SELECT x.row FROM settlement x JOIN operation y ON y.row = x.operation
    WHERE x.dispute = d.row AND y.undone_at IS NULL ORDER BY x.outcome <> 'both' DESC, x.row DESC LIMIT 1)"""
"""How a dispute is settled: one that says which note holds goes before one that leaves both, as it changed it."""

_ANSWERED = f"{standing('n')} AND {standing('o')}"


class Kin:
    """Reads and writes links between notes, evidence for them, and disputes."""

    def __init__(self, connection: Connection) -> None:
        self._db = connection

    def link(
        self, project: Project, note_id: str, other_id: str, kind: str, reason: str, operation: str, at: int
    ) -> None:
        """Say that a note is related to another, or derived from it, and why."""
        self._db.execute(
            f"""INSERT INTO link (project, note, other, kind, reason, operation, created_at)
            VALUES (?1, {_NOTE.format("?2")}, {_NOTE.format("?3")}, ?4, ?5, {_OPERATION.format("?6")}, ?7)""",
            (project.row, note_id, other_id, kind, reason, operation, at),
        )

    def links(self, project: Project, note_id: str) -> list[tuple[str, str, str]]:
        """The notes that a note is linked with, either way: id, kind, reason; oldest first."""
        rows = self._db.rows(
            f"""SELECT x.id, l.kind, l.reason FROM link l JOIN operation p ON p.row = l.operation
            JOIN note x ON x.row = CASE WHEN l.note = {_NOTE.format("?2")} THEN l.other ELSE l.note END
            WHERE l.project = ?1 AND {_NOTE.format("?2")} IN (l.note, l.other) AND x.withdrawn IS NULL
            AND p.undone_at IS NULL ORDER BY l.row""",
            project.row,
            note_id,
        )
        return [(row[0], row[1], row[2]) for row in rows]

    def reinforce(self, project: Project, note_id: str, episode_id: str, kind: str, operation: str, at: int) -> None:
        """Count an episode as evidence for a note (`same`, `for`) or `against` it."""
        self._db.execute(
            f"""INSERT INTO evidence (project, note, episode, kind, operation, created_at)
            VALUES (?1, {_NOTE.format("?2")}, (SELECT seq FROM episode WHERE project = ?1 AND id = ?3), ?4,
                {_OPERATION.format("?5")}, ?6)""",
            (project.row, note_id, episode_id, kind, operation, at),
        )

    def evidence(self, project: Project, note_id: str) -> list[tuple[str, str]]:
        """The episodes that are evidence for or against a note: id and kind, oldest first."""
        rows = self._db.rows(
            f"""SELECT e.id, v.kind FROM evidence v JOIN operation p ON p.row = v.operation
            JOIN episode e ON e.seq = v.episode
            WHERE v.project = ?1 AND v.note = {_NOTE.format("?2")} AND p.undone_at IS NULL ORDER BY v.row""",
            project.row,
            note_id,
        )
        return [(row[0], row[1]) for row in rows]

    def dispute(
        self, project: Project, dispute_id: str, note_id: str, other_id: str, reason: str, operation: str, at: int
    ) -> None:
        """Record that two notes cannot both hold; `note_id` is the newer."""
        self._db.execute(
            f"""INSERT INTO dispute (project, id, note, other, reason, operation, created_at)
            VALUES (?1, ?2, {_NOTE.format("?3")}, {_NOTE.format("?4")}, ?5, {_OPERATION.format("?6")}, ?7)""",
            (project.row, dispute_id, note_id, other_id, reason, operation, at),
        )

    def disputes(self, project: Project, *, settled: bool = False) -> list[Dispute]:
        """The open disputes between notes that are answered, oldest first; with `settled` all that were recorded."""
        wanted = "" if settled else f"AND s.row IS NULL AND {_ANSWERED}"
        rows = self._db.rows(
            f"""SELECT d.id, n.id, o.id, d.reason, d.created_at,
                coalesce((SELECT id FROM operation WHERE row = s.operation), ''), coalesce(s.outcome, '')
            FROM dispute d JOIN operation p ON p.row = d.operation AND p.undone_at IS NULL
            JOIN note n ON n.row = d.note JOIN note o ON o.row = d.other {SETTLED}
            WHERE d.project = ? {wanted} ORDER BY d.row""",
            project.row,
        )
        return [Dispute(*row) for row in rows]

    def opponents(self, project: Project, note_ids: Sequence[str]) -> dict[str, list[Opponent]]:
        """For those of these notes that are disputed: the other sides of the open disputes, newest first."""
        wanted = json.dumps(list(note_ids))
        found: dict[str, list[Opponent]] = {}
        for mine, yours, newer in (("note", "other", 0), ("other", "note", 1)):
            rows = self._db.rows(
                f"""SELECT n.id, d.id, o.id, r.text, r.created_at, d.reason
                FROM note n JOIN dispute d ON d.{mine} = n.row JOIN operation p ON p.row = d.operation
                JOIN note o ON o.row = d.{yours} JOIN revision r ON r.row = o.head {SETTLED}
                WHERE n.project = ?1 AND n.id IN (SELECT value FROM json_each(?2)) AND p.undone_at IS NULL
                AND s.row IS NULL AND {_ANSWERED} ORDER BY d.row DESC""",
                project.row,
                wanted,
            )
            for note, dispute, other, text, at, reason in rows:
                found.setdefault(note, []).append(Opponent(dispute, other, text, at, bool(newer), reason))
        return found

    def settle(self, project: Project, dispute_id: str, outcome: str, operation: str) -> None:
        """Say which note of a dispute holds, or that both do."""
        self._db.execute(
            """INSERT INTO settlement (project, dispute, outcome, operation, created_at)
            SELECT ?1, d.row, ?3, o.row, o.started_at FROM dispute d JOIN operation o ON o.project = ?1 AND o.id = ?4
            WHERE d.project = ?1 AND d.id = ?2""",
            (project.row, dispute_id, outcome, operation),
        )
