"""SQL of the code graph: reading. Writing is in `ledger_writer.py` alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.model.facts import Edge, Fact
    from moored.model.projects import Project, Tree
    from moored.store.rows import OutlineRow, SymbolRow
    from moored.store.sqlite.connection import Connection

_EDGE = """
SELECT e.kind, s.id, coalesce(t.id, ''), e.target_name, e.resolved, e.line, e.source_hash
FROM edge e JOIN fact s ON s.row = e.source LEFT JOIN fact t ON t.row = e.target
"""
_SYMBOLS = "SELECT row, kind, name, line, end_line, body_hash FROM fact"
_LIVE = "gone_at IS NULL AND kind NOT IN ('import', 'export', 'config_key')"
_CHUNK = 500


class Graph:
    """Reads the edges between facts, and what the linker keeps to make them."""

    def __init__(self, connection: Connection) -> None:
        self._db = connection

    def into(self, project: Project, facts: Sequence[str]) -> list[Edge]:
        """The edges that end in these facts (ids), by fact, path and line of their source."""
        return self._edges("t", project, facts, "ORDER BY t.row, s.path, e.line, e.row")

    def out_of(self, project: Project, facts: Sequence[str]) -> list[Edge]:
        """The edges that begin in these facts (ids), by fact and line."""
        return self._edges("s", project, facts, "ORDER BY s.row, e.line, e.row")

    def count(self, tree: Tree) -> tuple[int, int]:
        """How many edges begin in the files of a tree, and how many of them are resolved."""
        row = self._db.rows(
            """SELECT count(*), coalesce(sum(e.resolved), 0) FROM edge e JOIN file f ON f.row = e.file
            WHERE f.tree = ?""",
            tree.row,
        )[0]
        return row[0], row[1]

    def counts(self, fact: Fact) -> tuple[int, int]:
        """How many facts a fact is the target of, and how many it is the source of, itself not counted."""
        return self._db.rows(
            """WITH me AS (SELECT row FROM fact WHERE id = ?)
            SELECT (SELECT count(DISTINCT e.source) FROM edge e JOIN fact s ON s.row = e.source, me
                    WHERE e.target = me.row AND e.target <> 0 AND e.source <> me.row AND s.gone_at IS NULL),
                (SELECT count(DISTINCT e.target) FROM edge e JOIN fact t ON t.row = e.target, me
                    WHERE e.source = me.row AND e.target <> me.row AND t.gone_at IS NULL)""",
            fact.id,
        )[0]

    def unreferenced(self, tree: Tree, kinds: Sequence[str], limit: int) -> list[str]:
        """Ids of the live facts of these kinds that nothing elsewhere calls, uses or inherits, by path and place.

        At most `limit` are told.
        """
        marks = ", ".join("?" * len(kinds))
        rows = self._db.rows(
            f"""SELECT f.id FROM fact f WHERE f.tree = ? AND f.kind IN ({marks}) AND f.gone_at IS NULL
            AND NOT EXISTS (SELECT 1 FROM edge e WHERE e.target = f.row AND e.target <> 0 AND e.source <> f.row
                AND e.kind <> 'import')
            ORDER BY f.path, f.start, f.row LIMIT ?""",
            tree.row,
            *kinds,
            limit,
        )
        return [row[0] for row in rows]

    def resolved_pairs(self, tree: Tree) -> list[tuple[int, int]]:
        """Source and target of every resolved edge of a tree, by their numbers."""
        return self._db.rows(
            """SELECT source, target FROM edge
            WHERE resolved = 1 AND target <> 0 AND +file IN (SELECT row FROM file WHERE tree = ?) ORDER BY row""",
            tree.row,
        )

    def map_symbols(self, tree: Tree) -> list[tuple[int, str, str, str, int]]:
        """Number, path, kind, name and line of the files and symbols of a tree that are no data, by path and place."""
        return self._db.rows(
            f"""SELECT row, path, kind, name, line FROM fact
            WHERE tree = ? AND {_LIVE} AND kind NOT IN ('variable', 'constant') ORDER BY path, start, row""",
            tree.row,
        )

    def values(self, tree: Tree, rows: Sequence[int]) -> dict[int, str]:
        """What is shown of those of these facts, by their numbers, that are of the tree."""
        found: dict[int, str] = {}
        for at in range(0, len(rows), _CHUNK):
            chunk = rows[at : at + _CHUNK]
            marks = ", ".join("?" * len(chunk))
            sql = f"SELECT row, value FROM fact WHERE +tree = ? AND row IN ({marks})"
            found.update(self._db.rows(sql, tree.row, *chunk))
        return found

    def numbers(self, project: Project, facts: Sequence[str]) -> list[int]:
        """The numbers of facts, by their ids; ids of another project have none."""
        found: list[int] = []
        for at in range(0, len(facts), _CHUNK):
            chunk = facts[at : at + _CHUNK]
            marks = ", ".join("?" * len(chunk))
            # The plus keeps the planner from reading the whole project by an index that begins with it.
            rows = self._db.rows(f"SELECT row FROM fact WHERE +project = ? AND id IN ({marks})", project.row, *chunk)
            found += [row[0] for row in rows]
        return found

    def symbols(self, tree: Tree, path: str) -> list[SymbolRow]:
        """The file fact and the symbols of a file, in order of appearance."""
        from moored.store.rows import SymbolRow

        rows = self._db.rows(f"{_SYMBOLS} WHERE tree = ? AND path = ? AND {_LIVE} ORDER BY start, row", tree.row, path)
        return [SymbolRow(*row) for row in rows]

    def ending(self, tree: Tree, leaf: str, limit: int) -> list[tuple[str, SymbolRow]]:
        """Path and symbol of live symbols with this last name, by path and place, at most `limit`."""
        from moored.store.rows import SymbolRow

        rows = self._db.rows(
            f"""SELECT path, row, kind, name, line, end_line, body_hash FROM fact
            WHERE project = ? AND leaf = ? AND +tree = ? AND {_LIVE} ORDER BY +path, start, row LIMIT ?""",
            tree.project.row,
            leaf,
            tree.row,
            limit,
        )
        return [(row[0], SymbolRow(*row[1:])) for row in rows]

    def languages(self, tree: Tree) -> dict[str, str]:
        """The language of every file of a tree that has an outline, by path."""
        return dict(
            self._db.rows(
                """SELECT f.path, f.language FROM outline o JOIN file f ON f.row = o.file
                WHERE o.tree = ? ORDER BY f.path""",
                tree.row,
            )
        )

    def outline(self, tree: Tree, path: str) -> OutlineRow | None:
        """What is kept of a file for the linker, None when it is not a code file that was read."""
        from moored.store.rows import OutlineRow

        row = self._db.row(
            """SELECT f.row, f.path, f.language, o.generation, o.exports, o.interface, o.uses
            FROM file f JOIN outline o ON o.file = f.row WHERE f.tree = ? AND f.path = ?""",
            tree.row,
            path,
        )
        return OutlineRow(*row) if row else None

    def waiting(self, tree: Tree) -> list[str]:
        """Paths of the files that were read since they were linked last, in order."""
        return [
            row[0]
            for row in self._db.rows(
                """SELECT f.path FROM outline o JOIN file f ON f.row = o.file
                WHERE o.tree = ? AND o.linked = 0 ORDER BY f.path""",
                tree.row,
            )
        ]

    def relinks(self, tree: Tree) -> list[tuple[int, str, bytes]]:
        """Removed files that other files' lookups have not been compared with yet: row, path, exports."""
        return self._db.rows("SELECT row, path, exports FROM relink WHERE tree = ? ORDER BY row", tree.row)

    def lookups(self, tree: Tree) -> list[tuple[str, bytes]]:
        """Path and lookups of every linked file of a tree, by path."""
        return self._db.rows(
            """SELECT f.path, o.lookups FROM outline o JOIN file f ON f.row = o.file
            WHERE o.tree = ? AND o.linked = 1 ORDER BY f.path""",
            tree.row,
        )

    def _edges(self, end: str, project: Project, facts: Sequence[str], order: str) -> list[Edge]:
        found: list[Edge] = []
        for at in range(0, len(facts), _CHUNK):
            chunk = facts[at : at + _CHUNK]
            marks = ", ".join("?" * len(chunk))
            rows = self._db.rows(
                f"""{_EDGE} WHERE {end}.project = ? AND {end}.id IN ({marks}) AND s.gone_at IS NULL
                AND t.gone_at IS NULL {"AND e.target <> 0" if end == "t" else ""} {order}""",
                project.row,
                *chunk,
            )
            found += [_edge(row) for row in rows]
        return found


def _edge(row: tuple[str, str, str, str, int, int, str]) -> Edge:
    from moored.model.facts import Edge, EdgeKind

    kind, source, target, target_name, resolved, line, source_hash = row
    return Edge(EdgeKind(kind), source, target, target_name, bool(resolved), line, source_hash)
