"""A figure is held against its goal by the median of the clock, and a missed goal shows."""

from __future__ import annotations

from pathlib import Path

from bench.figures import episodes, index, notes, recall
from bench.speed import Figure

import moored


def test_a_figure_meets_its_goal_by_the_median() -> None:
    slow_once = Figure("recall", "ms", [(10.0, 4.0), (12.0, 5.0), (90.0, 6.0)], 15)
    assert slow_once.row() == ["recall", "15 ms", "12 ms", "82.2", "5 ms", "3", "yes"]
    assert Figure("recall", "ms", [(16.0, 4.0)], 15).row()[-1] == "**no**"


def test_a_size_has_no_processor_time_and_a_figure_may_have_no_goal() -> None:
    assert Figure("install", "MB", [(204.5, 204.5)]).row() == ["install", "", "204.5 MB", "", "", "1", ""]


def test_stores_are_filled_to_a_number_and_answer(tmp_path: Path, monkeypatch) -> None:
    package = tmp_path / "tree" / "django"
    package.mkdir(parents=True)
    (package / "a.py").write_text('def parse(text):\n    """Parse a text into its parts, one after the other."""\n')
    monkeypatch.setattr("bench.figures.QUERIES", 2)
    assert set(index(tmp_path)) == {"index", "index MB"}
    notes(tmp_path, 2)
    episodes(tmp_path, 7)
    episodes(tmp_path, 7)
    assert len(recall(tmp_path)["recall"]) == 2
    with moored.open(tmp_path / "tree", store=tmp_path / "moored.db") as memory:
        counts = memory.status().counts
    assert (counts.notes, counts.episodes) == (2, 7)
