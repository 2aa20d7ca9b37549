"""A disk that fails when it is told to: an apsw VFS for the errors that a sound disk never shows."""

from __future__ import annotations

import apsw


class FaultyDisk(apsw.VFS):
    """Register it under `name` and hand that name to a store.

    `fail_at` numbers the read, write, flush, truncation, opening or deletion that fails, from 1, counted since it was
    set; 0 means none. `room` is the largest size that a file may grow to, None for no limit. With `frozen`, every
    write is refused as on a file system that was mounted read-only.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.room: int | None = None
        self.frozen = False
        self.failed = False
        self._fail_at = 0
        self._count = 0
        super().__init__(name, "unix")

    def fail(self, at: int) -> None:
        """Let the operation of this number fail, counted from now on."""
        self._fail_at, self._count, self.failed = at, 0, False

    def step(self, code: int) -> None:
        self._count += 1
        if self._count == self._fail_at:
            self.failed = True
            raise _error(apsw.IOError, code, "the disk failed")

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802 - apsw's name
        self.step(apsw.SQLITE_IOERR_READ)
        return _FaultyFile(self, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802 - apsw's name
        self.step(apsw.SQLITE_IOERR_DELETE)
        super().xDelete(filename, syncdir)


class _FaultyFile(apsw.VFSFile):
    def __init__(self, disk: FaultyDisk, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        self._disk = disk
        super().__init__("unix", name, flags)

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802 - apsw's name
        self._disk.step(apsw.SQLITE_IOERR_READ)
        return super().xRead(amount, offset)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 - apsw's name
        self._disk.step(apsw.SQLITE_IOERR_WRITE)
        if self._disk.frozen:
            raise _error(apsw.ReadOnlyError, apsw.SQLITE_READONLY, "the file system is read-only")
        if self._disk.room is not None and offset + len(data) > self._disk.room:
            raise _error(apsw.FullError, apsw.SQLITE_FULL, "the disk is full")
        super().xWrite(data, offset)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802 - apsw's name
        self._disk.step(apsw.SQLITE_IOERR_TRUNCATE)
        super().xTruncate(newsize)

    def xSync(self, flags: int) -> None:  # noqa: N802 - apsw's name
        self._disk.step(apsw.SQLITE_IOERR_FSYNC)
        super().xSync(flags)


def _error(kind: type[apsw.Error], code: int, message: str) -> apsw.Error:
    error = kind(message)
    error.extendedresult = code
    return error
