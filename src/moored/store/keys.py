"""The key of an encrypted store: where it is kept, and having it from there.

A store is encrypted when a small file beside it says where its key is kept: in the system's keyring, in a file, or in a
variable of the environment. The key itself is not in it, only a check that tells a wrong key before anything is opened.
Without this file a store is plain.

While the key changes, the file names the key before as well, and whatever is in our care may be under either.

Standard library only: hooks load it.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from moored.errors import StoreEncrypted
from moored.model.hashing import digest

SUFFIX = ".key"
"""What the name of the file that says where the key is adds to that of the store."""

PLACES = ("keyring", "file", "variable")
"""Where a key can be kept."""

SERVICE = "moored"
"""The service in the keyring under which keys are entered, each by its check."""

KEY_VARIABLE = "MOORED_KEY"
KEY_FILE_VARIABLE = "MOORED_KEY_FILE"
"""Variables of the environment with the key, or the file that it is in. They stand above what the store says."""

DIGITS = 64
"""Hexadecimal digits of a key, which is 32 random bytes."""

_MAGIC = b"SQLite format 3\0"
_RESERVED = b"\x20\x40\x20\x20"


class Kept(NamedTuple):
    """Where a key is kept: one of `PLACES` and a name there. `check` is what `check_of` gives for the key."""

    place: str
    name: str
    check: str

    @property
    def where(self) -> str:
        """In words."""
        match self.place:
            case "keyring":
                return f"the keyring, entry {self.name} of {SERVICE}"
            case "file":
                return f"the file {self.name}"
            case _:
                return f"the variable {self.name}"


class Keeping(NamedTuple):
    """What is said beside a store: where its key is kept, None for a store without one.

    `changing` says that the change from the key `before` (None: there was none) to `now` is not finished.
    """

    now: Kept | None
    before: Kept | None = None
    changing: bool = False


PLAIN = Keeping(None)


def sidecar(store: Path) -> Path:
    """The file that says where the key of a store is."""
    return store.with_name(store.name + SUFFIX)


def keeping(store: Path) -> Keeping:
    """Where the key of a store is kept. Raises `StoreEncrypted` when what is said beside it cannot be understood."""
    file = sidecar(store)
    try:
        return _read(file.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return PLAIN
    except OSError as error:
        raise StoreEncrypted(
            f"{file} says where the key of the store is, and cannot be read ({error.strerror}). Nothing was opened. "
            "Give yourself permission to read it."
        ) from error
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise StoreEncrypted(
            f"{file} says where the key of the store is, and cannot be understood ({error}). Nothing was opened. Move "
            "it away and run `moored encrypt` with the place where the key is: it is written anew."
        ) from error


def say(store: Path, now: Keeping) -> None:
    """Write beside a store where its key is kept, so that a power cut leaves what was said before or this."""
    file = sidecar(store)
    if now == PLAIN:
        file.unlink(missing_ok=True)
        flush_folder(file.parent)
        return
    told: dict[str, object] = {"now": now.now and now.now._asdict()}
    if now.changing:
        told["before"] = now.before and now.before._asdict()
    write_private(file, json.dumps(told).encode("ascii") + b"\n")


def _read(data: bytes) -> Keeping:
    told: Any = json.loads(data)
    now, before = (one and Kept(one["place"], one["name"], one["check"]) for one in (told["now"], told.get("before")))
    return Keeping(now, before, "before" in told)


def keys_of(store: Path) -> tuple[str | None, ...]:
    """The keys that a store may be under, the likeliest first; None is that of a plain one.

    There is one, and two while it changes. Raises `StoreEncrypted` when none can be had.
    """
    said = keeping(store)
    if not said.changing:
        return (said.now and fetch(said.now),)
    found: list[str | None] = []
    trouble: StoreEncrypted | None = None
    for kept in (said.now, said.before):
        try:
            found.append(kept and fetch(kept))
        except StoreEncrypted as error:
            trouble = error
    if trouble and not found:
        raise trouble
    return tuple(found)


def refuse_without_place(store: Path) -> None:
    """Raise `StoreEncrypted` for an encrypted store of which nothing says where its key is; as `looks_encrypted`."""
    if looks_encrypted(store) and not sidecar(store).exists():
        raise StoreEncrypted(
            f"The store {store} is encrypted, and {sidecar(store).name}, which says where its key is, is not beside "
            "it. Nothing was opened. Put that file back, or run `moored encrypt` with the place where the key is."
        )


def fetch(kept: Kept) -> str:
    """The key that is kept there, or in the environment. Raises `StoreEncrypted` when it is another, or not there."""
    own = os.environ.get(KEY_VARIABLE), os.environ.get(KEY_FILE_VARIABLE)
    if own[0]:
        found, where = own[0], f"the variable {KEY_VARIABLE}"
    elif own[1]:
        found, where = _in_file(own[1]), f"the file {own[1]}"
    else:
        found, where = _kept(kept), kept.where
    if not found:
        raise StoreEncrypted(
            f"The store is encrypted, and its key is not to be had from {where}. Nothing was opened. Put it there "
            f"again, or set {KEY_VARIABLE} to it or {KEY_FILE_VARIABLE} to a file with it."
        )
    try:
        key = normal(found)
    except ValueError as error:
        raise StoreEncrypted(f"What {where} holds is no key: {error}. Nothing was opened.") from error
    if check_of(key) != kept.check:
        raise StoreEncrypted(
            f"The key in {where} is not that of the store, which was encrypted with another. Nothing was opened. Put "
            f"the key {kept.check} there."
        )
    return key


def _kept(kept: Kept) -> str | None:
    match kept.place:
        case "keyring":
            return _in_keyring(kept.name)
        case "file":
            return _in_file(kept.name)
        case _:
            return os.environ.get(kept.name)


def _in_file(name: str) -> str | None:
    with suppress(OSError, UnicodeDecodeError):
        return Path(name).expanduser().read_text(encoding="ascii")
    return None


def _in_keyring(name: str) -> str | None:
    ring = keyring()
    try:
        return ring.get_password(SERVICE, name)
    except ring.errors.KeyringError as error:
        raise StoreEncrypted(
            f"The keyring with the key of the store cannot be read ({error}). Nothing was opened. Unlock it, or set "
            f"{KEY_VARIABLE} to the key or {KEY_FILE_VARIABLE} to a file with it."
        ) from error


def keyring() -> Any:
    """The library that reaches the system's keyring, which is an extra. Raises `StoreEncrypted` without it."""
    try:
        import keyring
    except ImportError as error:
        raise StoreEncrypted(
            "The key of the store is in the system's keyring, and what reaches it is not installed. Nothing was "
            "opened. Run `pip install moored[keyring]`, or keep the key in a file or a variable of the environment."
        ) from error
    return keyring


