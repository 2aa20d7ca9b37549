"""How texts get their vectors: a first one at once, that of the configured model in the background."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from moored.embed import Encoded, HashingEmbedder, HashingPieceEmbedder, Passage, first_embedder, index
from moored.embed.index import fill, pack, passage
from moored.errors import MooredError
from moored.memory import Memory, open_memory
from moored.model.clock import ManualClock
from moored.store.rows import QueuedText

SLOW = HashingPieceEmbedder()
FIRST = first_embedder().model


def opened(root: Path, embedder: HashingEmbedder) -> Memory:
    root.mkdir(exist_ok=True)
    store = root.parent / "moored.db"
    return open_memory(root, store=store, clock=ManualClock(), embedder=embedder)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with opened(tmp_path / "quay", SLOW) as memory:
        yield memory


def counts(memory: Memory) -> tuple[dict[str, int], int]:
    status = memory.status()
    return dict(status.vectors), status.waiting


class Watched(HashingPieceEmbedder):
    """It tells what it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[Passage] = []

    def passages(self, passages: Sequence[Passage]) -> list[Encoded]:
        self.seen += passages
        return super().passages(passages)


def test_a_text_has_a_first_vector_when_it_was_written_and_waits_for_its_own(memory: Memory) -> None:
    memory.record("The crane lifts boxes.")
    assert counts(memory) == ({FIRST: 1}, 1)
    assert memory.upkeep() == 1
    assert counts(memory) == ({FIRST: 1, SLOW.model: 1}, 0)
    assert memory.upkeep() == 0


def test_a_model_that_takes_no_time_gives_its_vector_at_once(tmp_path: Path) -> None:
    with opened(tmp_path / "quay", HashingEmbedder()) as memory:
        memory.record("The crane lifts boxes.")
        assert counts(memory) == ({HashingEmbedder().model: 1}, 0)


def test_only_as_many_as_asked_for_get_the_vector_of_the_configured_model(memory: Memory) -> None:
    for number in range(3):
        memory.record(f"Crane {number} lifts boxes.")
    assert memory.upkeep(limit=2) == 2
    assert counts(memory) == ({FIRST: 3, SLOW.model: 2}, 1)


def test_the_newest_text_comes_first(memory: Memory) -> None:
    for text in ("The first one.", "The second one."):
        memory.record(text)
    watched = Watched()
    fill(memory.store, watched, limit=1)
    assert [seen.text for seen in watched.seen] == ["The second one."]


def test_the_codes_of_pieces_and_the_signs_are_kept_with_the_vector(memory: Memory) -> None:
    text = "The crane lifts boxes."
    memory.record(text)
    memory.upkeep()
    encoded = SLOW.passages([Passage(text)])[0]
    with memory.store.read() as view:
        kept = view.vectors.signs(memory.project, SLOW.model, "window")
        owner = kept.owners[0]
        assert view.vectors.codes(memory.project, SLOW.model, "window", [owner]) == {owner: encoded.codes}
        scale, data = view.vectors.exact(memory.project, SLOW.model, "window", [owner])[owner]
    assert len(kept.bits) == 8
    assert np.frombuffer(data, np.int8) * scale == pytest.approx(encoded.vector, abs=0.01)


@pytest.mark.invariant("I-16")
def test_another_model_gets_every_text_again_and_the_spaces_stay_apart(tmp_path: Path) -> None:
    with opened(tmp_path / "quay", SLOW) as memory:
        memory.record("The crane lifts boxes.")
        memory.remember("Boxes are lifted by crane.")
        memory.upkeep()
        before, _ = counts(memory)
    other = HashingPieceEmbedder(32)
    with opened(tmp_path / "quay", other) as memory:
        assert memory.upkeep(limit=before[SLOW.model]) == before[SLOW.model]
        assert counts(memory) == ({**before, other.model: before[SLOW.model]}, 0)
        assert memory.doctor(deep=True).healthy
        assert memory.upkeep() == 0
        assert counts(memory) == ({FIRST: before[FIRST], other.model: before[SLOW.model]}, 0)
        assert memory.doctor(deep=True).healthy


@pytest.mark.invariant("I-16")
def test_going_back_to_the_model_before_leaves_nothing_out(tmp_path: Path) -> None:
    other = HashingPieceEmbedder(32)
    for embedder in (SLOW, other, SLOW):
        with opened(tmp_path / "quay", embedder) as memory:
            memory.record(f"The crane lifts what {embedder.model} lifts.")
            memory.upkeep()
    with opened(tmp_path / "quay", SLOW) as memory:
        assert counts(memory)[0][SLOW.model] == counts(memory)[0][FIRST]


