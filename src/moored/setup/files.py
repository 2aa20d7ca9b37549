"""Reading and writing the files of others: whole or not at all, through links, with the mode that they had."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from moored.errors import InvalidInput


def real(file: Path) -> Path:
    """The file that a path stands for when links are followed, also when it is not there yet.

    Raises `InvalidInput` for links that lead back to themselves.
    """
    try:
        return file.resolve()
    except (OSError, RuntimeError) as error:
        raise InvalidInput(f"{file} is a link that leads back to itself. Repair it and try again.") from error


def content(file: Path) -> bytes | None:
    """What a file holds, None when it is not there. Raises `InvalidInput` when it is no file that can be read."""
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InvalidInput(f"{file} cannot be read: {error.strerror}. Put it right and try again.") from error


def text(file: Path, held: bytes) -> str:
    """The bytes of a file as text, with its byte-order mark and line ends as they are. Raises `InvalidInput`."""
    try:
        return held.decode()
    except UnicodeDecodeError as error:
        line = held.count(b"\n", 0, error.start) + 1
        raise InvalidInput(f"{file}, line {line}: this is not UTF-8. Put it right and try again.") from error


def check_writable(file: Path) -> None:
    """Raise `InvalidInput` for a file that its owner made read only, and for a folder that takes no file."""
    if file.exists():
        if not file.stat().st_mode & stat.S_IWUSR:
            raise InvalidInput(f"{file} is read only. Make it writable and try again.")
        folder = file.parent
    else:
        folder = next(parent for parent in file.parents if parent.exists())
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise InvalidInput(f"The folder {folder} takes no file. Make it writable and try again.")


def missing_folders(file: Path) -> list[Path]:
    """The folders that have to be made for a file, outermost first."""
    missing: list[Path] = []
    for folder in file.parents:
        if folder.exists():
            break
        missing.insert(0, folder)
    return missing


def write(file: Path, held: bytes, *, private: bool = False) -> None:
    """Put new bytes in the place of a file, in one step, with the mode and owner that it had.

    A file that was not there is for its owner alone when it is `private`. The folder has to be there. Raises `OSError`.
    """
    beside = file.with_name(f".{file.name}.moored-{os.getpid()}")
    before = file.stat() if file.exists() else None
    handle = os.open(
        beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600 if private else 0o666
    )
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(held)
            stream.flush()
            os.fsync(stream.fileno())
        if before is not None:
            with suppress(OSError, AttributeError):
                os.chown(beside, before.st_uid, before.st_gid)
            beside.chmod(stat.S_IMODE(before.st_mode))
        beside.replace(file)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def remove(file: Path) -> None:
    """Take a file away, which may be gone already."""
    file.unlink(missing_ok=True)


def remove_empty(folders: list[Path]) -> list[Path]:
    """Take away those of the folders that are empty, innermost first, and return those that stay."""
    kept: list[Path] = []
    for folder in sorted(set(folders), key=lambda one: len(one.parts), reverse=True):
        try:
            folder.rmdir()
        except FileNotFoundError:
            continue
        except OSError:
            kept.append(folder)
    return kept
