"""The power goes while transactions are written, on a disk that forgets and reorders what was not flushed."""

from __future__ import annotations

import os
import random
from functools import partial
from pathlib import Path

from lab.attack import Attack, Trial
from lab.author import Author
from lab.powercut import Disk
from moored.store.durability import Durability
from moored.store.sqlite.store import Store

TRANSACTIONS = 25
"""Transactions that are written until the power goes, each of two episodes and a note."""


def cut(seed: int, folder: Path, durability: Durability, *, lies: bool = False) -> list[str]:
    """Cut the power at a moment that the seed chooses; return the keys that were acknowledged and are missing.

    Raises `AssertionError` where a transaction is there in part, or one is missing before one that is there.
    """
    rng = random.Random(seed)  # noqa: S311 - chooses a moment
    disk = Disk(f"power-cut-{seed}-{durability.name}-{lies}", dies_at=rng.randint(1, 1_800), lies=lies)
    (folder / "before").mkdir(parents=True)
    (folder / "after").mkdir()
    acknowledged = _write_until_the_power_goes(disk, folder / "before" / "moored.db", durability)
    disk.cut(folder / "after", rng)
    found = Store(folder / "after" / "moored.db")
    try:
        kept = _kept(found)
        assert found.check(deep=True) == []
    finally:
        found.close()
    assert kept == [str(number) for number in range(len(kept))], "what is missing is not only the last"
    assert len(kept) <= len(acknowledged) + 1
    return [key for key in acknowledged if key not in kept]


def _trial(seed: int, folder: Path, *, durability: Durability) -> Trial:
    lost = cut(seed, folder, durability)
    promised = durability is Durability.FULL
    return Trial(1, (f"transactions lost: {', '.join(lost)}",) if lost and promised else ())


def _write_until_the_power_goes(disk: Disk, path: Path, durability: Durability) -> list[str]:
    acknowledged: list[str] = []
    author = Author()
    store = Store(path, vfs=disk.name)
    store._writer().connection.set_pragma("wal_autocheckpoint", 60)
    for number in range(TRANSACTIONS):
        with store.write(durability) as tx:
            project, session, _ = author.begin(tx)
            first = author.episode(session, os.urandom(50 + number * 601 % 9_000), key=f"{number}")
            second = author.episode(session, b"the other half", key=f"{number}-half")
            author.record(tx, project, first)
            author.record(tx, project, second)
            author.remember(tx, project, f"note {number}", episode=first.id)
        if disk.power_is_off:
            break
        acknowledged.append(f"{number}")
    store.close()
    return acknowledged


def _kept(store: Store) -> list[str]:
    """The keys of the transactions that are in the store after the cut, each proven whole."""
    with store.read() as view:
        projects = view.projects.all()
        if not projects:
            return []
        rows = view.connection.rows("SELECT idempotency_key FROM episode ORDER BY seq")
        keys = [row[0] for row in rows]
        notes = {note.head.text for note in view.notes.all(projects[0])}
    halves = {key for key in keys if key.endswith("-half")}
    whole = [key for key in keys if key not in halves]
    assert {f"{key}-half" for key in whole} == halves
    assert {f"note {key}" for key in whole} == notes
    return whole


ATTACKS = (
    Attack(
        name="power-cut",
        promises=("I-01",),
        how="the power goes while notes are written that are acknowledged as kept",
        unit="power cuts",
        trial=partial(_trial, durability=Durability.FULL),
        wanted=500,
        short=tuple(range(20)),
    ),
    Attack(
        name="power-cut-group",
        promises=("I-01",),
        how="the same while events are captured, of which the last may be lost, whole",
        unit="power cuts",
        trial=partial(_trial, durability=Durability.GROUP),
        wanted=500,
        short=tuple(range(10)),
    ),
)
