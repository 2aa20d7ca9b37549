"""A disk whose power can be cut: an apsw VFS that knows which bytes were flushed.

Files are written through to the system, so that the program sees an ordinary disk. Beside that the disk keeps, for
every file, the bytes that a flush made durable and the writes and truncations since. When the power goes, each file
keeps its durable bytes and some of the rest: none, a prefix, any subset or all of it, the last write perhaps torn.
A file that was created or deleted without a flush of its folder may be there or not. Shared memory is not on a disk
and vanishes.
"""

from __future__ import annotations

import random
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path

import apsw

Operation = tuple[int, bytes | None]
"""A write at an offset, or (None) a truncation to that size."""


@dataclass
class _Stored:
    """One file: `durable` bytes, what was done to it since the last flush, and whether its name is durable."""

    durable: bytes
    entered: bool
    pending: list[Operation] = field(default_factory=list)

    def flush(self) -> None:
        self.durable = _applied(self.durable, self.pending)
        self.pending = []

    def survivor(self, rng: random.Random) -> bytes:
        fate = rng.choice(("none", "prefix", "subset", "all"))
        kept = {"none": [], "all": self.pending}.get(fate)
        if kept is None and fate == "prefix":
            kept = self.pending[: rng.randint(0, len(self.pending))]
        elif kept is None:
            kept = [operation for operation in self.pending if rng.random() < 0.5]
        if kept and kept[-1][1] and rng.random() < 0.5:
            offset, data = kept[-1]
            kept = [*kept[:-1], (offset, (data or b"")[: rng.randrange(len(data or b""))])]
        return _applied(self.durable, kept)


class Disk(apsw.VFS):
    """Register it under `name`, hand that name to a store, and `cut` the power when `power_is_off`.

    The power goes at the `dies_at`-th write, truncation, flush or deletion: what happens afterwards leaves no trace.
    With `lies` a flush does nothing, as on a drive that does not keep its promise.
    """

    def __init__(self, name: str, *, dies_at: int, lies: bool = False) -> None:
        self.name = name
        self.operations = 0
        self._dies_at = dies_at
        self._lies = lies
        self._files: dict[str, _Stored] = {}
        self._deleted: dict[str, _Stored] = {}
        self._at_the_end: tuple[dict[str, _Stored], dict[str, _Stored]] | None = None
        super().__init__(name, "unix")

    @property
    def power_is_off(self) -> bool:
        return self._at_the_end is not None

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802 - apsw's name
        path = name.filename() if isinstance(name, apsw.URIFilename) else str(name)
        if path not in self._files:
            there = Path(path).exists()
            self._files[path] = _Stored(Path(path).read_bytes() if there else b"", there)
        return _DiskFile(self, path, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802 - apsw's name
        self.tick()
        super().xDelete(filename, syncdir)
        stored = self._files.pop(filename, None)
        if stored and stored.entered and not syncdir:
            self._deleted[filename] = stored

    def did(self, path: str, operation: Operation) -> None:
        self.tick()
        self._files[path].pending.append(operation)

    def flush(self, path: str) -> None:
        self.tick()
        if self._lies:
            return
        stored = self._files[path]
        stored.flush()
        if not stored.entered:
            stored.entered = True
            self._deleted.clear()

    def tick(self) -> None:
        self.operations += 1
        if self.operations == self._dies_at:
            self._at_the_end = deepcopy((self._files, self._deleted))

    def cut(self, folder: Path, rng: random.Random) -> None:
        """Write to `folder` what is found on the disk when the power is back."""
        files, deleted = self._at_the_end or (self._files, self._deleted)
        found = {path: stored for path, stored in deleted.items() if rng.random() < 0.5}
        found |= {path: stored for path, stored in files.items() if stored.entered or rng.random() < 0.5}
        for path, stored in found.items():
            (folder / Path(path).name).write_bytes(stored.survivor(rng))


class _DiskFile(apsw.VFSFile):
    def __init__(self, disk: Disk, path: str, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        self._disk = disk
        self._path = path
        super().__init__("unix", name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 - apsw's name
        super().xWrite(data, offset)
        self._disk.did(self._path, (offset, bytes(data)))

    def xTruncate(self, newsize: int) -> None:  # noqa: N802 - apsw's name
        super().xTruncate(newsize)
        self._disk.did(self._path, (newsize, None))

    def xSync(self, flags: int) -> None:  # noqa: N802 - apsw's name
        super().xSync(flags)
        self._disk.flush(self._path)


def _applied(data: bytes, operations: list[Operation]) -> bytes:
    result = bytearray(data)
    for offset, written in operations:
        if written is None:
            del result[offset:]
            continue
        result.extend(bytes(max(0, offset - len(result))))
        result[offset : offset + len(written)] = written
    return bytes(result)
