"""Makes a store as a version of moored makes it, to be kept in tests/store/golden and migrated ever after.

It asks nothing that the first version did not have, so that the code of any version can run it:
`PYTHONPATH=<its src> python tests/lab/golden.py <file>.db.gz`.
"""

from __future__ import annotations

import gzip
import sys
import tempfile
from pathlib import Path

from moored.embed.fake import HashingEmbedder
from moored.memory import open_memory
from moored.model.clock import ManualClock
from moored.model.ids import SequentialIds

CRANE = """\
LIMIT = 12


class Crane:
    def lift(self, load):
        return load <= LIMIT
"""
NOTES = ("The crane lifts 12 tonnes at most.", "The winch is greased in spring.", "No cranes move in a storm.")
TURNS = ("Why does the crane stop at 12?", "I like short answers.")
OUTPUT = "1 failed, 2 passed\nFAILED test_crane.py::test_lift - AssertionError"
REVISED = "The winch is greased in spring and in autumn."
PIN = "Never lift over the quay."


def fill(root: Path, store: Path) -> None:
    """A project at `root` with files, facts, episodes, notes, a revision, a pin and vectors, in the file `store`."""
    root.mkdir()
    (root / ".moored.toml").write_text('project = "golden"\n')
    (root / "crane.py").write_text(CRANE)
    with open_memory(root, store=store, clock=ManualClock(), ids=SequentialIds(), embedder=HashingEmbedder()) as memory:
        memory.index()
        memory.remember(NOTES[0], about=["crane.py::Crane.lift"], actor="person")
        second = memory.remember(NOTES[1]).id
        memory.revise(second, REVISED)
        memory.remember(NOTES[2], kind="constraint")
        for turn in TURNS:
            memory.record(turn, session="s", host="lab")
        memory.record(OUTPUT, role="tool", tool_name="Bash", tool_input="pytest -q", exit_status=1, session="s")
        memory.pin(PIN)


def main(file: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder, "moored.db")
        fill(Path(folder, "harbour"), store)
        assert not store.with_name("moored.db-wal").exists()
        Path(file).write_bytes(gzip.compress(store.read_bytes(), mtime=0))


if __name__ == "__main__":
    main(sys.argv[1])
