"""The inbox: what hooks captured and the record does not hold yet, one file for each event.

It lies beside the store, so that capturing never waits for the store and loses nothing while the store is locked, full,
newer or damaged. Where the store's folder cannot be written, it lies in the user's state folder. A file is written
beside its place, flushed to the disk, and renamed, so that an entry is there whole or not at all; its name begins with
the time, so that names sort by age. A file is a line of JSON followed by the content, byte for byte; for an encrypted
store it is sealed under the store's key, and without the key nothing is written at all.

Standard library only, but for what is sealed: hooks load it.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Generator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, cast

from moored.record.locks import locked, waited
from moored.store.keys import flush_folder, keys_of, looks_encrypted
from moored.store.removal import blot

FOLDER = ".inbox"
"""What the name of the inbox adds to that of the store."""

FAILED = "failed"
"""The folder of an inbox that holds entries which the record refused."""

SUFFIX = ".entry"
PARTIAL = ".part"
REPLACED = "replaced-"
TAKING = "taking"
ATTENDING = "attending"
EMBEDDING = "embedding"
"""The files that the one process locks which takes entries out, and the one which stays for what comes next."""

KEYS = "keys"
"""The file that is locked while an entry is written, and, by one alone, while the key of the store becomes another."""

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
        """Keep an entry and return its file: sealed under the key of an encrypted store.

        Raises `OSError` when neither folder takes it, `StoreEncrypted` when that key cannot be had.
        """
        header = {name: getattr(entry, name) for name in _HEADER} | {"size": len(entry.content)}
        data = json.dumps(header).encode("ascii") + b"\n" + entry.content
        try:
            return self._put(self.folder, data)
        except OSError:
            return self._put(self.fallback, data)

    def _put(self, folder: Path, data: bytes) -> Path:
        with waited(folder, KEYS, alone=False):
            name = f"{time.time_ns():020d}-{os.getpid()}-{os.urandom(4).hex()}"
            return _write(folder, name, data, keys_of(self._store)[0])

    @contextmanager
    def keys_changing(self) -> Generator[None]:
        """Let no entry be written meanwhile: for the moment in which it is said anew where the key of the store is."""
        with ExitStack() as held:
            for folder in (self.folder, self.fallback):
                with suppress(OSError):
                    held.enter_context(waited(folder, KEYS, alone=True))
            yield

    def waiting(self) -> list[Path]:
        """The files of all entries that wait, oldest first."""
        found = [file for folder in (self.folder, self.fallback) for file in _listed(folder, SUFFIX)]
        return sorted(found, key=lambda file: file.name)

    def failed(self) -> list[Path]:
        """The files of the entries that the record refused."""
        return [file for folder in (self.folder, self.fallback) for file in _listed(folder / FAILED, SUFFIX)]

    def read(self, file: Path) -> Entry:
        """Read an entry. Raises `ValueError` for a file that is none, `OSError` for one that cannot be read."""
        return _entry(self._data(file), file)

    def renew(self, file: Path) -> None:
        """Write an entry anew, in its place, under the key that the store has now, and overwrite what it was.

        It is for the process that holds `taking`. Raises as `read` and `put`.
        """
        data, before = self._data(file), file.with_name(f"{REPLACED}{file.stem}{PARTIAL}")
        blot(file.with_suffix(PARTIAL))
        os.link(file, before)
        _write(file.parent, file.stem, data, keys_of(self._store)[0])
        blot(before)

    def _data(self, file: Path) -> bytes:
        if not looks_encrypted(file):
            return file.read_bytes()
        from moored.store.sqlite.sealing import unseal

        for key in self._keys:
            with suppress(ValueError):
                return unseal(file, key)
        raise ValueError(f"{file} is sealed under a key that is not the store's")

    @cached_property
    def _keys(self) -> list[str]:
        return [key for key in keys_of(self._store) if key]

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
        """Remove what hooks left half-written when they were ended, and what entries were before they were renewed.

        Entries are renewed and swept by the process that holds `taking`.
        """
        oldest = time.time() - ABANDONED_AFTER
        for folder in (self.folder, self.fallback):
            for file in (*_listed(folder, PARTIAL), *_listed(folder / FAILED, PARTIAL)):
                with suppress(OSError):
                    if file.name.startswith(REPLACED):
                        _let_go(file)
                    elif file.stat().st_mtime < oldest:
                        blot(file)

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


def _write(folder: Path, name: str, data: bytes, key: str | None) -> Path:
    """Write an entry under a name, so that it is there whole or not at all."""
    partial, file = folder / (name + PARTIAL), folder / (name + SUFFIX)
    try:
        if key:
            from moored.store.sqlite.sealing import seal

            seal(partial, data, key)
        else:
            _write_plain(partial, data)
        partial.replace(file)
    except OSError:
        with suppress(OSError):
            partial.unlink()
        raise
    flush_folder(folder)
    return file


def _write_plain(file: Path, data: bytes) -> None:
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _let_go(replaced: Path) -> None:
    """Overwrite what an entry was before it was renewed; it may be that it was not, and this its second name."""
    entry = replaced.with_name(replaced.name.removeprefix(REPLACED)).with_suffix(SUFFIX)
    if entry.exists() and replaced.samefile(entry):
        replaced.unlink()
    else:
        blot(replaced)


def _entry(data: bytes, file: Path) -> Entry:
    line, _, content = data.partition(b"\n")
    try:
        header: Any = json.loads(line)
    except RecursionError as error:
        raise ValueError(f"{file} is not an entry: it is nested too deeply") from error
    if not isinstance(header, dict):
        raise ValueError(f"{file} is not an entry")  # noqa: TRY004 - it is the file that is wrong
    told = cast(dict[str, Any], header)
    if told.pop("size", None) != len(content):
        raise ValueError(f"{file} is not a whole entry")
    paths = told.get("paths", [])
    told["paths"] = tuple(cast(list[Any], paths)) if isinstance(paths, list) else paths
    if not all(isinstance(value, _KINDS.get(name, str)) for name, value in told.items()):
        raise ValueError(f"{file} is not an entry: a value is of another type")
    try:
        return Entry(content, **told)
    except TypeError as error:
        raise ValueError(f"{file} is not an entry: {error}") from error


def _listed(folder: Path, suffix: str) -> list[Path]:
    try:
        return [file for file in folder.iterdir() if file.name.endswith(suffix)]
    except OSError:
        return []
