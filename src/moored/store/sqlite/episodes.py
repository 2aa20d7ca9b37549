"""SQL of episodes and their windows."""

from __future__ import annotations

import zlib
from codecs import getincrementaldecoder
from typing import TYPE_CHECKING, Any

from moored.model.episodes import Channel, Episode, Role, Standing, Trust
from moored.model.traits import FOLLOWS, QUESTION

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from moored.model.projects import Project
    from moored.store.rows import NewEpisode
    from moored.store.sqlite.connection import Connection

COMPRESS_FROM = 4_096
"""Contents of at least this many bytes are kept compressed, when that makes them smaller."""

CORRECTED_BY = """
    coalesce((SELECT later.id FROM episode later WHERE later.corrects = e.seq AND NOT EXISTS (
        SELECT 1 FROM hidden_episode h WHERE h.episode = later.seq) ORDER BY later.seq DESC LIMIT 1), '')
"""
SELECT = f"""
SELECT e.seq, e.id, s.name, s.host, e.role, e.channel, e.trust, e.content, e.encoding, e.tokens, e.tool_name,
    e.tool_input, e.exit_status, coalesce(c.id, ''),
    {CORRECTED_BY},
    e.occurred_at, e.recorded_at, e.author
FROM episode e JOIN session s ON s.row = e.session LEFT JOIN episode c ON c.seq = e.corrects
"""
VISIBLE = "NOT EXISTS (SELECT 1 FROM hidden_episode h WHERE h.episode = e.seq)"


