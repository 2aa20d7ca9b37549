"""Taking texts out of the full-text tables so that nothing of them stays in the file.

A deletion from a table with `contentless_delete` leaves the words where they are, under a tombstone, until their
segment is merged, and the segments of a large store are merged seldom. FTS5 can take entries out in place
(https://www.sqlite.org/fts5.html#the_secure_delete_configuration_option), but only of a table without that option and
when it is told the text. So the option is put aside for the length of the work, in the transaction of the work: no
other connection ever sees the table without it. A text is taken for the one that was indexed when it has as many words;
of any other entry the table is merged whole, which takes longer on a large one and needs no text.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from moored.store.sqlite.connection import Connection

_OPTION = ", contentless_delete=1"

CHECKED = 40
"""Words of an entry, the longest ones, that are looked for after it was taken out; fewer of each of many entries."""

PROBES = 4_000
"""Words that are looked for altogether, at least one of each entry."""

BULK = 20
"""From one in so many entries of a table on, writing it anew is sooner done than taking them out one by one."""

Entry = tuple[int, str]
"""The number of a row and what was indexed of it."""


def take_out(connection: Connection, table: str, entries: Sequence[Entry]) -> None:
    """Take these entries out of a full-text table, and all that the file holds of them."""
    indexed = _word_counts(connection, f"{table}_docsize", [row for row, _ in entries])
    entries = [entry for entry in entries if entry[0] in indexed]
    if not entries:
        return
    if len(entries) * BULK >= connection.value(f"SELECT count(*) FROM {table}_docsize"):
        _delete(connection, table, entries)
        merge(connection, table)
        return
    told = _counted(connection, table, entries)
    same = [entry for entry in entries if told.get(entry[0]) == indexed[entry[0]]]
    others = [entry for entry in entries if told.get(entry[0]) != indexed[entry[0]]]
    if same:
        with _without_tombstones(connection, table):
            connection.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('secure-delete', 1)")
            connection.executemany(f"INSERT INTO {table} ({table}, rowid, text) VALUES ('delete', ?, ?)", same)
            connection.execute(f"INSERT INTO {table} ({table}, rank) VALUES ('secure-delete', 0)")
            words = max(min(CHECKED, PROBES // len(same)), 1)
            left = [entry for entry in same if _holds(connection, table, entry, words)]
    else:
        left = []
    if others:
        _delete(connection, table, others)
    if others or left:
        merge(connection, table)


def merge(connection: Connection, table: str) -> None:
    """Write a full-text table anew, without what was deleted from it."""
    connection.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")


def _delete(connection: Connection, table: str, entries: Sequence[Entry]) -> None:
    connection.executemany(f"DELETE FROM {table} WHERE rowid = ?", [(row,) for row, _ in entries])


def _word_counts(connection: Connection, docsize: str, rows: Sequence[int]) -> dict[int, bytes]:
    """How many words each of these entries has, as FTS5 writes it down."""
    wanted = "(SELECT value FROM json_each(?))"
    return dict(connection.rows(f"SELECT id, sz FROM {docsize} WHERE id IN {wanted}", json.dumps(list(rows))))


def _counted(connection: Connection, table: str, entries: Sequence[Entry]) -> dict[int, bytes]:
    """The same for texts that are not indexed, counted by an index in memory that is made the same way."""
    made: str = connection.value("SELECT sql FROM sqlite_schema WHERE name = ?", table)
    connection.execute(made.replace(f"TABLE {table} ", "TABLE temp.told_entries ").replace(_OPTION, ""))
    try:
        connection.executemany("INSERT INTO temp.told_entries (rowid, text) VALUES (?, ?)", entries)
        return _word_counts(connection, "temp.told_entries_docsize", [row for row, _ in entries])
    finally:
        connection.execute("DROP TABLE temp.told_entries")


def _holds(connection: Connection, table: str, entry: Entry, most: int) -> bool:
    """Whether a row is still found by one of its longest words, of which so many are tried."""
    row, text = entry
    words = sorted({word for word in text.split() if word.isalnum()}, key=lambda word: (-len(word), word))[:most]
    if table.endswith("_trigram"):
        words = [word[:3] for word in words if len(word) >= 3]
    sql = f"SELECT 1 FROM {table} WHERE {table} MATCH ? AND rowid = ?"
    return any(connection.row(sql, f'"{word}"', row) for word in words)


@contextmanager
def _without_tombstones(connection: Connection, table: str) -> Generator[None]:
    """Read a full-text table as one without `contentless_delete`, on this connection and for the length of the block.

    What SQLite keeps of the table is the same before and after; the file is never committed in between.
    """
    made: str = connection.value("SELECT sql FROM sqlite_schema WHERE name = ?", table)
    _declare(connection, table, made.replace(_OPTION, ""))
    try:
        yield
    finally:
        _declare(connection, table, made)


def _declare(connection: Connection, table: str, sql: str) -> None:
    # FTS5 writes out what it has gathered at a savepoint. What a table still held when it is declared anew would be
    # written at the end over what is written from now on.
    connection.rows("SAVEPOINT declared; RELEASE declared")
    connection.rows("PRAGMA writable_schema = ON")
    try:
        connection.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (sql, table))
    finally:
        # Reads the schema again as well (https://www.sqlite.org/pragma.html#pragma_writable_schema).
        connection.rows("PRAGMA writable_schema = RESET")
