"""SQL of what happened session by session."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from moored.model.projects import Session
from moored.store.rows import Call, Neighbour, SessionSpan
from moored.store.sqlite.episodes import CORRECTED_BY, SELECT, VISIBLE, as_episode, beginning

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from moored.model.episodes import Episode, Role
    from moored.model.projects import Project
    from moored.store.sqlite.connection import Connection

SHORT = 2_000
BEGINNING = 120
"""Of a tool's output of at most `SHORT` bytes so many are read with its call: they tell whether it is an error."""

READ = 1_600
"""Bytes that are read of a turn that is told as the context of another."""

_TURN = f"""e.role IN ('user', 'assistant', 'tool') AND e.channel <> 'summary' AND {VISIBLE}
    AND NOT EXISTS (SELECT 1 FROM revision r WHERE r.episode = e.seq AND r.actor IN ('person', 'agent'))"""
_AROUND = f"""
SELECT hit.id, e.seq < hit.seq, e.seq, e.id, e.role, e.author, e.occurred_at, e.trust, e.tool_name, e.tool_input,
    e.exit_status, substr(e.content, 1, {READ}), e.encoding, e.size, {CORRECTED_BY}
FROM json_each(?2) wanted JOIN episode hit ON hit.id = wanted.value JOIN session s ON s.row = hit.session
CROSS JOIN episode e ON e.seq IN (
    SELECT * FROM (SELECT e.seq FROM episode e WHERE e.session = hit.session AND e.seq < hit.seq AND {_TURN}
        ORDER BY e.seq DESC LIMIT ?3)
    UNION ALL
    SELECT * FROM (SELECT e.seq FROM episode e WHERE e.session = hit.session AND e.seq > hit.seq AND {_TURN}
        ORDER BY e.seq LIMIT ?3))
WHERE hit.project = ?1 AND s.name <> ''
ORDER BY wanted.key, e.seq
"""

_SAID = "e.channel IN ('user', 'assistant', 'import')"


def _edge(order: str) -> str:
    """When the first (`ASC`) or the last (`DESC`) event of a session happened."""
    return f"(SELECT e.occurred_at FROM episode e WHERE e.session = s.row AND {VISIBLE} ORDER BY e.occurred_at {order})"


_SPANS = f"SELECT s.row, s.id, s.host, s.name, {_edge('ASC')} AS started, {_edge('DESC')} AS ended FROM session s"


