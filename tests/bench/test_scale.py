"""A store grows to a size through admission, every window gets a vector, and it answers."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from bench.scale import Size, _section
from bench.scale_figures import ask, grow

from bench import scale_figures
from moored.embed import Encoded, HashingPieceEmbedder


@pytest.mark.skipif(sys.platform == "win32", reason="the words are taken from a tree by its paths")
def test_a_store_grows_by_whole_sessions_and_every_window_gets_a_vector(tmp_path: Path, monkeypatch) -> None:
    package = tmp_path / "words" / "django"
    package.mkdir(parents=True)
    (package / "a.py").write_text('def parse(text):\n    """Parse a text into its parts, one after the other."""\n')
    monkeypatch.setattr(scale_figures, "default_embedder", HashingPieceEmbedder)
    monkeypatch.setattr(scale_figures, "QUERIES", 2)
    monkeypatch.setattr(scale_figures, "BULK", 20)
    assert grow(tmp_path, package.parent, 40)["grown"] == 40
    assert grow(tmp_path, package.parent, 60)["grown"] == 20
    found = ask(tmp_path, package.parent)
    assert len(found["samples"]) == 2
    assert found["vectors"] >= 60
    with scale_figures._opened(tmp_path) as memory, memory.store.read() as view:
        assert view.vectors.count_waiting(memory.project) == 0


def test_vectors_scatter_around_samples_and_keep_their_length() -> None:
    random = np.random.default_rng(1)
    sample = random.standard_normal(384).astype(np.float32)
    sample /= np.linalg.norm(sample)
    moved = scale_figures._moved([Encoded(sample)], np.zeros(200, np.int64), random)
    assert np.allclose(np.linalg.norm(moved, axis=1), 1, atol=1e-5)
    assert 0.77 < float((moved @ sample).mean()) < 0.87


def test_a_size_with_a_goal_says_whether_it_is_met() -> None:
    sizes = [
        Size(items, items, [ms, ms], [ms], 9.0, 50.0, 80.0, items, 1.0) for items, ms in ((1_000, 5.0), (100_000, 41.0))
    ]
    told = "\n".join(_section(sizes).lines)
    assert "| 1,000 | 1,000 | 5.0 ms |  |  |" in told
    assert "| 100,000 | 100,000 | 41.0 ms | 40 ms | **no** |" in told
