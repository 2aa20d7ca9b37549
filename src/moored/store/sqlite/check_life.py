"""What a deep check looks for in the life of notes: changes under operations, lineage, scope, what was forgotten.

Triggers refuse all of this while moored writes. The check finds what another program, a damaged disk or an error of
ours put into the file all the same (I-06 to I-10). Each finding is the promise, words, and the query.
"""

from __future__ import annotations

from moored.store.sqlite.entries import ROW_OF_ANY, numbered

_BEGUN = "EXISTS (SELECT 1 FROM change b WHERE b.note = n.row AND b.field = 'begun')"
_ERASURE = "f.kind = 'forget' AND f.lasting = 1 AND f.row > coalesce((SELECT max(operation) {lines}), 0)"
# Where a line of the log has to say it, and where none does because an erasure took the line out with what it names. A
# note can be written protected, and an older one was changed before there was a log. What an erasure leaves of a note
# has a revision of its own, or one that closes the ranks; of what an erased note had replaced there is no such sign.
_LOGGED = {
    "head": (
        "FALSE",
        f"""EXISTS (SELECT 1 FROM revision r JOIN operation f ON f.row = r.operation
        WHERE r.note = n.row AND {_ERASURE})""",
    ),
    "superseded_by": (_BEGUN, f"EXISTS (SELECT 1 FROM operation f WHERE f.project = n.project AND {_ERASURE})"),
    "withdrawn": ("TRUE", "FALSE"),
    "protected": ("FALSE", "FALSE"),
}


def _unlogged(field: str) -> str:
    """Notes of which a field is not what the last line of the log made of it, or is set and no line says so."""
    fields = "'begun', 'head'" if field == "head" else f"'{field}'"
    lines = f"FROM change c WHERE c.note = n.row AND c.field IN ({fields})"
    since = f"FROM change WHERE note = n.row AND field IN ('begun', {fields})"
    required, erased = _LOGGED[field]
    return f"""
SELECT n.id FROM note n WHERE n.{field} IS NOT (SELECT c.after {lines} ORDER BY c.row DESC LIMIT 1)
    AND (EXISTS (SELECT 1 {lines}) OR {required})
    AND NOT {erased.format(lines=since)}
"""


def _unlogged_changes(*fields: str) -> tuple[tuple[str, str], ...]:
    return tuple((f"the {field} of note {{}} was changed under no operation", _unlogged(field)) for field in fields)


_CHANGES: tuple[tuple[str, str], ...] = (
    *_unlogged_changes("head", "superseded_by", "withdrawn"),
    (
        "note {} was changed, and names no operation",
        "SELECT n.id FROM note n WHERE n.operation IS NULL AND n.row IN (SELECT note FROM change)",
    ),
    (
        "revision {} was written under no operation",
        f"""SELECT r.id FROM revision r JOIN note n ON n.row = r.note
        WHERE r.operation IS NULL AND (r.actor = '' OR r.cause = '' OR {_BEGUN})""",
    ),
)

_UNDOING: tuple[tuple[str, str], ...] = (
    ("operation {} was begun and never ended", "SELECT id FROM operation WHERE open = 1"),
    (
        "operation {} was taken back, and no operation says so",
        """SELECT id FROM operation o WHERE undone_at IS NOT NULL AND actor <> 'unknown' AND NOT EXISTS (
            SELECT 1 FROM operation u WHERE u.undoes = o.row AND u.undone_at IS NULL)""",
    ),
    (
        "operation {} stands, and so does what took it back",
        """SELECT o.id FROM operation o JOIN operation u ON u.undoes = o.row
        WHERE o.undone_at IS NULL AND u.undone_at IS NULL""",
    ),
)

_PROTECTION: tuple[tuple[str, str], ...] = (
    *_unlogged_changes("protected"),
    (
        "a protected note, {}, was changed by an operation that nobody asked for",
        """SELECT n.id FROM note n JOIN change c ON c.note = n.row JOIN operation o ON o.row = c.operation
        WHERE n.protected IS NOT NULL AND o.asked = 0 AND c.field <> 'begun' AND c.row > coalesce(
            (SELECT max(p.row) FROM change p WHERE p.note = n.row AND p.field = 'protected'), 0)""",
    ),
)

_LINEAGE: tuple[tuple[str, str], ...] = (
    (
        "the newest revision of note {} is of another note",
        "SELECT n.id FROM note n JOIN revision h ON h.row = n.head WHERE h.note <> n.row",
    ),
    (
        "note {} says more than was ever published of it",
        "SELECT n.id FROM note n WHERE n.latest < n.head",
    ),
    (
        "revision {} follows one of another note, or none of its own that is older",
        """SELECT r.id FROM revision r LEFT JOIN revision p ON p.row = r.parent
        WHERE (r.number = 1) <> (r.parent IS NULL) OR p.note <> r.note OR p.number >= r.number""",
    ),
    (
        "note {} was replaced by itself, by way of others",
        """WITH RECURSIVE replaced (row) AS (
            SELECT row FROM note WHERE superseded_by IS NULL
            UNION ALL SELECT n.row FROM replaced r JOIN (SELECT row, superseded_by FROM note) n
                ON n.superseded_by = r.row)
        SELECT id FROM note WHERE row NOT IN (SELECT row FROM replaced)""",
    ),
)

_INDEXES: tuple[tuple[str, str], ...] = (
    *(
        (
            f"revision {{}} is in {table}, and no note in force says it",
            f"""SELECT {ROW_OF_ANY} FROM {table}
            WHERE id NOT IN (SELECT {numbered("project", "head")} FROM note WHERE withdrawn IS NULL)""",
        )
        for table in ("revision_fts_docsize", "revision_trigram_docsize")
    ),
    *(
        (
            f"revision {{}} is in {table}, and no note in force says it",
            f"""SELECT owner FROM {table} WHERE owner_kind = 'revision'
            AND owner NOT IN (SELECT head FROM note WHERE withdrawn IS NULL)""",
        )
        for table in ("vector", "vector_queue")
    ),
)

