"""SQL of transcripts: how far each was read, and which of their events the record holds."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from moored.store.rows import CapturedRow, KnownEvent, ReadTranscript

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from moored.model.projects import Project
    from moored.store.sqlite.connection import Connection


class Transcripts:
    """Reads and writes what imports keep of the transcripts that they read."""

    def __init__(self, connection: Connection) -> None:
        self._db = connection

    def read(self, project: Project, source: str) -> ReadTranscript | None:
        """How far a transcript was read into a project, None when it never was."""
        row = self._db.row(
            "SELECT stamp, next, lines, prefix_hash, carried FROM transcript WHERE project = ? AND source = ?",
            project.row,
            source,
        )
        return ReadTranscript(*row) if row else None

    def keep(self, project: Project, source: str, read: ReadTranscript) -> None:
        """Remember how far a transcript was read."""
        self._db.execute(
            """INSERT INTO transcript (project, source, stamp, next, lines, prefix_hash, carried)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (project, source) DO UPDATE SET stamp = excluded.stamp, next = excluded.next,
                lines = excluded.lines, prefix_hash = excluded.prefix_hash, carried = excluded.carried""",
            (project.row, source, read.stamp, read.next, read.lines, read.prefix_hash, read.carried),
        )

    def known(self, project: Project, host: str, events: Sequence[str]) -> list[KnownEvent]:
        """Those of these events of a host that the record holds already, with their episodes."""
        found = self._db.rows(
            """SELECT t.event, s.name, e.id, e.content_hash,
                EXISTS (SELECT 1 FROM hidden_episode h JOIN operation o ON o.row = h.operation
                    WHERE h.episode = e.seq AND o.kind <> 'forget')
            FROM json_each(?2) wanted CROSS JOIN transcript_event t ON t.project = ?1 AND t.event = wanted.value
            JOIN episode e ON e.seq = t.episode JOIN session s ON s.row = e.session
            WHERE s.host = ?3 ORDER BY e.seq""",
            project.row,
            json.dumps(events),
            host,
        )
        return [KnownEvent(event, session, id_, digest, bool(hidden)) for event, session, id_, digest, hidden in found]

    def captured(self, project: Project, host: str, session: str) -> list[CapturedRow]:
        """The visible episodes of a session that belong to no event of a transcript, oldest first."""
        found = self._db.rows(
            """SELECT e.id, e.role, e.channel, e.host_event, e.content_hash, e.tool_name, e.tool_input
            FROM session s JOIN episode e ON e.session = s.row
            WHERE s.project = ? AND s.host = ? AND s.name = ?
                AND NOT EXISTS (SELECT 1 FROM transcript_event t WHERE t.episode = e.seq)
                AND NOT EXISTS (SELECT 1 FROM hidden_episode h WHERE h.episode = e.seq)
            ORDER BY e.seq""",
            project.row,
            host,
            session,
        )
        return [CapturedRow(*row) for row in found]

    def add(self, project: Project, events: Iterable[tuple[str, str, str]]) -> None:
        """Say to which episodes events belong: the host's name of each, the episode's id, and the event's parent."""
        self._db.executemany(
            """INSERT OR IGNORE INTO transcript_event (project, event, episode, parent)
            SELECT project, ?2, seq, ?4 FROM episode WHERE project = ?1 AND id = ?3""",
            ((project.row, event, episode, parent) for event, episode, parent in events),
        )