@pytest.mark.invariant("I-24")
def test_the_model_of_one_project_never_reads_the_texts_of_another(tmp_path: Path, memory: Memory) -> None:
    memory.record("Said in the quay.")
    watched = Watched()
    with opened(tmp_path / "yard", watched) as other:
        other.record("Said in the yard.")
        other.upkeep()
    assert [seen.text for seen in watched.seen] == ["Said in the yard."]
    assert counts(memory) == ({FIRST: 1}, 1)


def test_a_text_that_is_gone_leaves_the_queue(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.record("The crane lifts boxes.")
    with memory.store.read() as view:
        monkeypatch.setattr(type(view.vectors), "passages", lambda *_: {})
    assert memory.upkeep() == 1
    assert counts(memory) == ({}, 0)


class Broken(HashingPieceEmbedder):
    """A model that cannot be used now."""

    def passages(self, passages: Sequence[Passage]) -> list[Encoded]:
        raise MooredError(f"{len(passages)} texts were not encoded")


@pytest.mark.invariant("I-22")
def test_texts_wait_on_while_the_model_cannot_be_used(tmp_path: Path) -> None:
    with opened(tmp_path / "quay", Broken()) as memory:
        memory.record("The crane lifts boxes.")
        with pytest.raises(MooredError, match="1 texts were not encoded"):
            memory.upkeep()
        assert counts(memory) == ({FIRST: 1}, 1)


def test_a_text_is_read_with_its_author_and_what_was_said_before() -> None:
    queued = QueuedText("Yes, five.", "Ada", (("Grace", "How many retries?"), ("", "As before.")))
    assert passage(queued) == Passage("Ada: Yes, five.", "Grace: How many retries? As before.")
    assert passage(QueuedText("Yes.")) == Passage("Yes.")


def test_a_vector_of_zeros_is_kept_as_zeros() -> None:
    assert pack(np.zeros(4, np.float32)) == (0.0, bytes(4))


def test_vectors_of_a_model_that_is_used_no_more_go_when_all_texts_have_their_own(tmp_path: Path) -> None:
    with opened(tmp_path / "quay", HashingEmbedder(32)) as memory:
        memory.record("The crane lifts boxes.")
        memory.record("The winch slips.")
    with opened(tmp_path / "buoy", HashingEmbedder(32)) as other:
        other.record("The buoy is red.")
        with opened(tmp_path / "quay", SLOW) as memory:
            assert memory.upkeep(limit=1) == 1
            assert counts(memory) == ({FIRST: 2, SLOW.model: 1, HashingEmbedder(32).model: 2}, 1)
            assert memory.upkeep() == 1
            assert counts(memory) == ({FIRST: 2, SLOW.model: 2}, 0)
            assert memory.recall("Which crane lifts?").hits
            assert memory.store.check(deep=True) == []
        assert counts(other) == ({HashingEmbedder(32).model: 1}, 0)
    with opened(tmp_path / "quay", HashingEmbedder(32)) as memory:
        assert memory.upkeep() == 2
        assert counts(memory) == ({HashingEmbedder(32).model: 2}, 0)


def test_unused_vectors_go_a_bounded_number_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "DROPPED", 2)
    with opened(tmp_path / "quay", HashingEmbedder(32)) as memory:
        for number in range(5):
            memory.record(f"Crane {number} lifts boxes.")
    with opened(tmp_path / "quay", SLOW) as memory:
        assert memory.upkeep(limit=5) == 5
        held: list[int] = []
        for _ in range(4):
            assert memory.upkeep(limit=1) == 0
            held.append(counts(memory)[0].get(HashingEmbedder(32).model, 0))
        assert held == [3, 1, 0, 0]


@pytest.mark.invariant("I-16")
def test_two_processes_with_different_models_leave_each_other_theirs(tmp_path: Path) -> None:
    other = HashingPieceEmbedder(32)
    with opened(tmp_path / "quay", SLOW) as one, opened(tmp_path / "quay", other) as two:
        one.record("The crane lifts boxes.")
        one.upkeep()
        for _ in range(4):
            two.upkeep()
            one.upkeep()
        both = {FIRST: 1, SLOW.model: 1, other.model: 1}
        assert counts(one) == (both, 0)
        two.upkeep()
        assert counts(two) == (both, 0)
