"""The nearest texts by meaning: a scan over the signs of a project's vectors, and exact cosines of what that finds.

In memory are only the signs of the rotated vectors, a bit a dimension: of unit vectors at an angle a, the share a / pi
of all signs differs (Charikar 2002). So the number of differing bits orders all texts, and the mean and the spread of
all cosines follow from how often each number occurs. The best are then compared with their stored vectors, in integers:
the question's vector is rounded so that every product is a sum of integers that fits 32 bits. Nothing depends on an
order of summation, so that the same question gives the same scores on every machine (I-23).
"""

from __future__ import annotations

import math
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from moored.recall.kept import Vectors, Windows

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from moored.model.projects import Project
    from moored.store.port import View

GROWTH = 1.25
"""Room that is made beyond what is needed, so that a few new vectors do not copy all."""

SHORTLIST = 4
"""So many times the wanted number of texts are compared exactly."""

WORD = 8
"""Bytes of signs that are compared at once."""


class Near(NamedTuple):
    """A text that is near a question.

    The `standout` is 1 for a cosine as far above the mean of all, in standard deviations, as the highest of as many
    normally distributed numbers is expected at most.
    """

    owner: int
    cosine: float
    standout: float


class _Signs(NamedTuple):
    """The signs of one project, model and kind of owner, as far as `seen`: the first `size` columns of `words`."""

    owners: NDArray[np.int64]
    words: NDArray[np.uint64]
    size: int
    seen: tuple[int, int]