class Sessions:
    """Reads what happened in the sessions of a project. Hidden episodes count in none."""

    def __init__(self, connection: Connection) -> None:
        self._db = connection

    def latest(self, project: Project, limit: int) -> list[SessionSpan]:
        """The sessions in which a user said something last, newest first, without those of sub-agents."""
        return self._spans(
            f"""JOIN (
                SELECT s.row, {_edge("DESC")} AS last FROM session s
                WHERE s.project = ?1 AND s.name <> ''
                    AND EXISTS (SELECT 1 FROM episode e WHERE e.session = s.row AND e.role = 'user' AND e.tool_name = ''
                        AND {_SAID} AND {VISIBLE})
                    AND NOT EXISTS (SELECT 1 FROM session p WHERE p.project = s.project AND p.host = s.host
                        AND instr(s.name, '/') > 1 AND p.name = substr(s.name, 1, instr(s.name, '/') - 1))
                ORDER BY last DESC, s.row DESC LIMIT ?2) newest ON newest.row = s.row
            WHERE s.project = ?1 ORDER BY newest.last DESC, s.row DESC""",
            project.row,
            limit,
        )

    def span(self, project: Project, session: Session) -> SessionSpan | None:
        """When the first and the last event of a session happened; None when it holds none."""
        found = self._spans("WHERE s.project = ? AND s.row = ? AND ended IS NOT NULL", project.row, session.row)
        return found[0] if found else None

    def agents(self, project: Project, session: Session) -> list[SessionSpan]:
        """The sessions of the sub-agents of a session (`<session>/<agent>`), in the order in which they began."""
        # "0" is the character after "/": the names between the two begin with the session's and a slash.
        return self._spans(
            """WHERE s.project = ? AND s.host = ? AND s.name > ? AND s.name < ? AND ended IS NOT NULL
            ORDER BY started, s.row""",
            project.row,
            session.host,
            f"{session.name}/",
            f"{session.name}0",
        )

    def turns(
        self, project: Project, session: Session, role: Role, limit: int, *, oldest: bool = False, after: int = 0
    ) -> list[Episode]:
        """What was said in a session by one role, newest first, or, with `oldest`, from its beginning.

        Only what a person or an assistant said themselves, live or in an imported transcript: no automation, no
        summary. With `after`, only episodes with a number above it.
        """
        order = "ASC" if oldest else "DESC"
        sql = f"""{SELECT} WHERE e.project = ? AND e.session = ? AND e.role = ? AND e.tool_name = ''
            AND e.seq > ? AND {_SAID} AND {VISIBLE} ORDER BY e.seq {order} LIMIT ?"""
        return [as_episode(row) for row in self._db.rows(sql, project.row, session.row, role, after, limit)]

    def calls(self, project: Project, session: Session, limit: int, *, tools: Collection[str] = ()) -> list[Call]:
        """The newest tool calls of a session, newest first, of these tools or of any, without more of their output."""
        named = sorted(tools)
        # The unary pluses choose the index: the order of the session for any tool, that of its tools for some.
        role, of_these, order = "+e.role", "", "e.seq"
        if named:
            role, order = "e.role", "+e.seq"
            of_these = f"AND e.tool_name IN ({', '.join('?' * len(named))})"
        found = self._db.rows(
            f"""SELECT e.seq, e.id, e.tool_name, e.tool_input, e.exit_status,
                CASE WHEN e.encoding = 'raw' AND e.size <= {SHORT} THEN substr(e.content, 1, {BEGINNING}) END
            FROM episode e
            WHERE +e.project = ? AND e.session = ? AND {role} = 'tool' {of_these} AND {VISIBLE}
            ORDER BY {order} DESC LIMIT ?""",
            project.row,
            session.row,
            *named,
            limit,
        )
        return [
            Call(seq, id_, tool, given, status, begins.decode("utf-8", "replace") if begins else "")
            for seq, id_, tool, given, status, begins in found
        ]

    def count(self, project: Project, session: Session) -> int:
        """How many episodes a session has."""
        sql = f"SELECT count(*) FROM episode e WHERE e.session = ? AND e.project = ? AND {VISIBLE}"
        return self._db.value(sql, session.row, project.row)

    def summary(self, project: Project, session: Session) -> tuple[int, str] | None:
        """Number and id of the last summary that the host wrote in place of the conversation, or None."""
        row = self._db.row(
            f"""SELECT e.seq, e.id FROM episode e WHERE e.project = ? AND e.session = ? AND e.channel = 'summary'
            AND {VISIBLE} ORDER BY e.seq DESC LIMIT 1""",
            project.row,
            session.row,
        )
        return (row[0], row[1]) if row else None

    def within(self, project: Project, session: Session, after: int, seqs: Sequence[int]) -> set[int]:
        """Those of these episodes that are of the session and have a number above `after`."""
        found = self._db.rows(
            """SELECT e.seq FROM json_each(?4) wanted CROSS JOIN episode e ON e.seq = wanted.value
            WHERE e.project = ?1 AND e.session = ?2 AND e.seq > ?3""",
            project.row,
            session.row,
            after,
            json.dumps(seqs),
        )
        return {row[0] for row in found}

    def around(self, project: Project, episodes: Sequence[str], most: int) -> list[Neighbour]:
        """The `most` turns right before and right after each of these episodes in its session, in their order.

        Turns are what users, assistants and tools said and did: no automation, no summary of the host's, and not what
        a person or an agent wrote down as a note. An episode that belongs to no named session has none.
        """
        found = self._db.rows(_AROUND, project.row, json.dumps(list(episodes)), most)
        return [
            Neighbour(
                of,
                bool(before),
                *rest,
                begins=beginning(content, encoding, READ),
                whole=size <= READ,
                corrected_by=corrected,
            )
            for of, before, *rest, content, encoding, size, corrected in found
        ]

    def _spans(self, rest: str, *values: object) -> list[SessionSpan]:
        return [SessionSpan(Session(*row[:4]), row[4], row[5]) for row in self._db.rows(f"{_SPANS} {rest}", *values)]
