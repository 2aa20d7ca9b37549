"""Nothing but the ledger writer writes the ledger (I-02)."""

from __future__ import annotations

import sqlite3

import apsw
import pytest

from lab.author import Author
from moored.errors import StoreError
from moored.model.projects import Tree
from moored.store.sqlite.connection import Connection
from moored.store.sqlite.migrations.m0003_ledger import GUARDED
from moored.store.sqlite.store import Store

WRITES = [
    *(f"DELETE FROM {table}" for table in GUARDED),
    *(f"INSERT INTO {table} SELECT * FROM {table}" for table in GUARDED),
    *(f"REPLACE INTO {table} SELECT * FROM {table}" for table in GUARDED),
    "UPDATE file SET size = 0",
    "UPDATE fact SET value = 'changed'",
    "UPDATE fact_version SET value = 'changed'",
    "UPDATE edge SET line = 0",
    "UPDATE outline SET linked = 0",
    "UPDATE relink SET path = ''",
    "INSERT INTO fact SELECT * FROM fact WHERE true ON CONFLICT (row) DO UPDATE SET value = 'changed'",
    "WITH gone AS (SELECT row FROM fact) DELETE FROM fact WHERE row IN gone",
]


@pytest.fixture
def tree(store: Store) -> Tree:
    """A tree with a file, facts, a version and an edge."""
    author = Author()
    with store.write() as tx:
        _, _, tree = author.begin(tx)
        old, other = author.fact("sail"), author.fact("anchor")
        row = author.index(tx, tree, "boat.py", old, other)
        new = author.fact("sail", "another body")
        fact = tx.facts.get(tree.project, old.id)
        assert fact is not None
        with tx.ledger_writer() as ledger:
            ledger.change(fact, new.extracted, 0, "body", 2, path="boat.py")
        numbers = tx.facts.rows(tree.project, [old.id, other.id])
        with tx.connection.ledger_writer():
            tx.connection.execute(
                "INSERT INTO edge (file, kind, source, target, target_name, resolved, line, source_hash)"
                " VALUES (?, 'call', ?, ?, 'anchor', 1, 2, 'hash')",
                (row, numbers[old.id], numbers[other.id]),
            )
            tx.connection.execute("INSERT INTO outline VALUES (?, ?, 1, 0, x'', x'', x'', x'')", (row, tree.row))
            tx.connection.execute("INSERT INTO relink (tree, path, exports) VALUES (?, 'p.py', x'')", (tree.row,))
    return tree


def _dump(store: Store) -> list[object]:
    with store.read() as view:
        return [view.connection.rows(f"SELECT * FROM {table}") for table in GUARDED]


@pytest.mark.invariant("I-02")
def test_the_authorizer_and_the_triggers_guard_the_same_tables(store: Store) -> None:
    with store.read() as view:
        triggers = view.connection.rows(
            "SELECT tbl_name, name FROM sqlite_schema WHERE name LIKE '%\\_guard' ESCAPE '\\'"
        )
    assert {table for table, _ in triggers} == set(GUARDED)
    assert len(triggers) == 3 * len(GUARDED)


@pytest.mark.invariant("I-02")
@pytest.mark.parametrize("sql", WRITES)
def test_our_connections_refuse_to_write_the_ledger_outside_its_writer(store: Store, tree: Tree, sql: str) -> None:
    before = _dump(store)

    def outside() -> None:
        with store.write() as tx:
            tx.connection.execute(sql)

    def afterwards_with_a_cached_statement() -> None:
        with store.write() as tx:
            with tx.connection.ledger_writer():
                tx.connection.execute("SAVEPOINT tried")
                try:
                    tx.connection.execute(sql)
                except Exception:  # noqa: BLE001 - whether the rows fit their tables does not matter here
                    tx.connection.execute("ROLLBACK TO tried")
            tx.connection.execute("ROLLBACK TO tried")
            tx.connection.execute(sql)

    def while_reading() -> None:
        with store.read() as view, view.connection.ledger_writer():
            view.connection.execute(sql)

    def while_reading_outside() -> None:
        with store.read() as view:
            view.connection.execute(sql)

    for attempt in (while_reading_outside, outside, afterwards_with_a_cached_statement, while_reading):
        with pytest.raises(StoreError) as refused:
            attempt()
        reading = attempt in (while_reading, while_reading_outside)
        expected = apsw.ReadOnlyError if reading else apsw.AuthError
        assert isinstance(refused.value.__cause__, expected), "the lock that is to refuse it did not"
        assert _dump(store) == before


@pytest.mark.invariant("I-02")
@pytest.mark.parametrize("sql", WRITES)
def test_a_foreign_connection_cannot_write_the_ledger(store: Store, tree: Tree, sql: str) -> None:
    before = _dump(store)
    foreign = sqlite3.connect(store.path)
    with pytest.raises(sqlite3.Error, match=r"moored_ledger|only the ledger writer"):
        foreign.execute(sql)
    foreign.close()
    assert _dump(store) == before


@pytest.mark.invariant("I-02")
def test_the_trigger_refuses_even_where_the_authorizer_was_taken_off(store: Store, tree: Tree) -> None:
    before = _dump(store)
    connection = Connection(store.path)
    connection._db.authorizer = None
    with pytest.raises(Exception, match="only the ledger writer can write fact"):
        connection.execute("UPDATE fact SET value = 'changed'")
    connection.close()
    assert _dump(store) == before


@pytest.mark.invariant("I-02")
@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO extractor VALUES ('model')",
        "UPDATE extractor SET name = 'model' WHERE name = 'output'",
        "DELETE FROM extractor WHERE name = 'output'",
        "REPLACE INTO extractor VALUES ('code')",
    ],
)
def test_the_registry_of_extractors_is_closed(store: Store, sql: str) -> None:
    def ours() -> None:
        with store.write() as tx, tx.connection.ledger_writer():
            tx.connection.execute(sql)

    with pytest.raises(StoreError, match="closed"):
        ours()
    foreign = sqlite3.connect(store.path)
    with pytest.raises(sqlite3.Error, match="closed"):
        foreign.execute(sql)
    foreign.close()


@pytest.mark.invariant("I-02")
def test_a_fact_of_an_unknown_extractor_is_refused(store: Store, tree: Tree) -> None:
    author = Author("elsewhere")
    fact = author.fact("guess")
    fact = fact._replace(extractor="model")

    def write() -> None:
        with store.write() as tx, tx.ledger_writer() as ledger:
            ledger.add(tree.project, [fact], 1, tree=tree, path="boat.py")

    before = _dump(store)
    with pytest.raises(StoreError, match="FOREIGN KEY"):
        write()
    assert _dump(store) == before


@pytest.mark.invariant("I-02")
def test_the_writer_is_shut_again_when_its_block_raises(store: Store, tree: Tree) -> None:
    def raise_inside() -> None:
        with store.write() as tx, tx.ledger_writer():
            raise KeyError

    with pytest.raises(KeyError):
        raise_inside()

    def write() -> None:
        with store.write() as tx:
            tx.connection.execute("UPDATE fact SET value = 'changed'")

    with pytest.raises(StoreError):
        write()
