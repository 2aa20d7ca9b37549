"""The code graph: edges between facts, each with the hash of its source as it was when the edge was observed.

`outline` keeps what the linker has to know of a file to resolve names without parsing it again. `exports` says what
the file offers, as pairs of 32-bit numbers: the key under which others look a name up, and a hash of what they find.
`lookups` holds the keys that the file itself looked up when it was linked last. `relink` holds keys whose answer
changed and that have not been compared with the lookups of other files yet.
"""

from moored.store.sqlite.migrations.m0003_ledger import guards

STATEMENTS = """
CREATE TABLE edge (
    row INTEGER PRIMARY KEY,
    file INTEGER NOT NULL REFERENCES file (row),
    kind TEXT NOT NULL CHECK (kind IN ('call', 'import', 'inherit', 'use')),
    source INTEGER NOT NULL REFERENCES fact (row),
    target INTEGER NOT NULL,
    target_name TEXT NOT NULL,
    resolved INTEGER NOT NULL,
    line INTEGER NOT NULL,
    source_hash TEXT NOT NULL
) STRICT;
CREATE INDEX edge_file ON edge (file, resolved);
CREATE INDEX edge_source ON edge (source, kind);
CREATE INDEX edge_target ON edge (target, kind) WHERE target <> 0;

CREATE TABLE outline (
    file INTEGER PRIMARY KEY REFERENCES file (row),
    tree INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    linked INTEGER NOT NULL,
    exports BLOB NOT NULL,
    lookups BLOB NOT NULL,
    interface BLOB NOT NULL,
    uses BLOB NOT NULL
) STRICT;
CREATE INDEX outline_waiting ON outline (tree) WHERE linked = 0;

CREATE TABLE relink (
    row INTEGER PRIMARY KEY AUTOINCREMENT,
    tree INTEGER NOT NULL,
    path TEXT NOT NULL,
    exports BLOB NOT NULL
) STRICT;
CREATE INDEX relink_tree ON relink (tree);

CREATE TRIGGER file_outline BEFORE DELETE ON file
BEGIN
    INSERT INTO relink (tree, path, exports)
        SELECT OLD.tree, OLD.path, outline.exports FROM outline WHERE outline.file = OLD.row;
    DELETE FROM outline WHERE outline.file = OLD.row;
END;
""" + guards("edge", "outline", "relink")
