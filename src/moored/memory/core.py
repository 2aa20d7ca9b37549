"""What every part of `Memory` stands on: the store, the project and tree, the clock, the models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from moored.atlas.uses import Uses
from moored.ledger.keeper import Keeper
from moored.record.inbox import Inbox
from moored.scope import as_set, belonging

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from moored.embed.port import Embedder
    from moored.model.clock import Clock
    from moored.model.ids import IdSource
    from moored.recall.meaning import Meaning
    from moored.settings import Place
    from moored.store.port import Store


ABSORB_PATIENCE = 5.0
"""Seconds that absorbing waits for another absorber and for another writer."""

FILLED_AT_ONCE = 64
"""Texts that get a vector right after a write; `upkeep` gives the others theirs."""


class Core:
    """One project's memory, seen from one of its trees, with what its parts share."""

    def __init__(
        self, store: Store, place: Place, *, clock: Clock, ids: IdSource, embedder: Embedder | None, create: bool
    ) -> None:
        from moored.embed.filling import Filling
        from moored.recall.vectors import VectorCache

        self.store = store
        self.settings = place.settings
        self.project, tree = belonging(store, place, clock, ids, create)
        self.tree = as_set(tree, place.settings)
        self.clock = clock
        self.ids = ids
        self.embedder = embedder
        self.filling = Filling(store, self.project, embedder)
        self.vectors = VectorCache()
        self.keeper = Keeper(store, self.tree, clock=clock, ids=ids)
        self.uses = Uses(store, self.project)
        self.reviewed: object = None
        """What stood when upkeep last looked for something to propose."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End the connections to the store. It can be called again."""
        self.uses.keep()
        self.store.close()

    def _meaning(self) -> Meaning:
        from moored.recall.meaning import Meaning

        return Meaning(self.embedder, self.filling.first, self.vectors)

    def _absorb_first(self) -> None:
        """Take in what hooks captured, as far as it is quickly done. `status` counts what waits on."""
        if self.store.read_only or not Inbox(self.store.path).waiting():
            return
        from moored.absorb import absorb_shortly

        if absorb_shortly(self.store, self.clock, self.ids).recorded:
            self.filling.at_once(FILLED_AT_ONCE)


def listed(names: Sequence[str]) -> Sequence[str]:
    """Several names; a string is one name and not its letters."""
    return (names,) if isinstance(names, str) else names
