"""Keeping the ledger of one tree current: on request, before something is named, and after an answer."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, TypeVar

from moored.errors import MooredError, NotFound, StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from moored.ledger.refresh import Progress, Refreshed
    from moored.model.clock import Clock
    from moored.model.ids import IdSource
    from moored.model.projects import Tree
    from moored.store.port import Store

CATCH_UP_AFTER = 2_000
"""Milliseconds for which a look at the whole tree is good enough to name things by."""

HAND_OVER_PATIENCE = 50
"""Milliseconds that an answer waits for another writer, to tell the ledger of files that it found changed."""

T = TypeVar("T")


class Keeper:
    """Keeps the ledger of one tree current. Its methods may be called from any thread."""

    def __init__(self, store: Store, tree: Tree, *, clock: Clock, ids: IdSource) -> None:
        self._store = store
        self._tree = tree
        self._clock = clock
        self._ids = ids
        self._catching_up = threading.Lock()
        self._caught_up_at: int | None = None

    def index(self, paths: Collection[str] | None = None, progress: Progress | None = None) -> Refreshed:
        """Read what changed in the tree, or in these paths of it, and bring the edges up to it."""
        from moored.ledger.graph import link

        refreshed = self._refresh(paths, progress)
        link(self._store, self._tree)
        if paths is None:
            self._caught_up_at = self._clock.now()
        return refreshed

    def by_name(self, do: Callable[[], T]) -> T:
        """Do something that names things. If a name is not found, look at the whole tree as it is now and try again."""
        looked = self.look_around()
        try:
            return do()
        except NotFound:
            if looked or not self.look_around(again=True):
                raise
        return do()

    def look_around(self, *, again: bool = False) -> bool:
        """Bring the ledger of a tree that was indexed before up to now; return whether the tree was looked at.

        A look is good for a moment unless there is to be one `again`. Where the store cannot be written just now, the
        ledger answers as it stands (I-11).
        """
        if self._store.read_only:
            return False
        try:
            with self._catching_up:
                past = None if self._caught_up_at is None else self._clock.now() - self._caught_up_at
                # A clock that was set back says nothing of how long ago that was.
                looked = again or past is None or not 0 <= past < CATCH_UP_AFTER
                if looked:
                    with self._store.read() as view:
                        indexed = view.facts.has_files(self._tree)
                    if indexed:
                        self._refresh()
                    self._caught_up_at = self._clock.now()
            from moored.ledger.graph import link

            link(self._store, self._tree)
        except StoreError:
            return False
        return looked

    def hand_over(self, changed: Collection[str]) -> None:
        """Let the ledger read files that were found changed. The answer stands without it (I-11)."""
        if not changed or self._store.read_only:
            return
        try:
            self._refresh(changed, patience_ms=HAND_OVER_PATIENCE)
        except MooredError:
            # The next reading finds the same files changed and answers as rightly.
            return

    def _refresh(
        self,
        paths: Collection[str] | None = None,
        progress: Progress | None = None,
        *,
        patience_ms: int | None = None,
    ) -> Refreshed:
        from moored.ledger.refresh import refresh

        return refresh(
            self._store,
            self._tree,
            clock=self._clock,
            ids=self._ids,
            paths=paths,
            progress=progress,
            patience_ms=patience_ms,
        )
