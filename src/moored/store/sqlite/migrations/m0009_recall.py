"""What recall rests on: authors, windows that know their place in the session, and vectors in two passes.

The windows of an older store are cut and indexed anew, its vectors go, and all texts wait for a vector again.

A vector names its space, which is a model with its dimension. Its signs stand in a table of their own, clustered by
project, so that those of a whole project are read alone and in order; they and the codes of its pieces go with it. A
text stays in the queue until the configured model has given it a vector; `held` says that it has the one of the first
pass meanwhile.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from moored.model.episodes import Channel, Role
from moored.model.traits import FOLLOWS, QUESTION
from moored.model.windowing import cut, embedded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from moored.store.sqlite.connection import Connection

STATEMENTS = """
ALTER TABLE episode ADD COLUMN author TEXT NOT NULL DEFAULT '';
CREATE INDEX episode_author ON episode (project, author) WHERE author <> '';
CREATE INDEX episode_time ON episode (project, occurred_at);

DROP TABLE window;
DROP TABLE window_fts;
DROP TABLE window_trigram;
DROP TABLE vector;
DROP TABLE vector_queue;

CREATE TABLE window (
    row INTEGER PRIMARY KEY AUTOINCREMENT,
    episode INTEGER NOT NULL REFERENCES episode (seq),
    project INTEGER NOT NULL REFERENCES project (row),
    session INTEGER NOT NULL REFERENCES session (row),
    ordinal INTEGER NOT NULL CHECK (ordinal >= 0),
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    traits INTEGER NOT NULL,
    dense INTEGER NOT NULL DEFAULT 0,
    UNIQUE (session, ordinal),
    CHECK (start < "end")
) STRICT;
CREATE INDEX window_episode ON window (episode, start);
CREATE INDEX window_project ON window (project, row);
CREATE INDEX window_told ON window (project, row) WHERE traits & 3;
CREATE VIRTUAL TABLE window_fts USING fts5 (
    text, content='', contentless_delete=1, detail=full, tokenize='porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE window_trigram USING fts5 (
    text, content='', contentless_delete=1, detail=full, tokenize='trigram');

CREATE TABLE vector_space (
    row INTEGER PRIMARY KEY,
    model TEXT NOT NULL UNIQUE CHECK (model <> ''),
    dimension INTEGER NOT NULL CHECK (dimension > 0)
) STRICT;

CREATE TABLE vector (
    row INTEGER PRIMARY KEY AUTOINCREMENT,
    project INTEGER NOT NULL REFERENCES project (row),
    owner_kind TEXT NOT NULL CHECK (owner_kind IN ('window', 'revision')),
    owner INTEGER NOT NULL,
    space INTEGER NOT NULL REFERENCES vector_space (row),
    scale REAL NOT NULL,
    bytes BLOB NOT NULL,
    UNIQUE (owner_kind, owner, space)
) STRICT;
CREATE INDEX vector_scan ON vector (project, space, owner_kind, row);

CREATE TABLE vector_sign (
    project INTEGER NOT NULL,
    space INTEGER NOT NULL,
    owner_kind TEXT NOT NULL,
    vector INTEGER NOT NULL REFERENCES vector (row),
    owner INTEGER NOT NULL,
    bits BLOB NOT NULL,
    PRIMARY KEY (project, space, owner_kind, vector)
) STRICT, WITHOUT ROWID;

CREATE TABLE token_code (
    vector INTEGER PRIMARY KEY REFERENCES vector (row),
    pieces BLOB NOT NULL
) STRICT;

CREATE TRIGGER vector_parts BEFORE DELETE ON vector
BEGIN
    DELETE FROM vector_sign WHERE project = OLD.project AND space = OLD.space AND owner_kind = OLD.owner_kind
        AND vector = OLD.row;
    DELETE FROM token_code WHERE vector = OLD.row;
END;

CREATE TABLE vector_queue (
    row INTEGER PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES project (row),
    owner_kind TEXT NOT NULL CHECK (owner_kind IN ('window', 'revision')),
    owner INTEGER NOT NULL,
    held INTEGER NOT NULL DEFAULT 0,
    UNIQUE (owner_kind, owner)
) STRICT;
CREATE INDEX vector_queue_project ON vector_queue (project, row);
CREATE INDEX vector_queue_bare ON vector_queue (project, row) WHERE held = 0;
INSERT INTO vector_queue (project, owner_kind, owner) SELECT project, 'revision', head FROM note;
"""


def upgrade(connection: Connection) -> None:
    """Cut the episodes of an older store anew, in the order in which they were recorded."""
    last: dict[int, tuple[int, int, str]] = {}
    for seq, project, session, role, channel, tool_name, tool_input, exit_status in connection.rows(
        "SELECT seq, project, session, role, channel, tool_name, tool_input, exit_status FROM episode ORDER BY seq"
    ):
        text = _text(connection, seq)
        windows = cut(
            text,
            role=Role(role),
            channel=Channel(channel),
            tool_name=tool_name,
            tool_input=tool_input,
            exit_status=exit_status,
        )
        first, before, speaker = last.get(session, (0, 0, role))
        announced = role == Role.TOOL and speaker == Role.ASSISTANT
        follows = FOLLOWS if announced or (before & QUESTION and speaker != role) else 0
        last[session] = (first + len(windows), windows[-1].traits, role)
        rows: list[int] = []
        for ordinal, window in enumerate(windows, first):
            connection.execute(
                """INSERT INTO window (episode, project, session, ordinal, start, "end", traits)
                VALUES (?, ?, ?, ?, ?, ?, ?)""",
                (
                    seq,
                    project,
                    session,
                    ordinal,
                    window.start,
                    window.end,
                    window.traits | (follows if ordinal == first else 0),
                ),
            )
            rows.append(connection.last_insert_rowid())
        _index(connection, zip(rows, ((one.words, one.fragments) for one in windows), strict=True))
        for row in embedded(rows):
            connection.execute("UPDATE window SET dense = 1 WHERE row = ?", (row,))
            connection.execute(
                "INSERT INTO vector_queue (project, owner_kind, owner) VALUES (?, 'window', ?)", (project, row)
            )


def _text(connection: Connection, seq: int) -> str:
    content, encoding = connection.rows("SELECT content, encoding FROM episode WHERE seq = ?", seq)[0]
    return (zlib.decompress(content) if encoding == "zlib" else content).decode("utf-8", "replace")


def _index(connection: Connection, entries: Iterator[tuple[int, tuple[str, str]]]) -> None:
    for row, (words, fragments) in entries:
        connection.execute("INSERT INTO window_fts (rowid, text) VALUES (?, ?)", (row, words))
        if fragments:
            connection.execute("INSERT INTO window_trigram (rowid, text) VALUES (?, ?)", (row, fragments))
