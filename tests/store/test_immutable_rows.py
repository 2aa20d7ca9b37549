"""What cannot be changed in the database itself, by our connections or by anyone's (I-01, I-03)."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lab.author import Author
from moored.errors import StoreError
from moored.model.hashing import digest
from moored.model.notes import Anchor, AnchorRole
from moored.model.projects import Project, Session
from moored.store.sqlite.episodes import COMPRESS_FROM
from moored.store.sqlite.store import Store

Execute = Callable[[str], None]

UNDER_WAY = 5
"""The number of the operation under which a note may change."""


@pytest.fixture
def written(store: Store) -> Store:
    """A store with two of everything that is immutable."""
    author = Author()
    with store.write() as tx:
        project, session, _ = author.begin(tx)
        for text in ("one", "two"):
            new = author.episode(session, text.encode())
            author.record(tx, project, new)
            note = author.remember(tx, project, text, episode=new.id)
            author.revise(tx, project, note, f"{text} again")
            author.pin(tx, project, text)
        tx.operations.begin(project, "op_under_way", "lab", "", 1, actor="person", asked=True)
        (row,) = tx.connection.row("SELECT row FROM operation WHERE open = 1") or ()
        assert row == UNDER_WAY
    return store


@pytest.fixture(params=["our own connection", "the standard library's"])
def execute(request: pytest.FixtureRequest, written: Store) -> Iterator[Execute]:
    """Runs one statement in a transaction of its own."""
    if request.param == "our own connection":

        def ours(sql: str) -> None:
            with written.write() as tx:
                tx.connection.execute(sql)

        yield ours
        return
    foreign = sqlite3.connect(written.path)

    def theirs(sql: str) -> None:
        with foreign:
            foreign.execute(sql)

    yield theirs
    foreign.close()


def _dump(store: Store) -> list[object]:
    tables = ("episode", "note", "revision", "anchor", "pin", "extractor")
    with store.read() as view:
        return [view.connection.rows(f"SELECT * FROM {table}") for table in tables]


_WHY = "immutable|verbatim|deleted|replaced|only the head|are written with it|under an operation"
REFUSED = [
    "UPDATE episode SET content = x'00'",
    "UPDATE episode SET tokens = 0 WHERE seq = 1",
    "UPDATE OR REPLACE episode SET seq = 2 WHERE seq = 1",
    "DELETE FROM episode",
    "DELETE FROM episode WHERE seq = 2",
    "REPLACE INTO episode SELECT * FROM episode WHERE seq = 1",
    (
        "INSERT OR REPLACE INTO episode SELECT 99, id, project, session, role, channel, trust, host_event, 'other',"
        " x'00', encoding, size, content_hash, tokens, tool_name, tool_input, exit_status, corrects, occurred_at,"
        " recorded_at, author FROM episode WHERE seq = 1"
    ),
    (
        "INSERT OR REPLACE INTO episode SELECT 99, 'other', project, session, role, channel, trust, host_event,"
        " idempotency_key, x'00', encoding, size, content_hash, tokens, tool_name, tool_input, exit_status, corrects,"
        " occurred_at, recorded_at, author FROM episode WHERE seq = 1"
    ),
    "INSERT INTO episode SELECT * FROM episode WHERE seq = 1 ON CONFLICT (seq) DO UPDATE SET content = x'00'",
    "UPDATE revision SET text = 'changed'",
    "DELETE FROM revision WHERE row = (SELECT max(row) FROM revision)",
    "REPLACE INTO revision SELECT * FROM revision WHERE row = 1",
    (
        "INSERT OR REPLACE INTO revision SELECT 99, id, note, 9, 1, 'changed', tags, cause, actor, episode, proof, 0,"
        " 5 FROM revision WHERE row = 1"
    ),
    (
        "INSERT OR REPLACE INTO revision SELECT 99, 'other', note, number, parent, 'changed', tags, cause, actor,"
        " episode, proof, 0, 5 FROM revision WHERE row = 2"
    ),
    "INSERT INTO revision SELECT * FROM revision WHERE row = 1 ON CONFLICT (row) DO UPDATE SET text = 'changed'",
    "UPDATE anchor SET body_hash = 'changed'",
    "DELETE FROM anchor",
    "REPLACE INTO anchor SELECT * FROM anchor WHERE row = 1",
    "INSERT INTO anchor SELECT * FROM anchor WHERE row = 1 ON CONFLICT (row) DO UPDATE SET value = 'changed'",
    "DELETE FROM note WHERE row = 1",
    "REPLACE INTO note SELECT * FROM note WHERE row = 1",
    "INSERT OR REPLACE INTO note SELECT 99, id, project, kind, head, NULL, 0, NULL, NULL, 5, 0 FROM note WHERE row = 1",
    "UPDATE OR REPLACE note SET row = 2 WHERE row = 1",
    "UPDATE OR REPLACE note SET id = (SELECT id FROM note WHERE row = 2) WHERE row = 1",
    "UPDATE note SET created_at = 0",
    "UPDATE pin SET text = 'changed'",
    "UPDATE pin SET tokens = 0",
    "UPDATE OR REPLACE pin SET row = 2 WHERE row = 1",
    "DELETE FROM pin",
    "REPLACE INTO pin SELECT * FROM pin WHERE row = 1",
    "INSERT OR REPLACE INTO pin SELECT 99, id, project, 'changed', actor, tokens, 0, NULL FROM pin WHERE row = 1",
    "INSERT INTO pin SELECT * FROM pin WHERE row = 1 ON CONFLICT (row) DO UPDATE SET text = 'changed'",
]


@pytest.mark.invariant("I-01")
@pytest.mark.parametrize("sql", REFUSED)
def test_what_was_written_cannot_be_rewritten(written: Store, execute: Execute, sql: str) -> None:
    before = _dump(written)
    with pytest.raises((StoreError, sqlite3.Error), match=_WHY):
        execute(sql)
    assert _dump(written) == before


@pytest.mark.invariant("I-01")
def test_an_episode_is_deleted_only_by_an_erasure_that_names_it(written: Store, execute: Execute) -> None:
    author = Author("quay")
    with written.write() as tx:
        project, session, _ = author.begin(tx)
        seq = tx.episodes.add(project, author.episode(session, b"to go"))
    with pytest.raises((StoreError, sqlite3.Error), match="only by an erasure"):
        execute(f"DELETE FROM episode WHERE seq = {seq}")
    execute(f"INSERT INTO erasure VALUES ({seq}, 'asked for', 1)")
    with pytest.raises((StoreError, sqlite3.Error), match="only by an erasure"):
        execute("DELETE FROM episode WHERE seq = 1")
    execute(f"DELETE FROM episode WHERE seq = {seq}")
    with written.write() as tx:
        later = tx.episodes.add(project, author.episode(session, b"after"))
    assert later > seq, "the number of an erased episode is not given again"
    with pytest.raises((StoreError, sqlite3.Error), match="only by an erasure"):
        execute(f"DELETE FROM episode WHERE seq = {later}")


@pytest.mark.invariant("I-03")
@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("INSERT INTO note VALUES (9, 'no_9', 1, 'fact', 99, NULL, 1, NULL, NULL, 5, 0)", "head of a note"),
        ("INSERT INTO note VALUES (9, 'no_9', 1, 'fact', 1, NULL, 1, NULL, NULL, 5, 0)", "head of a note"),
        ("UPDATE note SET head = 3, operation = 5 WHERE row = 1", "head of a note"),
        ("UPDATE note SET head = 99, operation = 5 WHERE row = 1", "head of a note"),
        ("UPDATE note SET head = NULL, operation = 5 WHERE row = 1", "head of a note"),
        (
            "INSERT INTO anchor VALUES (99, 3, 'about', NULL, NULL, '', '', '', '', 'hash', '')",
            "target|written with it",
        ),
        ("INSERT INTO anchor VALUES (99, 2, 'about', NULL, 1, '', '', '', '', 'hash', '')", "written with it"),
        ("INSERT INTO anchor VALUES (99, 1, 'about', NULL, 1, '', '', '', '', 'hash', '')", "written with it"),
    ],
)
def test_a_note_stands_on_an_anchored_revision_of_its_own(written: Store, execute: Execute, sql: str, why: str) -> None:
    before = _dump(written)
    with pytest.raises((StoreError, sqlite3.Error), match=why):
        execute(sql)
    assert _dump(written) == before


_NEXT = (
    "INSERT INTO revision SELECT 50, 're_50', note, 9, row, 'next', '[]', 'said', 'person', episode, '', 1, 5"
    " FROM revision WHERE row = 2"
)


@pytest.mark.invariant("I-03")
@pytest.mark.parametrize(
    ("anchor", "why"),
    [
        ("NULL, NULL, '', '', '', '', 'hash'", "target"),
        ("NULL, 99, '', '', '', '', 'hash'", "target"),
        ("99, NULL, '', '', '', '', 'hash'", "target"),
        ("NULL, 1, '', '', '', '', ''", "CHECK"),
        ("NULL, 1, '', '', '', '', NULL", "NOT NULL"),
        ("99, 1, '', '', '', '', 'hash'", "CHECK"),
    ],
)
def test_an_anchor_has_one_target_that_exists_and_its_hash(
    written: Store, execute: Execute, anchor: str, why: str
) -> None:
    execute(_NEXT)
    with pytest.raises((StoreError, sqlite3.Error), match=why):
        execute(f"INSERT INTO anchor VALUES (99, 50, 'about', {anchor}, '')")
    with pytest.raises((StoreError, sqlite3.Error), match="head of a note"):
        execute("UPDATE note SET head = 50, operation = 5 WHERE row = 1")
    execute("INSERT INTO anchor VALUES (99, 50, 'about', NULL, 1, '', '', '', '', 'hash', '')")
    execute("UPDATE note SET head = 50, operation = 5 WHERE row = 1")


@pytest.mark.invariant("I-03")
@pytest.mark.parametrize(
    "anchor",
    [
        Anchor(AnchorRole.ABOUT, fact="fa_missing", body_hash="hash"),
        Anchor(AnchorRole.ABOUT, episode="ep_missing", body_hash="hash"),
        Anchor(AnchorRole.ABOUT, body_hash="hash"),
    ],
)
def test_a_note_about_something_that_does_not_exist_is_an_error_and_no_row(written: Store, anchor: Anchor) -> None:
    before = _dump(written)

    def remember() -> None:
        with written.write() as tx:
            project = tx.projects.all()[0]
            author = Author("elsewhere")
            author.remember(tx, project, "text", anchor, episode=tx.episodes.recent(project, 1)[0].id)

    with pytest.raises(StoreError, match="target"):
        remember()
    assert _dump(written) == before


@pytest.mark.invariant("I-03")
def test_a_note_cannot_rest_on_an_episode_of_another_project(written: Store) -> None:
    def remember() -> None:
        author = Author("quay")
        with written.write() as tx:
            first = tx.projects.all()[0]
            second, _, _ = author.begin(tx)
            author.remember(tx, second, "text", episode=tx.episodes.recent(first, 1)[0].id)

    with pytest.raises(StoreError, match="NOT NULL"):
        remember()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, Author, Project, Session]]:
    store, author = Store(tmp_path_factory.mktemp("bytes") / "moored.db"), Author()
    with store.write() as tx:
        project, session, _ = author.begin(tx)
    yield store, author, project, session
    store.close()


_CONTENTS = st.one_of(
    st.binary(min_size=1, max_size=64),
    st.sampled_from([b"\0", b"\n", b" ", b"\xff\xfe", b"a\0b", "\ufffd".encode(), b"\r\n"]),
    st.builds(lambda part, times: part * times, st.binary(min_size=1, max_size=40), st.integers(90, 400)),
    st.binary(min_size=COMPRESS_FROM, max_size=COMPRESS_FROM + 64),
)


@pytest.mark.invariant("I-01")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(content=_CONTENTS)
def test_an_episode_gives_back_the_bytes_it_was_given(
    shared: tuple[Store, Author, Project, Session], content: bytes
) -> None:
    store, author, project, session = shared
    new = author.episode(session, content)
    with store.write() as tx:
        author.record(tx, project, new)
    with store.read() as view:
        kept = view.episodes.get(project, new.id)
        assert kept is not None
        assert kept.content == content
        assert view.episodes.hash_of(project, new.id) == digest(content)


@pytest.mark.invariant("I-01")
def test_a_large_episode_is_kept_compressed_and_whole(shared: tuple[Store, Author, Project, Session]) -> None:
    store, author, project, session = shared
    new = author.episode(session, b"the same line of a long log\n" * 80_000)
    with store.write() as tx:
        author.record(tx, project, new)
    with store.read() as view:
        kept = view.episodes.get(project, new.id)
        assert kept is not None
        assert kept.content == new.content
        stored = view.connection.value("SELECT length(content) FROM episode WHERE id = ?", new.id)
        assert stored < len(new.content) // 50


@pytest.mark.invariant("I-17")
def test_the_same_key_is_recorded_once_in_a_project(written: Store, execute: Execute) -> None:
    author = Author("quay")
    with written.write() as tx:
        first, session, _ = author.begin(tx)
        seq = tx.episodes.add(first, author.episode(session, b"event", key="the key"))
    with written.read() as view:
        assert view.episodes.known(first, "the key") is not None
        assert view.episodes.known(first, "another key") is None

    def again() -> None:
        with written.write() as tx:
            tx.episodes.add(first, author.episode(session, b"event", key="the key"))

    with pytest.raises(StoreError):
        again()
    with pytest.raises((StoreError, sqlite3.Error), match="immutable"):
        execute(
            "INSERT OR IGNORE INTO episode SELECT 77, 'ep_77', project, session, role, channel, trust, host_event,"
            " idempotency_key, content, encoding, size, content_hash, tokens, tool_name, tool_input, exit_status,"
            f" corrects, occurred_at, recorded_at, author FROM episode WHERE seq = {seq}"
        )


def test_the_file_is_for_the_eyes_of_its_owner(written: Store) -> None:
    modes = {file.name: oct(file.stat().st_mode & 0o777) for file in written.path.parent.iterdir()}
    assert set(modes.values()) == {"0o600"}
    assert oct(written.path.parent.stat().st_mode & 0o777) == "0o700"


STATE = ("head = 1", "superseded_by = 2", "withdrawn = 5", "protected = 'now'")


@pytest.mark.invariant("I-07")
@pytest.mark.parametrize("change", STATE)
def test_a_note_changes_only_under_an_operation_that_is_under_way(
    written: Store, execute: Execute, change: str
) -> None:
    before = _dump(written)
    for operation in ("operation", "NULL", "1", "99"):
        with pytest.raises((StoreError, sqlite3.Error), match="under way"):
            execute(f"UPDATE note SET {change}, operation = {operation} WHERE row = 1")
    assert _dump(written) == before


@pytest.mark.invariant("I-08")
@pytest.mark.parametrize("change", [*STATE, "protected = NULL"])
def test_a_protected_note_changes_only_when_somebody_asks_for_it(written: Store, execute: Execute, change: str) -> None:
    execute("UPDATE note SET protected = 'it is a decision', operation = 5 WHERE row = 1")
    execute(
        "INSERT INTO operation (id, project, kind, detail, started_at, actor, asked, open)"
        " VALUES ('op_upkeep', 1, 'merge', '', 1, 'upkeep', 0, 1)"
    )
    before = _dump(written)
    with pytest.raises((StoreError, sqlite3.Error), match="a protected note changes only when"):
        execute(f"UPDATE note SET {change}, operation = 6 WHERE row = 1")
    with pytest.raises((StoreError, sqlite3.Error), match="a protected note changes only when"):
        execute(_NEXT.replace("1, 5", "1, 6").replace("WHERE row = 2", "WHERE row = 1"))
    assert _dump(written) == before
    execute(f"UPDATE note SET {change}, operation = 5 WHERE row = 1")


@pytest.mark.invariant("I-08")
def test_only_a_person_or_an_agent_can_ask_for_a_change(written: Store, execute: Execute) -> None:
    with pytest.raises((StoreError, sqlite3.Error), match="CHECK"):
        execute(
            "INSERT INTO operation (id, project, kind, detail, started_at, actor, asked, open)"
            " VALUES ('op_upkeep', 1, 'merge', '', 1, 'upkeep', 1, 1)"
        )
    for change in ("asked = 1", "actor = 'person'", "kind = 'forget'"):
        with pytest.raises((StoreError, sqlite3.Error), match="only the detail and the state"):
            execute(f"UPDATE operation SET {change} WHERE row = 1")


@pytest.mark.invariant("I-09")
def test_the_database_itself_logs_what_an_operation_changes(written: Store, execute: Execute) -> None:
    execute("UPDATE note SET head = 1, operation = 5 WHERE row = 1")
    execute("UPDATE note SET superseded_by = 2, operation = 5 WHERE row = 1")
    with written.read() as view:
        project = view.projects.all()[0]
        logged = view.operations.changes(project, "op_under_way")
        note = view.notes.get(project, logged[0].note)
    assert [(one.field, one.before, one.after) for one in logged] == [("head", 2, 1), ("superseded_by", None, 2)]
    assert note is not None
    assert note.head.number == 1
