"""What survives a power cut, by durability class."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from lab.author import Author
from lab.powercut import Disk
from moored.errors import StoreError
from moored.store.durability import Durability
from moored.store.sqlite.store import Store

SEEDS = range(int(os.environ.get("POWER_CUT_SEEDS", "20")))
TRANSACTIONS = 25


def _write_until_the_power_goes(disk: Disk, path: Path, durability: Durability) -> list[str]:
    """Write transactions of two episodes and a note; return the keys of those that were acknowledged."""
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


def _lost(folder: Path, seed: int, durability: Durability, *, lies: bool = False) -> int:
    """Cut the power at a moment that the seed chooses, and return how many acknowledged transactions are missing."""
    rng = random.Random(seed)  # noqa: S311 - chooses a moment
    disk = Disk(f"power-cut-{seed}-{durability.name}-{lies}", dies_at=rng.randint(1, 1_800), lies=lies)
    (folder / "before").mkdir(parents=True)
    (folder / "after").mkdir()
    acknowledged = _write_until_the_power_goes(disk, folder / "before" / "moored.db", durability)
    disk.cut(folder / "after", rng)
    found = Store(folder / "after" / "moored.db")
    kept = _kept(found)
    assert found.check(deep=True) == []
    found.close()
    assert kept == [str(number) for number in range(len(kept))], "what is missing is not only the last"
    assert len(kept) <= len(acknowledged) + 1
    return len(set(acknowledged) - set(kept))


@pytest.mark.invariant("I-01")
@pytest.mark.parametrize("seed", SEEDS)
def test_a_power_cut_takes_no_transaction_that_was_acknowledged_as_full(tmp_path: Path, seed: int) -> None:
    assert _lost(tmp_path, seed, Durability.FULL) == 0


@pytest.mark.invariant("I-01")
def test_a_power_cut_takes_only_the_last_whole_transactions_of_group(tmp_path: Path) -> None:
    lost = [_lost(tmp_path / str(seed), seed, Durability.GROUP) for seed in SEEDS]
    assert any(lost), "no seed lost anything: the harness does not cut"


@pytest.mark.invariant("I-01")
def test_a_disk_that_does_not_flush_is_found_out(tmp_path: Path) -> None:
    def holds(seed: int) -> bool:
        try:
            return _lost(tmp_path / str(seed), seed, Durability.FULL, lies=True) == 0
        except (AssertionError, StoreError):
            return False

    assert not all(holds(seed) for seed in SEEDS)
