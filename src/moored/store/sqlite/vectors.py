"""SQL of vectors and of the queue of texts that have none."""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING

from moored.store.sqlite.search import VISIBLE_WINDOW

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from moored.model.projects import Project
    from moored.store.sqlite.connection import Connection


class Vectors:
    """Writes and reads vectors, eight bits a dimension with one scale for each, and the queue of texts without one."""

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
            self._db.executemany("UPDATE window SET dense = 1 WHERE row = ?", ((owner,) for owner in numbers))

    def waiting(self, limit: int) -> list[tuple[int, int, str, int]]:
        """Queue number, project number, owner kind and owner of the oldest texts that wait for a vector."""
        return [
            (row, project, kind, owner)
            for row, project, kind, owner in self._db.rows(
                "SELECT row, project, owner_kind, owner FROM vector_queue ORDER BY row LIMIT ?", limit
            )
        ]

    def texts(self, queued: Sequence[int]) -> dict[int, str]:
        """What the texts behind these queue numbers say; those that are gone are left out."""
        numbers = json.dumps(queued)
        texts: dict[int, str] = dict(
            self._db.rows(
                """SELECT q.row, r.text FROM vector_queue q JOIN revision r ON r.row = q.owner
                WHERE q.owner_kind = 'revision' AND q.row IN (SELECT value FROM json_each(?))""",
                numbers,
            )
        )
        spans: dict[int, list[tuple[int, int, int]]] = {}
        for row, episode, start, end in self._db.rows(
            """SELECT q.row, w.episode, w.start, w."end" FROM vector_queue q JOIN window w ON w.row = q.owner
            WHERE q.owner_kind = 'window' AND q.row IN (SELECT value FROM json_each(?))""",
            numbers,
        ):
            spans.setdefault(episode, []).append((row, start, end))
        for episode, cuts in spans.items():
            content, encoding = self._db.rows("SELECT content, encoding FROM episode WHERE seq = ?", episode)[0]
            text = (zlib.decompress(content) if encoding == "zlib" else content).decode("utf-8", "replace")
            texts.update((row, text[start:end]) for row, start, end in cuts)
        return texts

    def count_waiting(self, project: Project) -> int:
        return self._db.value("SELECT count(*) FROM vector_queue WHERE project = ?", project.row)

    def put(self, entries: Iterable[tuple[int, int, str, int, str, int, float, bytes]]) -> None:
        """Write vectors and take their texts off the queue.

        An entry is queue number, project number, owner kind, owner, model, dimension, scale, bytes. One whose text
        does not wait any more (another process was faster, or the text was removed meanwhile) is dropped.
        """
        for queued, project, kind, owner, model, dimension, scale, data in entries:
            self._db.execute(
                """INSERT INTO vector (project, owner_kind, owner, model, dimension, scale, bytes)
                SELECT project, owner_kind, owner, ?, ?, ?, ? FROM vector_queue
                WHERE row = ? AND project = ? AND owner_kind = ? AND owner = ?
                ON CONFLICT (owner_kind, owner, model) DO NOTHING""",
                (model, dimension, scale, data, queued, project, kind, owner),
            )
            self._db.execute("DELETE FROM vector_queue WHERE row = ?", (queued,))

    def remove(self, owner_kind: str, owner: int) -> None:
        self._db.execute("DELETE FROM vector WHERE owner_kind = ? AND owner = ?", (owner_kind, owner))
        self._db.execute("DELETE FROM vector_queue WHERE owner_kind = ? AND owner = ?", (owner_kind, owner))

    def after(self, project: Project, model: str, owner_kind: str, row: int) -> list[tuple[int, int, float, bytes]]:
        """Number, owner, scale and bytes of a project's vectors of one model that were written after number `row`."""
        return [
            (number, owner, scale, data)
            for number, owner, scale, data in self._db.rows(
                """SELECT row, owner, scale, bytes FROM vector
                WHERE project = ? AND model = ? AND owner_kind = ? AND row > ? ORDER BY row""",
                project.row,
                model,
                owner_kind,
                row,
            )
        ]

    def live(self, project: Project, owner_kind: str, owners: Sequence[int]) -> set[int]:
        """Those of these owners that may be answered: visible windows, newest revisions, of this project."""
        wanted = "(SELECT value FROM json_each(?))"
        if owner_kind == "window":
            sql = f"SELECT o.row FROM window o WHERE o.project = ? AND o.row IN {wanted} AND {VISIBLE_WINDOW}"
        else:
            sql = f"SELECT o.head FROM note o WHERE o.project = ? AND o.head IN {wanted}"
        return {row[0] for row in self._db.rows(sql, project.row, json.dumps(owners))}

    def models(self, project: Project) -> dict[str, int]:
        """How many vectors of each model the project has."""
        return dict(
            self._db.rows(
                "SELECT model, count(*) FROM vector WHERE project = ? GROUP BY model ORDER BY model", project.row
            )
        )

    def requeue_missing(self, model: str) -> int:
        """Queue every dense window and newest revision that has no vector of this model; return how many."""
        before = self._db.value("SELECT count(*) FROM vector_queue")
        self._db.execute(
            """INSERT OR IGNORE INTO vector_queue (project, owner_kind, owner)
            SELECT w.project, 'window', w.row FROM window w WHERE w.dense = 1 AND NOT EXISTS (SELECT 1 FROM vector v
                WHERE v.owner_kind = 'window' AND v.owner = w.row AND v.model = ?1)
            UNION ALL
            SELECT n.project, 'revision', n.head FROM note n WHERE NOT EXISTS (SELECT 1 FROM vector v
                WHERE v.owner_kind = 'revision' AND v.owner = n.head AND v.model = ?1)""",
            (model,),
        )
        return self._db.value("SELECT count(*) FROM vector_queue") - before
