-- m0001_projects, m0002_record, m0003_ledger, m0004_graph, m0005_atlas, m0006_search, m0007_sessions, m0008_transcripts, m0009_recall, m0010_aliases, m0011_life

CREATE TABLE migration (row INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, at INTEGER NOT NULL);

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
, actor TEXT NOT NULL DEFAULT 'unknown' CHECK (actor <> ''), asked INTEGER NOT NULL DEFAULT 0
    CHECK (asked = 0 OR asked = 1 AND actor IN ('person', 'agent')), open INTEGER NOT NULL DEFAULT 0 CHECK (open IN (0, 1)), undoes INTEGER REFERENCES operation (row), lasting INTEGER NOT NULL DEFAULT 0 CHECK (lasting IN (0, 1))) STRICT;

CREATE INDEX operation_project ON operation (project, row);

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
    recorded_at INTEGER NOT NULL, author TEXT NOT NULL DEFAULT '',
    UNIQUE (project, idempotency_key),
    CHECK (size > 0 OR tool_input <> ''),
    CHECK (channel = 'user' OR trust <> 'user'),
    CHECK (channel IN ('user', 'assistant') OR trust = 'data')
) STRICT;

CREATE TABLE sqlite_sequence(name,seq);

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

CREATE TABLE operation_episode (
    operation INTEGER NOT NULL REFERENCES operation (row),
    episode INTEGER NOT NULL REFERENCES episode (seq),
    PRIMARY KEY (operation, episode)
) STRICT, WITHOUT ROWID;

