"""Giving texts their vectors: what waits in the store's queue is encoded and written back.

A vector is kept as eight-bit integers with one scale: component `i` is `bytes[i] * scale`. The largest component
is 127 in size, so the error of a component is at most half a per cent of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.store.durability import Durability

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from moored.embed.port import Embedder
    from moored.store.port import Store

BATCH = 256
"""Texts that are read, encoded and written together."""


def fill(store: Store, embedder: Embedder, *, limit: int) -> int:
    """Encode up to `limit` of the texts that wait for a vector, oldest first; return how many left the queue.

    A text that is gone is taken off the queue without a vector. The store is written in short transactions, none
    of which is open while texts are encoded. Raises `StoreReadOnly` for a store that cannot be written.
    """
    done = 0
    while done < limit:
        with store.read() as view:
            waiting = view.vectors.waiting(min(BATCH, limit - done))
            texts = view.vectors.texts([entry[0] for entry in waiting])
        if not waiting:
            break
        present = [entry for entry in waiting if entry[0] in texts]
        vectors = embedder.encode([texts[entry[0]] for entry in present])
        entries = [
            (*entry, embedder.model, embedder.dimension, *pack(vector))
            for entry, vector in zip(present, vectors, strict=True)
        ]
        with store.write(Durability.GROUP) as transaction:
            transaction.vectors.put(entries)
            for _, _, kind, owner in set(waiting) - set(present):
                transaction.vectors.remove(kind, owner)
        done += len(waiting)
    return done


def pack(vector: NDArray[np.float32]) -> tuple[float, bytes]:
    """The scale and the bytes of a vector. A vector of zeros has scale 0."""
    import numpy as np

    largest = float(np.abs(vector).max(initial=0.0))
    if largest == 0.0:
        return 0.0, bytes(len(vector))
    return largest / 127, np.rint(vector * (127 / largest)).astype(np.int8).tobytes()
