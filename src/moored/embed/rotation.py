"""A fixed rotation of vectors, after which the signs of their components alone say much of how alike they are.

Components of a model differ in spread; after a random rotation each carries about as much as any other, and of unit
vectors a and b the share of components with different signs estimates their angle (Charikar 2002). The rotation is
a structured one (Ailon and Chazelle 2006): twice, signs are flipped as a hash says and the components are mixed by a
Walsh-Hadamard transform, with its thirds mixed by a reflection where the size is three times a power of two. It only
adds and subtracts in a fixed order, so that every machine gets the same bits, and no matrix has to be kept.
"""

from __future__ import annotations

import math
from functools import cache
from hashlib import shake_256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ROUNDS = 2

SMALLEST = 8
"""Components that a rotated vector has at least: a whole byte of signs."""


PIECE_WIDTH = 32
"""Bytes of signs that are kept of the vector of a piece at most: more of them tell no more (see bench/RESULTS.md)."""


@cache
def code_width(dimension: int) -> int:
    """Bytes of the signs of a vector: 48 of 384 components.

    A rotated vector has 2^k or 3 * 2^k components, the smallest such number that is not below `dimension`.
    """
    power = SMALLEST
    while power < dimension:
        power *= 2
    third = power // 4 * 3
    return (third if dimension <= third and third % SMALLEST == 0 else power) // 8


def rotated(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Vectors of shape (n, dimension) in the rotated space, shape (n, 8 * code_width(dimension)). Lengths stay."""
    mixed, factor = _mixed(rows)
    return (mixed * factor).T


def signs(rows: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Which components of the rotated vectors are above zero, shape (n, code_width(dimension)), first bit highest."""
    import numpy as np

    return np.packbits(_mixed(rows)[0].T > 0, axis=1)


def piece_width(dimension: int) -> int:
    """Bytes of the signs that are kept of a piece: 32 of 384 components, the first of the rotated ones."""
    return min(code_width(dimension), PIECE_WIDTH)


def piece_signs(rows: NDArray[np.float32]) -> bytes:
    """The signs that are kept of pieces, `piece_width(dimension)` bytes each."""
    return signs(rows)[:, : piece_width(rows.shape[1])].tobytes()


def piece_vectors(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """The pieces of a question as they are compared with such signs: the same components, each row of length 1."""
    import numpy as np

    cut = rotated(rows)[:, : 8 * piece_width(rows.shape[1])]
    lengths = np.sqrt(np.einsum("ij,ij->i", cut, cut))[:, None]
    return np.divide(cut, lengths, out=np.zeros_like(cut), where=lengths > 0)


def _mixed(rows: NDArray[np.float32]) -> tuple[NDArray[np.float32], np.float32]:
    """The rotated vectors as columns, and what they are to be multiplied with to have their length."""
    import numpy as np

    count, dimension = rows.shape
    size = code_width(dimension) * 8
    columns = np.zeros((size, count), np.float32)
    columns[:dimension] = rows.T
    other = np.empty_like(columns)
    thirds = 3 if size % 3 == 0 else 1
    for flips in _flips(size):
        columns *= flips
        half = 1
        while half < size // thirds:
            shape = size // (2 * half), 2, half, count
            pairs, mixed = columns.reshape(shape), other.reshape(shape)
            np.add(pairs[:, 0], pairs[:, 1], out=mixed[:, 0])
            np.subtract(pairs[:, 0], pairs[:, 1], out=mixed[:, 1])
            columns, other = other, columns
            half *= 2
        if thirds == 3:
            parts = columns.reshape(3, size // 3, count)
            columns = (2 * (parts[0] + parts[1] + parts[2]) - 3 * parts).reshape(size, count)
    grown = math.sqrt(size // thirds) * thirds
    return columns, np.float32(grown**-ROUNDS)


@cache
def _flips(size: int) -> tuple[NDArray[np.float32], ...]:
    """One column of 1 and -1 a round."""
    import numpy as np

    bits = np.unpackbits(np.frombuffer(shake_256(b"moored rotation 1").digest(ROUNDS * size // 8), np.uint8))
    flips = (bits.astype(np.float32) * 2 - 1).reshape(ROUNDS, size, 1)
    return tuple(flips)
