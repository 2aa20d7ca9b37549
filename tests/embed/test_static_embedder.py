"""The default embedder and the files of its model."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from threading import Barrier

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moored.embed import Embedder, StaticEmbedder, first_embedder
from moored.embed.static import BLOCK, FOLDER
from moored.errors import MooredError

NOTE = "The retry limit of the uploader is five attempts."


def likeness(one: str, other: str) -> float:
    first, second = first_embedder().encode([one, other])
    return float(first @ second)


def test_the_shipped_files_have_their_recorded_checksums() -> None:
    recorded = dict(reversed(line.split("  ")) for line in (FOLDER / "SHA256SUMS").read_text().splitlines())
    actual = {name: sha256((FOLDER / name).read_bytes()).hexdigest() for name in recorded}
    assert actual == recorded
    assert set(recorded) == {"vectors.npy", "scales.npy", "vocab.txt"}


def test_the_model_takes_at_most_ten_megabytes() -> None:
    assert sum(file.stat().st_size for file in FOLDER.iterdir()) <= 10_000_000


def test_every_word_piece_has_a_vector_and_a_scale() -> None:
    pieces = (FOLDER / "vocab.txt").read_text(encoding="utf-8").splitlines()
    vectors = np.load(FOLDER / "vectors.npy", mmap_mode="r")
    assert vectors.shape == (len(pieces), StaticEmbedder.dimension)
    assert vectors.dtype == np.int8
    assert np.load(FOLDER / "scales.npy").shape == (len(pieces),)


def test_rows_have_length_one_and_stand_in_the_order_of_the_texts() -> None:
    embedder: Embedder = first_embedder()
    rows = embedder.encode([NOTE, "", "Deployments happen on Tuesdays."])
    assert rows.shape == (3, embedder.dimension)
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 0, 1], abs=1e-6)
    assert np.array_equal(rows[2], embedder.encode(["Deployments happen on Tuesdays."])[0])


@pytest.mark.parametrize("text", ["", "  \n\t ", "\x00", "\u200b"])
def test_a_text_in_which_nothing_is_known_has_a_row_of_zeros(text: str) -> None:
    assert not first_embedder().encode([text]).any()


def test_no_texts_give_no_rows() -> None:
    assert first_embedder().encode([]).shape == (0, 256)


def test_upper_and_lower_case_and_accents_do_not_matter() -> None:
    assert likeness("The CAFÉ server", "the cafe server") == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize(
    ("question", "answer", "other"),
    [
        ("how many times do we retry", NOTE, "The cat sleeps on the sofa."),
        ("car", "automobile", "banana"),
        ("which database do we use", "We store everything in PostgreSQL.", "Lunch is at noon."),
        ("the test suite fails", "pytest reports three errors", "a walk along the beach"),
    ],
)
def test_what_means_nearly_the_same_is_nearer(question: str, answer: str, other: str) -> None:
    assert likeness(question, answer) > likeness(question, other) + 0.05


@pytest.mark.invariant("I-23")
@settings(max_examples=50, deadline=None)
@given(st.lists(st.text(max_size=60) | st.just("word " * 300), max_size=25))
def test_the_row_of_a_text_does_not_depend_on_the_other_texts(texts: list[str]) -> None:
    together = first_embedder().encode(texts)
    for row, text in zip(together, texts, strict=True):
        assert row.tobytes() == first_embedder().encode([text])[0].tobytes()


def test_a_text_longer_than_a_block_is_summed_whole() -> None:
    words = ["alpha beta"] * BLOCK + ["zebra"] * BLOCK
    long, short = first_embedder().encode([" ".join(words), "alpha beta zebra"])
    assert float(long @ short) == pytest.approx(1.0, abs=1e-4)


@given(st.text(st.characters()))
def test_every_text_can_be_encoded(text: str) -> None:
    row = first_embedder().encode([text])[0]
    assert np.isfinite(row).all()
    assert np.linalg.norm(row) == pytest.approx(1, abs=1e-5) or not row.any()


def test_a_lone_surrogate_is_no_error() -> None:
    assert first_embedder().encode(["broken \ud83d name"]).any()


def test_threads_that_load_the_model_at_once_get_the_same_rows() -> None:
    embedder, start = StaticEmbedder(), Barrier(4)

    def encode() -> bytes:
        start.wait(timeout=10)
        return embedder.encode([NOTE]).tobytes()

    with ThreadPoolExecutor(4) as pool:
        rows = {future.result(timeout=30) for future in [pool.submit(encode) for _ in range(4)]}
    assert rows == {first_embedder().encode([NOTE]).tobytes()}


def test_missing_files_are_named(tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_text("[UNK]\n")
    with pytest.raises(MooredError, match=r"lacks vectors\.npy, scales\.npy"):
        StaticEmbedder(tmp_path).encode(["anything"])


def test_importing_the_package_loads_neither_numpy_nor_a_tokenizer() -> None:
    code = "import sys, moored.embed; sys.exit(str({'numpy', 'tokenizers'} & set(sys.modules) or ''))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stderr.strip() == ""
