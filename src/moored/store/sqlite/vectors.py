"""SQL of vectors and of the queue of texts that have none."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from moored.model.windowing import called
from moored.store.rows import NewVector, Queued, QueuedText, Signs
from moored.store.sqlite.episodes import VISIBLE, decoded
from moored.store.sqlite.search import TAGGED, VISIBLE_WINDOW

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from moored.model.projects import Project
    from moored.store.sqlite.connection import Connection

BEFORE = 2
"""Predecessors that a text may come with."""

BEGINNING = 200
"""Characters of a predecessor."""

_WANTED = "(SELECT value FROM json_each(?))"
# By their numbers: else the planner walks the whole queue.
_QUEUED = "json_each(?) wanted CROSS JOIN vector_queue q ON q.row = wanted.value"
_SHOWN = """NOT EXISTS (
    SELECT 1 FROM window w JOIN hidden_episode h ON h.episode = w.episode WHERE w.row = g.owner)"""
_ALONE = "(SELECT count(*) FROM window x WHERE x.episode = e.seq) = 1"
_TALK = f"""e.role IN ('user', 'assistant') AND e.channel IN ('user', 'assistant', 'import') AND e.tool_name = ''
    AND {_ALONE}"""


class Vectors:
    """Writes and reads vectors, eight bits a dimension with one scale for each, and the queue of texts without one.

    A text leaves the queue when the configured model has given it a vector. A faster model may give it one meanwhile,
    in a first pass; a text that has none of that either is bare. No answer holds vectors of two models (I-16).
    """

    def __init__(self, connection: Connection) -> None:
        self._db = connection

    def enqueue(self, project: Project, owner_kind: str, owners: Iterable[int]) -> None:
        """Let these texts wait for a vector. A window that is never handed in here is found by its words alone."""
        numbers = list(owners)
        self._db.executemany(
            "INSERT INTO vector_queue (project, owner_kind, owner) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            ((project.row, owner_kind, owner) for owner in numbers),
        )
        if owner_kind == "window":
            self._db.execute(f"UPDATE window SET dense = 1 WHERE row IN {_WANTED}", (json.dumps(numbers),))

    def waiting(
        self, limit: int, *, bare: bool = False, newest: bool = False, project: Project | None = None
    ) -> list[Queued]:
        """The oldest, or newest, texts of a project or of all that wait for a vector; with `bare` those without any."""
        where = " AND ".join([*(["held = 0"] if bare else []), *(["project = ?"] if project else [])]) or "true"
        order = "DESC" if newest else "ASC"
        sql = f"SELECT row, project, owner_kind, owner FROM vector_queue WHERE {where} ORDER BY row {order} LIMIT ?"
        return [Queued(*row) for row in self._db.rows(sql, *([project.row] if project else []), limit)]

    def passages(self, queued: Sequence[int]) -> dict[int, QueuedText]:
        """What the texts behind these queue numbers are embedded with; those that are gone are left out.

        The only window of what a person or an assistant said comes with what was said right before it in the session,
        up to two episodes of one window each; anything else there ends the walk back. The first window of what a tool
        gave back comes with what it was asked.
        """
        numbers = json.dumps(queued)
        found = {
            row: QueuedText(text)
            for row, text in self._db.rows(
                f"""SELECT q.row, r.text FROM {_QUEUED} JOIN revision r ON r.row = q.owner
                WHERE q.owner_kind = 'revision'""",
                numbers,
            )
        }
        texts: dict[int, str] = {}
        for row, session, ordinal, start, end, episode, author, tool_name, tool_input, alone in self._db.rows(
            f"""SELECT q.row, w.session, w.ordinal, w.start, w."end", e.seq, e.author, e.tool_name, e.tool_input,
                {_TALK}
            FROM {_QUEUED} JOIN window w ON w.row = q.owner JOIN episode e ON e.seq = w.episode
            WHERE q.owner_kind = 'window'""",
            numbers,
        ):
            if episode not in texts:
                content, encoding = self._db.rows("SELECT content, encoding FROM episode WHERE seq = ?", episode)[0]
                texts[episode] = _text(content, encoding)
            before = self._before(session, ordinal) if alone else ()
            head = "" if start else called(tool_name, tool_input)
            found[row] = QueuedText(head + texts[episode][start:end], author, before)
        return found

    def _before(self, session: int, ordinal: int) -> tuple[tuple[str, str], ...]:
        """Authors and beginnings of what was said right before a window, oldest first."""
        found: list[tuple[str, str]] = []
        for talk, author, content, encoding in self._db.execute(
            f"""SELECT {_TALK} AND {VISIBLE}, e.author, e.content, e.encoding
            FROM window w JOIN episode e ON e.seq = w.episode
            WHERE w.session = ? AND w.ordinal BETWEEN ? AND ? ORDER BY w.ordinal DESC""",
            (session, ordinal - BEFORE, ordinal - 1),
        ):
            if not talk:
                break
            found.append((author, _text(content, encoding)[:BEGINNING]))
        return tuple(reversed(found))

    def count_waiting(self, project: Project, *, bare: bool = False, at_most: int = -1) -> int:
        where = "AND held = 0" if bare else ""
        sql = f"SELECT count(*) FROM (SELECT 1 FROM vector_queue WHERE project = ? {where} LIMIT ?)"
        return self._db.value(sql, project.row, at_most)

    def count_missing(self, project: Project, model: str) -> int:
        """How many texts have neither a vector of this model nor a place in the queue; 0 where all is well."""
        missing = """NOT EXISTS (SELECT 1 FROM vector v JOIN vector_space s ON s.row = v.space
                WHERE v.owner_kind = o.kind AND v.owner = o.owner AND s.model = ?2)
            AND NOT EXISTS (SELECT 1 FROM vector_queue q WHERE q.owner_kind = o.kind AND q.owner = o.owner)"""
        return self._db.value(
            f"""SELECT count(*) FROM (
                SELECT 'window' AS kind, row AS owner FROM window WHERE project = ?1 AND dense = 1
                UNION ALL SELECT 'revision', head FROM note WHERE project = ?1 AND withdrawn IS NULL) o
            WHERE {missing}""",
            project.row,
            model,
        )

    def put(self, entries: Iterable[NewVector], *, done: bool = True) -> None:
        """Write vectors and, when they are `done`, take their texts off the queue; else they are bare no more.

        One whose text does not wait any more (another process was faster, or the text was removed) is dropped.
        """
        spaces: dict[str, int] = {}
        leave = "DELETE FROM vector_queue WHERE row = ?" if done else "UPDATE vector_queue SET held = 1 WHERE row = ?"
        for entry in entries:
            if entry.model not in spaces:
                spaces[entry.model] = self._space_for(entry.model, entry.dimension)
            space, place = spaces[entry.model], (entry.queued, entry.project, entry.owner_kind, entry.owner)
            written = self._db.row(
                """INSERT INTO vector (project, owner_kind, owner, space, scale, bytes)
                SELECT project, owner_kind, owner, ?, ?, ? FROM vector_queue
                WHERE row = ? AND project = ? AND owner_kind = ? AND owner = ?
                ON CONFLICT (owner_kind, owner, space) DO NOTHING RETURNING row""",
                space,
                entry.scale,
                entry.bytes,
                *place,
            )
            if written and entry.signs:
                self._db.execute(
                    """INSERT INTO vector_sign (project, space, owner_kind, vector, owner, bits)
                    VALUES (?, ?, ?, ?, ?, ?)""",
                    (entry.project, space, entry.owner_kind, written[0], entry.owner, entry.signs),
                )
            if written and entry.codes:
                self._db.execute("INSERT INTO token_code (vector, pieces) VALUES (?, ?)", (written[0], entry.codes))
            self._db.execute(f"{leave} AND project = ? AND owner_kind = ? AND owner = ?", place)

    def remove(self, owner_kind: str, owner: int) -> None:
        """Remove the vectors of a text, of every model, and its place in the queue."""
        self._db.execute("DELETE FROM vector WHERE owner_kind = ? AND owner = ?", (owner_kind, owner))
        self._db.execute("DELETE FROM vector_queue WHERE owner_kind = ? AND owner = ?", (owner_kind, owner))

    def drop(self, project: Project, model: str, limit: int) -> int:
        """Remove up to `limit` vectors of a model that is used no more; return how many.

        A text that is left without any waits again.
        """
        gone = self._db.rows(
            """DELETE FROM vector WHERE row IN (SELECT row FROM vector WHERE project = ? AND space = ? LIMIT ?)
            RETURNING owner_kind, owner""",
            project.row,
            self._space(model),
            limit,
        )
        self._db.execute(
            """INSERT INTO vector_queue (project, owner_kind, owner)
            SELECT ?, o.value ->> 0, o.value ->> 1 FROM json_each(?) o WHERE NOT EXISTS (
                SELECT 1 FROM vector v WHERE v.owner_kind = o.value ->> 0 AND v.owner = o.value ->> 1)
            ON CONFLICT (owner_kind, owner) DO UPDATE SET held = 0""",
            (project.row, json.dumps(gone)),
        )
        return len(gone)

    def requeue_missing(self, model: str, *, first: str = "", project: Project | None = None) -> int:
        """Queue every dense window and newest revision that lacks a vector of this model, or of that of the first pass.

        Those of a project or of all. Those that had waited stay. Returns how many were queued.
        """
        held = (
            "EXISTS (SELECT 1 FROM vector v WHERE v.owner_kind = o.owner_kind AND v.owner = o.owner AND v.space = {})"
        )
        last, early = held.format("?1"), held.format("?2")
        texts = """SELECT project, 'window' AS owner_kind, row AS owner FROM window WHERE dense = 1
            UNION ALL SELECT project, 'revision', head FROM note WHERE withdrawn IS NULL"""
        values = (self._space(model), self._space(first or model), project.row if project else None)
        asked = "(?3 IS NULL OR o.project = ?3)"
        before = self._db.value("SELECT count(*) FROM vector_queue")
        self._db.execute(
            f"""INSERT OR IGNORE INTO vector_queue (project, owner_kind, owner)
            SELECT o.project, o.owner_kind, o.owner FROM ({texts}) o WHERE {asked} AND NOT ({last} AND {early})""",
            values,
        )
        self._db.execute(f"UPDATE vector_queue AS o SET held = {early} WHERE {asked} AND held <> {early}", values)
        return self._db.value("SELECT count(*) FROM vector_queue") - before

    def signs(self, project: Project, model: str, owner_kind: str, seen: tuple[int, int] | None = None) -> Signs:
        """The signs of a project's texts that may be answered, by one model: those that are new since `seen`, or all.

        A text whose vector was removed, or that was hidden or shown since, is gone, and is told again if it may be.
        """
        of_project = "vector_change WHERE project = ? AND owner_kind = ?"
        changed: int = self._db.value(f"SELECT coalesce(max(row), 0) FROM {of_project}", project.row, owner_kind)
        after, since = seen or (0, changed)
        place = (project.row, self._space(model), owner_kind)
        of_place = "g.project = ?1 AND g.space = ?2 AND g.owner_kind = ?3"
        gone: list[int] = []
        if changed > since:
            sql = f"SELECT DISTINCT owner FROM {of_project} AND row > ?"
            gone = [row[0] for row in self._db.rows(sql, project.row, owner_kind, since)]
        last: int = self._db.value(
            f"SELECT coalesce(max(g.vector), ?4) FROM vector_sign g WHERE {of_place} AND g.vector > ?4", *place, after
        )
        # Vectors of notes are there only while the note is in force; windows may be hidden.
        shown = _SHOWN if owner_kind == "window" and self._db.row("SELECT 1 FROM hidden_episode LIMIT 1") else "true"
        read = f"SELECT g.owner, g.bits FROM {{}} WHERE {of_place} AND {{}} AND {shown} ORDER BY g.vector"
        rows = self._db.rows(read.format("vector_sign g", "g.vector > ?4"), *place, after) if last > after else []
        if gone:
            of_owners = "v.owner_kind = ?3 AND v.owner IN (SELECT value FROM json_each(?5)) AND v.row <= ?4"
            held = "vector v CROSS JOIN vector_sign g ON g.vector = v.row"
            rows += self._db.rows(read.format(held, of_owners), *place, after, json.dumps(gone))
        owners, bits = [owner for owner, _ in rows], b"".join([bits for _, bits in rows])
        return Signs((last, max(since, changed)), gone, owners, bits)

    def exact(
        self, project: Project, model: str, owner_kind: str, owners: Sequence[int]
    ) -> dict[int, tuple[float, bytes]]:
        """Scale and bytes of the vectors that these owners have of one model."""
        found = self._db.rows(
            f"""SELECT v.owner, v.scale, v.bytes FROM vector v
            WHERE v.owner IN {_WANTED} AND v.owner_kind = ? AND v.space = ? AND +v.project = ?""",
            json.dumps(owners),
            owner_kind,
            self._space(model),
            project.row,
        )
        return {owner: (scale, data) for owner, scale, data in found}

    def codes(self, project: Project, model: str, owner_kind: str, owners: Sequence[int]) -> dict[int, bytes]:
        """The codes of the pieces of these owners, by one model; who has none is left out."""
        found = self._db.rows(
            f"""SELECT v.owner, c.pieces FROM vector v JOIN token_code c ON c.vector = v.row
            WHERE v.owner IN {_WANTED} AND v.owner_kind = ? AND v.space = ? AND +v.project = ?""",
            json.dumps(owners),
            owner_kind,
            self._space(model),
            project.row,
        )
        return dict(found)

    def live(self, project: Project, owner_kind: str, owners: Sequence[int], *, tags: Sequence[str] = ()) -> set[int]:
        """Those of these owners that may be answered: visible windows, newest revisions, of this project.

        With `tags`, revisions that have one of them.
        """
        if owner_kind == "window":
            sql = f"SELECT o.row FROM window o WHERE +o.project = ? AND o.row IN {_WANTED} AND {VISIBLE_WINDOW}"
            return {row[0] for row in self._db.rows(sql, project.row, json.dumps(owners))}
        sql = f"""SELECT o.head FROM note o
            WHERE o.project = ? AND o.withdrawn IS NULL AND o.head IN {_WANTED}
                AND (?3 = '[]' OR {TAGGED.format("?3")})"""
        return {row[0] for row in self._db.rows(sql, project.row, json.dumps(owners), json.dumps(tags))}

    def models(self, project: Project) -> dict[str, int]:
        """How many vectors of each model the project has."""
        return dict(
            self._db.rows(
                """SELECT s.model, n.vectors FROM vector_space s
                JOIN (SELECT space, count(*) AS vectors FROM vector WHERE project = ? GROUP BY space) n
                    ON n.space = s.row
                ORDER BY s.model""",
                project.row,
            )
        )

    def _space(self, model: str) -> int:
        """The number of a model's space, 0 when nothing is in it."""
        found = self._db.row("SELECT row FROM vector_space WHERE model = ?", model)
        return found[0] if found else 0

    def _space_for(self, model: str, dimension: int) -> int:
        self._db.execute(
            "INSERT INTO vector_space (model, dimension) VALUES (?, ?) ON CONFLICT DO NOTHING", (model, dimension)
        )
        return self._space(model)


def _text(content: bytes, encoding: str) -> str:
    return decoded(content, encoding).decode("utf-8", "replace")
