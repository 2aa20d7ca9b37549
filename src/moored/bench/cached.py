"""A model that remembers on disk what it encoded, so that measuring the same texts again takes seconds.

What is kept is the outcome for exactly this text with exactly this context, by the model's own name: nothing is found
otherwise than without it. Questions are always encoded, because their time is part of what is measured.

Every measurement writes a file of its own, so that any number may run at a time, and reads those that were there when
it began. A file is a row of records, each a header (the hash of the passage, then the numbers of bytes of its vector
and of its codes) with those bytes behind it. A record that was cut off by a crash is the last of its file and is passed
over.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from struct import Struct
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from moored.embed.port import Encoded

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from moored.embed.port import Embedder, Passage, Question

_HEADER = Struct("<16sII")
_SUFFIX = ".cache"


class _Place(NamedTuple):
    """Where what is kept of a passage stands: the bytes of its vector, then those of its codes."""

    file: Path
    at: int
    vector: int
    codes: int

    def read(self) -> Encoded:
        with self.file.open("rb") as opened:
            opened.seek(self.at)
            return Encoded(np.frombuffer(opened.read(self.vector), np.float32), opened.read(self.codes))


class CachedEmbedder:
    """An embedder that asks another one only for passages that are not in its folder."""

    def __init__(self, embedder: Embedder, folder: Path) -> None:
        self._embedder = embedder
        self.model, self.dimension, self.instant = embedder.model, embedder.dimension, embedder.instant
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._prefix = re.sub(r"[^\w.-]", "_", embedder.model) + "-"
        self._places: dict[bytes, _Place] = {}
        self._own: Path | None = None
        for file in sorted(folder.glob(f"{self._prefix}*{_SUFFIX}")):
            self._places.update(_records(file))

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
        return [self._places[key].read() for key in keys]

    def _write(self, new: dict[bytes, Encoded]) -> None:
        if self._own is None:
            handle, name = tempfile.mkstemp(_SUFFIX, self._prefix, self._folder)
            os.close(handle)
            self._own = Path(name)
        with self._own.open("ab") as file:
            for key, encoded in new.items():
                vector = encoded.vector.astype(np.float32).tobytes()
                file.write(_HEADER.pack(key, len(vector), len(encoded.codes)) + vector + encoded.codes)
                at = file.tell() - len(vector) - len(encoded.codes)
                self._places[key] = _Place(self._own, at, len(vector), len(encoded.codes))


def _records(file: Path) -> Iterator[tuple[bytes, _Place]]:
    """The key and place of each record of a file."""
    size, at = file.stat().st_size, 0
    with file.open("rb") as opened:
        while at + _HEADER.size <= size:
            key, vector, codes = _HEADER.unpack(opened.read(_HEADER.size))
            begin, at = at + _HEADER.size, at + _HEADER.size + vector + codes
            if at <= size:
                yield key, _Place(file, begin, vector, codes)
            opened.seek(at)


def _key(passage: Passage) -> bytes:
    text = f"{len(passage.context)}:{passage.context}{passage.text}"
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