_POINTS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("link", "note", ("note", "other")),
    ("evidence", "note", ("note",)),
    ("evidence", "episode", ("episode",)),
    ("dispute", "note", ("note", "other")),
    ("settlement", "dispute", ("dispute",)),
    ("proposal", "note", ("note",)),
    ("decision", "proposal", ("proposal",)),
    ("rating", "note", ("note",)),
    ("reminder", "note", ("note",)),
    ("reminder", "episode", ("episode",)),
    ("seeded", "note", ("note",)),
    ("alias", "episode", ("episode",)),
    ("note", "note", ("superseded_by",)),
    ("note", "operation", ("operation", "withdrawn")),
    ("operation", "operation", ("undoes",)),
    *(
        (table, "operation", ("operation",))
        for table in (
            *("link", "evidence", "dispute", "settlement", "proposal", "decision", "rating", "reminder", "rule"),
            "tombstone",
        )
    ),
)
"""Tables that have a project, what they point at, and by which columns."""


def _elsewhere(table: str, target: str, column: str) -> tuple[str, str]:
    key = "seq" if target == "episode" else "row"
    row = {"seeded": "key", "tombstone": "hash"}.get(table, "row")
    return (
        f"the {column} of {table} {{}} is of another project",
        f"SELECT t.{row} FROM {table} t JOIN {target} x ON x.{key} = t.{column} WHERE x.project <> t.project",
    )


_OF_NOTE = "JOIN note n ON n.row = {0}.note"
_SCOPE: tuple[tuple[str, str], ...] = (
    *(_elsewhere(table, target, column) for table, target, columns in _POINTS for column in columns),
    (
        "revision {} rests on an episode of another project",
        f"""SELECT r.id FROM revision r {_OF_NOTE.format("r")} JOIN episode e ON e.seq = r.episode
        WHERE e.project <> n.project""",
    ),
    (
        "revision {} was written under an operation of another project",
        f"""SELECT r.id FROM revision r {_OF_NOTE.format("r")} JOIN operation o ON o.row = r.operation
        WHERE o.project <> n.project""",
    ),
    *(
        (
            f"an anchor of revision {{}} is at {what} of another project",
            f"""SELECT r.id FROM anchor a JOIN revision r ON r.row = a.revision {_OF_NOTE.format("r")}
            JOIN {table} x ON x.{key} = a.{table} WHERE x.project <> n.project""",
        )
        for what, table, key in (("a fact", "fact", "row"), ("an episode", "episode", "seq"))
    ),
    (
        "operation {} changed a note of another project",
        f"""SELECT o.id FROM change c {_OF_NOTE.format("c")} JOIN operation o ON o.row = c.operation
        WHERE o.project <> n.project""",
    ),
    *(
        (
            f"operation {{}} {does} an episode of another project",
            f"""SELECT o.id FROM {table} h JOIN operation o ON o.row = h.operation
            JOIN episode e ON e.seq = h.episode WHERE e.project <> o.project""",
        )
        for does, table in (("brought in", "operation_episode"), ("hid", "hidden_episode"))
    ),
)

_FORGOTTEN: tuple[tuple[str, str], ...] = (
    *(
        (f"{kind} {{}} was erased, and is there", f"SELECT row FROM erased WHERE kind = '{kind}' AND row IN ({rows})")
        for kind, rows in (
            ("note", "SELECT row FROM note"),
            ("revision", "SELECT row FROM revision"),
            ("pin", "SELECT row FROM pin"),
        )
    ),
    ("episode {} was erased, and is there", "SELECT episode FROM erasure WHERE episode IN (SELECT seq FROM episode)"),
    (
        "the log of changes speaks of revision {}, which is not there",
        """SELECT x.row FROM (SELECT before AS row FROM change WHERE field IN ('begun', 'head')
            UNION SELECT after FROM change WHERE field IN ('begun', 'head')) x
        WHERE x.row IS NOT NULL AND x.row NOT IN (SELECT row FROM revision)""",
    ),
    (
        "the log of changes speaks of note {}, which is not there",
        """SELECT x.row FROM (SELECT before AS row FROM change WHERE field = 'superseded_by'
            UNION SELECT after FROM change WHERE field = 'superseded_by') x
        WHERE x.row IS NOT NULL AND x.row NOT IN (SELECT row FROM note)""",
    ),
    (
        "proposal {} is about words that are not there",
        """SELECT p.id FROM proposal p
        WHERE NOT EXISTS (SELECT 1 FROM revision r WHERE r.row = p.head AND r.note = p.note)""",
    ),
    (
        "dispute {} was settled in favour of a note that is not there",
        """SELECT d.id FROM dispute d JOIN settlement s ON s.dispute = d.row
        WHERE s.outcome <> 'both' AND s.outcome NOT IN (SELECT id FROM note WHERE row IN (d.note, d.other))""",
    ),
)

LIFE: tuple[tuple[str, str, str], ...] = tuple(
    (promise, words, query)
    for promise, group in (
        ("I-06", _SCOPE),
        ("I-07", (*_CHANGES, *_LINEAGE)),
        ("I-08", _PROTECTION),
        ("I-09", _UNDOING),
        ("I-10", (*_INDEXES, *_FORGOTTEN)),
    )
    for words, query in group
)
"""What is wrong with the life of notes: the promise that is broken, words, and the query for what it is true of."""
