"""A process that forgets a note of a project for good, and says so on its standard output.

Arguments: the folder of the project, the path of the store, the id of the note. It says `ready` before it begins, and
waits for a line on its standard input.
"""

from __future__ import annotations

import sys
from pathlib import Path

from moored.memory import open_memory


def main(root: str, store: str, note: str) -> None:
    """Forget the note as soon as a line comes in."""
    with open_memory(Path(root), store=Path(store), dense=False) as memory:
        memory.forget(note, preview=True)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        sys.stdin.readline()
        memory.forget(note, hard=True)
        sys.stdout.write("done\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:4])
