"""Embedding with an encoder of word pieces that onnxruntime runs, one text at a time.

The bytes that eight-bit models compute with depend on all that is in a batch, so every text is a batch of its own: its
vector is the same whatever else is encoded (I-23). One thread a text and two texts at a time is the fastest way on
two cores as well.

A passage with a context is read together with it, and its vector is the mean of its own pieces alone ("late
chunking", Guenther et al. 2024, https://arxiv.org/abs/2409.04701).
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

from moored.embed.port import MAX_CODES, Encoded, Passage, Question
from moored.embed.wordpieces import UNKNOWN, carries_meaning
from moored.errors import MooredError
from moored.model.characters import well_formed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

TEXTS_AT_A_TIME = 2

MAX_PIECES = 256
"""Word pieces of a text and its context that are read, the marks at both ends among them."""

UNKNOWNS = (UNKNOWN, "<unk>")
"""What tokenizers call a piece that they do not know."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a model is run.

    `file` is the ONNX file; `tokenizer` makes the tokenizer, which also says what marks stand around a text. `pooling`
    is `mean` (of all pieces) or `cls` (the vector of the first mark). The prefixes stand before a passage and before a
    question, as the model was trained. At most `max_pieces` are read.
    """

    file: Path
    tokenizer: Callable[[], Tokenizer]
    pooling: str = "mean"
    passage_prefix: str = ""
    question_prefix: str = ""
    max_pieces: int = MAX_PIECES


class _Session(Protocol):
    """What is used of onnxruntime's InferenceSession, which has no types."""

    def run(self, output_names: list[str], input_feed: dict[str, Any]) -> list[NDArray[np.float32]]: ...

    def get_inputs(self) -> list[Any]: ...

    def get_outputs(self) -> list[Any]: ...


class _Loaded(NamedTuple):
    session: _Session
    inputs: tuple[str, ...]
    output: str
    tokenizer: Tokenizer
    begin: list[int]
    end: list[int]
    unknown: int | None


class _Read(NamedTuple):
    """What the model made of a text: a vector for each of its own pieces, and that of the text (zeros: unknown)."""

    vector: NDArray[np.float32]
    own: NDArray[np.float32]
    spans: list[tuple[int, int]]


class EncoderEmbedder:
    """Embeds with an encoder, which is loaded when it is first used. Safe to use from many threads."""

    instant = False

    def __init__(self, model: str, dimension: int, recipe: Recipe) -> None:
        self.model = model
        self.dimension = dimension
        self._recipe = recipe
        self._lock = Lock()
        self._loaded: _Loaded | None = None

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See `Embedder.encode`."""
        import numpy as np

        rows = np.zeros((len(texts), self.dimension), np.float32)
        for row, encoded in zip(rows, self.passages([Passage(text) for text in texts]), strict=True):
            row[:] = encoded.vector
        return rows

    def passages(self, passages: Sequence[Passage]) -> list[Encoded]:
        """See `Embedder.passages`."""
        loaded = self._load()
        if len(passages) < TEXTS_AT_A_TIME:
            return [self._passage(loaded, passage) for passage in passages]
        with ThreadPoolExecutor(min(TEXTS_AT_A_TIME, os.cpu_count() or 1), "moored-embed") as pool:
            return list(pool.map(partial(self._passage, loaded), passages))

    def question(self, text: str) -> Question:
        """See `Embedder.question`."""
        from moored.embed.rotation import piece_vectors

        read = self._read(self._load(), self._recipe.question_prefix, "", well_formed(text))
        return Question(read.vector, piece_vectors(read.own), tuple(read.spans))

    def _passage(self, loaded: _Loaded, passage: Passage) -> Encoded:
        from moored.embed.rotation import piece_signs

        text = well_formed(passage.text)
        read = self._read(loaded, self._recipe.passage_prefix, well_formed(passage.context), text)
        kept = [at for at, (start, end) in enumerate(read.spans) if carries_meaning(text, start, end)]
        return Encoded(read.vector, piece_signs(read.own[kept[:MAX_CODES]]))

    def _read(self, loaded: _Loaded, prefix: str, context: str, text: str) -> _Read:
        import numpy as np

        recipe = self._recipe
        marks = len(loaded.begin) + len(loaded.end)
        lead = _ids(loaded, prefix) if prefix else []
        pieces = loaded.tokenizer.encode(text, add_special_tokens=False)
        own = pieces.ids[: recipe.max_pieces - marks - len(lead)]
        if all(piece == loaded.unknown for piece in own):
            return _Read(np.zeros(self.dimension, np.float32), np.zeros((0, self.dimension), np.float32), [])
        room = recipe.max_pieces - marks - len(lead) - len(own)
        before = _ids(loaded, context)[-room:] if context and room and recipe.pooling == "mean" else []
        hidden = _run(loaded, [*loaded.begin, *lead, *before, *own, *loaded.end])
        if hidden.ndim == 1:
            return _Read(hidden / np.sqrt(np.dot(hidden, hidden)), np.zeros((0, self.dimension), np.float32), [])
        first = len(loaded.begin) + len(lead) + len(before)
        mine = hidden[first : first + len(own)]
        pooled = hidden[0] if recipe.pooling == "cls" else (mine if before else hidden).mean(axis=0)
        return _Read(pooled / np.sqrt(np.dot(pooled, pooled)), mine, pieces.offsets[: len(own)])

    def _load(self) -> _Loaded:
        with self._lock:
            if self._loaded is None:
                self._loaded = _load(self._recipe)
            return self._loaded


def _ids(loaded: _Loaded, text: str) -> list[int]:
    return loaded.tokenizer.encode(text, add_special_tokens=False).ids


def _run(loaded: _Loaded, ids: list[int]) -> NDArray[np.float32]:
    """The vector of each id, or the one of them all where the model gives that."""
    import numpy as np

    row = np.array([ids], np.int64)
    values = {"input_ids": row, "attention_mask": np.ones_like(row), "token_type_ids": np.zeros_like(row)}
    return loaded.session.run([loaded.output], {name: values[name] for name in loaded.inputs})[0][0]


def _load(recipe: Recipe) -> _Loaded:
    tokenizer = recipe.tokenizer()
    session = open_session(recipe.file)
    inputs = tuple(entry.name for entry in session.get_inputs())
    if unknown := set(inputs) - {"input_ids", "attention_mask", "token_type_ids"}:
        names = ", ".join(sorted(unknown))
        raise MooredError(f"The embedding model {recipe.file} asks for the input {names}, which moored does not give.")
    marked = tokenizer.encode("a")
    own = [at for at, mark in enumerate(marked.special_tokens_mask) if not mark]
    return _Loaded(
        session=session,
        inputs=inputs,
        output=session.get_outputs()[0].name,
        tokenizer=tokenizer,
        begin=marked.ids[: own[0]],
        end=marked.ids[own[-1] + 1 :],
        unknown=next((number for name in UNKNOWNS if (number := tokenizer.token_to_id(name)) is not None), None),
    )


def open_session(file: Path) -> _Session:
    """A session of onnxruntime on one thread, without its messages and its telemetry. Raises MooredError."""
    runtime = cast(Any, import_module("onnxruntime"))  # it has no types
    runtime.disable_telemetry_events()
    runtime.set_default_logger_severity(4)
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    options.enable_mem_pattern = False  # texts differ in length, and a plan would be kept for each of them
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return cast(_Session, runtime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"]))
    except Exception as error:  # onnxruntime raises classes of its own with no common one below Exception
        raise MooredError(f"The embedding model {file} cannot be loaded: {error}. Name another, or mend it.") from error