class VectorCache:
    """The signs of a store's vectors in memory, one table a project, model and kind of owner; for many threads.

    A table is read when it is first asked for, and then only what was written since and what is no more to be answered.
    So it holds what a table that is read anew would hold, and no answer depends on what was asked before. Beside them
    is what was read of `vectors` and of `windows` (see `kept`).
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._tables: dict[tuple[str, str, str], _Signs] = {}
        self.vectors = Vectors()
        self.windows = Windows()

    def holds(self, view: View, project: Project, model: str, owner_kind: str) -> bool:
        """Whether there is anything to scan; numpy is loaded only then."""
        with self._lock:
            return self._current(view, project, model, owner_kind) is not None

    def nearest(
        self,
        view: View,
        project: Project,
        model: str,
        owner_kind: str,
        vector: NDArray[np.float32],
        limit: int,
        tags: Sequence[str] = (),
        unless: tuple[int, int] | None = None,
    ) -> list[Near]:
        """Up to `limit` owners with a positive cosine to a vector of length 1, best first, the newer of equals first.

        Owners that may not be answered (hidden, replaced, forgotten) are left out, and so are notes without one of the
        tags, if there are any, and the windows of a session after an episode that `unless` names by their numbers.
        """
        import numpy as np

        with self._lock:
            table = self._current(view, project, model, owner_kind)
        if table is None or not vector.any():
            return []
        distances = _distances(table, vector)
        bits = len(table.words) * WORD * 8
        mean, spread = _spread(distances, bits)
        far = spread * math.sqrt(2 * math.log(table.size + 1))
        wanted = SHORTLIST * limit
        while True:
            owners = _closest(distances, table.owners[: table.size], wanted)
            known, cosines = self.vectors.cosines(view, project, model, owner_kind, owners, vector)
            order: list[int] = np.lexsort((-np.array(known, np.int64), -cosines)).tolist()
            best: list[tuple[int, float]] = []
            for first in range(0, len(order), limit):
                part = {known[at]: float(cosines[at]) for at in order[first : first + limit]}
                allowed = self._allowed(view, project, owner_kind, list(part), tags, unless)
                best += [(owner, cosine) for owner, cosine in part.items() if owner in allowed]
                if len(best) >= limit:
                    break
            if len(best) >= min(limit, len(owners)) or wanted >= table.size:
                break
            wanted *= 4
        return [
            Near(owner, cosine, (cosine - mean) / far if far else 0.0) for owner, cosine in best[:limit] if cosine > 0.0
        ]

    def _allowed(
        self,
        view: View,
        project: Project,
        owner_kind: str,
        owners: Sequence[int],
        tags: Sequence[str],
        unless: tuple[int, int] | None,
    ) -> set[int]:
        """Those of these owners that may be answered."""
        live = view.vectors.live(project, owner_kind, owners, tags=tags)
        if not unless or owner_kind != "window":
            return live
        session, after = unless
        described = self.windows.of(view, project, sorted(live))
        return {row for row, one in described.items() if one.session != session or one.episode <= after}

    def size(self) -> int:
        """Bytes that the tables hold."""
        return sum(table.owners.nbytes + table.words.nbytes for table in self._tables.values())

    def _current(self, view: View, project: Project, model: str, owner_kind: str) -> _Signs | None:
        key = (project.id, model, owner_kind)
        table = self._tables.get(key)
        new = view.vectors.signs(project, model, owner_kind, table.seen if table else None)
        if table and new.gone:
            table = _without(table, new.gone)
        if new.owners:
            table = _extended(table, new.owners, new.bits)
        if table:
            table = self._tables[key] = table._replace(seen=new.seen)
        return table if table and table.size else None


def _without(table: _Signs, owners: Sequence[int]) -> _Signs:
    """The table without the columns of these owners, in new arrays."""
    import numpy as np

    kept = ~np.isin(table.owners[: table.size], owners)
    return table._replace(
        owners=table.owners[: table.size][kept], words=table.words[:, : table.size][:, kept], size=int(kept.sum())
    )


def _extended(table: _Signs | None, owners: Sequence[int], bits: bytes) -> _Signs:
    """The table with new columns. Arrays that a scan may still be reading are never changed in what it reads."""
    import numpy as np

    count = len(owners)
    rows = np.frombuffer(bits, np.uint8).reshape(count, -1)
    padded = np.zeros((count, -(-rows.shape[1] // WORD) * WORD), np.uint8)
    padded[:, : rows.shape[1]] = rows
    columns = padded.view(np.uint64).T
    known = table.size if table else 0
    size = known + count
    if table and size <= len(table.owners):
        held, words = table.owners, table.words
    else:
        room = int(size * GROWTH)
        held, words = np.empty(room, np.int64), np.empty((len(columns), room), np.uint64)
        if table:
            held[:known], words[:, :known] = table.owners[:known], table.words[:, :known]
    held[known:size], words[:, known:size] = owners, columns
    return _Signs(held, words, size, (0, 0))


def _distances(table: _Signs, vector: NDArray[np.float32]) -> NDArray[np.uint16]:
    """In how many signs each text differs from the question."""
    import numpy as np

    from moored.embed.rotation import signs

    own = signs(vector[None, :]).tobytes()
    asked = np.frombuffer(own.ljust(len(table.words) * WORD, b"\0"), np.uint64)
    total = np.zeros(table.size, np.uint16)
    for word, wanted in zip(table.words, asked, strict=True):
        total += np.bitwise_count(word[: table.size] ^ wanted)
    return total


def _spread(distances: NDArray[np.uint16], bits: int) -> tuple[float, float]:
    """The mean and the standard deviation of all cosines."""
    import numpy as np

    counts = np.bincount(distances, minlength=bits + 1)
    cosines = np.cos(np.arange(len(counts)) * (math.pi / bits))
    size = int(counts.sum())
    mean = float(counts @ cosines) / size
    variance = max(float(counts @ (cosines - mean) ** 2) / size, 0.0)
    return mean, math.sqrt(variance)


def _closest(distances: NDArray[np.uint16], owners: NDArray[np.int64], count: int) -> list[int]:
    """The owners of about `count` of the smallest distances: all that are as close as the last of them, too."""
    import numpy as np

    reached = int(np.searchsorted(np.cumsum(np.bincount(distances)), min(count, len(distances))))
    return owners[distances <= reached].tolist()