def normal(text: str) -> str:
    """A key in the one form that it has. Raises `ValueError` for a text that is none, without telling it."""
    key = text.strip().lower()
    if len(key) != DIGITS or not set(key) <= set("0123456789abcdef"):
        raise ValueError(f"a key is {DIGITS} hexadecimal digits, as `openssl rand -hex 32` writes them")
    return key


def check_of(key: str) -> str:
    """By what a key is known. Nothing of the key can be told from it, as keys are random."""
    return digest(f"key of a store\0{key}")[:16]


def looks_encrypted(file: Path) -> bool:
    """Whether a file begins as an encrypted database does.

    It is opened, and closing it ends the locks of this process on it: not for a database that this process has open.
    """
    with suppress(OSError), file.open("rb") as opened:
        head = opened.read(24)
        return len(head) == 24 and not head.startswith(_MAGIC) and head[20:] == _RESERVED
    return False


def looks_plain(file: Path) -> bool:
    """Whether a file begins as a database without a key does; as `looks_encrypted`."""
    with suppress(OSError), file.open("rb") as opened:
        return opened.read(len(_MAGIC)) == _MAGIC
    return False


def write_private(file: Path, data: bytes) -> None:
    """Write a file that only its owner can read, so that it is there whole or not at all, after a power cut too."""
    partial = file.with_name(f"{file.name}.partial")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), 0o600)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        partial.replace(file)
    except OSError:
        with suppress(OSError):
            partial.unlink()
        raise
    flush_folder(file.parent)


def flush_folder(folder: Path) -> None:
    """Let what was renamed in a folder survive a power cut as well, where a folder can be flushed."""
    if os.name == "posix":
        with suppress(OSError):
            descriptor = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
