"""The ledger's part of `Memory`: indexing, symbols, impact, the map."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

from moored.errors import NotFound
from moored.memory.core import Core, listed
from moored.model.ids import FACT

if TYPE_CHECKING:
    from moored.ledger.graph.code_map import CodeMap
    from moored.ledger.graph.impact import Impact
    from moored.ledger.graph.query import SymbolReport
    from moored.ledger.refresh import Progress, Refreshed
    from moored.model.facts import Fact


class LedgerPart(Core):
    """What parsers read of the tree."""

    def index(self, *, paths: Collection[str] | None = None, progress: Progress | None = None) -> Refreshed:
        """Bring the ledger up to what the tree holds now: only what changed is read. `paths` limits it to these."""
        return self.keeper.index(paths, progress)

    def watch(self, stop: threading.Event, on_refresh: Callable[[Refreshed], None] | None = None) -> None:
        """Keep the ledger current while files change, until `stop` is set."""
        from moored.watch import watch

        watch(self, stop, on_refresh)

    def symbol(self, name: str) -> SymbolReport:
        """What the ledger knows of a symbol. Raises `NotFound` with near names, `Ambiguous` with the candidates."""
        from moored.ledger.graph.query import symbol

        def ask() -> SymbolReport:
            with self.store.read() as view:
                return symbol(view, self.tree, name)

        return self.keeper.by_name(ask)

    def impact(self, name: str, *, depth: int = 4) -> Impact:
        """Everything that depends on a symbol, up to `depth` steps away. Raises as `symbol` does."""
        from moored.ledger.graph.impact import impact
        from moored.ledger.graph.query import symbol

        def ask() -> Impact:
            with self.store.read() as view:
                return impact(view, self.tree, symbol(view, self.tree, name).fact, depth=depth)

        return self.keeper.by_name(ask)

    def map(self, *, budget: int = 2_000, focus: Sequence[str] = ()) -> CodeMap:
        """A map of the code that fits into `budget` tokens, drawn around `focus` (folders, paths and symbols)."""
        from moored.ledger.graph.code_map import code_map

        self.keeper.look_around()
        with self.store.read() as view:
            return code_map(view, self.tree, budget=budget, focus=listed(focus))

    def _fact(self, id_or_address: str) -> Fact:
        from moored.model.text import fold

        command = id_or_address.removeprefix("$ ")
        if command != id_or_address or id_or_address.startswith(f"{FACT}_"):
            with self.store.read() as view:
                by_id, project = command == id_or_address, self.project
                fact = view.facts.get(project, command) if by_id else view.facts.command(project, fold(command))
            if fact is None:
                raise NotFound(f"There is no {'fact' if by_id else 'run of'} {id_or_address} in this project.")
            return fact
        return self.symbol(id_or_address).fact