CREATE TABLE extractor (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

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

CREATE TRIGGER file_INSERT_guard BEFORE INSERT ON file
WHEN moored_ledger() IS NOT 1
BEGIN SELECT RAISE (ABORT, 'only the ledger writer can write file'); END;

CREATE TRIGGER file_UPDATE_guard BEFORE UPDATE ON file
WHEN moored_ledger() IS NOT 1
BEGIN SELECT RAISE (ABORT, 'only the ledger writer can write file'); END;

CREATE TRIGGER file_DELETE_guard BEFORE DELETE ON file
WHEN moored_ledger() IS NOT 1
BEGIN SELECT RAISE (ABORT, 'only the ledger writer can write file'); END;

CREATE TRIGGER fact_INSERT_guard BEFORE INSERT ON fact
WHEN moored_ledger() IS NOT 1
BEGIN SELECT RAISE (ABORT, 'only the ledger writer can write fact'); END;

CREATE TRIGGER fact_UPDATE_guard BEFORE UPDATE ON fact
WHEN moored_ledger() IS NOT 1
BEGIN SELECT RAISE (ABORT, 'only the ledger writer can write fact'); END;

CREATE TRIGGER fact_DELETE_guard BEFORE DELETE ON fact
WHEN moored_ledger() IS NOT 1
BEGIN SELECT RAISE (ABORT, 'only the ledger writer can write fact'); END;

CREATE TRIGGER fact_version_INSERT_guard BEFORE INSERT ON fact_version
WHEN moored_ledger() IS NOT 1
BEGIN SELECT RAISE (ABORT, 'only the ledger writer can write fact_version'); END;

CREATE TRIGGER fact_version_UPDATE_guard BEFORE UPDATE ON fact_version
WHEN moored_ledger() IS NOT 1
BEGIN SELECT RAISE (ABORT, 'only the ledger writer can write fact_version'); END;

CREATE TRIGGER fact_version_DELETE_guard BEFORE DELETE ON fact_version
WHEN moored_ledger() IS NOT 1
BEGIN SELECT RAISE (ABORT, 'only the ledger writer can write fact_version'); END;

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

CREATE TRIGGER edge_INSERT_guard BEFORE INSERT ON edge
WHEN moored_ledger() IS NOT 1
BEGIN SELECT RAISE (ABORT, 'only the ledger writer can write edge'); END;

CREATE TRIGGER edge_UPDATE_guard BEFORE UPDATE ON edge
WHEN moored_ledger() IS NOT 1
BEGIN SELECT RAISE (ABORT, 'only the ledger writer can write edge'); END;

CREATE TRIGGER edge_DELETE_guard BEFORE DELETE ON edge
WHEN moored_ledger() IS NOT 1
BEGIN SELECT RAISE (ABORT, 'only the ledger writer can write edge'); END;

CREATE TRIGGER outline_INSERT_guard BEFORE INSERT ON outline
WHEN moored_ledger() IS NOT 1
BEGIN SELECT RAISE (ABORT, 'only the ledger writer can write outline'); END;

CREATE TRIGGER outline_UPDATE_guard BEFORE UPDATE ON outline
WHEN moored_ledger() IS NOT 1
BEGIN SELECT RAISE (ABORT, 'only the ledger writer can write outline'); END;

CREATE TRIGGER outline_DELETE_guard BEFORE DELETE ON outline
WHEN moored_ledger() IS NOT 1
BEGIN SELECT RAISE (ABORT, 'only the ledger writer can write outline'); END;

CREATE TRIGGER relink_INSERT_guard BEFORE INSERT ON relink
WHEN moored_ledger() IS NOT 1
BEGIN SELECT RAISE (ABORT, 'only the ledger writer can write relink'); END;

CREATE TRIGGER relink_UPDATE_guard BEFORE UPDATE ON relink
WHEN moored_ledger() IS NOT 1
BEGIN SELECT RAISE (ABORT, 'only the ledger writer can write relink'); END;

CREATE TRIGGER relink_DELETE_guard BEFORE DELETE ON relink
WHEN moored_ledger() IS NOT 1
BEGIN SELECT RAISE (ABORT, 'only the ledger writer can write relink'); END;

CREATE TABLE note (
    row INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    project INTEGER NOT NULL REFERENCES project (row),
    kind TEXT NOT NULL CHECK (kind <> ''),
    head INTEGER NOT NULL REFERENCES revision (row),
    superseded_by INTEGER REFERENCES note (row),
    created_at INTEGER NOT NULL
, protected TEXT CHECK (protected <> ''), withdrawn INTEGER REFERENCES operation (row), operation INTEGER REFERENCES operation (row), latest INTEGER NOT NULL DEFAULT 0) STRICT;

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
    created_at INTEGER NOT NULL, operation INTEGER REFERENCES operation (row),
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

CREATE TRIGGER note_anchored BEFORE INSERT ON note
WHEN NOT EXISTS (SELECT 1 FROM anchor WHERE anchor.revision = NEW.head)
    OR NOT EXISTS (SELECT 1 FROM revision WHERE revision.row = NEW.head AND revision.note = NEW.row)
BEGIN SELECT RAISE (ABORT, 'the head of a note is an anchored revision of that note'); END;

CREATE TRIGGER note_head_anchored BEFORE UPDATE OF head ON note
WHEN NOT EXISTS (SELECT 1 FROM anchor WHERE anchor.revision = NEW.head)
    OR NOT EXISTS (SELECT 1 FROM revision WHERE revision.row = NEW.head AND revision.note = NEW.row)
BEGIN SELECT RAISE (ABORT, 'the head of a note is an anchored revision of that note'); END;

CREATE TRIGGER note_identity_immutable BEFORE UPDATE OF row, id, project, kind, created_at ON note
BEGIN SELECT RAISE (ABORT, 'only the head and the state of a note change'); END;

CREATE TRIGGER note_unreplaced BEFORE INSERT ON note
WHEN EXISTS (SELECT 1 FROM note WHERE row = NEW.row OR id = NEW.id)
BEGIN SELECT RAISE (ABORT, 'a note is never replaced'); END;

CREATE TRIGGER revision_immutable BEFORE UPDATE ON revision
BEGIN SELECT RAISE (ABORT, 'revision is immutable'); END;

CREATE TRIGGER revision_unreplaced BEFORE INSERT ON revision
WHEN EXISTS (SELECT 1 FROM revision WHERE row = NEW.row OR id = NEW.id OR note = NEW.note AND number = NEW.number)
BEGIN SELECT RAISE (ABORT, 'revision is immutable'); END;

CREATE TRIGGER anchor_immutable BEFORE UPDATE ON anchor
BEGIN SELECT RAISE (ABORT, 'anchor is immutable'); END;

CREATE TRIGGER anchor_unreplaced BEFORE INSERT ON anchor
WHEN EXISTS (SELECT 1 FROM anchor WHERE row = NEW.row)
BEGIN SELECT RAISE (ABORT, 'anchor is immutable'); END;

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

CREATE VIRTUAL TABLE fact_fts USING fts5 (
    text, content='', contentless_delete=1, detail=full, tokenize='porter unicode61 remove_diacritics 2');

CREATE TABLE 'fact_fts_data'(id INTEGER PRIMARY KEY, block BLOB);

CREATE TABLE 'fact_fts_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;

CREATE TABLE 'fact_fts_docsize'(id INTEGER PRIMARY KEY, sz BLOB, origin INTEGER);

CREATE TABLE 'fact_fts_config'(k PRIMARY KEY, v) WITHOUT ROWID;

CREATE VIRTUAL TABLE fact_trigram USING fts5 (
    text, content='', contentless_delete=1, detail=full, tokenize='trigram');

CREATE TABLE 'fact_trigram_data'(id INTEGER PRIMARY KEY, block BLOB);

CREATE TABLE 'fact_trigram_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;

CREATE TABLE 'fact_trigram_docsize'(id INTEGER PRIMARY KEY, sz BLOB, origin INTEGER);

CREATE TABLE 'fact_trigram_config'(k PRIMARY KEY, v) WITHOUT ROWID;

CREATE INDEX revision_episode ON revision (episode);

CREATE INDEX episode_session_role ON episode (session, role, tool_name, seq);

CREATE INDEX episode_session_time ON episode (session, occurred_at);

CREATE INDEX episode_summary ON episode (session, seq) WHERE channel = 'summary';

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

CREATE INDEX episode_author ON episode (project, author) WHERE author <> '';

CREATE INDEX episode_time ON episode (project, occurred_at);

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

CREATE TRIGGER operation_identity_immutable
BEFORE UPDATE OF row, id, project, kind, started_at, actor, asked, undoes, lasting ON operation
BEGIN SELECT RAISE (ABORT, 'only the detail and the state of an operation change'); END;

CREATE TRIGGER operation_kept BEFORE DELETE ON operation WHEN OLD.open = 0
BEGIN SELECT RAISE (ABORT, 'an operation that did something is never deleted'); END;

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
WHEN NOT EXISTS (SELECT 1 FROM operation o WHERE o.row = NEW.operation AND o.open = 1 AND o.project = NEW.project)
BEGIN SELECT RAISE (ABORT, 'a note changes only under an operation that is under way'); END;

CREATE TRIGGER note_changed_under_operation BEFORE UPDATE OF head, superseded_by, withdrawn, protected ON note
WHEN NOT EXISTS (SELECT 1 FROM operation o WHERE o.row = NEW.operation AND o.open = 1 AND o.project = NEW.project)
BEGIN SELECT RAISE (ABORT, 'a note changes only under an operation that is under way'); END;

CREATE TRIGGER revision_under_operation BEFORE INSERT ON revision
WHEN NOT EXISTS (SELECT 1 FROM operation o WHERE o.row = NEW.operation AND o.open = 1)
BEGIN SELECT RAISE (ABORT, 'a note changes only under an operation that is under way'); END;

CREATE TRIGGER note_protected BEFORE UPDATE OF head, superseded_by, withdrawn, protected ON note
WHEN OLD.protected IS NOT NULL AND NOT EXISTS (SELECT 1 FROM operation o WHERE o.row = NEW.operation AND o.asked = 1)
BEGIN SELECT RAISE (ABORT, 'a protected note changes only when a person or an agent asks for it'); END;

CREATE TRIGGER revision_protected BEFORE INSERT ON revision
WHEN EXISTS (SELECT 1 FROM note n WHERE n.row = NEW.note AND n.protected IS NOT NULL) AND NOT EXISTS (SELECT 1 FROM operation o WHERE o.row = NEW.operation AND o.asked = 1)
BEGIN SELECT RAISE (ABORT, 'a protected note changes only when a person or an agent asks for it'); END;

CREATE TRIGGER note_begun AFTER INSERT ON note
BEGIN
    INSERT INTO change (operation, note, field, before, after) VALUES (NEW.operation, NEW.row, 'begun', NULL, NEW.head);
    UPDATE note SET latest = NEW.head WHERE row = NEW.row;
END;

CREATE TRIGGER note_latest AFTER UPDATE OF head ON note WHEN NEW.head > NEW.latest
BEGIN UPDATE note SET latest = NEW.head WHERE row = NEW.row; END;

CREATE TRIGGER note_latest_grows BEFORE UPDATE OF latest ON note WHEN NEW.latest < OLD.latest
BEGIN SELECT RAISE (ABORT, 'the latest revision of a note stays published'); END;

CREATE TRIGGER note_head_logged AFTER UPDATE OF head ON note WHEN NEW.head IS NOT OLD.head
BEGIN
    INSERT INTO change (operation, note, field, before, after)
    VALUES (NEW.operation, NEW.row, 'head', OLD.head, NEW.head);
END;

CREATE TRIGGER note_superseded_by_logged AFTER UPDATE OF superseded_by ON note WHEN NEW.superseded_by IS NOT OLD.superseded_by
BEGIN
    INSERT INTO change (operation, note, field, before, after)
    VALUES (NEW.operation, NEW.row, 'superseded_by', OLD.superseded_by, NEW.superseded_by);
END;

CREATE TRIGGER note_withdrawn_logged AFTER UPDATE OF withdrawn ON note WHEN NEW.withdrawn IS NOT OLD.withdrawn
BEGIN
    INSERT INTO change (operation, note, field, before, after)
    VALUES (NEW.operation, NEW.row, 'withdrawn', OLD.withdrawn, NEW.withdrawn);
END;

CREATE TRIGGER note_protected_logged AFTER UPDATE OF protected ON note WHEN NEW.protected IS NOT OLD.protected
BEGIN
    INSERT INTO change (operation, note, field, before, after)
    VALUES (NEW.operation, NEW.row, 'protected', OLD.protected, NEW.protected);
END;

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

CREATE TRIGGER note_kept BEFORE DELETE ON note WHEN NOT EXISTS (SELECT 1 FROM erased x WHERE x.kind = 'note' AND x.row = OLD.row)
BEGIN SELECT RAISE (ABORT, 'a note is deleted only by an erasure'); END;

CREATE TRIGGER revision_kept BEFORE DELETE ON revision WHEN NOT EXISTS (SELECT 1 FROM erased x WHERE x.kind = 'revision' AND x.row = OLD.row)
BEGIN SELECT RAISE (ABORT, 'revision is immutable'); END;

CREATE TRIGGER anchor_kept BEFORE DELETE ON anchor WHEN NOT EXISTS (SELECT 1 FROM erased x WHERE x.kind = 'revision' AND x.row = OLD.revision)
BEGIN SELECT RAISE (ABORT, 'anchor is immutable'); END;

CREATE TRIGGER pin_kept BEFORE DELETE ON pin WHEN NOT EXISTS (SELECT 1 FROM erased x WHERE x.kind = 'pin' AND x.row = OLD.row)
BEGIN SELECT RAISE (ABORT, 'a pin is taken out of the briefs, not deleted'); END;

CREATE TRIGGER anchor_closed BEFORE INSERT ON anchor
WHEN EXISTS (SELECT 1 FROM revision r JOIN note n ON n.row = r.note
    WHERE r.row = NEW.revision AND NEW.revision <= n.latest) AND NOT EXISTS (SELECT 1 FROM erased x WHERE x.kind = 'revision' AND x.row = NEW.revision)
BEGIN SELECT RAISE (ABORT, 'the anchors of a revision are written with it'); END;

CREATE TABLE link (
    row INTEGER PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES project (row),
    note INTEGER NOT NULL REFERENCES note (row),
    other INTEGER NOT NULL REFERENCES note (row) CHECK (other <> note),
    kind TEXT NOT NULL CHECK (kind IN ('related', 'derived')),
    reason TEXT NOT NULL CHECK (reason <> ''),
    operation INTEGER NOT NULL REFERENCES operation (row),
    created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX link_operation ON link (operation);

CREATE INDEX link_note ON link (note);

CREATE INDEX link_other ON link (other);

CREATE TABLE evidence (
    row INTEGER PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES project (row),
    note INTEGER NOT NULL REFERENCES note (row),
    episode INTEGER NOT NULL REFERENCES episode (seq),
    kind TEXT NOT NULL CHECK (kind IN ('same', 'for', 'against')),
    operation INTEGER NOT NULL REFERENCES operation (row),
    created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX evidence_operation ON evidence (operation);

CREATE INDEX evidence_note ON evidence (note);

CREATE INDEX evidence_episode ON evidence (episode);

CREATE TABLE dispute (
    row INTEGER PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES project (row),
    id TEXT NOT NULL UNIQUE,
    note INTEGER NOT NULL REFERENCES note (row),
    other INTEGER NOT NULL REFERENCES note (row) CHECK (other <> note),
    reason TEXT NOT NULL CHECK (reason <> ''),
    operation INTEGER NOT NULL REFERENCES operation (row),
    created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX dispute_operation ON dispute (operation);

CREATE INDEX dispute_note ON dispute (note);

CREATE INDEX dispute_other ON dispute (other);

CREATE TABLE settlement (
    row INTEGER PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES project (row),
    dispute INTEGER NOT NULL REFERENCES dispute (row) ON DELETE CASCADE,
    outcome TEXT NOT NULL CHECK (outcome <> ''),
    operation INTEGER NOT NULL REFERENCES operation (row),
    created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX settlement_operation ON settlement (operation);

CREATE INDEX settlement_dispute ON settlement (dispute);

CREATE TABLE proposal (
    row INTEGER PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES project (row),
    id TEXT NOT NULL UNIQUE,
    note INTEGER NOT NULL REFERENCES note (row),
    head INTEGER NOT NULL,
    action TEXT NOT NULL CHECK (action IN ('revise', 'archive')),
    text TEXT NOT NULL,
    reason TEXT NOT NULL CHECK (reason <> ''),
    evidence TEXT NOT NULL,
    operation INTEGER NOT NULL REFERENCES operation (row),
    created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX proposal_operation ON proposal (operation);

CREATE INDEX proposal_note ON proposal (note);

CREATE TABLE decision (
    row INTEGER PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES project (row),
    proposal INTEGER NOT NULL REFERENCES proposal (row) ON DELETE CASCADE,
    outcome TEXT NOT NULL CHECK (outcome IN ('', 'accepted', 'rejected')),
    because TEXT NOT NULL,
    operation INTEGER NOT NULL REFERENCES operation (row),
    created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX decision_operation ON decision (operation);

CREATE INDEX decision_proposal ON decision (proposal);

CREATE TABLE note_use (
    note INTEGER PRIMARY KEY REFERENCES note (row),
    uses INTEGER NOT NULL CHECK (uses > 0),
    last_at INTEGER NOT NULL,
    heat REAL NOT NULL CHECK (heat >= 0)
) STRICT;

CREATE TABLE rating (
    row INTEGER PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES project (row),
    note INTEGER NOT NULL REFERENCES note (row),
    useful INTEGER NOT NULL CHECK (useful IN (0, 1)),
    reason TEXT NOT NULL,
    actor TEXT NOT NULL CHECK (actor IN ('person', 'agent')),
    operation INTEGER NOT NULL REFERENCES operation (row),
    created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX rating_operation ON rating (operation);

CREATE INDEX rating_note ON rating (note);

CREATE TABLE rule (
    row INTEGER PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES project (row),
    id TEXT NOT NULL UNIQUE,
    action TEXT NOT NULL CHECK (action IN ('forbid', 'require', 'scope', 'boost', 'damp')),
    factor REAL NOT NULL CHECK (factor > 0),
    condition TEXT NOT NULL CHECK (condition <> ''),
    scope_kind TEXT NOT NULL CHECK (scope_kind IN ('project', 'path', 'session')),
    scope TEXT NOT NULL CHECK ((scope_kind = 'project') = (scope = '')),
    reason TEXT NOT NULL,
    actor TEXT NOT NULL CHECK (actor IN ('person', 'agent')),
    operation INTEGER NOT NULL REFERENCES operation (row),
    created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX rule_operation ON rule (operation);

CREATE INDEX rule_project ON rule (project, row);

CREATE TABLE reminder (
    row INTEGER PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES project (row),
    id TEXT NOT NULL UNIQUE,
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
    done_at INTEGER,
    operation INTEGER NOT NULL REFERENCES operation (row),
    created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX reminder_operation ON reminder (operation);

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

CREATE TABLE "hidden_episode" (
    episode INTEGER NOT NULL REFERENCES episode (seq),
    operation INTEGER NOT NULL REFERENCES operation (row),
    PRIMARY KEY (episode, operation)
) STRICT, WITHOUT ROWID;

CREATE INDEX hidden_episode_operation ON hidden_episode (operation);

CREATE VIRTUAL TABLE window_fts USING fts5 (
    text, content='', contentless_delete=1, detail=full, tokenize='porter unicode61 remove_diacritics 2');

CREATE TABLE 'window_fts_data'(id INTEGER PRIMARY KEY, block BLOB);

CREATE TABLE 'window_fts_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;

CREATE TABLE 'window_fts_docsize'(id INTEGER PRIMARY KEY, sz BLOB, origin INTEGER);

CREATE TABLE 'window_fts_config'(k PRIMARY KEY, v) WITHOUT ROWID;

CREATE VIRTUAL TABLE window_trigram USING fts5 (
    text, content='', contentless_delete=1, detail=full, tokenize='trigram');

CREATE TABLE 'window_trigram_data'(id INTEGER PRIMARY KEY, block BLOB);

CREATE TABLE 'window_trigram_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;

CREATE TABLE 'window_trigram_docsize'(id INTEGER PRIMARY KEY, sz BLOB, origin INTEGER);

CREATE TABLE 'window_trigram_config'(k PRIMARY KEY, v) WITHOUT ROWID;

CREATE VIRTUAL TABLE revision_fts USING fts5 (
    text, content='', contentless_delete=1, detail=full, tokenize='porter unicode61 remove_diacritics 2');

CREATE TABLE 'revision_fts_data'(id INTEGER PRIMARY KEY, block BLOB);

CREATE TABLE 'revision_fts_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;

CREATE TABLE 'revision_fts_docsize'(id INTEGER PRIMARY KEY, sz BLOB, origin INTEGER);

CREATE TABLE 'revision_fts_config'(k PRIMARY KEY, v) WITHOUT ROWID;

CREATE VIRTUAL TABLE revision_trigram USING fts5 (
    text, content='', contentless_delete=1, detail=full, tokenize='trigram');

CREATE TABLE 'revision_trigram_data'(id INTEGER PRIMARY KEY, block BLOB);

CREATE TABLE 'revision_trigram_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;

CREATE TABLE 'revision_trigram_docsize'(id INTEGER PRIMARY KEY, sz BLOB, origin INTEGER);

CREATE TABLE 'revision_trigram_config'(k PRIMARY KEY, v) WITHOUT ROWID;

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

CREATE TABLE "alias" (
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

CREATE UNIQUE INDEX alias_pair ON alias (project, name_folded, alias_folded, coalesce(episode, 0));

CREATE INDEX alias_alias ON alias (project, alias_folded);

CREATE INDEX alias_episode ON alias (episode) WHERE episode IS NOT NULL;
