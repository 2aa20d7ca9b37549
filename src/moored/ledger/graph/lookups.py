"""Looking names up in other files, and keeping the keys of all that was looked up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.ledger.graph import keys

if TYPE_CHECKING:
    from moored.ledger.graph.sources import Source, Sources
    from moored.model.facts import Binding
    from moored.store.rows import SymbolRow

NAMED_LIMIT = 40
"""Symbols of one last name that are considered; a name that more symbols share proves nothing."""


class Lookups:
    """Asks `Sources` on behalf of one file at a time. Every answer that depends on another file leaves its key.

    While `shared` is set an answer is worked out for any file that may ask: it leaves the keys of the file's own
    names too, and sees nothing of the bindings inside its functions.
    """

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.path = ""
        self.keys: set[int] = set()
        self.local: dict[tuple[str, str], list[Binding]] = {}
        self.shared = False

    def begin(self, path: str, local: dict[tuple[str, str], list[Binding]]) -> None:
        """Start on a file; `local` are the bindings inside its functions."""
        self.path = path
        self.keys = set()
        self.local = local

    def source(self, path: str) -> Source | None:
        """A file whose place in the tree was asked for before."""
        return self.sources.get(path)

    def symbol(self, source: Source, scope: str, name: str) -> SymbolRow | None:
        """The symbol of this name directly in a scope."""
        self._leave(source, scope, name)
        return source.symbols.get(f"{scope}.{name}" if scope else name)

    def bound(self, source: Source, scope: str, name: str) -> list[Binding]:
        """The bindings of this name directly in a scope."""
        if self._leave(source, scope, name):
            return source.bound(scope, name)
        found = source.bound(scope, name)
        inside = self.local.get((scope, name))
        return [*found, *inside] if inside else found

    def defined(self, source: Source, scope: str, name: str) -> tuple[SymbolRow | None, list[Binding]]:
        """Symbol and bindings of this name directly in a scope."""
        return source.symbols.get(f"{scope}.{name}" if scope else name), self.bound(source, scope, name)

    def bases(self, source: Source, name: str) -> list[str]:
        """What a class inherits, as written."""
        self._leave(source, name, keys.BASES)
        return source.bases.get(name, [])

    def imports(self, source: Source) -> list[str]:
        """The targets of everything that a file imports outside of its functions."""
        self._leave(source, "", keys.IMPORTS)
        return [one.target for bound in source.bindings.values() for one in bound if one.kind == "import"]

    def named(self, leaf: str) -> list[tuple[str, SymbolRow]]:
        """Everything in the tree with this last name, at most `NAMED_LIMIT`."""
        self.keys.add(keys.leaf(leaf))
        return self.sources.named(leaf, NAMED_LIMIT)

    def is_file(self, path: str) -> bool:
        """Whether the tree has a code file at this path."""
        self.keys.add(keys.place(path))
        return path in self.sources.languages

    def first_file(self, stem: str, endings: tuple[str, ...]) -> str | None:
        """The first of `stem` with one of the endings that is a code file."""
        self.keys.add(keys.place(stem))
        for ending in endings:
            if stem + ending in self.sources.languages:
                return stem + ending
        return None

    def is_folder(self, path: str) -> bool:
        """Whether a folder of the tree holds code files, itself or further down."""
        self.keys.add(keys.place(path))
        return self.sources.is_folder(path)

    def files_of(self, folder: str) -> list[str]:
        """The code files directly in a folder."""
        self.keys.add(keys.place(folder))
        return self.sources.folders.get(folder, [])

    def _leave(self, source: Source, scope: str, name: str) -> bool:
        """Leave the key of a name, unless it is the file's own; then False."""
        if source.path == self.path and not self.shared:
            return False
        self.keys.add(keys.member(source.path, scope, name))
        return True
