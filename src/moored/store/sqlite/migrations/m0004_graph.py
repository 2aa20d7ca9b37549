"""The code graph: edges between facts, each with the hash of its source as it was when the edge was observed."""

from moored.store.sqlite.migrations.m0003_ledger import guards

STATEMENTS = """
CREATE TABLE edge (
    row INTEGER PRIMARY KEY,
    file INTEGER NOT NULL REFERENCES file (row),
    kind TEXT NOT NULL CHECK (kind IN ('call', 'import', 'inherit')),
    source INTEGER NOT NULL REFERENCES fact (row),
    target INTEGER NOT NULL,
    target_name TEXT NOT NULL,
    resolved INTEGER NOT NULL,
    line INTEGER NOT NULL,
    source_hash TEXT NOT NULL
) STRICT;
CREATE INDEX edge_file ON edge (file);
CREATE INDEX edge_source ON edge (source, kind);
CREATE INDEX edge_target ON edge (target, kind) WHERE target <> 0;
""" + guards("edge")
