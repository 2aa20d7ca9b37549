"""Stores of every released schema are brought up to date, and the process or the power ends at any moment of it."""

from __future__ import annotations

import gzip
import random
from collections.abc import Iterator
from pathlib import Path

from lab import golden
from lab.attack import Attack, Trial
from lab.attacks.kill import killed
from lab.powercut import Disk
from moored.memory import open_memory
from moored.store.sqlite.migrations import MIGRATIONS
from moored.store.sqlite.store import Store

GOLDEN = Path(__file__).parents[2] / "store" / "golden"
"""A store of each released schema, made by the code of its time."""

GOLDENS = {int(file.name.removeprefix("schema-").partition(".")[0]): file for file in sorted(GOLDEN.iterdir())}
"""Those stores by the number of migrations that they have had."""

OLDER = tuple(file for schema, file in GOLDENS.items() if schema < len(MIGRATIONS))
"""Those of them that opening brings up to date."""

LONGEST = 0.15
"""Seconds that a process has for a migration at most: about what the longest takes."""


def laid(folder: Path, file: Path) -> Path:
    """A golden store, unpacked into a folder of its own beside an empty project."""
    (folder / "harbour").mkdir(parents=True)
    (folder / "harbour" / ".moored.toml").write_text('project = "golden"\n')
    store = folder / "moored.db"
    store.write_bytes(gzip.decompress(file.read_bytes()))
    return store


def flaws(folder: Path) -> Iterator[str]:
    """What of a golden store is not there, or not sound, after it was opened."""
    with open_memory(folder / "harbour", store=folder / "moored.db", embedder=None, dense=False) as memory:
        yield from memory.store.check(deep=True)
        kept = {
            "notes": {one.judged.note.head.text for one in memory.notes()},
            "pins": {one.text for one in memory.pins()},
        }
        with memory.store.read() as view:
            kept["turns"] = {one.text for one in view.episodes.all(memory.project)}
            kept["symbols"] = {row[0] for row in view.connection.rows("SELECT name FROM fact")}
        wanted = {
            "notes": {golden.NOTES[0], golden.REVISED, golden.NOTES[2]},
            "pins": {golden.PIN},
            "turns": {*golden.TURNS, golden.OUTPUT},
            "symbols": {"Crane", "Crane.lift", "LIMIT"},
        }
        for what, texts in wanted.items():
            yield from (f"lost of the {what}: {text}" for text in texts - kept[what])
        memory.remember("The harbour is open again.")


def _kill(seed: int, folder: Path) -> Trial:
    rng = random.Random(seed)  # noqa: S311 - chooses moments
    found: list[str] = []
    for file in OLDER:
        place = folder / file.stem
        store = laid(place, file)
        promises = place / "promises"
        asked = {"name": "migrate", "root": str(place / "harbour"), "store": str(store), "promises": str(promises)}
        killed([{**asked, "seed": seed, "after": rng.uniform(0, LONGEST)}])
        found += [f"{file.stem}: {flaw}" for flaw in flaws(place)]
    return Trial(len(OLDER), tuple(found))


def _cut(seed: int, folder: Path) -> Trial:
    rng = random.Random(seed)  # noqa: S311 - chooses moments
    found: list[str] = []
    for file in OLDER:
        before, after = folder / file.stem / "before", folder / file.stem / "after"
        store = laid(before, file)
        disk = Disk(f"migration-{seed}-{file.stem}", dies_at=rng.randint(1, 400))
        Store(store, vfs=disk.name).close()
        laid(after, file).unlink()
        disk.cut(after, rng)
        found += [f"{file.stem}: {flaw}" for flaw in flaws(after)]
    return Trial(len(OLDER), tuple(found))


ATTACKS = (
    Attack(
        name="kill-migration",
        promises=("I-01",),
        how="`kill -9` at random moments of the upgrade of a store of each older schema",
        unit="kills",
        trial=_kill,
        wanted=300,
    ),
    Attack(
        name="power-cut-migration",
        promises=("I-01",),
        how="the power goes at random moments of that upgrade",
        unit="power cuts",
        trial=_cut,
        wanted=300,
    ),
)
