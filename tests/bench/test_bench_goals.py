"""The figures of all sets are held against goals, and what is not at hand is named."""

from __future__ import annotations

from pathlib import Path

import made_up
import pytest
from bench.recall import PLACES, Goal, run

from moored.embed import HashingPieceEmbedder


@pytest.fixture(autouse=True)
def small_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.recall.default_embedder", HashingPieceEmbedder)


def test_every_set_at_hand_has_a_section_and_its_goals(tmp_path: Path) -> None:
    for title, folder in (("LoCoMo", "locomo"), ("devbench", "devbench")):
        getattr(made_up, PLACES[title][0])(tmp_path / folder)
    made_up.beam(tmp_path / "beam")
    (tmp_path / "beam" / "100K").rename(tmp_path / "beam" / "500K")
    goals, *sections = run(tmp_path)
    assert [one.title for one in sections] == ["LoCoMo", "BEAM 500K, coding chats", "devbench"]
    assert [one.name for one in sections] == ["recall-locomo", "recall-beam-500k-coding-chats", "recall-devbench"]
    told = "\n".join(goals.lines)
    assert "| LoCoMo | items, test | recall@10 | 0.840 | 1.000 | yes |" in told
    assert "plain dense" in told
    assert "Not measured, as the data was not at hand: BEAM 100K, BEAM 1M, coding chats, LongMemEval." in told


def test_a_goal_that_is_missed_shows() -> None:
    goal = Goal("LoCoMo", "items", "test", "mrr", 0.69)
    assert goal.row(0.6899)[-3:] == ["0.690", "0.690", "**no**"]
    assert goal.row(0.69)[-1] == "yes"
