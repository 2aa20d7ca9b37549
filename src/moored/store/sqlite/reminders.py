"""SQL of reminders."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from moored.store.sqlite.notes import standing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.model.projects import Project
    from moored.model.reminders import Reminder
    from moored.store.port_reminders import Failing
    from moored.store.sqlite.connection import Connection

_REMINDER = f"""
SELECT r.id, r.kind, r.pattern, r.text, e.id, coalesce(n.id, ''), r.actor, r.proposed, r.created_at, r.expires_at,
    r.most, r.fired, r.fired_at, r.snoozed_until, r.done_at
FROM reminder r JOIN operation o ON o.row = r.operation JOIN episode e ON e.seq = r.episode
    LEFT JOIN note n ON n.row = r.note
WHERE r.project = ? AND o.undone_at IS NULL AND {standing("n")}
    AND NOT EXISTS (SELECT 1 FROM hidden_episode h WHERE h.episode = r.episode)
"""
_ACCEPTED = """
EXISTS (SELECT 1 FROM reminder a JOIN operation b ON b.row = a.operation
    WHERE a.episode = r.episode AND a.text = r.text
        AND a.proposed = 0 AND b.undone_at IS NULL)
"""


class Reminders:
    """Reads and writes reminders.

    One whose operation was undone is in no answer, nor is one that lost its source: its episode is hidden, or the note
    that it came with was withdrawn or replaced.
    """

    def __init__(self, connection: Connection) -> None:
        self._db = connection

    def standing(self, project: Project) -> list[Reminder]:
        """Those that may be told: neither proposed nor done, oldest first."""
        return self._reminders("AND r.done_at IS NULL AND r.proposed = 0 ORDER BY r.row", project.row)

    def proposed(self, project: Project) -> list[Reminder]:
        """Those that were read in what the user said and are neither accepted nor turned down, oldest first."""
        return self._reminders(
            f"AND r.done_at IS NULL AND r.proposed = 1 AND NOT {_ACCEPTED} ORDER BY r.row", project.row
        )

    def all(self, project: Project) -> list[Reminder]:
        """Every one but the proposed, done ones too, oldest first."""
        return self._reminders("AND r.proposed = 0 ORDER BY r.row", project.row)

    def get(self, project: Project, reminder_id: str) -> Reminder | None:
        found = self._reminders("AND r.id = ?", project.row, reminder_id)
        return found[0] if found else None

    def add(self, project: Project, reminder: Reminder, operation_id: str) -> None:
        """Write a new reminder under an operation. Its episode and its note are in the project."""
        self._db.execute(
            """INSERT INTO reminder (id, project, kind, pattern, text, episode, note, actor, proposed, operation,
                created_at, expires_at, most)
            VALUES (?2, ?1, ?3, ?4, ?5, (SELECT seq FROM episode WHERE project = ?1 AND id = ?6),
                (SELECT row FROM note WHERE project = ?1 AND id = ?7), ?8, ?9,
                (SELECT row FROM operation WHERE project = ?1 AND id = ?10), ?11, ?12, ?13)""",
            (
                project.row, reminder.id, reminder.kind, reminder.pattern, reminder.text, reminder.episode,
                reminder.note, reminder.actor, reminder.proposed, operation_id, reminder.created_at,
                reminder.expires_at, reminder.most,
            ),
        )  # fmt: skip

    def fire(self, project: Project, reminder_ids: Sequence[str], at: int) -> None:
        """Count that these were told."""
        self._db.execute(
            """UPDATE reminder SET fired = fired + 1, fired_at = max(?, coalesce(fired_at, 0))
            WHERE project = ? AND id IN (SELECT value FROM json_each(?))""",
            (at, project.row, json.dumps(list(reminder_ids))),
        )

    def snooze(self, project: Project, reminder_id: str, until: int) -> None:
        self._db.execute(
            "UPDATE reminder SET snoozed_until = ? WHERE project = ? AND id = ?", (until, project.row, reminder_id)
        )

    def finish(self, project: Project, reminder_id: str, at: int) -> None:
        """Say that one is done, or, where it was proposed, turned down."""
        self._db.execute("UPDATE reminder SET done_at = ? WHERE project = ? AND id = ?", (at, project.row, reminder_id))

    def failing(self, project: Project, after: int, limit: int) -> list[Failing]:
        """The commands whose last run failed, after a moment, newest first."""
        from moored.store.port_reminders import Failing

        rows = self._db.rows(
            """SELECT f.name, f.value, f.since FROM fact f
            WHERE f.project = ? AND f.kind = 'command' AND f.value <> 'exit 0' AND f.since > ? AND f.gone_at IS NULL
                AND NOT EXISTS (SELECT 1 FROM hidden_episode h WHERE h.episode = f.episode)
            ORDER BY f.since DESC, f.row DESC LIMIT ?""",
            project.row,
            after,
            limit,
        )
        return [Failing(*row) for row in rows]

    def _reminders(self, condition: str, *values: Any) -> list[Reminder]:
        rows = self._db.rows(_REMINDER + condition, *values)
        if not rows:
            return []
        from moored.model.reminders import Reminder, ReminderKind

        return [
            Reminder(
                id_, ReminderKind(kind), pattern, text, episode, note, actor, bool(proposed), created_at, expires_at,
                most, fired, fired_at, snoozed_until, done_at,
            )
            for (
                id_, kind, pattern, text, episode, note, actor, proposed, created_at, expires_at,
                most, fired, fired_at, snoozed_until, done_at,
            ) in rows
        ]  # fmt: skip
