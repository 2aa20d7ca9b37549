"""Whole copies of a database: made of one moment while others write, proven equal to it, and put back in its place."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from itertools import starmap, zip_longest
from operator import eq
from typing import TYPE_CHECKING, Any

import apsw

from moored.errors import StoreCorrupt, StoreLocked
from moored.store.keys import flush_folder
from moored.store.removal import blot
from moored.store.sqlite.connection import APPLICATION_ID, Connection, copy_pages, fitting
from moored.store.sqlite.faults import translated
from moored.store.sqlite.switching import NEW, clear, exchange, holders

if TYPE_CHECKING:
    from pathlib import Path


def copy_whole(source: Connection, target: Path, key: str | None) -> None:
    """Copy what the transaction of a connection sees to a file that appears when it is whole and proven equal.

    `key` is that of the source, and of the copy. Raises `StoreCorrupt` when the copy is not equal, `StoreFull`, and
    `OSError`; then what had this name before still has it.
    """
    with appearing(target) as partial, translated(target):
        source.copy_to(partial)
        with closing(Connection(partial, key=key, read_only=True)) as copy:
            _refuse_unequal(source, copy, target)


def put_back(path: Path, keys: tuple[str | None, ...], backup: Path, kept: Path, prove: Callable[[Path], None]) -> None:
    """Put a copy of a backup in the place of a database, of which what is there now is kept under another name.

    `prove` is called with that copy before anything is changed, and raises when it is not fit. Raises `StoreLocked`
    while another process has the database open, and as `copy_whole`.
    """
    clear(path)
    key = fitting(path, keys) if path.exists() else keys[0]

    def make(new: Path) -> None:
        with translated(backup), closing(Connection(backup, key=key, read_only=True)) as source:
            source.execute("BEGIN")
            if source.pragma("application_id") != APPLICATION_ID:
                raise StoreCorrupt(f"{backup} is no backup of a moored store. Nothing was changed; name another file.")
            copy_whole(source, new, key)
        prove(new)

    def make_and_keep(db: Any, new: Path) -> None:
        make(new)
        # Through the connection: to open and close the file would end the locks by which it is held.
        with appearing(kept) as partial:
            copy_pages(db, partial, key)

    try:
        if path.exists():
            exchange(path, key, make_and_keep)
            return
    except (apsw.NotADBError, apsw.CorruptError):
        if others := holders(path):
            raise StoreLocked(
                f"The store {path} is damaged, and open in process {others[0]}. End that, and try again. Nothing was "
                "changed."
            ) from None
    new = path.with_name(path.name + NEW)
    try:
        make(new)
    except BaseException:
        blot(new)
        raise
    for end in ("-wal", ""):
        if (part := path.with_name(path.name + end)).exists():
            part.replace(kept.with_name(kept.name + end))
    new.replace(path)
    flush_folder(path.parent)


@contextmanager
def appearing(target: Path) -> Generator[Path]:
    """Let a file appear when it is whole: what is written is under another name until then."""
    partial = target.with_name(target.name + ".partial")
    partial.unlink(missing_ok=True)
    try:
        yield partial
        partial.replace(target)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    flush_folder(target.parent)


def _refuse_unequal(source: Connection, copy: Connection, target: Path) -> None:
    """Raise `StoreCorrupt` unless a copy is sound and has the same tables with the same rows."""
    schema = "SELECT type, name, sql FROM sqlite_schema ORDER BY type, name"
    tables = [name for sort, name, sql in source.rows(schema) if sort == "table" and "CREATE VIRTUAL" not in sql]
    statements = [schema, "PRAGMA application_id", *(f'SELECT * FROM "{table}"' for table in tables)]
    equal = all(_same(source, copy, statement) for statement in statements)
    if not equal or copy.rows("PRAGMA integrity_check") != [("ok",)]:
        raise StoreCorrupt(
            f"The copy {target} is not sound, or not equal to what was copied, and was removed. Run "
            "`moored doctor --deep` to see whether the store is damaged."
        )


def _same(source: Connection, copy: Connection, statement: str) -> bool:
    return all(starmap(eq, zip_longest(source.execute(statement), copy.execute(statement))))
