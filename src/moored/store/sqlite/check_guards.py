"""What a deep check looks for in the schema: every table, index and trigger of ours, word for word, and the registry.

The database refuses what must not happen by its constraints and triggers. A store that lacks one of them may be as it
was promised by chance alone, so that nothing is proved of it.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from moored.store.sqlite.connection import Connection
from moored.store.sqlite.migrations import MIGRATIONS, UPGRADES

if TYPE_CHECKING:
    from collections.abc import Iterator

_SCHEMA = "SELECT type || ' ' || name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid"


def missing_guards(connection: Connection) -> Iterator[str]:
    """The tables, indexes and triggers that are not there as the migrations make them, and strange extractors."""
    with closing(Connection(Path(":memory:"))) as made:
        for name, statements in MIGRATIONS:
            with made.ledger_writer():
                made.rows(statements)
            if upgrade := UPGRADES.get(name):
                upgrade(made)
        wanted = made.rows(_SCHEMA)
        extractors = made.rows("SELECT name FROM extractor")
    there = dict(connection.rows(_SCHEMA))
    yield from (name for name, sql in wanted if there.get(name) != sql)
    known = {name for (name,) in extractors}
    yield from (f"extractor {name}" for (name,) in connection.rows("SELECT name FROM extractor") if name not in known)
