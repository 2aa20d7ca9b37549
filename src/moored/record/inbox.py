"""The inbox: what hooks captured and the record does not hold yet, one file for each event.

It lies beside the store, so that capturing never waits for the store and loses nothing while the store is locked, full,
newer or damaged. Where the store's folder cannot be written, it lies in the user's state folder. A file is written
beside its place, flushed to the disk, and renamed, so that an entry is there whole or not at all; its name begins with
the time, so that names sort by age. A file is a line of JSON followed by the content, byte for byte.

Standard library only: hooks load it.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

FOLDER = ".inbox"
"""What the name of the inbox adds to that of the store."""

FAILED = "failed"
"""The folder of an inbox that holds entries which the record refused."""

SUFFIX = ".entry"
PARTIAL = ".part"
TAKING = "taking"
ATTENDING = "attending"
EMBEDDING = "embedding"
"""The files that the one process locks which takes entries out, and the one which stays for what comes next."""

ABANDONED_AFTER = 3_600
"""Seconds after which a half-written file is that of a hook which was ended while it wrote."""


class Entry(NamedTuple):
    """One captured event: the fields of `moored.model.episodes.Event` that a hook knows, with plain texts for choices.

    `cwd` is the folder that the host worked in, by which the project is found. `paths` are the files that a tool wrote,
    as the host names them: the ledger is to read them again. `content` and `tool_input` are redacted already.
    """

    content: bytes
    role: str
    channel: str
    host: str = ""
    session: str = ""
    host_event: str = ""
    tool_name: str = ""
    tool_input: str = ""
    exit_status: int | None = None
    occurred_at: int | None = None
    cwd: str = ""
    paths: tuple[str, ...] = ()


_KINDS: dict[str, Any] = {"exit_status": int | None, "occurred_at": int | None, "paths": tuple}
"""The types of the values in a header that are no texts."""

_HEADER = tuple(name for name in Entry._fields if name != "content")


class Inbox:
    """The entries that wait for one store. Any number of processes may put, and one at a time takes."""

    def __init__(self, store: Path) -> None:
        self.folder = store.with_name(store.name + FOLDER)
        self._store = store

    @property
    def fallback(self) -> Path:
        """The folder that is used where the store's own cannot be written."""
        return state_folder(self._store) / "inbox"

    def put(self, entry: Entry) -> Path:
        """Keep an entry and return its file. Raises `OSError` when neither folder takes it."""
        header = {name: getattr(entry, name) for name in _HEADER} | {"size": len(entry.content)}
        data = json.dumps(header).encode("ascii") + b"\n" + entry.content
        try:
            return _put(self.folder, data)
        except OSError:
            return _put(self.fallback, data)

    def waiting(self) -> list[Path]:
        """The files of all entries that wait, oldest first."""
        found = [file for folder in (self.folder, self.fallback) for file in _listed(folder, SUFFIX)]
        return sorted(found, key=lambda file: file.name)

    def failed(self) -> list[Path]:
        """The files of the entries that the record refused."""
        return [file for folder in (self.folder, self.fallback) for file in _listed(folder / FAILED, SUFFIX)]

    @staticmethod
    def read(file: Path) -> Entry:
        """Read an entry. Raises `ValueError` for a file that is none, `OSError` for one that cannot be read."""
        line, _, content = file.read_bytes().partition(b"\n")
        header: Any = json.loads(line)
        if not isinstance(header, dict):
            raise ValueError(f"{file} is not an entry")  # noqa: TRY004 - it is the file that is wrong
        told = cast(dict[str, Any], header)
        if told.pop("size", None) != len(content):
            raise ValueError(f"{file} is not a whole entry")
        told["paths"] = tuple(told.get("paths", ()))
        if not all(isinstance(value, _KINDS.get(name, str)) for name, value in told.items()):
            raise ValueError(f"{file} is not an entry: a value is of another type")
        try:
            return Entry(content, **told)
        except TypeError as error:
            raise ValueError(f"{file} is not an entry: {error}") from error

    @staticmethod
    def remove(file: Path) -> None:
        """Take out an entry that the record holds."""
        file.unlink(missing_ok=True)

    @staticmethod
    def set_aside(file: Path) -> None:
        """Put an entry that the record refuses out of the way of the others. It is kept."""
        folder = file.parent / FAILED
        folder.mkdir(mode=0o700, exist_ok=True)
        with suppress(FileNotFoundError):
            file.replace(folder / file.name)

    def sweep(self) -> None:
        """Remove what hooks left half-written when they were ended."""
        oldest = time.time() - ABANDONED_AFTER
        for folder in (self.folder, self.fallback):
            for file in _listed(folder, PARTIAL):
                with suppress(OSError):
                    if file.stat().st_mtime < oldest:
                        file.unlink()

    def taking(self) -> AbstractContextManager[bool]:
        """Hold the right to take entries out for the length of the block; tell whether it was free.

        The right ends with the process that holds it. Raises `OSError` when the folder cannot be written.
        """
        return locked(self.folder, TAKING)

    def attending(self) -> AbstractContextManager[bool]:
        """Be the process that takes out what comes next, for the length of the block; as `taking`."""
        return locked(self.folder, ATTENDING)

    def embedding(self) -> AbstractContextManager[bool]:
        """Be the process that gives texts their vectors in the background, so that no two encode the same; as `taking`.

        Its lock lies here because this folder is where processes of a store meet.
        """
        return locked(self.folder, EMBEDDING)

    def attended(self) -> bool:
        """Whether a process is there that takes out what comes next."""
        try:
            with self.attending() as free:
                return not free
        except OSError:
            return False


def state_folder(store: Path) -> Path:
    """The folder in the user's state folder for what belongs to a store and cannot lie beside it.

    The user's state folder is `$XDG_STATE_HOME`, `~/.local/state` without it, and `%LOCALAPPDATA%` on Windows.
    """
    from moored.model.hashing import digest

    base = os.environ.get("LOCALAPPDATA" if os.name == "nt" else "XDG_STATE_HOME", "")
    root = Path(base) if base and Path(base).is_absolute() else Path.home() / ".local" / "state"
    return root / "moored" / digest(os.fsencode(os.path.realpath(store)))


def _make(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def _put(folder: Path, data: bytes) -> Path:
    _make(folder)
    name = f"{time.time_ns():020d}-{os.getpid()}-{os.urandom(4).hex()}"
    partial, file = folder / (name + PARTIAL), folder / (name + SUFFIX)
    try:
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(descriptor, rest) :]
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        partial.rename(file)
    except OSError:
        with suppress(OSError):
            partial.unlink()
        raise
    _flush_folder(folder)
    return file


def _flush_folder(folder: Path) -> None:
    """Let the rename survive a power cut as well, where a folder can be flushed."""
    if os.name == "posix":
        with suppress(OSError):
            descriptor = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


def _listed(folder: Path, suffix: str) -> list[Path]:
    try:
        return [file for file in folder.iterdir() if file.name.endswith(suffix)]
    except OSError:
        return []


@contextmanager
def locked(folder: Path, name: str) -> Generator[bool]:
    """Hold a lock, a file in a folder, for the length of the block; tell whether it was free. Never waits.

    It ends with the process that holds it. Raises `OSError` when the folder cannot be written.
    """
    _make(folder)
    with (folder / name).open("ab") as file:
        yield _try_lock(file)


def _try_lock(file: BinaryIO) -> bool:
    """Lock a file for this process alone, without waiting. The system takes the lock back when the file is closed."""
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
