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
        self._held: dict[str, int] = {}
        self._kept = {embedder.model} if embedder else set[str]()
        if self.first:
            self._kept.add(self.first.model)

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
        from moored.embed.index import fill, requeue

        if not self._requeued:
            requeue(self._store, self._embedder, self._project, first=self.first.model if self.first else "")
            self._requeued = True
        if self.first:
            fill(self._store, self.first, limit=sys.maxsize, project=self._project, first=True)
        done = fill(self._store, self._embedder, limit=limit, project=self._project)
        if done < limit:
            self._let_go(self._embedder.model, limit - done)
        return done

    def _let_go(self, model: str, limit: int) -> None:
        """Remove vectors of models that are used no more; not of those that another process makes vectors of.

        Where another process removed those of this model, its texts wait again at the next call.
        """
        from moored.embed.index import DROPPED, drop_unused

        held = self._counts()
        self._requeued = held.get(model, 0) >= self._held.get(model, 0)
        if self._held:
            self._kept.update(
                other for other, count in held.items() if not self._requeued or count > self._held.get(other, 0)
            )
        dropped = drop_unused(self._store, self._project, self._kept, max(limit, DROPPED))
        self._held = self._counts() if dropped else held

    def _counts(self) -> dict[str, int]:
        """How many vectors of each model the project has."""
        with self._store.read() as view:
            return view.vectors.models(self._project)
