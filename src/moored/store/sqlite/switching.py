"""Putting a database under another key: a copy under the new one takes its place, and what was there is overwritten.

The copy is written encrypted from its first byte, verified against the original, and flushed before it is renamed, all
while the original is held alone. So a process that is ended at any moment leaves the database whole under one of both
keys, and one that waited for it finds either, or an error; nothing is written to a file that is no longer there.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import apsw

from moored.errors import StoreCorrupt, StoreError, StoreFull, StoreLocked
from moored.store.keys import flush_folder
from moored.store.removal import blot, overwrite
from moored.store.sqlite.connection import CIPHER, fitting, give_key

if TYPE_CHECKING:
    from pathlib import Path

NEW = ".changed"
OLD = ".replaced"
"""What is added to the name of a database for its copy under the new key, and for what it replaced until it is gone."""

PATIENCE = 5.0
"""Seconds for which processes that have the database open are waited for: hooks end by themselves."""


def switch(path: Path, keys: tuple[str | None, ...], key: str | None) -> bool:
    """Put a database that is under one of these keys under another; return False when it is under that one already.

    What an earlier switch left is dealt with first. Raises `StoreLocked` while another connection is open, `StoreFull`,
    `StoreError` when the copy cannot be made; then the database is as it was.
    """
    clear(path)
    present = fitting(path, keys)
    if present == key:
        return False

    def make(db: Any, new: Path) -> None:
        _copy(db, new, key)
        _verify(db, new, key)

    exchange(path, present, make)
    return True


def exchange(path: Path, key: str | None, make: Callable[[Any, Path], object]) -> None:
    """Put what `make` writes to a new file in the place of a database, which is held alone and overwritten then.

    `make` is called with the database and the name of that file. Raises `StoreLocked` while another connection is
    open, and what `make` raises; then the database is as it was.
    """
    new, old = path.with_name(path.name + NEW), path.with_name(path.name + OLD)
    # Closing it would end the locks on the database: it is closed when they are of no use any more.
    descriptor = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0))
    try:
        with alone(path, key) as db:
            try:
                make(db, new)
            except BaseException:
                blot(new)
                raise
            if os.name == "posix":
                # What it holds is of no use, and would be taken for that of the copy.
                blot(path.with_name(path.name + "-journal"))
                _replace(path, new, old)
                overwrite(descriptor)
    finally:
        os.close(descriptor)
    if os.name != "posix":
        # An open file cannot be replaced there, nor opened by another process while it is.
        _replace(path, new, old)
    blot(old)


@contextmanager
def alone(path: Path, key: str | None) -> Generator[Any]:
    """Hold a database alone, with nothing of it beside the file. Raises `StoreLocked` while another one has it open."""
    # Any: the stubs of apsw leave its row types unknown.
    db: Any = apsw.Connection(str(path), apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_URI)
    with closing(db):
        give_key(db, key)
        end = time.monotonic() + PATIENCE
        while not _hold(db, path):
            if time.monotonic() >= end:
                who = ", ".join(f"process {pid}" for pid in holders(path)) or "another process"
                raise StoreLocked(
                    f"The store {path} is open in {who}. That can only be done while nobody has it open, and "
                    "nothing was changed. End that (a server ends with its host, `moored watch` and `moored serve "
                    "--http` by Ctrl-C), and try again."
                )
            time.sleep(0.05)
        yield db


def _hold(db: Any, path: Path) -> bool:
    """Lock a database for this connection alone, and put all of its log into it; tell whether nobody else has it."""
    try:
        db.execute("PRAGMA synchronous = full; PRAGMA locking_mode = exclusive; BEGIN EXCLUSIVE; COMMIT").fetchall()
        [(busy, logged, moved)] = db.execute("PRAGMA wal_checkpoint(FULL)").fetchall()
        held = not busy and logged == moved
        if held:
            _overwrite_log(path)
            db.execute("PRAGMA journal_mode = delete; BEGIN EXCLUSIVE; COMMIT").fetchall()
    except apsw.BusyError:
        held = False
    if not held:
        db.execute("PRAGMA locking_mode = normal").fetchall()
    return held


def _overwrite_log(path: Path) -> None:
    """Overwrite the log, all of which is in the file now: removing it would leave its blocks as they are."""
    log = path.with_name(path.name + "-wal")
    if log.exists():
        descriptor = os.open(log, os.O_RDWR | getattr(os, "O_BINARY", 0))
        try:
            overwrite(descriptor)
        finally:
            os.close(descriptor)


def _copy(db: Any, target: Path, key: str | None) -> None:
    """Write all of a database to a new file under a key, and flush it."""
    os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    under = f"cipher={CIPHER}&key=raw:{key}" if key else "key="
    try:
        db.execute("VACUUM INTO ?", (f"file:{quote(str(target.absolute()))}?{under}",)).fetchall()
    except apsw.FullError:
        raise StoreFull(
            f"There is no room left for a copy of {target.name.removesuffix(NEW)} under the other key. It is as it was:"
            " free as much as it takes, and try again."
        ) from None
    except apsw.Error as error:
        # What SQLite says may hold the key.
        raise StoreError(
            f"A copy under the other key could not be written to {target} ({type(error).__name__}). Nothing was "
            "changed; run `moored doctor --deep`."
        ) from None
    descriptor = os.open(target, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _verify(db: Any, target: Path, key: str | None) -> None:
    """Hold a copy against its original: sound, with the same tables, and as many rows in each."""
    copy: Any = apsw.Connection(str(target), apsw.SQLITE_OPEN_READONLY)
    with closing(copy):
        give_key(copy, key)
        sound = copy.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        if not sound or _account(copy) != _account(db):
            raise StoreCorrupt(
                f"The copy under the other key is not equal to {target.name.removesuffix(NEW)}, and was removed. "
                "Nothing was changed; run `moored doctor --deep`."
            )


def _account(db: Any) -> tuple[Any, ...]:
    """By what two databases are compared."""
    schema = db.execute("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name").fetchall()
    tables = [name for kind, name, sql in schema if kind == "table" and not sql.startswith("CREATE VIRTUAL")]
    counts = {table: db.execute(f'SELECT count(*) FROM "{table}"').fetchall() for table in tables}
    return schema, counts, db.pragma("application_id"), db.pragma("user_version")


def _replace(path: Path, new: Path, old: Path) -> None:
    """Let the copy take the place of its original, which keeps another name until it is overwritten."""
    os.link(path, old)
    new.replace(path)
    flush_folder(path.parent)


def clear(path: Path) -> None:
    """Deal with what a switch left that was ended: a copy that was not finished, and what was replaced already."""
    new, old = path.with_name(path.name + NEW), path.with_name(path.name + OLD)
    for file in (new, new.with_name(new.name + "-journal")):
        blot(file)
    if old.exists() and old.samefile(path):
        old.unlink()
    blot(old)


def holders(path: Path) -> list[int]:
    """The processes that hold a lock on a file, where the system tells them (Linux)."""
    from pathlib import Path as File

    try:
        inode = path.stat().st_ino
        lines = File("/proc/locks").read_text(encoding="ascii").splitlines()
    except OSError:
        return []
    fields = [line.split() for line in lines]
    pids = {int(one[4]) for one in fields if len(one) == 8 and one[5].endswith(f":{inode}")}
    return sorted(pids - {os.getpid(), -1, 0})
