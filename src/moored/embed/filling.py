"""The vectors of one project: what it gets at once, and what in the background."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from moored.errors import MooredError

if TYPE_CHECKING:
    from moored.embed.port import Embedder
    from moored.model.projects import Project
    from moored.store.port import Store


class Filling:
    """Gives the texts of a project their vectors by its configured embedder, None where there is none.

    `first` is the embedder of the first pass, None where the configured one is as quick itself.
    """

    def __init__(self, store: Store, project: Project, embedder: Embedder | None) -> None:
        self.first: Embedder | None = None
        if embedder is not None and not embedder.instant:
            from moored.embed.choice import first_embedder

            self.first = first_embedder()
        self._store = store
        self._project = project
        self._embedder = embedder
        self._requeued = False
        self._alone = False

    def at_once(self, limit: int = sys.maxsize) -> None:
        """Give up to `limit` texts a vector if that takes no time and can be done now.

        Where it cannot they wait on, are found by their words, and recall says that they wait.
        """
        embedder = self.first or self._embedder
        if embedder is None or self._store.read_only:
            return
        from moored.embed.index import fill

        # That of the first pass comes with moored: it may read the texts of any project.
        project = None if self.first else self._project
        try:
            fill(self._store, embedder, limit=limit, project=project, first=embedder is self.first)
        except MooredError:
            return

    def upkeep(self, limit: int) -> int:
        """Give up to `limit` texts the vectors of the configured model; return how many that were.

        Every text without any gets one of the first pass before. Where the model is another than before, the texts
        that have no vector of its own wait again; when all have one, some of those of other models go (`DROPPED` at a
        time), which nothing is compared with any more. Raises the errors of the store and of the embedder.
        """
        if self._embedder is None or self._store.read_only:
            return 0
        from moored.embed.index import DROPPED, drop_unused, fill, requeue

        if not self._requeued:
            requeue(self._store, self._embedder, self._project, first=self.first.model if self.first else "")
            self._requeued = True
        if self.first:
            fill(self._store, self.first, limit=sys.maxsize, project=self._project, first=True)
        done = fill(self._store, self._embedder, limit=limit, project=self._project)
        if done < limit and not self._alone:
            used = [one.model for one in (self._embedder, self.first) if one]
            room = max(limit - done, DROPPED)
            self._alone = drop_unused(self._store, self._project, used, room) < room
        return done
