"""Projects, trees and sessions, and the small tables every other part leans on."""

STATEMENTS = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE project (
    row INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    key TEXT NOT NULL UNIQUE CHECK (key <> ''),
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE tree (
    row INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    project INTEGER NOT NULL REFERENCES project (row),
    root TEXT NOT NULL CHECK (root <> ''),
    created_at INTEGER NOT NULL,
    UNIQUE (project, root)
) STRICT;

CREATE TABLE session (
    row INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    project INTEGER NOT NULL REFERENCES project (row),
    host TEXT NOT NULL,
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (project, host, name)
) STRICT;

CREATE TABLE operation (
    row INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    project INTEGER NOT NULL REFERENCES project (row),
    kind TEXT NOT NULL CHECK (kind <> ''),
    detail TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    undone_at INTEGER
) STRICT;
CREATE INDEX operation_project ON operation (project, row);
"""
