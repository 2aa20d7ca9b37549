"""Putting a key where it is to be kept, and taking it away."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

from moored.errors import InvalidInput, StoreEncrypted
from moored.store.keys import (
    DIGITS,
    KEY_FILE_VARIABLE,
    KEY_VARIABLE,
    SERVICE,
    Kept,
    check_of,
    fetch,
    keyring,
    normal,
    write_private,
)


def put_key(place: str, name: str) -> tuple[Kept, str]:
    """Have a key for a store in one of `moored.store.keys.PLACES`, a new one where there is none yet; return both.

    `name` is the path of a file or the name of a variable; an entry of the keyring is named by the key's check. A
    variable has to be set before: no program can set it for later ones.

    Raises `InvalidInput` for a place that cannot hold one, `StoreEncrypted` for a keyring that does not work.
    """
    match place:
        case "keyring":
            kept, key = _put_in_keyring()
        case "file":
            kept, key = _put_in_file(Path(os.path.abspath(Path(name).expanduser())))  # noqa: PTH100 - links stay
        case _:
            key = _given(os.environ.get(name, ""), f"the variable {name}")
            kept = Kept("variable", name, check_of(key))
    try:
        fetch(kept)
    except StoreEncrypted as error:
        above = next((one for one in (KEY_VARIABLE, KEY_FILE_VARIABLE) if os.environ.get(one)), "")
        raise InvalidInput(
            f"{above or kept.where} does not give the key that was put in {kept.where}, and would be asked first. "
            "Nothing was changed: unset it, and try again."
        ) from error
    return kept, key


def take_key(kept: Kept) -> bool:
    """Take a key that is of no use any more out of the keyring; what is in files and variables is left to its owner."""
    if kept.place != "keyring":
        return False
    ring = keyring()
    with suppress(ring.errors.KeyringError):
        ring.delete_password(SERVICE, kept.name)
        return True
    return False


def _put_in_keyring() -> tuple[Kept, str]:
    ring, key = keyring(), secrets.token_hex(DIGITS // 2)
    kept = Kept("keyring", check_of(key), check_of(key))
    try:
        ring.set_password(SERVICE, kept.name, key)
    except ring.errors.KeyringError as error:
        raise StoreEncrypted(
            f"The system's keyring does not take a key ({error}). Nothing was changed. Unlock it or set one up, or "
            "keep the key in a file or a variable of the environment."
        ) from error
    return kept, key


def _put_in_file(file: Path) -> tuple[Kept, str]:
    try:
        key = _given(file.read_text(encoding="ascii"), f"the file {file}")
    except FileNotFoundError:
        key = secrets.token_hex(DIGITS // 2)
        try:
            write_private(file, f"{key}\n".encode())
        except OSError as error:
            raise InvalidInput(
                f"The key cannot be written to {file} ({error.strerror}). Nothing was changed: name a file in a folder "
                "that is there and can be written."
            ) from error
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"The file {file} cannot be read ({error}). Nothing was changed: name another.") from error
    return Kept("file", str(file), check_of(key)), key


def _given(text: str, where: str) -> str:
    try:
        return normal(text)
    except ValueError as error:
        raise InvalidInput(f"There is no key in {where}: {error}. Nothing was changed.") from error
