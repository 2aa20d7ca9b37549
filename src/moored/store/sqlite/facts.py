"""SQL of files, facts and their history: reading. Writing is in `ledger_writer.py` alone."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from moored.model.files import IndexedFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from moored.model.facts import Fact, FactVersion
    from moored.model.projects import Project, Tree
    from moored.store.sqlite.connection import Connection

_SELECT = """
SELECT f.id, p.id, coalesce(t.id, ''), f.path, coalesce(e.id, ''), f.kind, f.name, f.ordinal, f.value,
    f.signature_hash, f.body_hash, f.start, f."end", f.line, f.end_line, f.parent, f.doc, f.trivial, f.extractor,
    f.since, f.gone_at, f.row
FROM fact f JOIN project p ON p.row = f.project LEFT JOIN tree t ON t.row = f.tree
    LEFT JOIN episode e ON e.seq = f.episode
"""
FILE = """
SELECT row, path, size, mtime_ns, ctime_ns, inode, content_hash, language, errors, omitted, indexed_at_ns FROM file
"""

_SHOWN = "NOT EXISTS (SELECT 1 FROM hidden_episode h WHERE h.episode = f.episode AND f.kind <> 'command')"
"""What was read from an episode is shown while that is."""

# The unary plus keeps the planner from walking a whole tree to save itself a sort: a name has few facts.
_OF_TREE = "f.project = ? AND +f.tree = ? AND f.gone_at IS NULL"


class Facts:
    """Reads the ledger. Every question names the project or the tree that it is asked of."""

    def __init__(self, connection: Connection) -> None:
        self._db = connection

    def file(self, tree: Tree, path: str) -> IndexedFile | None:
        row = self._db.row(FILE + "WHERE tree = ? AND path = ?", tree.row, path)
        return IndexedFile(*row) if row else None

    def files(self, tree: Tree) -> dict[str, IndexedFile]:
        return {row[1]: IndexedFile(*row) for row in self._db.rows(FILE + "WHERE tree = ?", tree.row)}

    def count_files(self, tree: Tree) -> tuple[int, int, int | None]:
        """How many files were read, how many of them in part, and when the last was, in nanoseconds, or None."""
        return self._db.rows(
            "SELECT count(*), count(*) FILTER (WHERE errors > 0), max(indexed_at_ns) FROM file WHERE tree = ?",
            tree.row,
        )[0]

    def has_files(self, tree: Tree) -> bool:
        """Whether anything of the tree was ever read."""
        return self._db.row("SELECT 1 FROM file WHERE tree = ? LIMIT 1", tree.row) is not None

    def files_named(self, tree: Tree, name: str) -> list[str]:
        """Paths that are `name` or end in `/name`, in order."""
        escaped = name.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        rows = self._db.rows(
            "SELECT path FROM file WHERE tree = ? AND (path = ? OR path LIKE ? ESCAPE '\\') ORDER BY path",
            tree.row,
            name,
            f"%/{escaped}",
        )
        return [row[0] for row in rows if row[0] == name or row[0].endswith("/" + name)]

    def get(self, project: Project, fact_id: str) -> Fact | None:
        return self._one(f"WHERE f.project = ? AND f.id = ? AND {_SHOWN}", project.row, fact_id)

    def in_file(self, tree: Tree, path: str, *, gone: bool = False) -> list[Fact]:
        """The facts of a file in order of appearance; with `gone`, those that it held once as well."""
        live = "" if gone else "AND f.gone_at IS NULL"
        return self._all(f"WHERE f.tree = ? AND f.path = ? {live} ORDER BY f.start, f.row", tree.row, path)

    def named(self, tree: Tree, name: str, *, path: str | None = None) -> list[Fact]:
        """Live facts of this qualified name, in one file or in any."""
        if path is not None:
            return self._all(
                "WHERE f.tree = ? AND f.path = ? AND f.name = ? AND f.gone_at IS NULL ORDER BY f.start, f.row",
                tree.row,
                path,
                name,
            )
        return self._all(
            f"WHERE f.name = ? AND {_OF_TREE} ORDER BY +f.path, f.start, f.row", name, tree.project.row, tree.row
        )

    def ending(self, tree: Tree, name: str, limit: int = 200) -> list[Fact]:
        """Live facts whose qualified name is `name` or ends in `.name`."""
        leaf = name.rpartition(".")[2]
        found = self._all(
            f"WHERE f.leaf = ? AND {_OF_TREE} ORDER BY +f.path, f.start, f.row LIMIT ?",
            leaf,
            tree.project.row,
            tree.row,
            limit,
        )
        return [fact for fact in found if fact.name == name or fact.name.endswith("." + name)]

    def with_body(self, tree: Tree, body_hash: str) -> list[Fact]:
        """Live facts whose body is this one and is not trivial."""
        return self._all(
            "WHERE f.tree = ? AND f.body_hash = ? AND f.gone_at IS NULL AND f.trivial = 0 ORDER BY f.path, f.start",
            tree.row,
            body_hash,
        )

    def at_line(self, tree: Tree, path: str, line: int) -> Fact | None:
        """The innermost symbol or key of a file that covers a line, or None."""
        return self._one(
            """WHERE f.tree = ? AND f.path = ? AND f.gone_at IS NULL AND f.kind NOT IN ('file', 'import')
            AND f.line <= ? AND f.end_line >= ? ORDER BY f.end_line - f.line, f.row LIMIT 1""",
            tree.row,
            path,
            line,
            line,
        )

    def of_episode(self, project: Project, episode_id: str) -> list[Fact]:
        return self._all(
            f"""WHERE +f.project = ? AND f.kind <> 'command' AND f.episode = (SELECT seq FROM episode WHERE id = ?)
            AND f.episode <> 0 AND {_SHOWN} ORDER BY f.start, f.row""",
            project.row,
            episode_id,
        )

    def command(self, project: Project, command: str, *, hidden: bool = False) -> Fact | None:
        """The latest outcome of a command, of runs that are visible or, on request, of all."""
        fact = self._one("WHERE f.project = ? AND f.kind = 'command' AND f.name = ?", project.row, command)
        if fact is None or hidden:
            return fact
        # One run is the present version of the fact, those before it are its history.
        run = self._db.row(
            """SELECT r.value, r.signature_hash, r.body_hash, e.id, r.since FROM (
                SELECT value, signature_hash, body_hash, episode, since, 1 AS present, row FROM fact WHERE id = ?1
                UNION ALL SELECT v.value, v.signature_hash, v.body_hash, v.episode, v.since, 0, v.row
                FROM fact_version v JOIN fact f ON f.row = v.fact WHERE f.id = ?1) r
            JOIN episode e ON e.seq = r.episode
            WHERE NOT EXISTS (SELECT 1 FROM hidden_episode h WHERE h.episode = r.episode)
            ORDER BY r.present DESC, r.row DESC LIMIT 1""",
            fact.id,
        )
        if run is None:
            return None
        value, signature_hash, body_hash, episode, since = run
        return fact._replace(
            value=value, signature_hash=signature_hash, body_hash=body_hash, episode=episode, since=since
        )

    def by_rows(self, project: Project, rows: Sequence[int]) -> dict[int, Fact]:
        marks = ", ".join("?" * len(rows))
        sql = f"{_SELECT} WHERE f.project = ? AND f.row IN ({marks}) AND f.gone_at IS NULL AND {_SHOWN}"
        return {row[-1]: _fact(row) for row in self._db.rows(sql, project.row, *rows)}

    def rows(self, project: Project, fact_ids: Iterable[str]) -> dict[str, int]:
        """The store's own numbers of those of these facts that the project has."""
        return dict(
            self._db.rows(
                "SELECT id, row FROM fact WHERE +project = ? AND id IN (SELECT value FROM json_each(?))",
                project.row,
                json.dumps(list(fact_ids)),
            )
        )

    def history(self, project: Project, fact_id: str) -> list[FactVersion]:
        """All versions of a fact, oldest first; the last is the present one or says that it is gone."""
        from moored.model.facts import FactVersion

        fact = self.get(project, fact_id)
        if fact is None:
            return []
        rows = self._db.rows(
            """SELECT path, name, value, signature_hash, body_hash, line, since, until, change FROM fact_version
            WHERE fact = (SELECT row FROM fact WHERE id = ?) ORDER BY row""",
            fact_id,
        )
        present = FactVersion(
            fact.path,
            fact.name,
            fact.value,
            fact.signature_hash,
            fact.body_hash,
            fact.span.line,
            fact.since,
            fact.gone_at,
            "gone" if fact.gone_at is not None else "",
        )
        return [*(FactVersion(*row) for row in rows), present]

    def near(self, tree: Tree, match: str, limit: int = 60) -> list[str]:
        """Distinct names of live facts that share trigrams with a full-text expression, best first."""
        rows = self._db.rows(
            """SELECT f.name, f.path FROM fact_trigram JOIN fact f ON f.row = fact_trigram.rowid
            WHERE fact_trigram MATCH ? AND f.tree = ? AND f.gone_at IS NULL
            ORDER BY fact_trigram.rank, f.row LIMIT ?""",
            match,
            tree.row,
            limit,
        )
        return list(dict.fromkeys(row[0] for row in rows))

    def counts(self, tree: Tree) -> dict[str, int]:
        """How many live facts of each kind the tree has."""
        return dict(
            self._db.rows(
                "SELECT kind, count(*) FROM fact WHERE tree = ? AND gone_at IS NULL GROUP BY kind ORDER BY kind",
                tree.row,
            )
        )

    def count_commands(self, project: Project) -> int:
        return self._db.value("SELECT count(*) FROM fact WHERE project = ? AND kind = 'command'", project.row)

    def _one(self, where: str, *values: Any) -> Fact | None:
        row = self._db.row(_SELECT + where, *values)
        return _fact(row) if row else None

    def _all(self, where: str, *values: Any) -> list[Fact]:
        return [_fact(row) for row in self._db.rows(_SELECT + where, *values)]


def _fact(row: tuple[Any, ...]) -> Fact:
    from moored.model.facts import Fact, FactKind, Span

    (
        id_, project, tree, path, episode, kind, name, ordinal, value, signature_hash, body_hash, start, end, line,
        end_line, parent, doc, trivial, extractor, since, gone_at, _,
    ) = row  # fmt: skip
    span = Span(start, end, line, end_line)
    return Fact(
        id_, project, tree, path, episode, FactKind(kind), name, ordinal, value, signature_hash, body_hash, span,
        parent, doc, bool(trivial), extractor, since, gone_at,
    )  # fmt: skip
