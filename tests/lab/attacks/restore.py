"""A backup is put in the place of a store, and the process ends at any moment of it."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from lab.attack import Attack, Trial
from moored.backup import back_up
from moored.memory import Memory, open_memory

KILLS = 4
"""Restores that one trial ends."""

LONGEST = 0.2
"""Seconds that a process has to restore at most: rather more than it takes."""

BACKED_UP, SAID_SINCE = "The winch was greased on Monday", "The gate was painted on Tuesday"

_RESTORE = """
import sys
from pathlib import Path
from moored.backup import restore
print("go", flush=True)
restore(Path(sys.argv[1]), Path(sys.argv[2]))
"""


def _opened(folder: Path) -> Memory:
    (folder / "harbour").mkdir(parents=True, exist_ok=True)
    return open_memory(folder / "harbour", store=folder / "moored.db", embedder=None, dense=False)


def _restore_and_kill(folder: Path, after: float) -> None:
    command = [sys.executable, "-c", _RESTORE, str(folder / "moored.db"), str(folder / "copy.db")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as victim:
        if victim.stdout:
            victim.stdout.readline()
        time.sleep(after)
        victim.kill()


def _flaws(folder: Path) -> Iterator[str]:
    """What is not as it was, and not as the backup has it either, or is in neither of the store and what was kept."""
    with _opened(folder) as memory:
        yield from (finding.words for finding in memory.store.check(deep=True))
        texts = {one.judged.note.head.text for one in memory.notes()}
    if texts not in ({BACKED_UP}, {BACKED_UP, SAID_SINCE}):
        yield f"the store says {sorted(texts)}"
    kept = [one for one in folder.glob("moored.db.before-restore-*") if one.suffix != ".partial"]
    if SAID_SINCE not in texts and not any(SAID_SINCE.encode() in one.read_bytes() for one in kept):
        yield "what the store held before is nowhere"


def _kill(seed: int, folder: Path) -> Trial:
    rng = random.Random(seed)  # noqa: S311 - chooses moments
    found: list[str] = []
    for number in range(KILLS):
        place = folder / str(number)
        with _opened(place) as memory:
            memory.remember(BACKED_UP)
            back_up(place / "moored.db", place / "copy.db")
            memory.remember(SAID_SINCE)
        _restore_and_kill(place, rng.uniform(0, LONGEST))
        found += _flaws(place)
    return Trial(KILLS, tuple(found))


ATTACKS = (
    Attack(
        name="kill-restore",
        promises=("I-01",),
        how="`kill -9` at random moments while a backup is put in the place of a store",
        unit="kills",
        trial=_kill,
        wanted=100,
    ),
)
