"""A model that remembers on disk what it encoded, so that measuring the same texts again takes seconds.

What is kept is the outcome for exactly this text with exactly this context, by the model's own name: nothing is found
otherwise than without it. Questions are always encoded, because their time is part of what is measured.

The file of a model is a row of records, each a header (the hash of the passage, then the numbers of bytes of its
vector and of its codes) with those bytes behind it. A record that was cut off by a crash is written over.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from struct import Struct
from typing import TYPE_CHECKING

import numpy as np

from moored.embed.port import Encoded

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from moored.embed.port import Embedder, Passage, Question

_HEADER = Struct("<16sII")


class CachedEmbedder:
    """An embedder that asks another one only for passages that are not in its folder. For one process at a time."""

    def __init__(self, embedder: Embedder, folder: Path) -> None:
        self._embedder = embedder
        self.model, self.dimension, self.instant = embedder.model, embedder.dimension, embedder.instant
        folder.mkdir(parents=True, exist_ok=True)
        self._file = folder / (re.sub(r"[^\w.-]", "_", embedder.model) + ".cache")
        self._file.touch()
        self._places: dict[bytes, tuple[int, int, int]] = {}
        self._end = self._read()

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See `Embedder.encode`; nothing of it is kept."""
        return self._embedder.encode(texts)

    def question(self, text: str) -> Question:
        """See `Embedder.question`; nothing of it is kept."""
        return self._embedder.question(text)

    def passages(self, passages: Sequence[Passage]) -> list[Encoded]:
        """See `Embedder.passages`."""
        keys = [_key(passage) for passage in passages]
        new = {key: passage for key, passage in zip(keys, passages, strict=True) if key not in self._places}
        if new:
            self._write(dict(zip(new, self._embedder.passages(list(new.values())), strict=True)))
        with self._file.open("rb") as file:
            found: list[Encoded] = []
            for key in keys:
                at, vector, codes = self._places[key]
                file.seek(at)
                found.append(Encoded(np.frombuffer(file.read(vector), np.float32), file.read(codes)))
        return found

    def _read(self) -> int:
        """Learn where each record stands; return where the last whole one ends."""
        size, at = self._file.stat().st_size, 0
        with self._file.open("rb") as file:
            while at + _HEADER.size <= size:
                key, vector, codes = _HEADER.unpack(file.read(_HEADER.size))
                end = at + _HEADER.size + vector + codes
                if end > size:
                    break
                self._places[key] = (at + _HEADER.size, vector, codes)
                at = file.seek(end)
        return at

    def _write(self, new: dict[bytes, Encoded]) -> None:
        with self._file.open("r+b") as file:
            file.seek(self._end)
            for key, encoded in new.items():
                vector = encoded.vector.astype(np.float32).tobytes()
                file.write(_HEADER.pack(key, len(vector), len(encoded.codes)) + vector + encoded.codes)
                self._places[key] = (self._end + _HEADER.size, len(vector), len(encoded.codes))
                self._end = file.tell()


def _key(passage: Passage) -> bytes:
    text = f"{len(passage.context)}:{passage.context}{passage.text}"
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
