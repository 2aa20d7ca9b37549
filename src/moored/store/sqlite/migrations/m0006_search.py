"""The indexes that recall reads: full text, trigrams of code fragments, vectors, and what waits for a vector.

The full-text tables hold no text of their own (`content=''`); a row's number is that of the window, revision or
fact that it indexes. Each vector names its model, so that two models' spaces never mix (I-16); its number is never
given twice, because readers ask for what is newer than the last number they have seen.
"""

_TABLES = ("window", "revision", "fact")


def _full_text(owner: str) -> str:
    return f"""
CREATE VIRTUAL TABLE {owner}_fts USING fts5 (
    text, content='', contentless_delete=1, detail=full, tokenize='porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE {owner}_trigram USING fts5 (
    text, content='', contentless_delete=1, detail=full, tokenize='trigram');
"""


STATEMENTS = (
    "".join(_full_text(owner) for owner in _TABLES)
    + """
CREATE TABLE vector (
    row INTEGER PRIMARY KEY AUTOINCREMENT,
    project INTEGER NOT NULL REFERENCES project (row),
    owner_kind TEXT NOT NULL CHECK (owner_kind IN ('window', 'revision')),
    owner INTEGER NOT NULL,
    model TEXT NOT NULL CHECK (model <> ''),
    dimension INTEGER NOT NULL CHECK (dimension > 0),
    scale REAL NOT NULL,
    bytes BLOB NOT NULL CHECK (length(bytes) = dimension),
    UNIQUE (owner_kind, owner, model)
) STRICT;
CREATE INDEX vector_scan ON vector (project, model, owner_kind, row);

CREATE TABLE vector_queue (
    row INTEGER PRIMARY KEY,
    project INTEGER NOT NULL REFERENCES project (row),
    owner_kind TEXT NOT NULL CHECK (owner_kind IN ('window', 'revision')),
    owner INTEGER NOT NULL,
    UNIQUE (owner_kind, owner)
) STRICT;
CREATE INDEX vector_queue_project ON vector_queue (project, row);

CREATE INDEX revision_episode ON revision (episode);
"""
)
