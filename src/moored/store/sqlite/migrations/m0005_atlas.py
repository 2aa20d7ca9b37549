"""The atlas: notes, immutable revisions, anchors, and the user's pins.

A revision and its anchors are written before the note that points to them (their keys are checked at commit),
so that the triggers on the note can refuse one without an anchor (I-03), and those on the anchor a later addition.
A `REPLACE` deletes the rows it meets without firing their delete trigger, so an insert that would meet one by any
of its keys is refused, and so is an update of a key.
"""


def _immutable(table: str, meets: str) -> str:
    return f"""
CREATE TRIGGER {table}_immutable BEFORE UPDATE ON {table}
BEGIN SELECT RAISE (ABORT, '{table} is immutable'); END;
CREATE TRIGGER {table}_kept BEFORE DELETE ON {table}
BEGIN SELECT RAISE (ABORT, '{table} is immutable'); END;
CREATE TRIGGER {table}_unreplaced BEFORE INSERT ON {table}
WHEN EXISTS (SELECT 1 FROM {table} WHERE {meets})
BEGIN SELECT RAISE (ABORT, '{table} is immutable'); END;
"""


STATEMENTS = (
    """
CREATE TABLE note (
    row INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    project INTEGER NOT NULL REFERENCES project (row),
    kind TEXT NOT NULL CHECK (kind <> ''),
    head INTEGER NOT NULL REFERENCES revision (row),
    superseded_by INTEGER REFERENCES note (row),
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX note_project ON note (project, row);
CREATE INDEX note_head ON note (head);

CREATE TABLE revision (
    row INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    note INTEGER NOT NULL REFERENCES note (row) DEFERRABLE INITIALLY DEFERRED,
    number INTEGER NOT NULL CHECK (number > 0),
    parent INTEGER REFERENCES revision (row),
    text TEXT NOT NULL CHECK (text <> ''),
    tags TEXT NOT NULL,
    cause TEXT NOT NULL CHECK (cause <> ''),
    actor TEXT NOT NULL CHECK (actor <> ''),
    episode INTEGER NOT NULL REFERENCES episode (seq),
    proof TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (note, number),
    CHECK ((number = 1) = (parent IS NULL))
) STRICT;

CREATE TABLE anchor (
    row INTEGER PRIMARY KEY,
    revision INTEGER NOT NULL REFERENCES revision (row),
    role TEXT NOT NULL CHECK (role IN ('source', 'about', 'proof')),
    fact INTEGER REFERENCES fact (row),
    episode INTEGER REFERENCES episode (seq),
    path TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    signature_hash TEXT NOT NULL,
    body_hash TEXT NOT NULL CHECK (body_hash <> ''),
    value TEXT NOT NULL,
    CHECK ((fact IS NULL) <> (episode IS NULL))
) STRICT;
CREATE INDEX anchor_revision ON anchor (revision);
CREATE INDEX anchor_fact ON anchor (fact) WHERE fact IS NOT NULL;
CREATE INDEX anchor_path ON anchor (path) WHERE path <> '';

"""
    + "".join(
        f"""
CREATE TRIGGER {name} BEFORE {event} ON note
WHEN NOT EXISTS (SELECT 1 FROM anchor WHERE anchor.revision = NEW.head)
    OR NOT EXISTS (SELECT 1 FROM revision WHERE revision.row = NEW.head AND revision.note = NEW.row)
BEGIN SELECT RAISE (ABORT, 'the head of a note is an anchored revision of that note'); END;
"""
        for name, event in (("note_anchored", "INSERT"), ("note_head_anchored", "UPDATE OF head"))
    )
    + """
CREATE TRIGGER note_identity_immutable BEFORE UPDATE OF row, id, project, kind, created_at ON note
BEGIN SELECT RAISE (ABORT, 'only the head and the state of a note change'); END;
CREATE TRIGGER note_kept BEFORE DELETE ON note
BEGIN SELECT RAISE (ABORT, 'a note is never deleted'); END;
CREATE TRIGGER note_unreplaced BEFORE INSERT ON note
WHEN EXISTS (SELECT 1 FROM note WHERE row = NEW.row OR id = NEW.id)
BEGIN SELECT RAISE (ABORT, 'a note is never replaced'); END;
"""
    + _immutable("revision", "row = NEW.row OR id = NEW.id OR note = NEW.note AND number = NEW.number")
    + _immutable("anchor", "row = NEW.row")
    + """
CREATE TRIGGER anchor_closed BEFORE INSERT ON anchor
WHEN EXISTS (SELECT 1 FROM revision r JOIN note n ON n.row = r.note JOIN revision h ON h.row = n.head
    WHERE r.row = NEW.revision AND r.number <= h.number)
BEGIN SELECT RAISE (ABORT, 'the anchors of a revision are written with it'); END;
CREATE TRIGGER anchor_target BEFORE INSERT ON anchor
WHEN NOT EXISTS (SELECT 1 FROM fact WHERE row = NEW.fact)
    AND NOT EXISTS (SELECT 1 FROM episode WHERE seq = NEW.episode)
BEGIN SELECT RAISE (ABORT, 'an anchor needs a target that exists'); END;

CREATE TABLE pin (
    row INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    project INTEGER NOT NULL REFERENCES project (row),
    text TEXT NOT NULL CHECK (text <> ''),
    actor TEXT NOT NULL CHECK (actor IN ('person', 'agent')),
    tokens INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    removed_at INTEGER
) STRICT;
CREATE INDEX pin_project ON pin (project, row) WHERE removed_at IS NULL;
CREATE TRIGGER pin_unreplaced BEFORE INSERT ON pin
WHEN EXISTS (SELECT 1 FROM pin WHERE row = NEW.row OR id = NEW.id)
BEGIN SELECT RAISE (ABORT, 'a pin is never replaced'); END;
CREATE TRIGGER pin_text_immutable BEFORE UPDATE OF row, id, project, text, actor, tokens, created_at ON pin
BEGIN SELECT RAISE (ABORT, 'a pin is verbatim: remove it and pin the new text'); END;
CREATE TRIGGER pin_kept BEFORE DELETE ON pin
BEGIN SELECT RAISE (ABORT, 'a pin is taken out of the briefs, not deleted'); END;
"""
)
