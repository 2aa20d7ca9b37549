"""The laboratory itself: it goes on where it was ended, ends in time, and does not hide what it found."""

from __future__ import annotations

from itertools import repeat
from pathlib import Path

import pytest

from lab.attack import Attack, Trial
from lab.running import Tally, run, table


def _attack(trial: Trial | Exception, tried: list[int] | None = None, **limits: float) -> Attack:
    def attempt(seed: int, folder: Path) -> Trial:
        assert not list(folder.iterdir())
        if tried is not None:
            tried.append(seed)
        if isinstance(trial, Exception):
            raise trial
        return trial

    return Attack("poke", ("I-01",), "it is poked", "pokes", attempt, wanted=6, limits=limits)


def _run(attack: Attack, folder: Path, trials: int = 100, first: int = 1) -> Tally:
    left = iter([*repeat(True, trials), False])
    return run(attack, folder / "state", first=first, in_time=lambda: next(left))


def test_an_attack_is_made_as_often_as_wanted(tmp_path: Path) -> None:
    tried: list[int] = []
    tally = _run(_attack(Trial(2), tried), tmp_path)
    assert tried == [1, 2, 3]
    assert (tally.times, tally.whole, tally.held) == (6, True, True)


def test_it_goes_on_where_it_was_ended_and_tries_no_seed_twice(tmp_path: Path) -> None:
    tried: list[int] = []
    attack = _attack(Trial(2), tried)
    ended = _run(attack, tmp_path, trials=2)
    assert (ended.times, ended.whole, ended.held) == (4, False, True)
    assert _run(attack, tmp_path).whole
    assert tried == [1, 2, 3]


def test_another_first_seed_makes_other_trials(tmp_path: Path) -> None:
    tried: list[int] = []
    _run(_attack(Trial(6), tried), tmp_path, first=7)
    assert tried == [7]


def test_what_an_attack_found_is_kept_with_its_seed_and_shown(tmp_path: Path) -> None:
    attack = _attack(Trial(3, ("a note is gone",)))
    tally = _run(attack, tmp_path)
    assert not tally.held
    assert tally.flaws == ("seed 1: a note is gone", "seed 2: a note is gone")
    assert _run(attack, tmp_path).flaws == tally.flaws
    assert "**seed 1: a note is gone**" in table([tally])[-1]


def test_what_a_trial_raises_is_a_flaw(tmp_path: Path) -> None:
    tally = _run(_attack(ValueError("no such berth")), tmp_path)
    assert not tally.held
    assert "ValueError" in tally.flaws[0]
    assert "no such berth" in tally.flaws[0]


@pytest.mark.parametrize(("measured", "held"), [(149, True), (151, False)])
def test_a_figure_above_its_limit_is_a_flaw(tmp_path: Path, measured: float, held: bool) -> None:
    tally = _run(_attack(Trial(6, (), {"p99 of a write, ms": measured}), **{"p99 of a write, ms": 150}), tmp_path)
    assert tally.held is held
    assert f"p99 of a write {measured} ms" in table([tally])[-1]


def test_what_was_not_tried_does_not_count_as_held(tmp_path: Path) -> None:
    tally = _run(_attack(Trial(6)), tmp_path, trials=0)
    assert not tally.held
    assert "not tried" in table([tally])[-1]
    assert "0 pokes of 6" in table([tally])[-1]
