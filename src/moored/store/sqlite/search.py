"""SQL of the indexes that recall reads: candidates by words and by fragments."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from moored.model.traits import DIRECTIVE, PREFERENCE
from moored.store.rows import SESSION, Columns, Posting, WindowRow
from moored.store.sqlite.entries import ENTRY, OF_PROJECT, ROW

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.model.projects import Project
    from moored.store.sqlite.connection import Connection


# Whether anything is hidden at all is asked once a statement, and each window only where it is.
VISIBLE_WINDOW = """(NOT EXISTS (SELECT 1 FROM hidden_episode)
    OR NOT EXISTS (SELECT 1 FROM hidden_episode h WHERE h.episode = o.episode))"""

# How each kind of owner is reached from its full-text row: the join, and the columns that scope it.
_OWNERS = {
    "window": (f"JOIN window o ON o.row = {ROW} AND {OF_PROJECT}", f"o.project = ?1 AND {VISIBLE_WINDOW}"),
    "revision": (f"JOIN note o ON o.head = {ROW} AND {OF_PROJECT}", "o.project = ?1 AND o.withdrawn IS NULL"),
    "fact": ("JOIN fact o ON o.row = i.rowid", "o.project = ?1 AND o.tree = ?4 AND o.gone_at IS NULL"),
}

# Notes whose newest revision has one of the tags in a JSON list: {} is its parameter, `o` the note.
TAGGED = """EXISTS (
    SELECT 1 FROM revision tr, json_each(tr.tags) tag
    WHERE tr.row = o.head AND tag.value IN (SELECT value FROM json_each({})))"""

_UNLESS = " AND (o.episode <= ?4 OR o.session <> ?5)"

_PLACE = f"o.session * {SESSION} + o.ordinal"
# What a posting of each kind of owner holds.
_POSTINGS = {
    "window": f'o.row, {_PLACE} AS place, o."end" - o.start AS length, o.traits, o.episode',
    "revision": """o.head AS row, 0 AS place, (SELECT length(r.text) FROM revision r WHERE r.row = o.head) AS length,
        0 AS traits, 0""",
    "fact": "o.row, 0 AS place, length(o.name) + length(o.value) + length(o.doc) AS length, 0 AS traits, 0",
}


def _scoped(
    owner_kind: str, tree: int, unless: tuple[int, int] | None, tags: Sequence[str] = ()
) -> tuple[str, str, tuple[int | str, ...]]:
    """The join and the scope of a kind of owner, and what is bound to ?4 and ?5 in them."""
    join, scope = _OWNERS[owner_kind]
    if owner_kind == "fact":
        return join, scope, (tree,)
    if owner_kind == "window" and unless:
        session, after = unless
        return join, scope + _UNLESS, (after, session)
    if owner_kind == "revision" and tags:
        return join, f"{scope} AND {TAGGED.format('?4')}", (json.dumps(tags),)
    return join, scope, ()


def _matching(table: str, owner_kind: str, scoped: tuple[str, str, tuple[int | str, ...]]) -> str:
    """The SQL of the postings of ?2 in a full-text table, at most ?3 of them."""
    # bm25() would weigh a term by all the rows of the table, those of other projects among them.
    join, scope, _ = scoped
    newest_first = "i.rowid DESC" if owner_kind == "fact" else "i.rowid"
    return f"""
        SELECT {_POSTINGS[owner_kind]} FROM {table} i CROSS {join}
        WHERE {table} MATCH ?2 AND {scope} ORDER BY {newest_first} LIMIT ?3
    """


class Search:
    """Writes and reads the full-text tables. Every search is scoped to a project before its limit."""

    def __init__(self, connection: Connection) -> None:
        self._db = connection
        self._waiting: list[tuple[str, int, str, str]] = []

    def put(self, owner_kind: str, owner: int, text: str, fragments: str) -> None:
        """Index what a window or a revision says: `text` by words, `fragments` by trigrams.

        It waits until the transaction ends or searches: FTS5 gathers what it is given and writes it out in one go, but
        also before every statement that SQLite may have to take back alone, such as one with a trigger.
        """
        self._waiting.append((owner_kind, owner, text, fragments))

    def flush(self) -> None:
        """Write out what waits."""
        # FTS5 gathers only what comes in the order of its numbers, in which the newest is the first.
        waiting, self._waiting = sorted(self._waiting, reverse=True), []
        for owner_kind, entry in ENTRY.items():
            mine = [one[1:] for one in waiting if one[0] == owner_kind]
            texts = [(owner, text) for owner, text, _ in mine]
            pieces = [(owner, fragments) for owner, _, fragments in mine if fragments]
            for index, rows in (("fts", texts), ("trigram", pieces)):
                self._db.executemany(f"INSERT INTO {owner_kind}_{index} (rowid, text) VALUES ({entry}, ?)", rows)

    def discard(self) -> None:
        """Forget what waits, because the transaction is taken back."""
        self._waiting.clear()

    def remove(self, owner_kind: str, owner: int) -> None:
        self.flush()
        for index in ("fts", "trigram"):
            self._db.execute(f"DELETE FROM {owner_kind}_{index} WHERE rowid = {ENTRY[owner_kind]}", (owner,))

    def trigrams(
        self,
        owner_kind: str,
        project: Project,
        match: str,
        limit: int,
        *,
        tree: int = 0,
        unless: tuple[int, int] | None = None,
        tags: Sequence[str] = (),
    ) -> Columns:
        """The rows of a project that an expression over code fragments matches, newest first, unranked."""
        scoped = _scoped(owner_kind, tree, unless, tags)
        return self._columns(f"{owner_kind}_trigram", owner_kind, project, match, limit, scoped)

    def postings(
        self,
        owner_kind: str,
        project: Project,
        match: str,
        limit: int,
        *,
        tree: int = 0,
        unless: tuple[int, int] | None = None,
        tags: Sequence[str] = (),
    ) -> list[Posting]:
        """The rows of a project that an expression matches, newest first, unranked."""
        self.flush()
        scoped = _scoped(owner_kind, tree, unless, tags)
        sql = _matching(f"{owner_kind}_fts", owner_kind, scoped)
        return list(map(Posting._make, self._db.execute(sql, (project.row, match, limit, *scoped[2]))))

    def columns(
        self,
        owner_kind: str,
        project: Project,
        match: str,
        limit: int,
        *,
        tree: int = 0,
        unless: tuple[int, int] | None = None,
        tags: Sequence[str] = (),
    ) -> Columns:
        """What `postings` gives, in columns."""
        scoped = _scoped(owner_kind, tree, unless, tags)
        return self._columns(f"{owner_kind}_fts", owner_kind, project, match, limit, scoped)

    def _columns(
        self,
        table: str,
        owner_kind: str,
        project: Project,
        match: str,
        limit: int,
        scoped: tuple[str, str, tuple[int | str, ...]],
    ) -> Columns:
        self.flush()
        # Text that is parsed at once is had sooner than thousands of rows.
        sql = f"""
            SELECT json_group_array(row), json_group_array(place), json_group_array(length), json_group_array(traits)
            FROM ({_matching(table, owner_kind, scoped)})
        """
        return Columns._make(map(json.loads, self._db.rows(sql, project.row, match, limit, *scoped[2])[0]))

    def places(self, project: Project, places: Sequence[int]) -> list[Posting]:
        """The visible windows at these places (see `SESSION`)."""
        found = self._db.execute(
            f"""SELECT {_POSTINGS["window"]} FROM json_each(?) wanted
            CROSS JOIN window o ON o.session = wanted.value / {SESSION} AND o.ordinal = wanted.value % {SESSION}
            WHERE o.project = ? AND {VISIBLE_WINDOW}""",
            (json.dumps(places), project.row),
        )
        return list(map(Posting._make, found))

    def window_rows(self, project: Project, rows: Sequence[int]) -> dict[int, WindowRow]:
        """Those of these windows of a project that are visible, by their numbers."""
        found = self._db.execute(
            f"""SELECT o.row, o.episode, o.session, {_PLACE}, o.start, o."end", e.role, e.author, e.occurred_at,
                o.traits, (SELECT count(*) FROM window n WHERE n.episode = o.episode)
            FROM json_each(?) wanted CROSS JOIN window o ON o.row = wanted.value
            CROSS JOIN episode e ON e.seq = o.episode
            WHERE o.project = ? AND {VISIBLE_WINDOW}""",
            (json.dumps(rows), project.row),
        )
        return {row[0]: WindowRow._make(row) for row in found}

    def told(self, project: Project, limit: int, *, unless: tuple[int, int] | None = None) -> list[int]:
        """The newest windows that instruct or prefer, newest first."""
        _, scope, bound = _scoped("window", 0, unless)
        told = f"o.traits & {DIRECTIVE | PREFERENCE}"
        sql = f"SELECT o.row FROM window o WHERE {scope} AND {told} ORDER BY o.row DESC LIMIT ?2"
        return [row[0] for row in self._db.rows(sql, project.row, limit, *([None] if bound else []), *bound)]

    def between(
        self, project: Project, from_ms: int, to_ms: int, limit: int, *, unless: tuple[int, int] | None = None
    ) -> list[int]:
        """The windows of what happened from `from_ms` until before `to_ms`, the latest first."""
        _, scope, bound = _scoped("window", 0, unless)
        sql = f"""
            SELECT o.row FROM episode e CROSS JOIN window o ON o.episode = e.seq
            WHERE e.project = ?1 AND e.occurred_at >= ?2 AND e.occurred_at < ?6 AND {scope}
            ORDER BY e.occurred_at DESC, e.seq DESC, o.start LIMIT ?3
        """
        values = (project.row, from_ms, limit, *bound, *[None] * (2 - len(bound)), to_ms)
        return [row[0] for row in self._db.rows(sql, *values)]

    def authors(self, project: Project) -> list[str]:
        """Who said anything that is visible, as far as hosts name people, in order."""
        # One step of the index for each author, however much they said.
        found = self._db.rows(
            """WITH RECURSIVE author (name) AS (
                SELECT min(author) FROM episode WHERE project = ?1 AND author <> ''
                UNION ALL
                SELECT (
                    SELECT min(e.author) FROM episode e
                    WHERE e.project = ?1 AND e.author > a.name AND e.author <> '')
                FROM author a WHERE a.name IS NOT NULL)
            SELECT a.name FROM author a WHERE EXISTS (
                SELECT 1 FROM episode e WHERE e.project = ?1 AND e.author = a.name AND e.author <> ''
                    AND NOT EXISTS (SELECT 1 FROM hidden_episode h WHERE h.episode = e.seq))""",
            project.row,
        )
        return [row[0] for row in found]

    def frequencies(
        self,
        owner_kind: str,
        project: Project,
        matches: Sequence[str],
        at_most: int,
        *,
        tree: int = 0,
        unless: tuple[int, int] | None = None,
        tags: Sequence[str] = (),
    ) -> list[int]:
        """In how many rows of a project each of these expressions occurs, counted up to `at_most`."""
        self.flush()
        join, scope, bound = _scoped(owner_kind, tree, unless, tags)
        table = f"{owner_kind}_fts"
        rows = f"{table} i CROSS {join} WHERE {table} MATCH t.value AND {scope}"
        if owner_kind == "window" and not unless:
            # Where nothing is hidden, the index alone tells.
            rows = f"""{table} i WHERE {table} MATCH t.value AND {OF_PROJECT} AND (
                NOT EXISTS (SELECT 1 FROM hidden_episode)
                OR EXISTS (SELECT 1 FROM window o WHERE o.row = {ROW} AND {scope}))"""
        sql = f"SELECT (SELECT count(*) FROM (SELECT 1 FROM {rows} LIMIT ?3)) FROM json_each(?2) t ORDER BY t.key"
        return [row[0] for row in self._db.rows(sql, project.row, json.dumps(matches), at_most, *bound)]

    def size(self, owner_kind: str, project: Project, at_most: int) -> int:
        """How many windows, notes or facts that are not hidden a project has, counted up to `at_most`."""
        table, scope = {"window": ("window", ""), "revision": ("note", "AND withdrawn IS NULL"), "fact": ("fact", "")}[
            owner_kind
        ]
        if owner_kind == "window" and self._db.row("SELECT 1 FROM hidden_episode LIMIT 1"):
            # Only where something is hidden is more than an index read.
            scope = f"AND {VISIBLE_WINDOW}"
        sql = f"SELECT count(*) FROM (SELECT 1 FROM {table} o WHERE project = ? {scope} LIMIT ?)"
        return self._db.value(sql, project.row, at_most)

    def said_in(self, project: Project, episodes: Sequence[int]) -> dict[int, tuple[int, bool]]:
        """For the episodes in which a note was written or said again: its newest revision, and whether that says it.

        What was said again before the note was revised says what an older revision says. Several revisions may have one
        episode, where only what they are about changed: it says the newest of them.
        """
        found = self._db.rows(
            """SELECT r.episode, n.head, r.row = n.head, r.row AS place
            FROM json_each(?1) wanted CROSS JOIN revision r ON r.episode = wanted.value JOIN note n ON n.row = r.note
            WHERE n.project = ?2 AND n.withdrawn IS NULL AND r.actor IN ('person', 'agent', 'seed')
            UNION ALL SELECT v.episode, n.head, v.created_at >= h.created_at, 0
            FROM json_each(?1) wanted CROSS JOIN evidence v ON v.episode = wanted.value JOIN note n ON n.row = v.note
            JOIN revision h ON h.row = n.head JOIN operation o ON o.row = v.operation
            WHERE n.project = ?2 AND n.withdrawn IS NULL AND v.kind = 'same'
                AND o.kind = 'remember' AND o.undone_at IS NULL
            ORDER BY 3, place""",
            json.dumps(episodes),
            project.row,
        )
        return {episode: (head, bool(newest)) for episode, head, newest, _ in found}

    def untold(self, project: Project, episodes: Sequence[int]) -> set[int]:
        """Those of these episodes that only hold the words of notes that were withdrawn."""
        found = self._db.rows(
            """SELECT episode FROM (
                SELECT r.episode, n.withdrawn IS NOT NULL AND r.actor IN ('person', 'agent', 'seed') AS gone
                FROM json_each(?1) wanted CROSS JOIN revision r ON r.episode = wanted.value
                JOIN note n ON n.row = r.note WHERE n.project = ?2
                UNION ALL SELECT v.episode, n.withdrawn IS NOT NULL
                FROM json_each(?1) wanted CROSS JOIN evidence v ON v.episode = wanted.value
                JOIN note n ON n.row = v.note JOIN operation o ON o.row = v.operation
                WHERE n.project = ?2 AND v.kind = 'same' AND o.kind = 'remember' AND o.undone_at IS NULL)
            GROUP BY episode HAVING min(gone)""",
            json.dumps(episodes),
            project.row,
        )
        return {episode for (episode,) in found}

    def about_facts(self, project: Project, facts: Sequence[int], limit: int, *, tags: Sequence[str] = ()) -> list[int]:
        """Newest revisions with an anchor to one of these facts, by its number or by its path and name."""
        found = self._db.rows(
            f"""SELECT DISTINCT o.head FROM anchor a JOIN note o ON o.head = a.revision
            WHERE +o.project = ?1 AND o.withdrawn IS NULL AND (?4 = '[]' OR {TAGGED.format("?4")}) AND a.row IN (
                SELECT b.row FROM anchor b WHERE b.fact IN (SELECT value FROM json_each(?2))
                UNION SELECT c.row FROM fact f JOIN anchor c ON c.path = f.path AND c.name = f.name
                WHERE +f.project = ?1 AND f.row IN (SELECT value FROM json_each(?2)) AND c.path <> '')
            ORDER BY o.head DESC LIMIT ?3""",
            project.row,
            json.dumps(facts),
            limit,
            json.dumps(tags),
        )
        return [row[0] for row in found]

    def about_files(self, project: Project, paths: Sequence[str], limit: int, *, tags: Sequence[str] = ()) -> list[int]:
        """Newest revisions with an anchor in one of these files."""
        found = self._db.rows(
            f"""SELECT DISTINCT o.head FROM anchor a JOIN note o ON o.head = a.revision
            WHERE o.project = ?1 AND o.withdrawn IS NULL
                AND a.path IN (SELECT value FROM json_each(?2)) AND a.path <> ''
                AND (?4 = '[]' OR {TAGGED.format("?4")})
            ORDER BY o.head DESC LIMIT ?3""",
            project.row,
            json.dumps(paths),
            limit,
            json.dumps(tags),
        )
        return [row[0] for row in found]

    def tagged(self, project: Project, tags: Sequence[str], limit: int, *, among: Sequence[str] = ()) -> list[int]:
        """Newest revisions that have one of these tags and, if any are given, one of `among` too, newest first."""
        found = self._db.rows(
            f"""SELECT o.head FROM note o WHERE o.project = ?1 AND o.withdrawn IS NULL AND {TAGGED.format("?2")}
                AND (?4 = '[]' OR {TAGGED.format("?4")})
            ORDER BY o.head DESC LIMIT ?3""",
            project.row,
            json.dumps(tags),
            limit,
            json.dumps(among),
        )
        return [row[0] for row in found]

    def tags(self, project: Project, heads: Sequence[int]) -> dict[int, tuple[str, ...]]:
        """The tags of those of these newest revisions that have any."""
        found = self._db.rows(
            """SELECT o.head, r.tags FROM note o JOIN revision r ON r.row = o.head
            WHERE o.project = ? AND o.withdrawn IS NULL
                AND o.head IN (SELECT value FROM json_each(?)) AND r.tags <> '[]'""",
            project.row,
            json.dumps(heads),
        )
        return {head: tuple(json.loads(tags)) for head, tags in found}

    def ids(self, owner_kind: str, project: Project, rows: Sequence[int]) -> dict[int, str]:
        """The ids of these episodes, facts, or notes (by their newest revisions) of a project."""
        table, row = {"episode": ("episode", "seq"), "revision": ("note", "head"), "fact": ("fact", "row")}[owner_kind]
        found = self._db.rows(
            f"SELECT {row}, id FROM {table} WHERE +project = ? AND {row} IN (SELECT value FROM json_each(?))",
            project.row,
            json.dumps(rows),
        )
        return dict(found)
