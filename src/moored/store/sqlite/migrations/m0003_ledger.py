"""The ledger: files, facts and the history of facts.

`moored_ledger()` is a function that only moored's own connections define, and it is true only inside the ledger
writer: any other connection that writes here fails (I-02). NULL never stands in a unique key: a fact that
belongs to no tree or no episode holds 0 there.
"""

GUARDED = ("fact", "fact_version", "file", "edge", "outline", "relink")

_GUARD = """
CREATE TRIGGER {table}_{verb}_guard BEFORE {verb} ON {table}
WHEN moored_ledger() IS NOT 1
BEGIN SELECT RAISE (ABORT, 'only the ledger writer can write {table}'); END;
"""


def guards(*tables: str) -> str:
    """The triggers that keep everything but the ledger writer out of `tables`."""
    return "".join(_GUARD.format(table=t, verb=v) for t in tables for v in ("INSERT", "UPDATE", "DELETE"))


STATEMENTS = """
CREATE TABLE extractor (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
INSERT INTO extractor VALUES ('code'), ('command'), ('config'), ('file'), ('output');
CREATE TRIGGER extractor_closed BEFORE INSERT ON extractor
BEGIN SELECT RAISE (ABORT, 'the registry of extractors is closed'); END;
CREATE TRIGGER extractor_immutable BEFORE UPDATE ON extractor
BEGIN SELECT RAISE (ABORT, 'the registry of extractors is closed'); END;
CREATE TRIGGER extractor_kept BEFORE DELETE ON extractor
BEGIN SELECT RAISE (ABORT, 'the registry of extractors is closed'); END;

CREATE TABLE file (
    row INTEGER PRIMARY KEY,
    tree INTEGER NOT NULL REFERENCES tree (row),
    path TEXT NOT NULL CHECK (path <> ''),
    size INTEGER NOT NULL,
    mtime_ns INTEGER NOT NULL,
    ctime_ns INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    content_hash TEXT NOT NULL,
    language TEXT NOT NULL,
    errors INTEGER NOT NULL,
    omitted INTEGER NOT NULL,
    indexed_at_ns INTEGER NOT NULL,
    UNIQUE (tree, path)
) STRICT;

CREATE TABLE fact (
    row INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    project INTEGER NOT NULL REFERENCES project (row),
    tree INTEGER NOT NULL,
    path TEXT NOT NULL,
    episode INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind <> ''),
    name TEXT NOT NULL CHECK (name <> ''),
    leaf TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    value TEXT NOT NULL,
    signature_hash TEXT NOT NULL,
    body_hash TEXT NOT NULL CHECK (body_hash <> ''),
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    parent TEXT NOT NULL,
    doc TEXT NOT NULL,
    trivial INTEGER NOT NULL,
    extractor TEXT NOT NULL REFERENCES extractor (name),
    since INTEGER NOT NULL,
    gone_at INTEGER,
    CHECK ((tree <> 0) = (path <> '')),
    CHECK (tree <> 0 OR episode <> 0)
) STRICT;
CREATE UNIQUE INDEX fact_identity ON fact (tree, path, name, kind, ordinal, project, episode) WHERE gone_at IS NULL;
CREATE INDEX fact_file ON fact (tree, path, gone_at);
CREATE INDEX fact_kind ON fact (tree, kind) WHERE gone_at IS NULL;
CREATE INDEX fact_name ON fact (project, name);
CREATE INDEX fact_leaf ON fact (project, leaf);
CREATE INDEX fact_body ON fact (tree, body_hash) WHERE gone_at IS NULL AND trivial = 0;
CREATE INDEX fact_episode ON fact (episode) WHERE episode <> 0;
CREATE UNIQUE INDEX fact_command ON fact (project, name) WHERE kind = 'command';

CREATE TABLE fact_version (
    row INTEGER PRIMARY KEY,
    fact INTEGER NOT NULL REFERENCES fact (row),
    path TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    signature_hash TEXT NOT NULL,
    body_hash TEXT NOT NULL,
    line INTEGER NOT NULL,
    episode INTEGER NOT NULL,
    since INTEGER NOT NULL,
    until INTEGER NOT NULL,
    change TEXT NOT NULL
) STRICT;
CREATE INDEX fact_version_fact ON fact_version (fact, row);
""" + guards("file", "fact", "fact_version")
