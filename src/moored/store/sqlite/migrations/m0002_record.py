"""The record: immutable episodes and the windows by which they are searched.

The triggers make an episode immutable for every connection, whoever opened it. A `REPLACE` would delete a row
without firing the delete trigger, so an insert that meets an existing row is refused as well. Numbers are never
given twice (AUTOINCREMENT): an erasure names one episode for good, and an index entry cannot come to mean another.
"""

STATEMENTS = """
CREATE TABLE episode (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    project INTEGER NOT NULL REFERENCES project (row),
    session INTEGER NOT NULL REFERENCES session (row),
    role TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'tool', 'system')),
    channel TEXT NOT NULL CHECK (channel IN ('user', 'assistant', 'tool', 'document', 'import', 'summary')),
    trust TEXT NOT NULL CHECK (trust IN ('user', 'agent', 'data')),
    host_event TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    content BLOB NOT NULL,
    encoding TEXT NOT NULL CHECK (encoding IN ('raw', 'zlib')),
    size INTEGER NOT NULL,
    content_hash TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    tool_name TEXT NOT NULL,
    tool_input TEXT NOT NULL,
    exit_status INTEGER,
    corrects INTEGER REFERENCES episode (seq),
    occurred_at INTEGER NOT NULL,
    recorded_at INTEGER NOT NULL,
    UNIQUE (project, idempotency_key),
    CHECK (size > 0 OR tool_input <> ''),
    CHECK (channel = 'user' OR trust <> 'user'),
    CHECK (channel IN ('user', 'assistant') OR trust = 'data')
) STRICT;
CREATE INDEX episode_session ON episode (session, seq);
CREATE INDEX episode_project ON episode (project, seq);
CREATE INDEX episode_corrects ON episode (corrects, seq) WHERE corrects IS NOT NULL;

CREATE TABLE erasure (
    episode INTEGER PRIMARY KEY,
    reason TEXT NOT NULL CHECK (reason <> ''),
    at INTEGER NOT NULL
) STRICT;

CREATE TRIGGER episode_immutable BEFORE UPDATE ON episode
BEGIN SELECT RAISE (ABORT, 'an episode is immutable'); END;
CREATE TRIGGER episode_kept BEFORE DELETE ON episode
WHEN NOT EXISTS (SELECT 1 FROM erasure WHERE erasure.episode = OLD.seq)
BEGIN SELECT RAISE (ABORT, 'an episode is deleted only by an erasure'); END;
CREATE TRIGGER episode_unreplaced BEFORE INSERT ON episode
WHEN EXISTS (SELECT 1 FROM episode WHERE seq = NEW.seq OR id = NEW.id)
    OR EXISTS (SELECT 1 FROM episode WHERE project = NEW.project AND idempotency_key = NEW.idempotency_key)
BEGIN SELECT RAISE (ABORT, 'an episode is immutable'); END;
CREATE TRIGGER episode_corrects_own_project BEFORE INSERT ON episode
WHEN NEW.corrects IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM episode WHERE seq = NEW.corrects AND project = NEW.project)
BEGIN SELECT RAISE (ABORT, 'an episode corrects one of its own project'); END;

CREATE TABLE window (
    row INTEGER PRIMARY KEY AUTOINCREMENT,
    episode INTEGER NOT NULL REFERENCES episode (seq),
    project INTEGER NOT NULL REFERENCES project (row),
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    dense INTEGER NOT NULL DEFAULT 0,
    CHECK (start < "end")
) STRICT;
CREATE INDEX window_episode ON window (episode, start);

CREATE TABLE operation_episode (
    operation INTEGER NOT NULL REFERENCES operation (row),
    episode INTEGER NOT NULL REFERENCES episode (seq),
    PRIMARY KEY (operation, episode)
) STRICT, WITHOUT ROWID;
CREATE TABLE hidden_episode (
    episode INTEGER PRIMARY KEY REFERENCES episode (seq),
    operation INTEGER NOT NULL REFERENCES operation (row)
) STRICT;
"""
