"""SQL of profiles: what users said and ran, and the evidence of preferences and beliefs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from moored.model.profiles import KINDS, Piece, Run, Turn
from moored.store.sqlite.episodes import CORRECTED_BY, VISIBLE, decoded
from moored.store.sqlite.notes import Notes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.model.notes import Note
    from moored.model.projects import Project
    from moored.store.sqlite.connection import Connection

_OWN = f"""e.role = 'user' AND e.channel = 'user' AND e.trust = 'user' AND e.author = '' AND {VISIBLE}
    AND {CORRECTED_BY} = '' AND NOT EXISTS (
        SELECT 1 FROM revision r WHERE r.episode = e.seq AND r.actor IN ('person', 'agent'))"""
_TURN = "SELECT e.seq, e.id, e.session, e.occurred_at, e.content, e.encoding FROM episode e"

# An episode may be a piece twice, as a source and as evidence: it is one piece.
_PIECES = f"""
WITH wanted AS (
    SELECT n.row, n.id, n.head FROM note n WHERE n.project = ?1 AND n.id IN (SELECT value FROM json_each(?2)))
SELECT w.id, e.id, e.session, e.occurred_at, {VISIBLE} AND {CORRECTED_BY} = ''
FROM wanted w JOIN episode e ON e.seq IN (
    SELECT a.episode FROM anchor a WHERE a.revision = w.head AND a.role = 'source' AND a.episode IS NOT NULL
    UNION SELECT v.episode FROM evidence v JOIN operation o ON o.row = v.operation
        WHERE v.note = w.row AND v.kind <> 'against' AND o.undone_at IS NULL)
    AND (e.trust = 'user' OR e.role = 'tool' OR EXISTS (
        SELECT 1 FROM anchor a WHERE a.revision = w.head AND a.role = 'source' AND a.episode = e.seq))
ORDER BY w.row, e.occurred_at, e.seq
"""


class Profiles:
    """Reads what users said and ran, and the notes and the evidence that make a profile."""

    def __init__(self, connection: Connection) -> None:
        self._db = connection

    def read_to(self, project: Project) -> int:
        """The number of the last episode that was read for preferences, 0 when none was."""
        return self._reached(project, "read_to")

    def set_read(self, project: Project, seq: int) -> None:
        """Say up to which episode the record was read."""
        self._reach(project, "read_to", seq)

    def compared_to(self, project: Project) -> int:
        """The number of the last episode that was compared with what notes say, 0 when none was."""
        return self._reached(project, "compared_to")

    def set_compared(self, project: Project, seq: int) -> None:
        """Say up to which episode the record was compared with what notes say."""
        self._reach(project, "compared_to", seq)

    def turns(self, project: Project, after: int, limit: int) -> list[Turn]:
        """What a user said themselves, live, after an episode (its number), oldest first.

        Not the words of notes, nothing imported, hidden or corrected, and nothing where the host tells several people
        apart.
        """
        sql = f"{_TURN} WHERE e.project = ? AND e.seq > ? AND {_OWN} ORDER BY e.seq LIMIT ?"
        return [_turn(*row) for row in self._db.rows(sql, project.row, after, limit)]

    def turns_in(self, project: Project, seqs: Sequence[int]) -> list[Turn]:
        """Those of these episodes that are such turns, oldest first."""
        sql = f"{_TURN} WHERE e.project = ? AND e.seq IN (SELECT value FROM json_each(?)) AND {_OWN} ORDER BY e.seq"
        return [_turn(*row) for row in self._db.rows(sql, project.row, json.dumps(list(seqs)))]

    def told(self, project: Project, seqs: Sequence[int]) -> list[tuple[bool, str]]:
        """The texts of those of these episodes that are visible, oldest first, each with whether a user said it."""
        sql = f"""SELECT e.trust = 'user', e.content, e.encoding FROM episode e
            WHERE e.project = ? AND e.seq IN (SELECT value FROM json_each(?)) AND {VISIBLE} ORDER BY e.seq"""
        return [
            (bool(own), decoded(content, encoding).decode("utf-8", "replace"))
            for own, content, encoding in self._db.rows(sql, project.row, json.dumps(list(seqs)))
        ]

    def commands(self, project: Project, least: int, limit: int) -> list[str]:
        """The commands that ran at least so often, those that ran the most first."""
        rows = self._db.rows(
            """SELECT f.name, 1 + (SELECT count(*) FROM fact_version v WHERE v.fact = f.row) AS ran
            FROM fact f WHERE f.project = ?1 AND f.kind = 'command' AND ran >= ?2 ORDER BY ran DESC, f.name LIMIT ?3""",
            project.row,
            least,
            limit,
        )
        return [row[0] for row in rows]

    def runs(self, project: Project, command: str, limit: int) -> list[Run]:
        """The newest visible runs of a command, newest first."""
        rows = self._db.rows(
            f"""SELECT e.id, e.session, e.occurred_at, o.value FROM (
                SELECT f.episode, f.value FROM fact f WHERE f.project = ?1 AND f.kind = 'command' AND f.name = ?2
                UNION ALL SELECT v.episode, v.value FROM fact f JOIN fact_version v ON v.fact = f.row
                WHERE f.project = ?1 AND f.kind = 'command' AND f.name = ?2
            ) o JOIN episode e ON e.seq = o.episode WHERE {VISIBLE} ORDER BY e.seq DESC LIMIT ?3""",
            project.row,
            command,
            limit,
        )
        return [Run(*row) for row in rows]

    def notes(self, project: Project, *, withdrawn: bool = False) -> list[Note]:
        """The preferences and beliefs, oldest first, those that were replaced too; with `withdrawn`, only withdrawn."""
        if withdrawn:
            return [note for note in Notes(self._db).withdrawn(project) if note.kind in KINDS]
        heads = self._db.rows(
            """SELECT head FROM note WHERE project = ? AND kind IN ('preference', 'belief') AND withdrawn IS NULL
            ORDER BY row""",
            project.row,
        )
        found = Notes(self._db).by_heads(project, [row[0] for row in heads])
        return [found[row[0]] for row in heads]

    def pieces(self, project: Project, note_ids: Sequence[str]) -> dict[str, list[Piece]]:
        """What these notes rest on, oldest first: the sources of their newest revision, and the evidence in force."""
        found: dict[str, list[Piece]] = {note_id: [] for note_id in note_ids}
        for note_id, episode, session, at, stands in self._db.rows(_PIECES, project.row, json.dumps(list(note_ids))):
            found[note_id].append(Piece(episode, session, at, bool(stands)))
        return found

    def _reached(self, project: Project, how: str) -> int:
        row = self._db.row(f"SELECT {how} FROM profile WHERE project = ?", project.row)
        return row[0] if row else 0

    def _reach(self, project: Project, how: str, seq: int) -> None:
        self._db.execute(
            f"""INSERT INTO profile (project, {how}) VALUES (?, ?)
            ON CONFLICT (project) DO UPDATE SET {how} = max({how}, excluded.{how})""",
            (project.row, seq),
        )


def _turn(seq: int, episode: str, session: int, at: int, content: bytes, encoding: str) -> Turn:
    return Turn(seq, episode, session, at, decoded(content, encoding).decode("utf-8", "replace"))
