"""Embedders without a model, for tests."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import TYPE_CHECKING

from moored.embed.port import Encoded, Passage, Question, WholeTexts
from moored.embed.wordpieces import carries_meaning

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


class HashingEmbedder(WholeTexts):
    """Texts are alike by the words they share, upper and lower case alike; words have no meaning.

    Each word adds 1 or -1 to one component, both chosen by its hash (feature hashing, Weinberger et al. 2009).
    Deterministic and instant: for tests of code that uses an embedder.
    """

    instant = True

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


class HashingPieceEmbedder(HashingEmbedder):
    """The same with a piece for each word, and slow in name: its texts wait for the background."""

    instant = False

    def __init__(self, dimension: int = 64) -> None:
        super().__init__(dimension)
        self.model = f"hashing-pieces-{dimension}@1"

    def passages(self, passages: Sequence[Passage]) -> list[Encoded]:
        """See `Embedder.passages`."""
        from moored.embed.rotation import piece_signs

        encoded: list[Encoded] = []
        for passage in passages:
            spans = [span for span in _words(passage.text) if carries_meaning(passage.text, *span)]
            words = self.encode([passage.text[start:end] for start, end in spans])
            encoded.append(Encoded(self.encode([passage.text])[0], piece_signs(words)))
        return encoded

    def question(self, text: str) -> Question:
        """See `Embedder.question`."""
        from moored.embed.rotation import piece_vectors

        spans = tuple(_words(text))
        words = self.encode([text[start:end] for start, end in spans])
        return Question(self.encode([text])[0], piece_vectors(words), spans)


def _words(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in re.finditer(r"\w+", text)]
