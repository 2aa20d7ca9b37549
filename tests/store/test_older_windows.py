"""A store from before windows knew their place in the session is cut, indexed and queued anew (I-16)."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest

from moored.model.hashing import digest
from moored.model.text import windows
from moored.model.traits import DIRECTIVE, FOLLOWS, QUESTION, TIMED
from moored.model.windowing import MAX_VECTORS, SIZE
from moored.store.rows import SESSION
from moored.store.sqlite import store as store_module
from moored.store.sqlite.migrations import MIGRATIONS
from moored.store.sqlite.store import Store

LONG = "\n\n".join(f"Paragraph {n} of the log says that the lock was held." for n in range(4_000))
SAID = (
    (1, "user", "user", "Always run make lint before a commit."),
    (2, "assistant", "assistant", "I did so yesterday. Shall it be pushed?"),
    (1, "tool", "tool", LONG),
    (1, "tool", "tool", ""),
    (2, "user", "user", "h\u00e9llo " * 300),
)


@pytest.fixture
def older(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store of the step before, with one window an episode, vectors of some and a note with two revisions."""
    path = tmp_path / "moored.db"
    with monkeypatch.context() as patch:
        patch.setattr(store_module, "MIGRATIONS", MIGRATIONS[:8])
        patch.setattr(store_module, "Transaction", _Older)
        store = Store(path)
        with store.write() as tx:
            _fill(tx)
        store.close()
    return path


class _Older:
    """A transaction of which only the connection is used."""

    def __init__(self, connection: object) -> None:
        self.connection = connection
        self.search = self

    def flush(self) -> None: ...

    def discard(self) -> None: ...


def _fill(tx: _Older) -> None:
    def run(sql: str, *values: object) -> None:
        tx.connection.execute(sql, values)  # type: ignore[attr-defined] - the connection of the store

    run("INSERT INTO project VALUES (1, 'pr_1', 'dir:x', 'x', 1)")
    for session in (1, 2):
        run("INSERT INTO session VALUES (?, ?, 1, 'lab', ?, 1)", session, f"se_{session}", f"s{session}")
    for seq, (session, role, channel, text) in enumerate(SAID, 1):
        content, asked = text.encode(), '{"command": "make lint"}' if role == "tool" else ""
        packed = len(content) > 4_096
        run(
            """INSERT INTO episode (seq, id, project, session, role, channel, trust, host_event, idempotency_key,
                content, encoding, size, content_hash, tokens, tool_name, tool_input, occurred_at, recorded_at)
            VALUES (?, ?, 1, ?, ?, ?, 'data', '', ?, ?, ?, ?, ?, 1, '', ?, 5, 6)""",
            seq, f"ep_{seq}", session, role, channel, f"key {seq}", zlib.compress(content) if packed else content,
            "zlib" if packed else "raw", len(content), digest(content), asked,
        )  # fmt: skip
        run('INSERT INTO window (episode, project, start, "end", dense) VALUES (?, 1, 0, ?, 1)', seq, max(len(text), 1))
        run("INSERT INTO window_fts (rowid, text) VALUES (?, ?)", seq, text)
        run("INSERT INTO vector VALUES (?, 1, 'window', ?, 'm', 1, 1.0, x'01')", seq, seq)
    for revision in (1, 2):
        run(
            "INSERT INTO revision VALUES (?, ?, 1, ?, ?, 'the note', '[]', 'said', 'person', 1, '', 1)",
            revision, f"re_{revision}", revision, revision - 1 or None,
        )  # fmt: skip
        run(
            "INSERT INTO anchor VALUES (?, ?, 'source', NULL, 1, '', '', '', '', ?, '')",
            revision, revision, digest(SAID[0][3].encode()),
        )  # fmt: skip
        if revision == 1:
            run("INSERT INTO note VALUES (1, 'no_1', 1, 'decision', 1, NULL, 1)")
    run("UPDATE note SET head = 2")
    run("INSERT INTO revision_fts (rowid, text) VALUES (2, 'the note')")
    run("INSERT INTO vector_queue VALUES (1, 1, 'revision', 2)")


@pytest.mark.invariant("I-16")
def test_an_older_store_is_cut_indexed_and_queued_anew(older: Path) -> None:
    store = Store(older)
    assert store.check(deep=True) == []
    with store.read() as view:
        project = view.projects.all()[0]
        rows = view.connection.rows(
            'SELECT episode, session, ordinal, start, "end", traits, dense FROM window ORDER BY row'
        )
        queued = {(text.owner_kind, text.owner) for text in view.vectors.waiting(1_000)}
        lint = {posting.episode for posting in view.search.postings("window", project, '"lint"', 10)}
        assert (view.vectors.models(project), len(view.search.postings("window", project, '"held"', 99_999))) == (
            {},
            len(windows(LONG, SIZE, 0)),
        )
    store.close()
    expected = [(seq, *span) for seq, (*_, text) in enumerate(SAID, 1) for span in windows(text, SIZE, 0) or [(0, 1)]]
    assert [(row[0], *row[3:5]) for row in rows] == expected
    for session in (1, 2):
        ordinals = [row[2] for row in rows if row[1] == session]
        assert ordinals == list(range(len(ordinals)))
    compared = DIRECTIVE | TIMED | QUESTION | FOLLOWS
    found = {row[0]: row[5] & compared for row in rows if row[5]}
    assert found == {1: DIRECTIVE, 2: TIMED | QUESTION, 5: FOLLOWS}
    assert sum(row[6] for row in rows if row[0] == 3) == MAX_VECTORS
    assert queued == {("revision", 2)} | {("window", at) for at, row in enumerate(rows, 1) if row[6]}
    assert lint == {1, 3, 4}


@pytest.mark.invariant("I-01")
def test_the_episodes_of_an_older_store_stay_as_they_are(older: Path) -> None:
    store = Store(older)
    with store.read() as view:
        episodes = view.episodes.recent(view.projects.all()[0], 10)
    store.close()
    assert [(one.text, one.author) for one in reversed(episodes)] == [(text, "") for *_, text in SAID]


def test_an_older_store_goes_on_where_it_ended(older: Path) -> None:
    store = Store(older)
    with store.write() as tx:
        project = tx.projects.all()[0]
        (last,) = tx.connection.rows("SELECT max(ordinal), max(row) FROM window WHERE session = 1")
        (row,) = tx.episodes.add_windows(project, 1, [(0, 5)])
        found = tx.search.places(project, [SESSION + last[0] + 1, SESSION + last[0] + 2])
        assert [(window.place, window.row) for window in found] == [(SESSION + last[0] + 1, row)]
    store.close()
