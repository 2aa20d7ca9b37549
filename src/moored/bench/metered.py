"""A model that counts the seconds it works, by which the rate of ingest is held against its own speed."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from moored.embed.port import Embedder, Encoded, Passage, Question


class MeteredEmbedder:
    """Another embedder; `seconds` is how long it has worked on passages, by the clock."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.model, self.dimension, self.instant = embedder.model, embedder.dimension, embedder.instant
        self.seconds = 0.0

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See `Embedder.encode`."""
        return self._embedder.encode(texts)

    def question(self, text: str) -> Question:
        """See `Embedder.question`."""
        return self._embedder.question(text)

    def passages(self, passages: Sequence[Passage]) -> list[Encoded]:
        """See `Embedder.passages`."""
        began = time.perf_counter()
        found = self._embedder.passages(passages)
        self.seconds += time.perf_counter() - began
        return found
