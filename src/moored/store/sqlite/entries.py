"""The numbers under which windows and revisions stand in the full-text tables.

A search walks what holds a word in the order of these numbers. So those of a project stand together, the newest first:
a search comes to its own at once, and takes as long however much other projects hold. Facts stand under their own
numbers: the ledger writes many at once, and in that order.
"""

from __future__ import annotations

APART = 1 << 32
"""Numbers that each project has."""

OF_PROJECT = f"i.rowid BETWEEN ?1 * {APART} AND (?1 + 1) * {APART}"
"""The entries `i` of the project ?1."""


def numbered(project: str, row: str) -> str:
    """The SQL of the number of a row in a project."""
    return f"(({project} + 1) * {APART} - {row})"


ROW = numbered("?1", "i.rowid")
"""The row of an entry `i` of the project ?1."""

ROW_OF_ANY = f"{APART} - id % {APART}"
"""The row of an entry `id` of any project."""

_NUMBER = {
    "window": f"SELECT {numbered('o.project', 'o.row')} FROM window o",
    "revision": f"SELECT {numbered('o.project', 'r.row')} FROM revision r JOIN note o ON o.row = r.note",
}

ENTRY = {
    "window": f"({_NUMBER['window']} WHERE o.row = ?)",
    "revision": f"({_NUMBER['revision']} WHERE r.row = ?)",
}
"""The number of a row, by what it is of."""

ENTRIES = {**_NUMBER, "fact": "SELECT row FROM fact"}
"""All numbers that there are."""
