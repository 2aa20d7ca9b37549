"""What the rest of moored asks of an embedder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


class Embedder(Protocol):
    """Turns texts into vectors whose dot product says how alike the texts are.

    `model` identifies the vector space: name, dimension and version. Vectors of different models are never
    compared (I-16), so it changes whenever the vector of any text would.
    """

    @property
    def model(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of the texts, in their order: shape `(len(texts), dimension)`, each row of length 1.

        A text in which the model knows nothing has a row of zeros. The row of a text does not depend on the
        other texts of the call, to the last bit (I-23).
        """
        ...