class Episodes:
    """Reads and writes the record."""

    def __init__(self, connection: Connection) -> None:
        self._db = connection

    def known(self, project: Project, idempotency_key: str) -> tuple[int, str] | None:
        """The number and id of the episode that was recorded under this key, or None."""
        row = self._db.row(
            "SELECT seq, id FROM episode WHERE project = ? AND idempotency_key = ?", project.row, idempotency_key
        )
        return (row[0], row[1]) if row else None

    def seq(self, project: Project, episode_id: str) -> int | None:
        """The number of a visible episode, or None."""
        sql = f"SELECT e.seq FROM episode e WHERE e.project = ? AND e.id = ? AND {VISIBLE}"
        row = self._db.row(sql, project.row, episode_id)
        return row[0] if row else None

    def add(self, project: Project, new: NewEpisode) -> int:
        """Write an episode and return its number."""
        content, encoding = encoded(new.content)
        self._db.execute(
            """
            INSERT INTO episode (id, project, session, role, channel, trust, host_event, idempotency_key, content,
                encoding, size, content_hash, tokens, tool_name, tool_input, exit_status, corrects, occurred_at,
                recorded_at, author)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            (
                new.id,
                project.row,
                new.session.row,
                new.role,
                new.channel,
                new.trust,
                new.host_event,
                new.idempotency_key,
                content,
                encoding,
                len(new.content),
                new.content_hash,
                new.tokens,
                new.tool_name,
                new.tool_input,
                new.exit_status,
                new.corrects,
                new.occurred_at,
                new.recorded_at,
                new.author,
            ),
        )
        return self._db.last_insert_rowid()

    def add_windows(
        self, project: Project, seq: int, spans: Sequence[tuple[int, int]], traits: Sequence[int] = ()
    ) -> list[int]:
        """Write the windows of an episode (characters of its text), with their traits; return their numbers."""
        session, ordinal, before, others, announced = self._db.rows(
            """SELECT e.session, 1 + coalesce(w.ordinal, -1), coalesce(w.traits, 0),
                (SELECT p.role <> e.role OR p.author <> e.author FROM episode p WHERE p.seq = w.episode),
                e.role = 'tool' AND (SELECT p.role = 'assistant' FROM episode p WHERE p.seq = w.episode)
            FROM episode e LEFT JOIN window w ON w.session = e.session
                AND w.ordinal = (SELECT max(m.ordinal) FROM window m WHERE m.session = e.session)
            WHERE e.seq = ?""",
            seq,
        )[0]
        masks = list(traits or [0] * len(spans))
        if announced or (others and before & QUESTION):
            masks[0] |= FOLLOWS
        kept = enumerate(zip(spans, masks, strict=True), ordinal)
        self._db.executemany(
            """INSERT INTO window (episode, project, session, ordinal, start, "end", traits)
            VALUES (?, ?, ?, ?, ?, ?, ?)""",
            [(seq, project.row, session, at, start, end, mask) for at, ((start, end), mask) in kept],
        )
        # Of an AUTOINCREMENT key every number is one more than the last (https://www.sqlite.org/autoinc.html).
        last = self._db.last_insert_rowid()
        return list(range(last - len(spans) + 1, last + 1))

    def get(self, project: Project, episode_id: str) -> Episode | None:
        """A visible episode, or None."""
        row = self._db.row(f"{SELECT} WHERE e.project = ? AND e.id = ? AND {VISIBLE}", project.row, episode_id)
        return as_episode(row) if row else None

    def standing(self, project: Project, episode_id: str) -> Standing | None:
        """How far a visible episode is trusted, and what corrected it, without its content."""
        row = self._db.row(
            f"SELECT e.trust, {CORRECTED_BY} FROM episode e WHERE e.project = ? AND e.id = ? AND {VISIBLE}",
            project.row,
            episode_id,
        )
        return Standing(Trust(row[0]), row[1]) if row else None

    def by_seqs(self, project: Project, seqs: Sequence[int]) -> dict[int, Episode]:
        """The visible episodes among these numbers."""
        marks = ", ".join("?" * len(seqs))
        rows = self._db.rows(f"{SELECT} WHERE e.project = ? AND e.seq IN ({marks}) AND {VISIBLE}", project.row, *seqs)
        return {row[0]: as_episode(row) for row in rows}

    def recent(self, project: Project, limit: int, *, session: str | None = None) -> list[Episode]:
        """The newest visible episodes, newest first."""
        where, values = ("AND s.name = ?", [session]) if session is not None else ("", [])
        sql = f"{SELECT} WHERE e.project = ? {where} AND {VISIBLE} ORDER BY e.seq DESC LIMIT ?"
        return [as_episode(row) for row in self._db.rows(sql, project.row, *values, limit)]

    def all(self, project: Project) -> Iterator[Episode]:
        """Every episode of the project, hidden ones too, oldest first, one at a time."""
        for row in self._db.execute(SELECT + "WHERE e.project = ? ORDER BY e.seq", (project.row,)):
            yield as_episode(row)

    def count(self, project: Project) -> int:
        return self._db.value(f"SELECT count(*) FROM episode e WHERE e.project = ? AND {VISIBLE}", project.row)

    def count_hidden(self, project: Project) -> int:
        return self._db.value(f"SELECT count(*) FROM episode e WHERE e.project = ? AND NOT {VISIBLE}", project.row)

    def is_hidden(self, project: Project, episode_id: str) -> bool:
        """Whether an episode is out of every answer because the operation that brought it in was undone."""
        return bool(
            self._db.rows(
                """SELECT 1 FROM episode e JOIN hidden_episode h ON h.episode = e.seq
                WHERE e.project = ? AND e.id = ?""",
                project.row,
                episode_id,
            )
        )

    def hash_of(self, project: Project, episode_id: str) -> str | None:
        """The content hash that was taken when the episode was recorded."""
        row = self._db.row("SELECT content_hash FROM episode WHERE project = ? AND id = ?", project.row, episode_id)
        return row[0] if row else None

    def near(self, project: Project, episode_id: str, limit: int = 3) -> tuple[str, ...]:
        """Ids of visible episodes that begin as this one does."""
        rows = self._db.rows(
            f"""SELECT e.id FROM episode e WHERE e.project = ? AND e.id LIKE ? || '%' AND {VISIBLE}
            ORDER BY e.seq DESC LIMIT ?""",
            project.row,
            episode_id[:12].replace("%", ""),
            limit,
        )
        return tuple(row[0] for row in rows)


def encoded(content: bytes) -> tuple[bytes, str]:
    """A content as it is kept, and how that is encoded."""
    if len(content) >= COMPRESS_FROM:
        # Level 1 on the largest: the difference in size is small, that in time is not.
        packed = zlib.compress(content, 6 if len(content) < 1_000_000 else 1)
        if len(packed) < len(content):
            return packed, "zlib"
    return content, "raw"


def decoded(content: bytes, encoding: str) -> bytes:
    """A content as it was handed in."""
    return zlib.decompress(content) if encoding == "zlib" else content


def beginning(content: bytes, encoding: str, most: int) -> str:
    """The text of the first bytes of a content, at most `most`, without a character that they cut."""
    raw = zlib.decompressobj().decompress(content, most) if encoding == "zlib" else content[:most]
    return getincrementaldecoder("utf-8")("replace").decode(raw)


def as_episode(row: tuple[Any, ...]) -> Episode:
    """An episode from a row of `SELECT`."""
    seq, id_, session, host, role, channel, trust, content, encoding, *rest = row
    return Episode(
        seq,
        id_,
        session,
        host,
        Role(role),
        Channel(channel),
        Trust(trust),
        decoded(content, encoding),
        *rest,
    )
