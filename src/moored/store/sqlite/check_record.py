"""What a deep check looks for in what is kept: the record as it was acknowledged, where facts and trust come from.

Each finding of `RECORD` is the promise that it breaks, words, and the query for what it is true of.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from moored.model.hashing import digest
from moored.model.redaction import redact, redact_bytes
from moored.store.sqlite.episodes import decoded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from moored.store.sqlite.connection import Connection

_ASKED_FOR = "SELECT t.id FROM {0} t JOIN operation o ON o.row = t.operation WHERE {1} AND o.asked = 0"

RECORD: tuple[tuple[str, str, str], ...] = (
    (
        "I-02",
        "fact {} is by no extractor of the registry",
        "SELECT id FROM fact WHERE extractor NOT IN (SELECT name FROM extractor)",
    ),
    (
        "I-02",
        "fact {} was read in an episode that is not there",
        "SELECT id FROM fact WHERE episode <> 0 AND episode NOT IN (SELECT seq FROM episode)",
    ),
    (
        "I-02",
        "fact {} was read in a tree that is not there",
        "SELECT id FROM fact WHERE tree <> 0 AND tree NOT IN (SELECT row FROM tree)",
    ),
    (
        "I-03",
        "revision {} rests on nothing",
        "SELECT id FROM revision WHERE row NOT IN (SELECT revision FROM anchor)",
    ),
    (
        "I-03",
        "an anchor of revision {} has another hash than its episode",
        """SELECT r.id FROM anchor a JOIN episode e ON e.seq = a.episode JOIN revision r ON r.row = a.revision
        WHERE a.body_hash <> e.content_hash""",
    ),
    (
        "I-06",
        "fact {} was read in an episode of another project",
        "SELECT f.id FROM fact f JOIN episode e ON e.seq = f.episode WHERE e.project <> f.project",
    ),
    (
        "I-06",
        "fact {} was read in a tree of another project",
        "SELECT f.id FROM fact f JOIN tree t ON t.row = f.tree WHERE t.project <> f.project",
    ),
    (
        "I-06",
        "episode {} was said in a session of another project",
        "SELECT e.id FROM episode e JOIN session s ON s.row = e.session WHERE s.project <> e.project",
    ),
    (
        "I-06",
        "episode {} corrects one of another project",
        "SELECT e.id FROM episode e JOIN episode c ON c.seq = e.corrects WHERE c.project <> e.project",
    ),
    (
        "I-17",
        "episode {} is in the record a second time",
        """SELECT id FROM episode e WHERE EXISTS (SELECT 1 FROM episode f
            WHERE f.project = e.project AND f.idempotency_key = e.idempotency_key AND f.seq < e.seq)""",
    ),
    (
        "I-21",
        "episode {} is trusted more than the channel that it came by",
        """SELECT id FROM episode WHERE trust = 'user' AND channel <> 'user'
        OR trust <> 'data' AND channel NOT IN ('user', 'assistant')""",
    ),
    ("I-21", "pin {} is nobody's", "SELECT id FROM pin WHERE actor NOT IN ('person', 'agent')"),
    ("I-21", "rule {} was laid down, and nobody asked for it", _ASKED_FOR.format("rule", "TRUE")),
    ("I-21", "reminder {} is told, and nobody asked for it", _ASKED_FOR.format("reminder", "t.proposed = 0")),
    (
        "I-21",
        "reminder {} was made of data",
        "SELECT t.id FROM reminder t JOIN episode e ON e.seq = t.episode WHERE e.trust = 'data'",
    ),
)

TEXTS: dict[str, tuple[str, ...]] = {
    "session": ("name",),
    "note": ("protected",),
    "revision": ("text", "tags", "proof"),
    "anchor": ("value",),
    "pin": ("text",),
    "alias": ("name", "alias"),
    "reminder": ("pattern", "text"),
    "proposal": ("text", "reason", "evidence"),
    "decision": ("because",),
    "dispute": ("reason",),
    "link": ("reason",),
    "rating": ("reason",),
    "rule": ("condition", "reason"),
    "operation": ("detail",),
    "fact": ("value", "doc"),
    "fact_version": ("value",),
}
"""The columns of what somebody said or a file holds, by table; episodes apart."""


def altered(connection: Connection) -> Iterator[str]:
    """The episodes that do not read back as they were acknowledged (I-01)."""
    for id_, content, encoding, size, content_hash in connection.execute(
        "SELECT id, content, encoding, size, content_hash FROM episode ORDER BY seq"
    ):
        try:
            read = decoded(content, encoding)
        except zlib.error:
            yield id_
            continue
        if len(read) != size or digest(read) != content_hash:
            yield id_


def secrets(connection: Connection) -> Iterator[str]:
    """What holds a secret of a known shape, by its id (I-20)."""
    for id_, content, encoding, *names in connection.execute(
        "SELECT id, content, encoding, tool_input, tool_name, host_event, author FROM episode ORDER BY seq"
    ):
        try:
            held = redact_bytes(decoded(content, encoding)).kinds
        except zlib.error:
            continue
        if held or any(redact(name).kinds for name in names if name):
            yield f"episode {id_}"
    for table, columns in TEXTS.items():
        for row, *texts in connection.execute(f"SELECT row, {', '.join(columns)} FROM {table} ORDER BY row"):
            if any(redact(text).kinds for text in texts if text):
                yield f"{table} {row}"
