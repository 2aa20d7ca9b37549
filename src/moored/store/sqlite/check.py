"""What `Store.check` looks for: a sound file, sound keys, and, in a deep look, what breaks a promise.

Here are the rows, indexes and queue that have to agree (I-16). The life of notes is in `check_life`, what is kept of
the record and the ledger in `check_record`, what the database itself refuses in `check_guards`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.model.promises import Finding
from moored.store.sqlite.check_guards import missing_guards
from moored.store.sqlite.check_life import LIFE
from moored.store.sqlite.check_record import RECORD, altered, secrets
from moored.store.sqlite.entries import ENTRIES, ROW_OF_ANY, numbered

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from moored.store.sqlite.connection import Connection

_VECTOR_OR_QUEUE = """
NOT EXISTS (SELECT 1 FROM vector v WHERE v.owner_kind = '{kind}' AND v.owner = {owner})
AND NOT EXISTS (SELECT 1 FROM vector_queue q WHERE q.owner_kind = '{kind}' AND q.owner = {owner})
"""
_ORPHAN = "SELECT owner FROM {table} WHERE owner_kind = '{owners}' AND owner NOT IN (SELECT row FROM {owners})"

# What is wrong, in words, and the query for the numbers of the rows of which it is true.
_DISAGREEMENTS: tuple[tuple[str, str], ...] = (
    (
        "window {} has no full-text entry",
        f"SELECT row FROM window WHERE {numbered('project', 'row')} NOT IN (SELECT id FROM window_fts_docsize)",
    ),
    (
        "window {} has neither a vector nor a place in the queue",
        "SELECT row FROM window WHERE dense = 1 AND " + _VECTOR_OR_QUEUE.format(kind="window", owner="window.row"),
    ),
    (
        "window {} belongs to another project or session than its episode",
        """SELECT w.row FROM window w JOIN episode e ON e.seq = w.episode
        WHERE w.project <> e.project OR w.session <> e.session""",
    ),
    ("episode {} has no window", "SELECT seq FROM episode WHERE seq NOT IN (SELECT episode FROM window)"),
    (
        "revision {}, the newest of its note, has no full-text entry",
        f"""SELECT head FROM note
        WHERE withdrawn IS NULL AND {numbered("project", "head")} NOT IN (SELECT id FROM revision_fts_docsize)""",
    ),
    (
        "revision {}, the newest of its note, has neither a vector nor a place in the queue",
        "SELECT head FROM note WHERE withdrawn IS NULL AND "
        + _VECTOR_OR_QUEUE.format(kind="revision", owner="note.head"),
    ),
    (
        "vector {} has another dimension than its model",
        "SELECT v.row FROM vector v JOIN vector_space s ON s.row = v.space WHERE length(v.bytes) <> s.dimension",
    ),
    (
        "vector {} has no signs, as others of its model do",
        """SELECT row FROM vector WHERE space IN (SELECT space FROM vector_sign)
        AND row NOT IN (SELECT vector FROM vector_sign)""",
    ),
    (
        "the signs of vector {} are not those of its owner",
        """SELECT g.vector FROM vector_sign g LEFT JOIN vector v ON v.row = g.vector
        WHERE (v.project, v.space, v.owner_kind, v.owner) IS NOT (g.project, g.space, g.owner_kind, g.owner)""",
    ),
    (
        "the signs of vector {} are of another length than others of its model",
        """SELECT g.vector FROM vector_sign g JOIN vector_space s ON s.row = g.space
        WHERE length(g.bits) <> (s.dimension + 7) / 8""",
    ),
    (
        "fact {} has no full-text entry",
        """SELECT row FROM fact WHERE tree <> 0 AND gone_at IS NULL AND kind <> 'import'
        AND row NOT IN (SELECT id FROM fact_fts_docsize)""",
    ),
    (
        "fact {} has gone, and its full-text entry has not",
        "SELECT row FROM fact WHERE gone_at IS NOT NULL AND row IN (SELECT id FROM fact_fts_docsize)",
    ),
    *(
        (
            f"an entry of {owners}_{index} is of {owners} {{}}, which is not there",
            f"""SELECT {"id" if owners == "fact" else ROW_OF_ANY} FROM {owners}_{index}_docsize
            WHERE id NOT IN ({ENTRIES[owners]})""",
        )
        for owners in ("window", "revision", "fact")
        for index in ("fts", "trigram")
    ),
    *(
        (
            f"an entry of {table} is of {owners} {{}}, which is not there",
            _ORPHAN.format(table=table, owners=owners),
        )
        for owners in ("window", "revision")
        for table in ("vector", "vector_queue")
    ),
)

SHOWN = 20
"""How many rows of one disagreement are named; the others are counted."""


def problems(connection: Connection, *, deep: bool) -> Iterator[Finding]:
    """What is wrong, as it is found. In a damaged file nothing is looked at beyond the damage."""
    sound = True
    for (finding,) in connection.execute(f"PRAGMA {'integrity_check' if deep else 'quick_check'}"):
        if finding != "ok":
            sound = False
            yield Finding("", str(finding))
    if not sound:
        return
    for table, row, parent, _ in connection.execute("PRAGMA foreign_key_check"):
        yield Finding("I-16", f"row {row} of {table} names a row of {parent} that is not there")
    if deep:
        yield from _named("", "{} is not as moored made it", missing_guards(connection))
        for promise, words, query in (*(("I-16", *one) for one in _DISAGREEMENTS), *LIFE, *RECORD):
            yield from _named(promise, words, [row[0] for row in connection.rows(f"{query} ORDER BY 1")])
        yield from _named("I-01", "episode {} is not what was acknowledged", altered(connection))
        yield from _named("I-20", "{} holds a secret", secrets(connection))


def _named(promise: str, words: str, things: Iterable[object]) -> Iterator[Finding]:
    """A finding for each of the first things of which something is true, and one that counts the others."""
    named = list(things)
    yield from (Finding(promise, words.format(one)) for one in named[:SHOWN])
    if len(named) > SHOWN:
        yield Finding(promise, f"and {len(named) - SHOWN:,} more: " + words.format("..."))
