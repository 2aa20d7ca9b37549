"""The embedder of the first pass: one static vector a word piece, distilled from all-MiniLM-L6-v2.

The model stands in `static_minilm/` beside this module; its README says where it comes from. A text's vector is
the sum of the vectors of its word pieces, normalised. There is no inference engine, no network and no limit on
the length of a text.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from moored.embed.port import WholeTexts
from moored.embed.wordpieces import UNKNOWN, bert_tokenizer
from moored.errors import MooredError
from moored.model.characters import well_formed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

FOLDER = Path(__file__).parent / "static_minilm"

# Word pieces whose vectors are unfolded to float32 at a time, 4 MB; a longer text is summed in such blocks.
BLOCK = 4096


class _Loaded(NamedTuple):
    tokenizer: Tokenizer
    unknown: int | None
    vectors: NDArray[np.int8]
    scales: NDArray[np.float32]


class StaticEmbedder(WholeTexts):
    """Embeds with the model in `folder`; it is loaded at the first `encode`. Safe to use from many threads."""

    model = "static-minilm-256@1"
    dimension = 256
    instant = True

    def __init__(self, folder: Path = FOLDER) -> None:
        self._folder = folder
        self._lock = Lock()
        self._loaded: _Loaded | None = None

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See `Embedder.encode`. Raises MooredError if files of the model are missing."""
        import numpy as np

        loaded = self._load()
        rows = np.zeros((len(texts), self.dimension), np.float32)
        for owners, pieces in _batches(loaded, texts):
            rows[owners] = _sums(loaded, pieces)
        # einsum adds up each row alike wherever it stands, which a matrix product does not promise.
        lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
        return np.divide(rows, lengths, out=rows, where=lengths > 0)

    def _load(self) -> _Loaded:
        with self._lock:
            if self._loaded is None:
                self._loaded = _read(self._folder)
            return self._loaded


@cache
def static_minilm() -> StaticEmbedder:
    """The embedder, one for the whole process."""
    return StaticEmbedder()


def _read(folder: Path) -> _Loaded:
    import numpy as np

    missing = [name for name in ("vectors.npy", "scales.npy", "vocab.txt") if not (folder / name).is_file()]
    if missing:
        raise MooredError(f"The embedding model in {folder} lacks {', '.join(missing)}. Install moored again.")
    tokenizer = bert_tokenizer(folder / "vocab.txt")
    return _Loaded(
        tokenizer=tokenizer,
        unknown=tokenizer.token_to_id(UNKNOWN),
        vectors=np.asarray(np.load(folder / "vectors.npy", mmap_mode="r")),
        scales=np.load(folder / "scales.npy"),
    )


def _batches(loaded: _Loaded, texts: Sequence[str]) -> Iterator[tuple[list[int], list[list[int]]]]:
    """The indexes and word pieces of texts that have any, in groups of about `BLOCK` pieces.

    A text longer than a block is a group of its own, so that how its sum is cut depends on nothing else.
    """
    owners: list[int] = []
    pieces: list[list[int]] = []
    size = 0
    for owner, text in enumerate(texts):
        # One text at a time: encode_batch gains a tenth at most, and its threads do not survive a fork.
        ids = loaded.tokenizer.encode(well_formed(text), add_special_tokens=False).ids
        known = [piece for piece in ids if piece != loaded.unknown]
        if size + len(known) > BLOCK and owners:
            yield owners, pieces
            owners, pieces, size = [], [], 0
        if known:
            owners.append(owner)
            pieces.append(known)
            size += len(known)
    if owners:
        yield owners, pieces


def _sums(loaded: _Loaded, pieces: list[list[int]]) -> NDArray[np.float32]:
    """The summed vectors of each list of word pieces.

    Always by `reduceat`, since other sums of numpy add up in another order and differ in the last bits.
    """
    import numpy as np

    flat = [piece for ids in pieces for piece in ids]
    if len(flat) <= BLOCK:
        return np.add.reduceat(_unfold(loaded, flat), np.cumsum([0, *map(len, pieces[:-1])]), axis=0)
    total = np.zeros((1, loaded.vectors.shape[1]), np.float32)
    for at in range(0, len(flat), BLOCK):
        total += np.add.reduceat(_unfold(loaded, flat[at : at + BLOCK]), [0], axis=0)
    return total


def _unfold(loaded: _Loaded, pieces: list[int]) -> NDArray[np.float32]:
    """The vectors of word pieces as float32."""
    import numpy as np

    index = np.array(pieces)
    return loaded.vectors[index] * loaded.scales[index][:, None]
