"""SQL of the indexes that recall reads: candidates by words and by fragments."""

from __future__ import annotations

from collections.abc import Sequence

from moored.model.projects import Project
from moored.store.sqlite.connection import Connection

VISIBLE_WINDOW = """NOT EXISTS (SELECT 1 FROM hidden_episode h WHERE h.episode = o.episode)"""

# How each kind of owner is reached from its full-text row: the join, and the columns that scope it.
_OWNERS = {
    "window": ("JOIN window o ON o.row = i.rowid", f"o.project = ?1 AND {VISIBLE_WINDOW}"),
    "revision": ("JOIN note o ON o.head = i.rowid", "o.project = ?1"),
    "fact": ("JOIN fact o ON o.row = i.rowid", "o.project = ?1 AND o.tree = ?4 AND o.gone_at IS NULL"),
}


class Search:
    """Writes and reads the full-text tables. Every search is scoped to a project before its limit."""

    def __init__(self, connection: Connection) -> None:
        self._db = connection

    def put(self, owner_kind: str, owner: int, text: str, fragments: str) -> None:
        """Index what a window or a revision says: `text` by words, `fragments` by trigrams."""
        self._db.execute(f"INSERT INTO {owner_kind}_fts (rowid, text) VALUES (?, ?)", (owner, text))
        if fragments:
            self._db.execute(f"INSERT INTO {owner_kind}_trigram (rowid, text) VALUES (?, ?)", (owner, fragments))

    def remove(self, owner_kind: str, owner: int) -> None:
        self._db.execute(f"DELETE FROM {owner_kind}_fts WHERE rowid = ?", (owner,))
        self._db.execute(f"DELETE FROM {owner_kind}_trigram WHERE rowid = ?", (owner,))

    def words(
        self, owner_kind: str, project: Project, match: str, limit: int, *, tree: int = 0
    ) -> list[tuple[int, float]]:
        """The best owners for a full-text expression: number and BM25, a larger one being better."""
        return self._candidates(f"{owner_kind}_fts", owner_kind, project, match, limit, tree)

    def trigrams(
        self, owner_kind: str, project: Project, match: str, limit: int, *, tree: int = 0
    ) -> list[tuple[int, float]]:
        """The best owners for an expression over code fragments."""
        return self._candidates(f"{owner_kind}_trigram", owner_kind, project, match, limit, tree)

    def _candidates(
        self, table: str, owner_kind: str, project: Project, match: str, limit: int, tree: int
    ) -> list[tuple[int, float]]:
        join, scope = _OWNERS[owner_kind]
        sql = f"""
            SELECT i.rowid, -bm25({table}) AS score FROM {table} i {join}
            WHERE {table} MATCH ?2 AND {scope} ORDER BY score DESC, i.rowid DESC LIMIT ?3
        """
        values = (project.row, match, limit, tree) if owner_kind == "fact" else (project.row, match, limit)
        return [(row[0], row[1]) for row in self._db.execute(sql, values)]

    def document_frequency(self, owner_kind: str, project: Project, match: str, at_most: int, *, tree: int = 0) -> int:
        """In how many rows of a project an expression occurs, counted up to `at_most`."""
        join, scope = _OWNERS[owner_kind]
        table = f"{owner_kind}_fts"
        sql = f"SELECT 1 FROM {table} i {join} WHERE {table} MATCH ?2 AND {scope} LIMIT ?3"
        values = (project.row, match, at_most, tree) if owner_kind == "fact" else (project.row, match, at_most)
        return self._db.value(f"SELECT count(*) FROM ({sql})", *values)

    def windows(self, project: Project, rows: Sequence[int]) -> dict[int, tuple[int, int, int]]:
        """Episode number, start and end (characters) of each of these windows of a project."""
        marks = ", ".join("?" * len(rows))
        sql = f'SELECT row, episode, start, "end" FROM window WHERE project = ? AND row IN ({marks})'
        found = self._db.rows(sql, project.row, *rows)
        return {row: (episode, start, end) for row, episode, start, end in found}
