"""The scan over vectors: exact, incremental, scoped, and only of what may be answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from moored.embed.fake import HashingEmbedder
from moored.embed.index import fill, pack
from moored.recall import meaning
from moored.recall.vectors import VectorCache

if TYPE_CHECKING:
    from conftest import Desk

WORDS = [f"word{number}" for number in range(40)]


def texts(count: int) -> list[str]:
    draw = np.random.default_rng(7)
    return [" ".join(draw.choice(WORDS, 6)) for _ in range(count)]


def nearest(desk: Desk, question: str, limit: int, cache: VectorCache) -> list[tuple[int, float]]:
    assert desk.embedder
    with desk.store.read() as view:
        vector = desk.embedder.encode([question])[0]
        found = cache.nearest(view, desk.project, desk.embedder.model, "window", vector, limit)
    return [(owner, cosine) for owner, cosine, _ in found]


def test_the_scan_gives_the_cosines_of_the_float_vectors_within_the_rounding(desk: Desk) -> None:
    assert desk.embedder
    written = texts(120)
    for text in written:
        desk.record(text)
    desk.fill()
    question = "word1 word2 word3"
    exact = desk.embedder.encode(written) @ desk.embedder.encode([question])[0]
    found = nearest(desk, question, 120, VectorCache())
    assert len(found) == int((exact > 1e-6).sum())
    for owner, cosine in found:
        assert abs(cosine - exact[owner - 1]) < 0.01


def test_new_vectors_are_seen_without_reading_the_old_ones_again(desk: Desk) -> None:
    cache = VectorCache()
    for text in texts(30):
        desk.record(text)
    desk.fill()
    nearest(desk, "word1", 5, cache)
    desk.record("an unheard phrase")
    desk.fill()
    held = cache.size()
    assert nearest(desk, "an unheard phrase", 1, cache)[0][0] == 31
    assert cache.size() == held


def test_the_nearest_that_may_be_answered_are_found_behind_many_that_may_not(desk: Desk) -> None:
    kept = desk.record("buoy")
    with desk.store.write() as transaction:
        transaction.operations.begin(desk.project, "op_1", "import", "a transcript", 1, actor="import")
    for _ in range(120):
        episode = desk.record("buoy buoy")
        with desk.store.write() as transaction:
            transaction.operations.attribute(desk.project, "op_1", [episode])
    desk.fill()
    with desk.store.write() as transaction:
        transaction.operations.hide(desk.project, "op_1")
    assert [owner for owner, _ in nearest(desk, "buoy", 3, VectorCache())] == [1]
    assert kept


def test_a_vector_of_zeros_has_scale_zero() -> None:
    assert pack(np.zeros(4, np.float32)) == (0.0, bytes(4))


def test_packing_keeps_each_component_within_half_a_step() -> None:
    vector = np.array([0.5, -0.25, 0.1, 0.0], np.float32)
    scale, data = pack(vector)
    assert np.abs(np.frombuffer(data, np.int8) * scale - vector).max() <= scale / 2 + 1e-7


def test_filling_stops_at_the_limit_and_goes_on_from_there(desk: Desk) -> None:
    for text in texts(10):
        desk.record(text)
    embedder = HashingEmbedder()
    assert [fill(desk.store, embedder, limit=limit) for limit in (4, 4, 4, 4)] == [4, 4, 2, 0]


def test_filling_survives_a_text_that_is_gone(desk: Desk) -> None:
    desk.record("one")
    with desk.store.write() as transaction:
        transaction.vectors.enqueue(desk.project, "revision", [99])
    assert desk.fill() == 2
    with desk.store.read() as view:
        assert view.vectors.count_waiting(desk.project) == 0
        assert view.vectors.models(desk.project) == {"hashing-64@1": 1}


def test_vectors_of_another_model_are_never_compared(desk: Desk) -> None:
    desk.record("the tide table")
    desk.fill()
    desk.embedder = HashingEmbedder(32)
    answer = desk.recall("tide table")
    assert "dense" not in answer.hits[0].signals
    assert answer.receipt.degraded == (
        "dense: there are no vectors of hashing-32@1 yet, only 1 of hashing-64@1, which are not comparable",
    )
    with desk.store.write() as transaction:
        assert transaction.vectors.requeue_missing(desk.embedder.model) == 1
    desk.fill()
    assert "dense" in desk.recall("tide table").hits[0].signals


def test_what_the_reader_has_in_context_takes_no_place_among_the_nearest(desk: Desk) -> None:
    desk.record("buoy", session="before")
    for _ in range(60):
        desk.record("buoy buoy", session="now")
    desk.fill()
    assert desk.embedder
    with desk.store.read() as view:
        session = view.projects.session(desk.project, "", "now")
        assert session
        vector = desk.embedder.encode(["buoy"])[0]
        place = desk.project, desk.embedder.model, "window", vector, 3
        found = VectorCache().nearest(view, *place, unless=(session.row, 0))
        after = VectorCache().nearest(view, *place, unless=(session.row, 10))
    assert [one.owner for one in found] == [1]
    assert [one.owner for one in after] == [10, 9, 8]


def test_what_waits_is_counted_only_so_far_for_a_question(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meaning, "MOST_WAITING", 3)
    for number in range(3):
        desk.record(f"buoy {number}")
    assert desk.recall("buoy").receipt.degraded == ("dense: 3 texts wait for a vector",)
    desk.record("one buoy more")
    desk.record("and another")
    assert desk.recall("buoy").receipt.degraded == ("dense: more than 3 texts wait for a vector",)
