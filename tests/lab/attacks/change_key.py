"""The key of a store becomes another, and the process that changes it is killed at a random moment."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from lab import golden, switcher
from lab.attack import Attack, Trial
from lab.attacks.migrate import GOLDEN, flaws, laid
from lab.keyed import holding
from moored.store.keys import keeping
from moored.store.sqlite.store import Store

LONGEST = 0.5
"""Seconds that a process has for the change at most: more than it takes where nothing else runs."""

CHANGES = ("encrypt", "rekey", "decrypt")


def _trial(seed: int, folder: Path) -> Trial:
    rng = random.Random(seed)  # noqa: S311 - chooses moments
    store = laid(folder, max(GOLDEN.iterdir()))
    Store(store).close()
    copy = store.with_name(f"{store.name}.before-lab")
    shutil.copy(store, copy)
    found: list[str] = []
    for what in CHANGES:
        key_file = folder / "keys" / what
        key_file.parent.mkdir(exist_ok=True)
        _killed_while(what, store, key_file, rng.uniform(0, LONGEST))
        found += [f"killed in {what}: {flaw}" for flaw in flaws(folder)]
        if keeping(store).changing or bool(keeping(store).now) == (what == "decrypt"):
            switcher.change(store, what, key_file)
        found += [f"after {what}: {flaw}" for flaw in (*flaws(folder), *_lying_open(folder, what))]
    return Trial(len(CHANGES), tuple(found))


def _killed_while(what: str, store: Path, key_file: Path, after: float) -> None:
    code = (
        "import sys; from pathlib import Path; from lab.switcher import change\n"
        "print('ready', flush=True)\n"
        "change(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(store), what, str(key_file)],
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        time.sleep(after)
        process.kill()


def _lying_open(folder: Path, what: str) -> Iterator[str]:
    """What lies open of an encrypted store, or is not there any more of a plain one."""
    there = holding(folder, golden.REVISED.encode())
    if what == "decrypt" and "moored.db" not in there:
        yield "the plain store does not hold what it did"
    if what != "decrypt":
        yield from (f"{file} holds a note in plain" for file in there)


ATTACKS = (
    Attack(
        name="kill-encryption",
        promises=("I-17",),
        how="`kill -9` at random moments of encrypting a store, giving it another key, and decrypting it",
        unit="kills",
        trial=_trial,
        wanted=300,
    ),
)
