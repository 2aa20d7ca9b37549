"""What SQLite reports, in the words of `moored.errors`."""

from __future__ import annotations

import errno
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import apsw

from moored.errors import InvalidInput, StoreCorrupt, StoreEncrypted, StoreError, StoreFull, StoreLocked, StoreReadOnly
from moored.store.keys import looks_plain, refuse_without_place, sidecar

if TYPE_CHECKING:
    from collections.abc import Generator


@contextmanager
def translated(path: Path) -> Generator[None]:
    """Turn every error of SQLite inside the block into a `StoreError` that names the file and the remedy.

    A text that SQLite does not take is an `InvalidInput`.
    """
    try:
        yield
    except apsw.Error as error:
        raise _translate(error, path) from error
    except UnicodeEncodeError as error:
        from moored.model.text import shorten

        raise InvalidInput(
            f"The text {shorten(ascii(error.object), 60)} holds half a character (a lone surrogate), which no store "
            "takes and nothing is called by. Nothing was written: hand in whole characters."
        ) from error


def cannot_create(error: OSError, path: Path) -> StoreError:
    """The error for a store whose file or folder could not be made."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StoreFull(f"There is no room left to create the store {path}. Free some space, or choose another path.")
    kind = StoreReadOnly if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS) else StoreError
    return kind(
        f"The store {path} cannot be created ({error.strerror}). "
        "Give write permission to its folder, or choose another path."
    )


def _translate(error: apsw.Error, path: Path) -> StoreError:
    match error:
        case apsw.BusyError() | apsw.LockedError():
            holder = _holder(path)
            who = f"process {holder}" if holder else "another process"
            return StoreLocked(
                f"The store {path} is locked by {who}, which held it for the whole wait. "
                "Nothing was written; try again when it has finished."
            )
        case apsw.NotADBError() if error_of_keys := _about_keys(path):
            return error_of_keys
        case apsw.CorruptError() | apsw.NotADBError():
            return StoreCorrupt(
                f"The store {path} is damaged or is not a moored store ({error}). It was left as it is: "
                "run `moored doctor`, and restore a backup or move the file away to begin anew."
            )
        case apsw.FullError():
            return StoreFull(f"There is no room left for the store {path}. Nothing was written; free some space.")
        case apsw.ReadOnlyError() | apsw.PermissionsError():
            return StoreReadOnly(
                f"The store {path} cannot be written ({error}). Reading goes on; "
                "give write permission to the file and its folder, or choose another store."
            )
        case apsw.CantOpenError() | apsw.IOError() if path.is_dir():
            return StoreError(f"The store {path} is a folder. Name the file in it that is to be the store.")
        case apsw.CantOpenError():
            return StoreError(
                f"The store {path} cannot be opened ({error}). Check that its folder exists and is yours."
            )
        case _:
            return StoreError(f"The store {path} failed: {error}.")


def _about_keys(path: Path) -> StoreEncrypted | None:
    """Why a file is none under the key that was tried, when the file itself is a database under another or none."""
    try:
        refuse_without_place(path)
    except StoreEncrypted as error:
        return error
    if looks_plain(path) and sidecar(path).exists():
        return StoreEncrypted(
            f"The store {path} is not encrypted, although {sidecar(path).name} beside it says where its key is. "
            "Nothing was opened. Move that file away if this is the copy that you want, and run `moored encrypt` then."
        )
    return None


def _holder(path: Path) -> int | None:
    """The process that holds the write lock, where the system tells it (Linux).

    SQLite's write lock in WAL mode is byte 120 of the shared-memory file. It is looked up in the kernel's own
    table: opening and closing that file here would drop this process's locks on it.
    """
    try:
        inode = path.with_name(path.name + "-shm").stat().st_ino
        lines = Path("/proc/locks").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    for line in lines:
        fields = line.split()
        if len(fields) == 8 and fields[3] == "WRITE" and fields[5].endswith(f":{inode}") and int(fields[6]) <= 120:
            return int(fields[4])
    return None
