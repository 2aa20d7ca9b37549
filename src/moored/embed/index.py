"""Giving texts their vectors: what waits in the store's queue is encoded and written back.

There are two passes. The first gives a text the vector of a model that takes no time, so that it is found by meaning
at once; the text stays in the queue until the configured model, in the background, has given it its own.

A vector is kept as eight-bit integers with one scale: component `i` is `bytes[i] * scale`. The largest component
is 127 in size, so the error of a component is at most half a per cent of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.embed.port import Passage
from moored.store.durability import Durability
from moored.store.rows import NewVector

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from moored.embed.port import Embedder
    from moored.model.projects import Project
    from moored.store.port import Store
    from moored.store.rows import Queued, QueuedText

BATCH = 256
"""Texts that are read, encoded and written together."""

DROPPED = 1_000
"""Vectors that are removed together."""


def fill(store: Store, embedder: Embedder, *, limit: int, project: Project | None = None, first: bool = False) -> int:
    """Encode up to `limit` of the texts that wait, of a project or of all, newest first; return how many these were.

    `embedder` is the one configured, and what it has encoded leaves the queue. With `first` it is that of the first
    pass: only texts without any vector are encoded, and they stay in the queue. A text that is gone
    is taken off the queue. The store is written in short transactions, none of which is open while texts are encoded.

    Raises `StoreReadOnly` for a store that cannot be written, and the errors of the embedder.
    """
    done = 0
    while done < limit:
        with store.read() as view:
            waiting = view.vectors.waiting(min(BATCH, limit - done), bare=first, newest=True, project=project)
            texts = view.vectors.passages([entry.queued for entry in waiting])
        if not waiting:
            break
        present = [entry for entry in waiting if entry.queued in texts]
        entries = encoded(embedder, present, [passage(texts[entry.queued]) for entry in present])
        with store.write(Durability.GROUP) as transaction:
            transaction.vectors.put(entries, done=not first)
            for entry in waiting:
                if entry.queued not in texts:
                    transaction.vectors.remove(entry.owner_kind, entry.owner)
        done += len(waiting)
    return done


def requeue(store: Store, embedder: Embedder, project: Project, *, first: str = "") -> int:
    """Queue every text of a project that lacks a vector of this model; return how many. For when the model changed.

    `first` names the model of the first pass, which those that lack its vector get first.
    """
    with store.read() as view:
        if not view.vectors.count_missing(project, embedder.model):
            return 0
    with store.write(Durability.GROUP) as transaction:
        return transaction.vectors.requeue_missing(embedder.model, first=first, project=project)


def drop_unused(store: Store, project: Project, used: Collection[str], limit: int) -> int:
    """Remove up to `limit` of a project's vectors of models that are not `used`; return how many.

    They can be made again from the texts. The store is written in short transactions.
    """
    done = 0
    while done < limit:
        with store.read() as view:
            unused = [model for model in view.vectors.models(project) if model not in used]
        if not unused:
            break
        with store.write(Durability.GROUP) as transaction:
            done += transaction.vectors.drop(project, unused[0], min(DROPPED, limit - done))
    return done


def passage(text: QueuedText) -> Passage:
    """A text as it is embedded: with the name of its author before it, and what was said before as its context."""
    return Passage(_said(text.author, text.text), " ".join(_said(author, said) for author, said in text.before))


def encoded(embedder: Embedder, waiting: Sequence[Queued], passages: Sequence[Passage]) -> list[NewVector]:
    """What is to be written for texts that wait, in their order."""
    if not waiting:
        return []
    import numpy as np

    from moored.embed.rotation import signs

    found = embedder.passages(passages)
    bits = signs(np.stack([one.vector for one in found]))
    return [
        NewVector(*entry, embedder.model, embedder.dimension, *pack(one.vector), row.tobytes(), one.codes)
        for entry, one, row in zip(waiting, found, bits, strict=True)
    ]


def pack(vector: NDArray[np.float32]) -> tuple[float, bytes]:
    """The scale and the bytes of a vector. A vector of zeros has scale 0."""
    import numpy as np

    largest = float(np.abs(vector).max(initial=0.0))
    if largest == 0.0:
        return 0.0, bytes(len(vector))
    return largest / 127, np.rint(vector * (127 / largest)).astype(np.int8).tobytes()


def _said(author: str, text: str) -> str:
    return f"{author}: {text}" if author else text
