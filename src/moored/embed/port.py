"""What the rest of moored asks of an embedder."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

MAX_CODES = 160
"""Pieces of a passage that are kept as codes."""


class Passage(NamedTuple):
    """A text that is to be found. `context` is what was said before it: it is read, but not part of the vector."""

    text: str
    context: str = ""


class Encoded(NamedTuple):
    """A passage as it is stored.

    `vector` has length 1, or is all zeros where the model knows nothing in the text. `codes` holds, for each piece
    that carries meaning, the first signs of its vector after the rotation (see `rotation`), `piece_width(dimension)`
    bytes each and at most `MAX_CODES` of them; it is empty where the embedder has no vectors of pieces.
    """

    vector: NDArray[np.float32]
    codes: bytes = b""


class Question(NamedTuple):
    """A question as it is compared with passages.

    `pieces` are the vectors of its pieces (see `rotation.piece_vectors`), shape (n, 8 * piece_width(dimension));
    `spans` are the characters [start, end) of the question that each stands for. All pieces are there, stop words and
    punctuation as well; there are none where the embedder has no vectors of pieces.
    """

    vector: NDArray[np.float32]
    pieces: NDArray[np.float32]
    spans: tuple[tuple[int, int], ...] = ()


class Embedder(Protocol):
    """Turns texts into vectors whose dot product says how alike the texts are.

    `model` identifies the vector space: name, dimension and version. Vectors of different models are never
    compared (I-16), so it changes whenever the vector of any text would. `instant` says that a text takes well under
    a millisecond, so that it is encoded where it is written and not in the background.

    Every method raises MooredError when the model cannot be used: files that are missing or broken, an endpoint that
    does not answer. What a method returns for a text does not depend on the other texts of the call, to the last
    bit (I-23).
    """

    @property
    def model(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    @property
    def instant(self) -> bool: ...

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of the texts, in their order: shape `(len(texts), dimension)`, each row of length 1.

        A text in which the model knows nothing has a row of zeros.
        """
        ...

    def passages(self, passages: Sequence[Passage]) -> list[Encoded]:
        """What is stored of the passages, in their order."""
        ...

    def question(self, text: str) -> Question:
        """What a question is compared by. A question longer than the model reads is cut."""
        ...


class WholeTexts(ABC):
    """The part of an embedder that has no vectors of pieces: everything follows from `encode`."""

    dimension: int

    @abstractmethod
    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See `Embedder.encode`."""

    def passages(self, passages: Sequence[Passage]) -> list[Encoded]:
        """See `Embedder.passages`. The context does not count."""
        return [Encoded(vector) for vector in self.encode([passage.text for passage in passages])]

    def question(self, text: str) -> Question:
        """See `Embedder.question`."""
        return Question(self.encode([text])[0], no_pieces(self.dimension))


def no_pieces(dimension: int) -> NDArray[np.float32]:
    """The pieces of a question where the embedder has no vectors of pieces."""
    import numpy as np

    from moored.embed.rotation import piece_width

    return np.zeros((0, 8 * piece_width(dimension)), np.float32)
