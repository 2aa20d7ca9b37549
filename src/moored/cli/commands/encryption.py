"""Commands of encryption at rest: encrypt, rekey, decrypt."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from moored.cli.output import emit
from moored.cli.session import Session, json_option, pass_session
from moored.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Iterator

    from moored.encryption import Changed

_in_file = click.option(
    "--key-file", type=click.Path(path_type=Path), metavar="FILE", help="Keep the key in FILE; it is made if need be."
)
_in_keyring = click.option("--keyring", is_flag=True, help="Keep the key in the system's keyring.")
_in_variable = click.option(
    "--key-variable", metavar="NAME", help="The key is in this variable of the environment, which is set already."
)


@click.command("encrypt")
@_in_file
@_in_keyring
@_in_variable
@json_option
@pass_session
def encrypt_command(
    session: Session, key_file: Path | None, keyring: bool, key_variable: str | None, as_json: bool
) -> None:
    """Encrypt the store, with its copies and what hooks captured.

    Without an option the key goes into the system's keyring. Whoever loses the key loses the memory. A change of the
    key that was interrupted is finished by the same command.

    \b
    Example:
      moored encrypt --key-file ~/.config/moored/store.key
    """
    from moored.encryption import encrypt

    place, name = _place(key_file, keyring, key_variable) or ("keyring", "")
    _tell(encrypt(session.store_path, place, name), as_json)


@click.command("rekey")
@_in_file
@_in_keyring
@_in_variable
@json_option
@pass_session
def rekey_command(
    session: Session, key_file: Path | None, keyring: bool, key_variable: str | None, as_json: bool
) -> None:
    """Give an encrypted store another key or place of its key.

    Where the place that is named holds the present key, only the place changes. Without an option there is a new key in
    the system's keyring, if that is where the present one is.

    \b
    Example:
      moored rekey --key-file ~/.config/moored/next.key
    """
    from moored.encryption import rekey

    place, name = _place(key_file, keyring, key_variable) or ("", "")
    _tell(rekey(session.store_path, place, name), as_json)


@click.command("decrypt")
@json_option
@pass_session
def decrypt_command(session: Session, as_json: bool) -> None:
    """Make an encrypted store a plain one again.

    \b
    Example:
      moored decrypt
    """
    from moored.encryption import decrypt

    _tell(decrypt(session.store_path), as_json)


def _place(key_file: Path | None, keyring: bool, key_variable: str | None) -> tuple[str, str] | None:
    """The one place that was named for a key and its name there."""
    named = [
        *([("file", str(key_file))] if key_file else []),
        *([("keyring", "")] if keyring else []),
        *([("variable", key_variable)] if key_variable else []),
    ]
    if len(named) > 1:
        raise InvalidInput("A key is in one place: give one of --key-file, --keyring and --key-variable.")
    return named[0] if named else None


def _tell(done: Changed, as_json: bool) -> None:
    emit(as_json, asdict(done), list(_lines(done)))


def _lines(done: Changed) -> Iterator[str]:
    again = ", which had been interrupted" if done.resumed else ""
    if done.key:
        yield f"encrypted: {done.store}, with the key {done.check} in {done.key}{again}"
        yield "keep a copy of that key: without it nothing of the store can be read"
    else:
        yield f"not encrypted any more: {done.store}{again}"
    yield from (f"with it: {backup}" for backup in done.backups)
    if done.entries:
        yield f"with it: {done.entries} captured {'event' if done.entries == 1 else 'events'}"
    yield from (f"left as it is, as no key opens it: {left}" for left in done.left)
    if done.before and done.before != done.key:
        gone = "was taken out" if done.taken else "is of no use any more, unless for copies that you made elsewhere"
        yield f"the key of before, in {done.before}, {gone}"
