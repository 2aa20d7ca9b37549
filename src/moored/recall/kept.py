"""What a process keeps of rows that hardly ever change, so that they are not read again for every question.

Windows and vectors are written once, under numbers that are never given again. What takes text out of the record, and
so moves windows or gives texts another vector, is an operation: what was read is good until there is a newer one in
the project. Whether a row may be answered, the store is asked every time. Up to `MOST` rows of each kind are kept, some
10 MB; beyond it everything is read anew.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from moored.model.projects import Project
    from moored.store.port import View
    from moored.store.rows import WindowRow

MOST = 20_000
"""Windows of a project, and vectors of a model in it, that are kept."""


class _Read(NamedTuple):
    """The windows of a project that were read, and the numbers of some by their places, since this operation."""

    operation: str
    windows: dict[int, WindowRow]
    places: dict[int, int]


class Windows:
    """Windows as they were read; for many threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._projects: dict[str, _Read] = {}

    def of(self, view: View, project: Project, rows: Sequence[int]) -> dict[int, WindowRow]:
        """These windows of a project, which the store has just named as visible, by their numbers."""
        with self._lock:
            known = self._read(view, project).windows
            if new := [row for row in rows if row not in known]:
                if len(known) + len(new) > MOST:
                    known.clear()
                    new = rows
                known.update(view.search.window_rows(project, new))
            return {row: known[row] for row in rows if row in known}

    def at(self, view: View, project: Project, places: Collection[int]) -> dict[int, int]:
        """The numbers of the visible windows at these places, by their places."""
        with self._lock:
            known = self._read(view, project).places
            seen = {place: known[place] for place in places if place in known}
            visible = view.vectors.live(project, "window", list(seen.values())) if seen else set[int]()
            found = {place: row for place, row in seen.items() if row in visible}
            if unseen := [place for place in places if place not in known]:
                new = {one.place: one.row for one in view.search.places(project, unseen)}
                if len(known) + len(new) > MOST:
                    known.clear()
                known.update(new)
                found.update(new)
            return found

    def _read(self, view: View, project: Project) -> _Read:
        operation = view.operations.latest(project)
        read = self._projects.get(project.id)
        if read is None or read.operation != operation:
            read = self._projects[project.id] = _Read(operation, {}, {})
        return read


class _Held(NamedTuple):
    """Where the vector of each owner stands, their components in rows, and the scale of each, since this operation."""

    operation: str
    at: dict[int, int]
    data: NDArray[np.int8]
    scales: NDArray[np.float64]


class Vectors:
    """Vectors as they were read, eight bits a component; for many threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._tables: dict[tuple[str, str, str], _Held] = {}

    def cosines(
        self,
        view: View,
        project: Project,
        model: str,
        owner_kind: str,
        owners: Sequence[int],
        vector: NDArray[np.float32],
    ) -> tuple[list[int], NDArray[np.float64]]:
        """Those of these owners that have a vector of the model, and its cosine with a vector of length 1."""
        import numpy as np

        with self._lock:
            held = self._read(view, project, model, owner_kind, owners)
            known = [owner for owner in owners if owner in held.at]
            at = [held.at[owner] for owner in known]
            data, scales = held.data[at], held.scales[at]
        largest = float(np.abs(vector).max())
        if not known or largest == 0.0:
            return known, np.zeros(len(known))
        most = min(32_767, (2**31 - 1) // (127 * len(vector)))
        rounded = np.rint(vector * (most / largest)).astype(np.int32)
        # einsum multiplies the two integer types without a float copy of the matrix, faster than BLAS on such a copy.
        return known, np.einsum("ij,j->i", data, rounded) * (scales * (largest / most))

    def _read(self, view: View, project: Project, model: str, owner_kind: str, owners: Sequence[int]) -> _Held:
        """The table of a project, model and kind, with all of these owners that have a vector."""
        import numpy as np

        key = (project.id, model, owner_kind)
        operation = view.operations.latest(project)
        held = self._tables.get(key)
        if held and held.operation != operation:
            held = None
        new = [owner for owner in owners if held is None or owner not in held.at]
        if held is None or len(held.at) + len(new) > MOST:
            held, new = _Held(operation, {}, np.empty((0, 0), np.int8), np.empty(0)), owners
        found = view.vectors.exact(project, model, owner_kind, new) if new else {}
        if found:
            first = len(held.at)
            rows = np.frombuffer(b"".join(packed for _, packed in found.values()), np.int8).reshape(len(found), -1)
            room = first + len(found)
            if room > len(held.data):
                size = max(room, min(2 * room, MOST))
                data, scales = np.empty((size, rows.shape[1]), np.int8), np.empty(size)
                if first:
                    data[:first], scales[:first] = held.data[:first], held.scales[:first]
                held = _Held(operation, held.at, data, scales)
            held.data[first:room] = rows
            held.scales[first:room] = [scale for scale, _ in found.values()]
            held.at.update(zip(found, range(first, room), strict=True))
        self._tables[key] = held
        return held
