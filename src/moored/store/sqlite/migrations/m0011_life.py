"""The life of a note: operations that change it, its protection, its kin, its use, and how it is forgotten.

A note changes only under an operation that is under way, each change is logged by a trigger, and a protected note
changes only under one that a person or an agent asked for (I-08); so no path can go around it. Rows of `link`,
`evidence`, `dispute`, `settlement`, `proposal`, `decision`, `rating`, `rule`, `reminder` and `tombstone` count while
their operation stands. An episode may be hidden by several operations, and a name be given in several episodes: it
stays hidden, or known, while one of them is left. What a process holds of vectors in memory it puts right by
`vector_change`, which names each text whose vector went, or that was hidden or shown. What is erased has a row in
`erased` first; then, and only then, it can be deleted.

Windows and revisions are indexed anew, those of a project together (see `entries`).
"""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING

from moored.model.episodes import Channel, Role
from moored.model.terms import fragments, searchable
from moored.model.windowing import cut
from moored.store.sqlite.entries import ENTRY

if TYPE_CHECKING:
    from moored.store.sqlite.connection import Connection

_UNDER_WAY = "SELECT 1 FROM operation o WHERE o.row = NEW.operation AND o.open = 1"
_ASKED = "SELECT 1 FROM operation o WHERE o.row = NEW.operation AND o.asked = 1"
_STATE = ("head", "superseded_by", "withdrawn", "protected")


def _erased(kind: str, row: str) -> str:
    return f"EXISTS (SELECT 1 FROM erased x WHERE x.kind = '{kind}' AND x.row = {row})"


def _made(table: str, columns: str) -> str:
    return f"""
CREATE TABLE {table} (
    row INTEGER PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES project (row),
    {columns},
    operation INTEGER NOT NULL REFERENCES operation (row),
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX {table}_operation ON {table} (operation);
"""


