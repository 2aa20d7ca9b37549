"""The ledger writer: the one place that writes files, facts and their history (I-02)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.model.facts import ExtractedFact, Fact, FactKind
from moored.model.terms import fragments, searchable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from moored.model.files import IndexedFile
    from moored.model.projects import Project, Tree
    from moored.store.rows import NewEdge, NewFact
    from moored.store.sqlite.connection import Connection

_COLUMNS = """value = ?, signature_hash = ?, body_hash = ?, start = ?, "end" = ?, line = ?, end_line = ?, parent = ?,
    doc = ?, trivial = ?, kind = ?"""


class LedgerWriter:
    """Writes facts. Only `Transaction.ledger_writer` makes one, with the connection's two locks open."""

    def __init__(self, connection: Connection) -> None:
        self._db = connection

    def put_file(self, tree: Tree, file: IndexedFile) -> int:
        """Write what is known of a file (its `row` is ignored) and return its number."""
        self._db.execute(
            """INSERT INTO file (tree, path, size, mtime_ns, ctime_ns, inode, content_hash, language, errors, omitted,
                indexed_at_ns) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (tree, path) DO UPDATE SET size = excluded.size, mtime_ns = excluded.mtime_ns,
                ctime_ns = excluded.ctime_ns, inode = excluded.inode, content_hash = excluded.content_hash,
                language = excluded.language, errors = excluded.errors, omitted = excluded.omitted,
                indexed_at_ns = excluded.indexed_at_ns""",
            (
                tree.row, file.path, file.size, file.mtime_ns, file.ctime_ns, file.inode, file.content_hash,
                file.language, file.errors, file.omitted, file.indexed_at_ns,
            ),
        )  # fmt: skip
        return self._db.value("SELECT row FROM file WHERE tree = ? AND path = ?", tree.row, file.path)

    def remove_file(self, tree: Tree, path: str) -> None:
        """Forget the file itself; its facts are closed with `close`."""
        self._db.execute(
            "DELETE FROM edge WHERE file = (SELECT row FROM file WHERE tree = ? AND path = ?)", (tree.row, path)
        )
        self._db.execute("DELETE FROM file WHERE tree = ? AND path = ?", (tree.row, path))

    def add(
        self, project: Project, facts: Sequence[NewFact], at: int, *, tree: Tree | None = None, path: str = "",
        episode: int = 0,
    ) -> None:  # fmt: skip
        """Write facts of one file (`tree` and `path`) or of one episode (its number)."""
        self._db.executemany(
            """INSERT INTO fact (id, project, tree, path, episode, kind, name, leaf, ordinal, value, signature_hash,
                body_hash, start, "end", line, end_line, parent, doc, trivial, extractor, since)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
            (
                (
                    new.id, project.row, tree.row if tree else 0, path, episode, new.extracted.kind,
                    new.extracted.name, leaf(new.extracted.name), new.ordinal, new.extracted.value,
                    new.extracted.signature_hash, new.extracted.body_hash, new.extracted.span.start,
                    new.extracted.span.end, new.extracted.span.line, new.extracted.span.end_line,
                    new.extracted.parent, new.extracted.doc, int(new.extracted.trivial), new.extractor, at,
                )
                for new in facts
            ),
        )  # fmt: skip
        if tree and facts:
            # SQLite numbers the rows of one transaction without gaps.
            first = self._db.last_insert_rowid() - len(facts) + 1
            self._index((row, path, new.extracted) for row, new in enumerate(facts, first))

    def release(self, facts: Iterable[Fact]) -> None:
        """Give up the identity of facts that are about to get another, so that two can exchange theirs."""
        self._db.executemany("UPDATE fact SET ordinal = -row WHERE id = ?", ((fact.id,) for fact in facts))

    def move_position(self, updates: Iterable[tuple[Fact, ExtractedFact, int]]) -> None:
        """Note where unchanged facts stand now and what is shown of them; their version stays the same."""
        moved = list(updates)
        self._db.executemany(
            f"UPDATE fact SET {_COLUMNS}, ordinal = ?, gone_at = NULL WHERE id = ?",
            ((*_shown(extracted), ordinal, fact.id) for fact, extracted, ordinal in moved),
        )
        for fact, new, _ in moved:
            if fact.tree and (fact.gone_at is not None or _words(fact) != _words(new)):
                self._index([(self._unindex(fact.id), fact.path, new)])

    def change(
        self, fact: Fact, extracted: ExtractedFact, ordinal: int, change: str, at: int, *, path: str, episode: int = 0
    ) -> None:
        """Close the present version of a fact into its history and begin the next.

        `path` and `extracted.name` are what it is called from now on; `change` says what happened in words.
        """
        self._keep_version(fact, change, at)
        self._db.execute(
            f"""UPDATE fact SET {_COLUMNS}, path = ?, name = ?, leaf = ?, ordinal = ?, episode = ?, since = ?,
                gone_at = NULL WHERE id = ?""",
            (*_shown(extracted), path, extracted.name, leaf(extracted.name), ordinal, episode, at, fact.id),
        )
        if fact.tree:
            row = self._unindex(fact.id)
            self._index([(row, path, extracted)])

    def close(self, facts: Iterable[Fact], at: int) -> None:
        """Say that the source does not hold these facts any more. They stay, with their history."""
        for fact in facts:
            self._db.execute("UPDATE fact SET gone_at = ? WHERE id = ?", (at, fact.id))
            self._unindex(fact.id)

    def revive(self, fact: Fact, extracted: ExtractedFact, ordinal: int, at: int, *, path: str) -> None:
        """Reopen a fact that had gone: its absence becomes part of its history."""
        self.change(fact, extracted, ordinal, "revived", at, path=path)

    def put_outline(self, tree: Tree, file: int, interface: bytes, uses: bytes) -> None:
        """Keep what the linker needs of a file that was just read; its edges wait to be made again."""
        self._db.execute(
            """INSERT INTO outline (file, tree, generation, linked, exports, lookups, interface, uses)
            VALUES (?, ?, 1, 0, x'', x'', ?, ?)
            ON CONFLICT (file) DO UPDATE SET generation = generation + 1, linked = 0, interface = excluded.interface,
                uses = excluded.uses""",
            (file, tree.row, interface, uses),
        )

    def put_links(self, file: int, generation: int, exports: bytes, lookups: bytes, edges: Iterable[NewEdge]) -> bool:
        """Replace the edges that begin in a file, unless it was read again since `generation`: then False."""
        self._db.execute(
            "UPDATE outline SET linked = 1, exports = ?, lookups = ? WHERE file = ? AND generation = ?",
            (exports, lookups, file, generation),
        )
        if not self._db.changes():
            return False
        self.remove_edges(file)
        self.add_edges(file, edges)
        return True

    def clear_relinks(self, tree: Tree, last: int) -> None:
        """Forget the removed files that have been compared with the lookups of all others, up to row `last`."""
        self._db.execute("DELETE FROM relink WHERE tree = ? AND row <= ?", (tree.row, last))

    def add_edges(self, file: int, edges: Iterable[NewEdge]) -> None:
        """Write the edges that begin in a file."""
        self._db.executemany(
            """INSERT INTO edge (file, kind, source, target, target_name, resolved, line, source_hash)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)""",
            ((file, *edge) for edge in edges),
        )

    def remove_edges(self, file: int) -> None:
        """Remove the edges that begin in a file."""
        self._db.execute("DELETE FROM edge WHERE file = ?", (file,))

    def _keep_version(self, fact: Fact, change: str, at: int) -> None:
        self._db.execute(
            """INSERT INTO fact_version (fact, path, name, value, signature_hash, body_hash, line, episode, since,
                until, change)
            SELECT row, path, name, value, signature_hash, body_hash, line, episode, since, coalesce(gone_at, ?), ?
            FROM fact WHERE id = ?""",
            (at, change, fact.id),
        )

    def _index(self, facts: Iterable[tuple[int, str, ExtractedFact]]) -> None:
        """Let facts be found by their words: numbers, paths and what was read."""
        texts: list[tuple[int, str]] = []
        names: list[tuple[int, str]] = []
        for row, path, fact in facts:
            # Imports are found through the graph, not by their words.
            if fact.kind is not FactKind.IMPORT:
                texts.append((row, searchable(f"{fact.name} {path} {fact.value} {fact.doc}")))
                names.append((row, fragments(fact.name) or fact.name))
        self._db.executemany("INSERT INTO fact_fts (rowid, text) VALUES (?, ?)", texts)
        self._db.executemany("INSERT INTO fact_trigram (rowid, text) VALUES (?, ?)", names)

    def _unindex(self, fact_id: str) -> int:
        row: int = self._db.value("SELECT row FROM fact WHERE id = ?", fact_id)
        self._db.execute("DELETE FROM fact_fts WHERE rowid = ?", (row,))
        self._db.execute("DELETE FROM fact_trigram WHERE rowid = ?", (row,))
        return row


def leaf(name: str) -> str:
    """The last part of a qualified name: `send` of `Session.send`."""
    return name.rpartition(".")[2]


def _words(fact: Fact | ExtractedFact) -> tuple[str, ...]:
    """What the index holds of a fact and may change while its version stays."""
    return fact.kind, fact.value, fact.doc


def _shown(extracted: ExtractedFact) -> tuple[object, ...]:
    span = extracted.span
    return (
        extracted.value, extracted.signature_hash, extracted.body_hash, span.start, span.end, span.line, span.end_line,
        extracted.parent, extracted.doc, int(extracted.trivial), extracted.kind,
    )  # fmt: skip
