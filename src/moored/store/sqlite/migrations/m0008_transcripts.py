"""Transcripts of hosts: how far each was read, and which of their events the record holds.

A transcript is a file, or one session of a host's database. What was read of it is known by the hash of its bytes from
the beginning to `next`, where reading goes on.

An event of a transcript belongs to the episode that an import wrote for it, or to the one that a hook had captured of
the same thing before. `parent` is the host's name of the event that it follows, as far as the transcript says.
"""

STATEMENTS = """
CREATE TABLE transcript (
    row INTEGER PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES project (row),
    source TEXT NOT NULL CHECK (source <> ''),
    stamp TEXT NOT NULL,
    next INTEGER NOT NULL CHECK (next >= 0),
    lines INTEGER NOT NULL CHECK (lines >= 0),
    prefix_hash TEXT NOT NULL,
    carried TEXT NOT NULL,
    UNIQUE (project, source)
) STRICT;

CREATE TABLE transcript_event (
    project INTEGER NOT NULL REFERENCES project (row),
    event TEXT NOT NULL CHECK (event <> ''),
    episode INTEGER NOT NULL REFERENCES episode (seq),
    parent TEXT NOT NULL,
    PRIMARY KEY (project, event, episode)
) STRICT, WITHOUT ROWID;
CREATE INDEX transcript_event_episode ON transcript_event (episode);
"""
