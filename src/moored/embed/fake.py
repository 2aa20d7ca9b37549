"""An embedder without a model, for tests."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


class HashingEmbedder:
    """Texts are alike by the words they share, upper and lower case alike; words have no meaning.

    Each word adds 1 or -1 to one component, both chosen by its hash (feature hashing, Weinberger et al. 2009).
    Deterministic and instant: for tests of code that uses an embedder.
    """

    def __init__(self, dimension: int = 64) -> None:
        self.dimension = dimension
        self.model = f"hashing-{dimension}@1"

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See `Embedder.encode`. A text without words, or whose words cancel out, has a row of zeros."""
        import numpy as np

        rows = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in re.findall(r"\w+", text.lower()):
                digest = blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
                number = int.from_bytes(digest, "little")
                row[(number >> 1) % self.dimension] += 1.0 if number & 1 else -1.0
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.divide(rows, lengths, out=rows, where=lengths > 0)
