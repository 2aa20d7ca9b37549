"""Kills a change of a store's key with SIGKILL at every step: `python switcher.py FOLDER CHANGE EVERY`.

FOLDER holds the house `before`. For every EVERYth N it is copied to FOLDER/N, and a process that changes the key of the
store in it is killed at its Nth call to the system that names one of its files, until one ends without reaching it.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

from lab.keyed import OTHER
from moored import encryption

MOST = 400


def change(store: Path, what: str, key_file: Path) -> encryption.Changed:
    """Do one of the changes, or what is left of it."""
    match what:
        case "encrypt":
            return encryption.encrypt(store, "file", str(key_file))
        case "rekey":
            return encryption.rekey(store, "file", str(key_file))
        case _:
            return encryption.decrypt(store)


def die_at(step: int, folder: Path) -> None:
    """Let this process kill itself at its Nth step."""
    counted = 0

    def count(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal counted
        if event in ("open", "os.rename", "os.remove", "os.link", "os.mkdir", "os.chmod", "fcntl.flock"):
            named = [one for one in arguments if isinstance(one, str | Path) and str(one).startswith(str(folder))]
            if named or event == "fcntl.flock":
                counted += 1
                if counted == step:
                    os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)


def main(folder: Path, what: str, every: int) -> None:
    for step in range(1, MOST, every):
        house = folder / str(step)
        shutil.copytree(folder / "before", house)
        (house / "new.key").write_text(OTHER)
        pid = os.fork()
        if not pid:
            try:
                die_at(step, house)
                change(house / "data" / "moored.db", what, house / "new.key")
            finally:
                os._exit(0)
        if os.waitpid(pid, 0)[1] == 0:
            return
    raise SystemExit(f"the change did not end within {MOST} steps")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
