"""That a note was told: counted in memory as it happens, and written later, so that no answer waits for it (I-11).

What cannot be written now is kept for the next time. What a process counted and could not write before it ended is
lost, and nothing else with it: a use changes only heat, and heat changes no answer.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from moored.atlas.state import together, told
from moored.errors import MooredError
from moored.store.durability import Durability

if TYPE_CHECKING:
    from collections.abc import Iterable

    from moored.model.projects import Project
    from moored.model.state import Use
    from moored.store.port import Store

PATIENCE_MS = 50
"""How long another writer is waited for."""

MOST = 10_000
"""Notes of which the use is kept in memory at most."""


class Uses:
    """The uses of one project's notes that are not written yet. Its methods may be called from any thread."""

    def __init__(self, store: Store, project: Project) -> None:
        self._store = store
        self._project = project
        self._waiting: dict[str, Use] = {}
        self._guard = threading.Lock()

    def add(self, notes: Iterable[str], at: int) -> None:
        """Count that notes were told at a time."""
        with self._guard:
            for note in notes:
                if note in self._waiting or len(self._waiting) < MOST:
                    self._waiting[note] = told(self._waiting.get(note), at)

    def keep(self) -> int:
        """Write what was counted, if that can be done now; return of how many notes."""
        with self._guard:
            waiting, self._waiting = self._waiting, {}
        if not waiting or self._store.read_only:
            return 0
        try:
            with self._store.write(Durability.GROUP, patience_ms=PATIENCE_MS) as transaction:
                before = transaction.states.uses(self._project, list(waiting))
                now = {note: together(before.get(note), use) for note, use in waiting.items()}
                transaction.states.put_uses(self._project, now)
        except MooredError:
            with self._guard:
                for note, use in waiting.items():
                    self._waiting[note] = together(self._waiting.get(note), use)
            return 0
        return len(waiting)
