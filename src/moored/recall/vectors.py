"""The nearest texts by meaning: an exact scan over a project's vectors, kept in memory as eight-bit integers.

The question's vector is rounded to integers as well, so that every product is a sum of integers that fits 32 bits:
the order of summation does not matter, and the same question gives the same scores on every machine (I-23). Rounding
the question costs less than one part in 30,000.
"""

from __future__ import annotations

import math
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from moored.model.projects import Project
    from moored.store.port import View

GROWTH = 1.25
"""Room that is made beyond what is needed, so that a few new vectors do not copy all."""

SPARE = 50
"""Owners that are looked at beyond those wanted, because some may not be answered."""


class _Matrix(NamedTuple):
    """The vectors of one project, model and kind of owner: the first `size` rows of each array hold them."""

    owners: NDArray[np.int64]
    scales: NDArray[np.float32]
    data: NDArray[np.int8]
    size: int
    last: int


class VectorCache:
    """The vectors of a store in memory, one matrix a project, model and kind of owner; safe to use from many threads.

    A matrix is read when it is first asked for, and then only what was written since. Numbers of vectors are never
    given twice, so what is newer than the last seen is all there is to read; what was removed is told by asking the
    store which of the best still live.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._matrices: dict[tuple[str, str, str], _Matrix] = {}

    def holds(self, view: View, project: Project, model: str, owner_kind: str, dimension: int) -> bool:
        """Whether there is anything to scan; numpy is loaded only then."""
        with self._lock:
            return self._current(view, project, model, owner_kind, dimension) is not None

    def nearest(
        self, view: View, project: Project, model: str, owner_kind: str, vector: NDArray[np.float32], limit: int
    ) -> list[tuple[int, float, float]]:
        """Up to `limit` owners with a positive cosine to a vector of length 1, best first: owner, cosine, standout.

        Every vector of the project is compared. The standout is 1 for a cosine as far above the mean of all, in
        standard deviations, as the highest of as many normally distributed numbers is expected at most. Owners that
        may not be answered (hidden, replaced, forgotten) are left out.
        """
        with self._lock:
            matrix = self._current(view, project, model, owner_kind, len(vector))
        if matrix is None:
            return []
        size = matrix.size
        owners, scales, data = matrix.owners[:size], matrix.scales[:size], matrix.data[:size]
        scores = _scores(data, scales, vector)
        mean, far = float(scores.mean()), float(scores.std()) * math.sqrt(2 * math.log(size + 1))
        wanted = limit + SPARE
        while True:
            best = _best(scores, owners, wanted)
            live = view.vectors.live(project, owner_kind, [owner for owner, _ in best])
            found = [(o, s, (s - mean) / far if far else 0.0) for o, s in best if o in live]
            if len(found) >= limit or wanted >= size:
                return found[:limit]
            wanted *= 4

    def size(self) -> int:
        """Bytes that the matrices hold."""
        return sum(m.owners.nbytes + m.scales.nbytes + m.data.nbytes for m in self._matrices.values())

    def _current(self, view: View, project: Project, model: str, owner_kind: str, dimension: int) -> _Matrix | None:
        key = (project.id, model, owner_kind)
        matrix = self._matrices.get(key)
        new = view.vectors.after(project, model, owner_kind, matrix.last if matrix else 0)
        if new:
            matrix = self._matrices[key] = _extended(matrix or _empty(dimension), new, dimension)
        return matrix


def _empty(dimension: int) -> _Matrix:
    import numpy as np

    return _Matrix(np.empty(0, np.int64), np.empty(0, np.float32), np.empty((0, dimension), np.int8), 0, 0)


def _extended(matrix: _Matrix, new: list[tuple[int, int, float, bytes]], dimension: int) -> _Matrix:
    """The matrix with new rows. Arrays that a scan may still be reading are never changed in the rows it reads."""
    import numpy as np

    size = matrix.size + len(new)
    owners, scales, data = matrix.owners, matrix.scales, matrix.data
    if size > len(owners):
        room = int(size * GROWTH)
        owners, scales = np.empty(room, np.int64), np.empty(room, np.float32)
        data = np.empty((room, dimension), np.int8)
        owners[: matrix.size] = matrix.owners[: matrix.size]
        scales[: matrix.size] = matrix.scales[: matrix.size]
        data[: matrix.size] = matrix.data[: matrix.size]
    owners[matrix.size : size] = [owner for _, owner, _, _ in new]
    scales[matrix.size : size] = [scale for _, _, scale, _ in new]
    data[matrix.size : size] = np.frombuffer(b"".join(row[3] for row in new), np.int8).reshape(-1, dimension)
    return _Matrix(owners, scales, data, size, new[-1][0])


def _scores(data: NDArray[np.int8], scales: NDArray[np.float32], vector: NDArray[np.float32]) -> NDArray[np.float64]:
    """The cosine of each row with the vector."""
    import numpy as np

    largest = float(np.abs(vector).max())
    if largest == 0.0:
        return np.zeros(len(data))
    most = min(32_767, (2**31 - 1) // (127 * len(vector)))
    rounded = np.rint(vector * (most / largest)).astype(np.int32)
    # einsum multiplies the two integer types without a float copy of the matrix, faster than BLAS on such a copy.
    return np.einsum("ij,j->i", data, rounded) * (scales * (largest / most))


def _best(scores: NDArray[np.float64], owners: NDArray[np.int64], count: int) -> list[tuple[int, float]]:
    """The owners with the highest positive scores, best first, newer ones first among equals."""
    import numpy as np

    chosen = np.argpartition(scores, len(scores) - count)[-count:] if count < len(scores) else np.arange(len(scores))
    order = chosen[np.lexsort((-owners[chosen], -scores[chosen]))]
    return [(int(owners[at]), float(scores[at])) for at in order if scores[at] > 0.0]
