"""Writes down the schema of a new store. Run as a program it renews `tests/store/schema.sql`."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from moored.store.sqlite.store import Store

RECORDED = Path(__file__).parents[1] / "store" / "schema.sql"


def dump() -> str:
    """Every table, index and trigger of a new store, with the steps that made them."""
    with TemporaryDirectory() as folder:
        store = Store(Path(folder) / "moored.db")
        with store.read() as view:
            steps = [row[0] for row in view.connection.rows("SELECT name FROM migration ORDER BY row")]
            made = view.connection.rows("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid")
        store.close()
    return "\n\n".join(["-- " + ", ".join(steps), *(f"{row[0]};" for row in made)]) + "\n"


if __name__ == "__main__":
    RECORDED.write_text(dump(), encoding="utf-8")
