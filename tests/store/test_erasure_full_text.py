"""What is taken out of a full-text table leaves nothing in its segments, not even under a tombstone."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moored.store.sqlite import full_text
from moored.store.sqlite.connection import Connection
from moored.store.sqlite.full_text import take_out
from moored.store.sqlite.store import Store

pytestmark = pytest.mark.invariant("I-10")

_VOCABULARY = ["boat", "rope", "tide", "quay", "winch", "mooring", "7781", "berth", "salt"]
_WORDS = st.lists(st.sampled_from(_VOCABULARY), min_size=1, max_size=8)
_RARE = "xylophonequartz"


def _fill(connection: Connection, table: str, texts: list[str]) -> None:
    """Index texts in transactions of their own, so that there are several segments."""
    for row, text in enumerate(texts, 1):
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(f"INSERT INTO {table} (rowid, text) VALUES (?, ?)", (row, text))
        connection.execute("COMMIT")


def _found(connection: Connection, table: str, word: str) -> list[int]:
    return [row[0] for row in connection.rows(f"SELECT rowid FROM {table} WHERE {table} MATCH ?", f'"{word}"')]


def _segments(connection: Connection, table: str) -> bytes:
    return b"".join(row[0] for row in connection.rows(f"SELECT block FROM {table}_data ORDER BY id"))


@pytest.fixture
def connection(tmp_path: Path) -> Connection:
    Store(tmp_path / "moored.db").close()
    return Connection(tmp_path / "moored.db")


@pytest.mark.parametrize("table", ["window_fts", "window_trigram"])
@pytest.mark.parametrize("many", [12, 60])
@pytest.mark.parametrize("told", [f"the {_RARE} of the tide", "another text altogether, of other words"])
def test_an_entry_goes_whether_or_not_its_text_is_known(
    connection: Connection, table: str, told: str, many: int
) -> None:
    texts = [f"boat number {n} at the quay" for n in range(many)]
    texts[7] = f"the {_RARE} of the tide"
    _fill(connection, table, texts)
    before = _found(connection, table, "boat")
    connection.execute("BEGIN IMMEDIATE")
    take_out(connection, table, [(8, told)])
    connection.execute("COMMIT")
    assert _found(connection, table, _RARE[:3] if "trigram" in table else _RARE) == []
    assert _found(connection, table, "boat") == before
    assert b"ylophone" not in _segments(connection, table)
    assert b"xyl" not in _segments(connection, table)
    connection.execute(f"INSERT INTO {table} ({table}) VALUES ('integrity-check')")
    connection.execute(f"INSERT INTO {table} (rowid, text) VALUES (8, 'written again')")
    connection.execute(f"DELETE FROM {table} WHERE rowid = 8")
    connection.close()


def test_an_older_entry_under_a_tombstone_is_not_taken_for_one_that_is_there(connection: Connection) -> None:
    _fill(connection, "window_fts", ["one boat", f"two {_RARE}"])
    connection.execute("DELETE FROM window_fts WHERE rowid = 2")
    take_out(connection, "window_fts", [(2, f"two {_RARE}")])
    assert _found(connection, "window_fts", "boat") == [1]
    connection.close()


def test_the_table_is_the_same_afterwards_also_when_the_work_is_taken_back(connection: Connection) -> None:
    def made() -> list[tuple[str]]:
        return connection.rows("SELECT sql FROM sqlite_schema ORDER BY rowid")

    _fill(connection, "window_fts", ["one boat", f"two {_RARE}"])
    before = made()
    connection.execute("BEGIN IMMEDIATE")
    take_out(connection, "window_fts", [(2, f"two {_RARE}")])
    assert made() == before
    connection.execute("ROLLBACK")
    assert made() == before
    assert _found(connection, "window_fts", _RARE) == [2]
    connection.execute("DELETE FROM window_fts WHERE rowid = 2")
    assert _found(connection, "window_fts", _RARE) == []
    connection.close()


@settings(max_examples=25, deadline=None)
@given(texts=st.lists(_WORDS, min_size=1, max_size=8), gone=st.sets(st.integers(0, 7)), bulk=st.sampled_from([0, 20]))
def test_others_are_found_as_before(
    tmp_path_factory: pytest.TempPathFactory, texts: list[list[str]], gone: set[int], bulk: int
) -> None:
    path = tmp_path_factory.mktemp("words") / "moored.db"
    Store(path).close()
    connection = Connection(path)
    _fill(connection, "window_fts", [" ".join(words) for words in texts])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(full_text, "BULK", bulk)
        _take_out(connection, texts, gone)
    for word in ("boat", "rope", "7781"):
        expected = [row for row, words in enumerate(texts, 1) if word in words and row - 1 not in gone]
        assert _found(connection, "window_fts", word) == expected
    connection.execute("INSERT INTO window_fts (window_fts) VALUES ('integrity-check')")
    connection.close()


def _take_out(connection: Connection, texts: list[list[str]], gone: set[int]) -> None:
    entries = [(row + 1, " ".join(texts[row])) for row in gone if row < len(texts)]
    connection.execute("BEGIN IMMEDIATE")
    take_out(connection, "window_fts", entries)
    connection.execute("COMMIT")


def test_what_the_same_transaction_indexed_before_and_after_is_found(connection: Connection) -> None:
    _fill(connection, "window_fts", [f"boat number {n} at the quay" for n in range(60)])
    _fill(connection, "revision_fts", [f"note number {n} of the quay" for n in range(60)])
    connection.execute("BEGIN IMMEDIATE")
    for table in ("window_fts", "revision_fts"):
        connection.executemany(
            f"INSERT INTO {table} (rowid, text) VALUES (?, ?)", [(row, f"{_RARE} {row}") for row in (100, 101)]
        )
    connection.execute("DELETE FROM revision_fts WHERE rowid = 9")
    take_out(connection, "window_fts", [(8, "boat number 7 at the quay")])
    take_out(connection, "revision_fts", [(8, "note number 7 of the quay")])
    for table in ("window_fts", "revision_fts"):
        connection.execute(f"INSERT INTO {table} (rowid, text) VALUES (102, '{_RARE} 102')")
    connection.execute("COMMIT")
    for table, gone in (("window_fts", {8}), ("revision_fts", {8, 9})):
        assert _found(connection, table, _RARE) == [100, 101, 102]
        assert _found(connection, table, "quay") == [row for row in range(1, 61) if row not in gone]
        connection.execute(f"INSERT INTO {table} ({table}) VALUES ('integrity-check')")
    connection.close()
