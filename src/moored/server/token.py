"""The secret that every HTTP request must carry: 256 random bits in a file that only its user can read.

Loopback is open to every user of a machine and to every page in a browser, so a server that only listens there still
asks for it.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
from pathlib import Path

from moored.errors import InvalidInput

BITS = 256
FILE_NAME = "http-token"
_FORM = re.compile(r"[A-Za-z0-9._~+/-]{32,512}=*")
"""What a bearer token may consist of (RFC 6750, section 2.1), and long enough not to be guessed."""


def token_file() -> Path:
    """The file of the user's own token, in the folder for the state of programs."""
    import platformdirs

    return Path(platformdirs.user_state_dir("moored", appauthor=False)) / FILE_NAME


def own_token() -> str:
    """The user's token; it is made when there is none yet.

    Raises `InvalidInput` when it cannot be made, and when its file is not safe.
    """
    file = token_file()
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file.parent.chmod(0o700)
        if not os.path.lexists(file):
            _create(file)
    except OSError as error:
        raise InvalidInput(f"No token can be kept in {file}: {error.strerror}. Name a token file instead.") from error
    return read_token(file)


def read_token(file: Path) -> str:
    """The token that a file holds.

    Raises `InvalidInput` when it cannot be read, belongs to someone else, can be read by others, or holds no token.
    """
    try:
        handle = os.open(file, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        raise InvalidInput(f"The token file {file} cannot be read: {error.strerror}.") from error
    with os.fdopen(handle, encoding="ascii", errors="replace") as opened:
        if os.name == "posix":
            _check_owner(file, os.fstat(handle))
        token = opened.read(1024).strip()
    if not _FORM.fullmatch(token):
        raise InvalidInput(f"The file {file} holds no token of at least 32 characters. Write one, or remove the file.")
    return token


def _check_owner(file: Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid():
        raise InvalidInput(f"The token file {file} is not a file of the user who runs moored. Remove it.")
    if found.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise InvalidInput(
            f"Others may read the token file {file}. Remove it: its token may be known. moored makes its own anew; "
            "one in a file that you name is yours to write, with mode 0600."
        )


def _create(file: Path) -> None:
    """Write a new token so that it appears whole and once, also when several processes do this at the same time."""
    draft = file.with_name(f"{file.name}.{secrets.token_hex(8)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="ascii") as opened:
            opened.write(secrets.token_urlsafe(BITS // 8) + "\n")
            opened.flush()
            os.fsync(handle)
        try:
            os.link(draft, file)
        except FileExistsError:
            return
    finally:
        draft.unlink()