STATEMENTS = (
    """
ALTER TABLE operation ADD COLUMN actor TEXT NOT NULL DEFAULT 'unknown' CHECK (actor <> '');
ALTER TABLE operation ADD COLUMN asked INTEGER NOT NULL DEFAULT 0
    CHECK (asked = 0 OR asked = 1 AND actor IN ('person', 'agent'));
ALTER TABLE operation ADD COLUMN open INTEGER NOT NULL DEFAULT 0 CHECK (open IN (0, 1));
ALTER TABLE operation ADD COLUMN undoes INTEGER REFERENCES operation (row);
ALTER TABLE operation ADD COLUMN lasting INTEGER NOT NULL DEFAULT 0 CHECK (lasting IN (0, 1));
CREATE TRIGGER operation_identity_immutable
BEFORE UPDATE OF row, id, project, kind, started_at, actor, asked, undoes, lasting ON operation
BEGIN SELECT RAISE (ABORT, 'only the detail and the state of an operation change'); END;
CREATE TRIGGER operation_kept BEFORE DELETE ON operation WHEN OLD.open = 0
BEGIN SELECT RAISE (ABORT, 'an operation that did something is never deleted'); END;

ALTER TABLE note ADD COLUMN protected TEXT CHECK (protected <> '');
ALTER TABLE note ADD COLUMN withdrawn INTEGER REFERENCES operation (row);
ALTER TABLE note ADD COLUMN operation INTEGER REFERENCES operation (row);
ALTER TABLE note ADD COLUMN latest INTEGER NOT NULL DEFAULT 0;
ALTER TABLE revision ADD COLUMN operation INTEGER REFERENCES operation (row);
UPDATE note SET latest = head;
CREATE INDEX note_operation ON note (operation);
CREATE INDEX revision_operation ON revision (operation);

CREATE TABLE change (
    row INTEGER PRIMARY KEY,
    operation INTEGER NOT NULL REFERENCES operation (row),
    note INTEGER NOT NULL REFERENCES note (row),
    field TEXT NOT NULL CHECK (field IN ('begun', 'head', 'superseded_by', 'withdrawn', 'protected')),
    before ANY,
    after ANY
) STRICT;
CREATE INDEX change_operation ON change (operation);
CREATE INDEX change_note ON change (note, field);

CREATE TRIGGER note_begun_under_operation BEFORE INSERT ON note
"""
    f"""WHEN NOT EXISTS ({_UNDER_WAY} AND o.project = NEW.project)
BEGIN SELECT RAISE (ABORT, 'a note changes only under an operation that is under way'); END;
CREATE TRIGGER note_changed_under_operation BEFORE UPDATE OF {", ".join(_STATE)} ON note
WHEN NOT EXISTS ({_UNDER_WAY} AND o.project = NEW.project)
BEGIN SELECT RAISE (ABORT, 'a note changes only under an operation that is under way'); END;
CREATE TRIGGER revision_under_operation BEFORE INSERT ON revision
WHEN NOT EXISTS ({_UNDER_WAY})
BEGIN SELECT RAISE (ABORT, 'a note changes only under an operation that is under way'); END;
CREATE TRIGGER note_protected BEFORE UPDATE OF {", ".join(_STATE)} ON note
WHEN OLD.protected IS NOT NULL AND NOT EXISTS ({_ASKED})
BEGIN SELECT RAISE (ABORT, 'a protected note changes only when a person or an agent asks for it'); END;
CREATE TRIGGER revision_protected BEFORE INSERT ON revision
WHEN EXISTS (SELECT 1 FROM note n WHERE n.row = NEW.note AND n.protected IS NOT NULL) AND NOT EXISTS ({_ASKED})
BEGIN SELECT RAISE (ABORT, 'a protected note changes only when a person or an agent asks for it'); END;
"""
    """
CREATE TRIGGER note_begun AFTER INSERT ON note
BEGIN
    INSERT INTO change (operation, note, field, before, after) VALUES (NEW.operation, NEW.row, 'begun', NULL, NEW.head);
    UPDATE note SET latest = NEW.head WHERE row = NEW.row;
END;
CREATE TRIGGER note_latest AFTER UPDATE OF head ON note WHEN NEW.head > NEW.latest
BEGIN UPDATE note SET latest = NEW.head WHERE row = NEW.row; END;
CREATE TRIGGER note_latest_grows BEFORE UPDATE OF latest ON note WHEN NEW.latest < OLD.latest
BEGIN SELECT RAISE (ABORT, 'the latest revision of a note stays published'); END;
"""
    + "".join(
        f"""
CREATE TRIGGER note_{field}_logged AFTER UPDATE OF {field} ON note WHEN NEW.{field} IS NOT OLD.{field}
BEGIN
    INSERT INTO change (operation, note, field, before, after)
    VALUES (NEW.operation, NEW.row, '{field}', OLD.{field}, NEW.{field});
END;
"""
        for field in _STATE
    )
    + """
CREATE TABLE erased (
    kind TEXT NOT NULL CHECK (kind IN ('note', 'revision', 'pin')),
    row INTEGER NOT NULL,
    operation INTEGER NOT NULL REFERENCES operation (row),
    PRIMARY KEY (kind, row)
) STRICT, WITHOUT ROWID;
CREATE INDEX erased_operation ON erased (operation);
CREATE INDEX operation_undoes ON operation (undoes) WHERE undoes IS NOT NULL;
CREATE TABLE tombstone (
    project INTEGER NOT NULL REFERENCES project (row),
    hash TEXT NOT NULL CHECK (hash <> ''),
    operation INTEGER NOT NULL REFERENCES operation (row),
    at INTEGER NOT NULL,
    PRIMARY KEY (project, hash, operation)
) STRICT, WITHOUT ROWID;
CREATE INDEX tombstone_operation ON tombstone (operation);

DROP TRIGGER note_kept;
DROP TRIGGER revision_kept;
DROP TRIGGER anchor_kept;
DROP TRIGGER anchor_closed;
DROP TRIGGER pin_kept;
"""
    + f"""
CREATE TRIGGER note_kept BEFORE DELETE ON note WHEN NOT {_erased("note", "OLD.row")}
BEGIN SELECT RAISE (ABORT, 'a note is deleted only by an erasure'); END;
CREATE TRIGGER revision_kept BEFORE DELETE ON revision WHEN NOT {_erased("revision", "OLD.row")}
BEGIN SELECT RAISE (ABORT, 'revision is immutable'); END;
CREATE TRIGGER anchor_kept BEFORE DELETE ON anchor WHEN NOT {_erased("revision", "OLD.revision")}
BEGIN SELECT RAISE (ABORT, 'anchor is immutable'); END;
CREATE TRIGGER pin_kept BEFORE DELETE ON pin WHEN NOT {_erased("pin", "OLD.row")}
BEGIN SELECT RAISE (ABORT, 'a pin is taken out of the briefs, not deleted'); END;
CREATE TRIGGER anchor_closed BEFORE INSERT ON anchor
WHEN EXISTS (SELECT 1 FROM revision r JOIN note n ON n.row = r.note
    WHERE r.row = NEW.revision AND NEW.revision <= n.latest) AND NOT {_erased("revision", "NEW.revision")}
BEGIN SELECT RAISE (ABORT, 'the anchors of a revision are written with it'); END;
"""
    + _made(
        "link",
        """note INTEGER NOT NULL REFERENCES note (row),
    other INTEGER NOT NULL REFERENCES note (row) CHECK (other <> note),
    kind TEXT NOT NULL CHECK (kind IN ('related', 'derived')),
    reason TEXT NOT NULL CHECK (reason <> '')""",
    )
    + """
CREATE INDEX link_note ON link (note);
CREATE INDEX link_other ON link (other);
"""
    + _made(
        "evidence",
        """note INTEGER NOT NULL REFERENCES note (row),
    episode INTEGER NOT NULL REFERENCES episode (seq),
    kind TEXT NOT NULL CHECK (kind IN ('same', 'for', 'against'))""",
    )
    + """
CREATE INDEX evidence_note ON evidence (note);
CREATE INDEX evidence_episode ON evidence (episode);
"""
    + _made(
        "dispute",
        """id TEXT NOT NULL UNIQUE,
    note INTEGER NOT NULL REFERENCES note (row),
    other INTEGER NOT NULL REFERENCES note (row) CHECK (other <> note),
    reason TEXT NOT NULL CHECK (reason <> '')""",
    )
    + """
CREATE INDEX dispute_note ON dispute (note);
CREATE INDEX dispute_other ON dispute (other);
"""
    + _made(
        "settlement",
        """dispute INTEGER NOT NULL REFERENCES dispute (row) ON DELETE CASCADE,
    outcome TEXT NOT NULL CHECK (outcome <> '')""",
    )
    + "CREATE INDEX settlement_dispute ON settlement (dispute);\n"
    + _made(
        "proposal",
        """id TEXT NOT NULL UNIQUE,
    note INTEGER NOT NULL REFERENCES note (row),
    head INTEGER NOT NULL,
    action TEXT NOT NULL CHECK (action IN ('revise', 'archive')),
    text TEXT NOT NULL,
    reason TEXT NOT NULL CHECK (reason <> ''),
    evidence TEXT NOT NULL""",
    )
    + "CREATE INDEX proposal_note ON proposal (note);\n"
    + _made(
        "decision",
        """proposal INTEGER NOT NULL REFERENCES proposal (row) ON DELETE CASCADE,
    outcome TEXT NOT NULL CHECK (outcome IN ('', 'accepted', 'rejected')),
    because TEXT NOT NULL""",
    )
    + """
CREATE INDEX decision_proposal ON decision (proposal);

CREATE TABLE note_use (
    note INTEGER PRIMARY KEY REFERENCES note (row),
    uses INTEGER NOT NULL CHECK (uses > 0),
    last_at INTEGER NOT NULL,
    heat REAL NOT NULL CHECK (heat >= 0)
) STRICT;
"""
    + _made(
        "rating",
        """note INTEGER NOT NULL REFERENCES note (row),
    useful INTEGER NOT NULL CHECK (useful IN (0, 1)),
    reason TEXT NOT NULL,
    actor TEXT NOT NULL CHECK (actor IN ('person', 'agent'))""",
    )
    + "CREATE INDEX rating_note ON rating (note);\n"
    + _made(
        "rule",
        """id TEXT NOT NULL UNIQUE,
    action TEXT NOT NULL CHECK (action IN ('forbid', 'require', 'scope', 'boost', 'damp')),
    factor REAL NOT NULL CHECK (factor > 0),
    condition TEXT NOT NULL CHECK (condition <> ''),
    scope_kind TEXT NOT NULL CHECK (scope_kind IN ('project', 'path', 'session')),
    scope TEXT NOT NULL CHECK ((scope_kind = 'project') = (scope = '')),
    reason TEXT NOT NULL,
    actor TEXT NOT NULL CHECK (actor IN ('person', 'agent'))""",
    )
    + "CREATE INDEX rule_project ON rule (project, row);\n"
    + _made(
        "reminder",
        """id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('directory', 'file', 'symbol', 'keyword', 'entity', 'time', 'event')),
    pattern TEXT NOT NULL CHECK (pattern <> ''),
    text TEXT NOT NULL CHECK (text <> ''),
    episode INTEGER NOT NULL REFERENCES episode (seq),
    note INTEGER REFERENCES note (row),
    actor TEXT NOT NULL CHECK (actor IN ('person', 'agent')),
    proposed INTEGER NOT NULL DEFAULT 0 CHECK (proposed IN (0, 1)),
    expires_at INTEGER,
    most INTEGER NOT NULL CHECK (most > 0),
    fired INTEGER NOT NULL DEFAULT 0,
    fired_at INTEGER,
    snoozed_until INTEGER,
    done_at INTEGER""",
    )
    + """
CREATE INDEX reminder_project ON reminder (project, row) WHERE done_at IS NULL;
CREATE INDEX reminder_episode ON reminder (episode);
CREATE INDEX reminder_note ON reminder (note) WHERE note IS NOT NULL;

CREATE TABLE seeded (
    project INTEGER NOT NULL REFERENCES project (row),
    key TEXT NOT NULL CHECK (key <> ''),
    note INTEGER NOT NULL REFERENCES note (row),
    PRIMARY KEY (project, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX seeded_note ON seeded (note);

CREATE TABLE profile (
    project INTEGER PRIMARY KEY REFERENCES project (row),
    read_to INTEGER NOT NULL DEFAULT 0 CHECK (read_to >= 0),
    compared_to INTEGER NOT NULL DEFAULT 0 CHECK (compared_to >= 0)
) STRICT;
CREATE INDEX note_profile ON note (project, row) WHERE kind IN ('preference', 'belief');
"""
    """
CREATE TABLE hidden (
    episode INTEGER NOT NULL REFERENCES episode (seq),
    operation INTEGER NOT NULL REFERENCES operation (row),
    PRIMARY KEY (episode, operation)
) STRICT, WITHOUT ROWID;
INSERT INTO hidden SELECT episode, operation FROM hidden_episode;
DROP TABLE hidden_episode;
ALTER TABLE hidden RENAME TO hidden_episode;
CREATE INDEX hidden_episode_operation ON hidden_episode (operation);

"""
    + "".join(
        f"""
DROP TABLE {owner}_fts;
DROP TABLE {owner}_trigram;
CREATE VIRTUAL TABLE {owner}_fts USING fts5 (
    text, content='', contentless_delete=1, detail=full, tokenize='porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE {owner}_trigram USING fts5 (
    text, content='', contentless_delete=1, detail=full, tokenize='trigram');
"""
        for owner in ("window", "revision")
    )
    + """
CREATE INDEX vector_queue_next ON vector_queue (row) WHERE held = 0;
CREATE TABLE vector_change (
    row INTEGER PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES project (row),
    owner_kind TEXT NOT NULL,
    owner INTEGER NOT NULL
) STRICT;
CREATE INDEX vector_change_project ON vector_change (project, owner_kind, row, owner);
CREATE TRIGGER vector_removed AFTER DELETE ON vector
BEGIN
    INSERT INTO vector_change (project, owner_kind, owner) VALUES (OLD.project, OLD.owner_kind, OLD.owner);
END;
CREATE TRIGGER window_hidden AFTER INSERT ON hidden_episode
BEGIN
    INSERT INTO vector_change (project, owner_kind, owner)
    SELECT w.project, 'window', w.row FROM window w WHERE w.episode = NEW.episode AND w.dense = 1;
END;
CREATE TRIGGER window_shown AFTER DELETE ON hidden_episode
BEGIN
    INSERT INTO vector_change (project, owner_kind, owner)
    SELECT w.project, 'window', w.row FROM window w WHERE w.episode = OLD.episode AND w.dense = 1;
END;

CREATE TABLE called (
    row INTEGER PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES project (row),
    name TEXT NOT NULL,
    name_folded TEXT NOT NULL CHECK (name_folded <> ''),
    alias TEXT NOT NULL,
    alias_folded TEXT NOT NULL CHECK (alias_folded <> '' AND alias_folded <> name_folded),
    episode INTEGER REFERENCES episode (seq),
    origin TEXT NOT NULL CHECK (origin IN ('text', 'person', 'agent')),
    at INTEGER NOT NULL,
    CHECK (origin <> 'text' OR episode IS NOT NULL)
) STRICT;
INSERT INTO called SELECT * FROM alias;
DROP TABLE alias;
ALTER TABLE called RENAME TO alias;
CREATE UNIQUE INDEX alias_pair ON alias (project, name_folded, alias_folded, coalesce(episode, 0));
CREATE INDEX alias_alias ON alias (project, alias_folded);
CREATE INDEX alias_episode ON alias (episode) WHERE episode IS NOT NULL;
"""
)


