"""The default embedder and the files of its model."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from threading import Barrier

import numpy as np
import pytest

from moored.embed import Embedder, Passage, default_embedder
from moored.embed.encoder import MAX_PIECES
from moored.embed.minilm import FOLDER, minilm
from moored.embed.port import MAX_CODES

NOTE = "The retry limit of the uploader is five attempts."
WIDTH = 32


def test_the_shipped_file_has_its_recorded_checksum() -> None:
    recorded = dict(reversed(line.split("  ")) for line in (FOLDER / "SHA256SUMS").read_text().splitlines())
    assert recorded == {"model.onnx": sha256((FOLDER / "model.onnx").read_bytes()).hexdigest()}


def test_the_model_takes_at_most_twenty_four_megabytes() -> None:
    assert sum(file.stat().st_size for file in FOLDER.iterdir()) <= 24_000_000


def test_rows_have_length_one_and_stand_in_the_order_of_the_texts() -> None:
    embedder: Embedder = default_embedder()
    rows = embedder.encode([NOTE, "", "Deployments happen on Tuesdays."])
    assert rows.shape == (3, embedder.dimension)
    assert rows.dtype == np.float32
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 0, 1], abs=1e-6)


@pytest.mark.parametrize("text", ["", "  \n\t ", "\x00", "\u200b"])
def test_a_text_in_which_nothing_is_known_has_zeros_and_no_codes(text: str) -> None:
    encoded = minilm().passages([Passage(text)])[0]
    assert not encoded.vector.any()
    assert encoded.codes == b""
    asked = minilm().question(text)
    assert (asked.pieces.shape, asked.spans) == ((0, 256), ())


@pytest.mark.parametrize(
    ("question", "answer", "other"),
    [
        ("how many times do we retry", NOTE, "The cat sleeps on the sofa."),
        ("which database do we use", "We store everything in PostgreSQL.", "Lunch is at noon."),
        ("the test suite fails", "pytest reports three errors", "a walk along the beach"),
    ],
)
def test_what_means_nearly_the_same_is_nearer(question: str, answer: str, other: str) -> None:
    asked = minilm().question(question).vector
    near, far = minilm().encode([answer, other]) @ asked
    assert near > far + 0.1


@pytest.mark.invariant("I-23")
def test_what_a_text_gives_does_not_depend_on_the_other_texts() -> None:
    passages = [Passage(NOTE), Passage("a"), Passage("word " * 300), Passage("And then?", "We spoke of the quay.")]
    together = minilm().passages(passages)
    for one, passage in zip(together, passages, strict=True):
        alone = minilm().passages([passage])[0]
        assert (one.vector.tobytes(), one.codes) == (alone.vector.tobytes(), alone.codes)


def test_a_context_turns_the_vector_towards_what_was_spoken_of() -> None:
    bare, told = minilm().passages([Passage("Yes, five."), Passage("Yes, five.", "How many retries does it make?")])
    asked = minilm().question("number of retries").vector
    assert told.vector @ asked > bare.vector @ asked + 0.05
    assert len(told.codes) == len(bare.codes)


def test_stop_words_and_punctuation_have_no_codes_and_parts_of_words_have() -> None:
    counts = [
        len(one.codes) // WIDTH for one in minilm().passages([Passage("It's the crane, isn't it?"), Passage("pods")])
    ]
    assert counts == [1, 1]
    assert minilm().passages([Passage("and of the,")])[0].codes == b""
    pieces = minilm().question("unbelievability").spans
    assert len(minilm().passages([Passage("unbelievability")])[0].codes) == len(pieces) * WIDTH


def test_a_question_tells_which_characters_each_piece_stands_for() -> None:
    text = "Why 😀 does café's Retry-Limit fail?"
    asked = minilm().question(text)
    words = [text[start:end] for start, end in asked.spans]
    assert words[:4] == ["Why", "😀", "does", "café"]
    assert words[-1] == "?"
    assert asked.pieces.shape == (len(words), 8 * WIDTH)
    assert np.linalg.norm(asked.pieces, axis=1) == pytest.approx(1, abs=1e-5)


def test_the_pieces_of_a_question_meet_the_codes_of_the_same_words() -> None:
    codes = minilm().passages([Passage("The crane lifts boxes.")])[0].codes
    bits = np.unpackbits(np.frombuffer(codes, np.uint8).reshape(-1, WIDTH), axis=1).astype(np.float32) * 2 - 1
    asked = minilm().question("crane weather")
    crane, weather = (asked.pieces @ bits.T / np.sqrt(384)).max(axis=1)
    assert crane > weather + 0.1


def test_a_long_text_is_cut_and_its_codes_are_bounded() -> None:
    long = minilm().passages([Passage("crane " * 1_000, "weather " * 50)])[0]
    assert len(long.codes) == MAX_CODES * WIDTH
    assert len(minilm().question("crane " * 1_000).spans) == MAX_PIECES - 2


def test_a_long_context_gives_way_to_the_text() -> None:
    text = "crane " * 250
    cut, short, other = minilm().passages(
        [
            Passage(text, f"{'weather ' * 200}boat rope"),
            Passage(text, "weather weather boat rope"),
            Passage(text, "rope"),
        ]
    )
    # The model reads 256 pieces with the two marks, so that four are left for the context: its last ones.
    assert cut.vector.tobytes() == short.vector.tobytes() != other.vector.tobytes()


def test_a_lone_surrogate_is_no_error() -> None:
    assert minilm().encode(["broken \ud83d name"]).any()


def test_threads_that_load_the_model_at_once_get_the_same_rows() -> None:
    code = """
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from moored.embed.minilm import minilm
start = Barrier(4)
def encode(_):
    start.wait(timeout=10)
    return minilm().encode(["one text"]).tobytes()
with ThreadPoolExecutor(4) as pool:
    assert len(set(pool.map(encode, range(4)))) == 1
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_threads_that_share_a_model_get_the_same_rows() -> None:
    start = Barrier(4)

    def encode(_: int) -> bytes:
        start.wait(timeout=10)
        return minilm().encode([NOTE, "another"]).tobytes()

    with ThreadPoolExecutor(4) as pool:
        rows = set(pool.map(encode, range(4), timeout=30))
    assert rows == {minilm().encode([NOTE, "another"]).tobytes()}


def test_importing_the_embedders_loads_no_engine() -> None:
    code = (
        "import sys, moored.embed, moored.embed.minilm, moored.embed.endpoint, moored.embed.folder;"
        "sys.exit(str({'numpy', 'tokenizers', 'onnxruntime'} & set(sys.modules) or ''))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stderr.strip() == ""
