"""Every attack of the laboratory in its short form; `make lab` makes them in the long one."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.attack import Attack
from lab.attacks import ATTACKS

SHORT = [
    pytest.param(attack, seed, id=f"{attack.name}-{seed}", marks=pytest.mark.invariant(*attack.promises))
    for attack in ATTACKS.values()
    for seed in attack.short
]


@pytest.mark.parametrize(("attack", "seed"), SHORT)
def test_what_is_promised_holds_under_attack(tmp_path: Path, attack: Attack, seed: int) -> None:
    trial = attack.trial(seed, tmp_path)
    assert trial.times
    assert attack.flaws(trial) == ()
