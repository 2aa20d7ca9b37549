"""Aliases: other names of what people speak of, compared by their folded forms."""

STATEMENTS = """
CREATE TABLE alias (
    row INTEGER PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES project (row),
    name TEXT NOT NULL,
    name_folded TEXT NOT NULL CHECK (name_folded <> ''),
    alias TEXT NOT NULL,
    alias_folded TEXT NOT NULL CHECK (alias_folded <> '' AND alias_folded <> name_folded),
    episode INTEGER REFERENCES episode (seq),
    origin TEXT NOT NULL CHECK (origin IN ('text', 'person', 'agent')),
    at INTEGER NOT NULL,
    UNIQUE (project, name_folded, alias_folded),
    CHECK (origin <> 'text' OR episode IS NOT NULL)
) STRICT;
CREATE INDEX alias_alias ON alias (project, alias_folded);
CREATE INDEX alias_episode ON alias (episode) WHERE episode IS NOT NULL;
"""
