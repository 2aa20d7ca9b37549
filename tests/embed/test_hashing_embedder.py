"""The embedder for tests."""

from __future__ import annotations

import numpy as np
import pytest

from moored.embed import Embedder, HashingEmbedder


def test_texts_are_alike_by_the_words_they_share() -> None:
    embedder: Embedder = HashingEmbedder()
    one, near, far = embedder.encode(["open the file", "Open the door", "quick brown foxes"])
    assert one @ near > 0.5
    assert abs(one @ far) < 0.5


def test_rows_are_of_the_dimension_asked_for_and_of_length_one_or_zero() -> None:
    rows = HashingEmbedder(dimension=16).encode(["some words", "", "..."])
    assert rows.shape == (3, 16)
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 0, 0])


def test_the_model_id_tells_dimensions_apart() -> None:
    assert HashingEmbedder(8).model != HashingEmbedder(16).model


def test_the_same_text_has_the_same_row_in_every_process() -> None:
    assert np.flatnonzero(HashingEmbedder(8).encode(["anchor"])[0]).tolist() == [5]