def upgrade(connection: Connection) -> None:
    """Index the texts of an older store, in the order of the new numbers."""
    for seq, role, channel, author, tool_name, tool_input, exit_status in connection.rows(
        """SELECT seq, role, channel, author, tool_name, tool_input, exit_status FROM episode
        ORDER BY project, seq DESC"""
    ):
        content, encoding = connection.rows("SELECT content, encoding FROM episode WHERE seq = ?", seq)[0]
        windows = cut(
            (zlib.decompress(content) if encoding == "zlib" else content).decode("utf-8", "replace"),
            role=Role(role),
            channel=Channel(channel),
            author=author,
            tool_name=tool_name,
            tool_input=tool_input,
            exit_status=exit_status,
        )
        rows = connection.rows("SELECT row FROM window WHERE episode = ? ORDER BY start", seq)
        for (row,), window in reversed(list(zip(rows, windows, strict=False))):
            _index(connection, "window", row, window.words, window.fragments)
    for head, said, tags in connection.rows(
        "SELECT n.head, r.text, r.tags FROM note n JOIN revision r ON r.row = n.head ORDER BY n.project, n.head DESC"
    ):
        text = "\n".join((said, *json.loads(tags)))
        _index(connection, "revision", head, searchable(text), fragments(text))


def _index(connection: Connection, owner: str, row: int, words: str, pieces: str) -> None:
    connection.execute(f"INSERT INTO {owner}_fts (rowid, text) VALUES ({ENTRY[owner]}, ?)", (row, words))
    if pieces:
        connection.execute(f"INSERT INTO {owner}_trigram (rowid, text) VALUES ({ENTRY[owner]}, ?)", (row, pieces))
