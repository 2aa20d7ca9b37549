"""That the power cuts of the laboratory (lab/attacks/power_cut.py) do cut, and find out a disk that lies."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.attacks.power_cut import cut
from moored.errors import StoreError
from moored.store.durability import Durability

SEEDS = range(20)

pytestmark = pytest.mark.invariant("I-01")


def test_a_power_cut_takes_only_the_last_whole_transactions_of_group(tmp_path: Path) -> None:
    lost = [cut(seed, tmp_path / str(seed), Durability.GROUP) for seed in SEEDS]
    assert any(lost), "no seed lost anything: the harness does not cut"


def test_a_disk_that_does_not_flush_is_found_out(tmp_path: Path) -> None:
    def holds(seed: int) -> bool:
        try:
            return not cut(seed, tmp_path / str(seed), Durability.FULL, lies=True)
        except (AssertionError, StoreError):
            return False

    assert not all(holds(seed) for seed in SEEDS)
