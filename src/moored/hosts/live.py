"""Asking a server that runs already, over its private Unix socket.

A hook has milliseconds. What takes longer to load than that (an embedder, its vectors) is there in a server that a
host keeps running, if one does. Asking never fails and never takes longer than it may: without an answer in time the
hook does without.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Mapping
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import socket

AVAILABLE = sys.platform != "win32"
"""Whether there are Unix sockets with an owner that can be asked for."""

LONGEST = 1 << 20
"""Bytes that a request or an answer may have, with the line feed that ends it."""


def socket_path(store: Path) -> Path:
    """Where the server of a store listens: in the user's runtime folder, else below the folder for temporary files."""
    from moored.model.hashing import digest

    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if runtime.startswith("/"):
        folder = Path(runtime, "moored")
    else:
        folder = Path(os.environ.get("TMPDIR") or "/tmp", f"moored-{_user()}")  # noqa: S108  # owner and mode are checked
    return folder / f"{digest(os.path.realpath(store))[:24]}.sock"


def is_private(folder: Path) -> bool:
    """Whether a folder is a real one, belongs to this user and lets no one else in."""
    try:
        found = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == _user() and not found.st_mode & 0o077


def is_own(connection: socket.socket) -> bool:
    """Whether the process at the other end runs as this user, where the system tells."""
    import socket

    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return True
    credentials = connection.getsockopt(socket.SOL_SOCKET, option, 12)  # struct ucred: pid, uid, gid
    return int.from_bytes(credentials[4:8], sys.byteorder) == _user()


def ask(store: Path, request: Mapping[str, Any], timeout: float) -> Mapping[str, Any] | None:
    """Send a request to the server of a store and return its answer; None when there is none within `timeout` seconds.

    The requests are described in `moored.server.live`. Never raises.
    """
    if not AVAILABLE:
        return None
    end = monotonic() + timeout
    with contextlib.suppress(OSError, ValueError, RecursionError):
        path = socket_path(store)
        if not is_private(path.parent) or not path.exists():
            # As a rule no server runs: then nothing is loaded to ask one.
            return None
        import json
        import socket

        line = json.dumps({**request, "store": os.path.realpath(store)}).encode() + b"\n"
        if len(line) > LONGEST:
            return None
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(_left(end))
            connection.connect(str(path))
            if not is_own(connection):
                return None
            connection.settimeout(_left(end))
            connection.sendall(line)
            answer = json.loads(read_line(connection, end))
        if isinstance(answer, dict):
            return cast(dict[str, Any], answer)
    return None


def read_line(connection: socket.socket, end: float) -> bytes:
    """What comes until a line feed. Raises `TimeoutError` after `end`, `ValueError` for what is no bounded line."""
    received = bytearray()
    while not received.endswith(b"\n"):
        connection.settimeout(_left(end))
        part = connection.recv(65_536)
        received += part
        if not part or len(received) > LONGEST:
            raise ValueError("no line")
    return bytes(received)


def _left(end: float) -> float:
    left = end - monotonic()
    if left <= 0:
        raise TimeoutError
    return left


def _user() -> int:
    return os.geteuid() if AVAILABLE else 0
