"""The files of a tree as the resolver sees them: their symbols and bindings, loaded when first asked for."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from posixpath import basename, dirname
from typing import TYPE_CHECKING
from zlib import crc32

from moored.ledger.graph import keys
from moored.ledger.graph.outline import unpack_interface
from moored.model.facts import Binding, FactKind

if TYPE_CHECKING:
    from moored.model.projects import Tree
    from moored.store.port import View
    from moored.store.rows import OutlineRow, SymbolRow

MAX_LOADED = 4_000
"""Files kept in memory at once: the least recently used are dropped and loaded again when needed."""

CLASSES = frozenset({"class", "struct", "enum", "trait", "interface", "type"})
FUNCTIONS = frozenset({"function", "method"})
DATA = frozenset({"variable", "constant"})


@dataclass(slots=True)
class Source:
    """One file. `outline` is what the store keeps of it.

    `symbols` holds, for each qualified name, the last definition; `all` every one, in order.
    """

    path: str
    language: str
    outline: OutlineRow | None
    file: SymbolRow | None
    symbols: dict[str, SymbolRow]
    all: dict[str, list[SymbolRow]]
    bindings: dict[tuple[str, str], list[Binding]]
    bases: dict[str, list[str]]

    def bound(self, scope: str, name: str) -> list[Binding]:
        return self.bindings.get((scope, name), [])

    def is_class(self, name: str) -> bool:
        symbol = self.symbols.get(name)
        return symbol is not None and symbol.kind in CLASSES

    def exports(self) -> dict[int, int]:
        """Content by key of all that others can look up here."""
        content: dict[int, str] = {}
        for name, rows in self.all.items():
            scope, _, last = name.rpartition(".")
            text = " ".join(f"{row.kind}{row.row}" for row in rows)
            for key in (keys.member(self.path, scope, last), keys.leaf(last)):
                content[key] = f"{content.get(key, '')};{name}{text}"
        for (scope, name), bound in self.bindings.items():
            key = keys.member(self.path, scope, name)
            content[key] = f"{content.get(key, '')};" + " ".join(f"{one.kind}={one.target}" for one in bound)
        for name, bases in self.bases.items():
            content[keys.member(self.path, name, keys.BASES)] = " ".join(bases)
        imports = [one.target for bound in self.bindings.values() for one in bound if one.kind == "import"]
        content[keys.member(self.path, "", keys.IMPORTS)] = " ".join(imports)
        tops = [row for name, row in self.symbols.items() if "." not in name and row.kind in CLASSES | FUNCTIONS]
        default = keys.member(self.path, "", "default")
        content.setdefault(default, str(tops[0].row) if len(tops) == 1 else "")
        return {key: crc32(text.encode("utf-8", "surrogatepass")) for key, text in content.items()}


class Sources:
    """All files of a tree that have an outline."""

    def __init__(self, view: View, tree: Tree) -> None:
        self.view = view
        self.tree = tree
        self.root = basename(tree.root)
        self.languages = view.graph.languages(tree)
        self.folders: dict[str, list[str]] = {}
        for path in self.languages:
            self.folders.setdefault(dirname(path), []).append(path)
        self._all_folders: frozenset[str] | None = None
        self._loaded: OrderedDict[str, Source] = OrderedDict()
        self._named: dict[str, list[tuple[str, SymbolRow]]] = {}

    def get(self, path: str) -> Source | None:
        """A file by its path, None when the tree has no outline of it."""
        found = self._loaded.get(path)
        if found is not None:
            self._loaded.move_to_end(path)
            return found
        if path not in self.languages:
            return None
        found = self._load(path)
        self._loaded[path] = found
        if len(self._loaded) > MAX_LOADED:
            self._loaded.popitem(last=False)
        return found

    def is_folder(self, path: str) -> bool:
        """Whether a folder holds code files, itself or further down."""
        if self._all_folders is None:
            found: set[str] = set()
            for folder in self.folders:
                at = folder
                while at not in found:
                    found.add(at)
                    at = dirname(at)
            self._all_folders = frozenset(found)
        return path in self._all_folders

    def named(self, leaf: str, limit: int) -> list[tuple[str, SymbolRow]]:
        """Path and symbol of everything with this last name, at most `limit`."""
        found = self._named.get(leaf)
        if found is None:
            found = self._named[leaf] = self.view.graph.ending(self.tree, leaf, limit)
        return found

    def _load(self, path: str) -> Source:
        row = self.view.graph.outline(self.tree, path)
        interface = unpack_interface(row.interface) if row else None
        file: SymbolRow | None = None
        symbols: dict[str, SymbolRow] = {}
        every: dict[str, list[SymbolRow]] = {}
        for symbol in self.view.graph.symbols(self.tree, path):
            if symbol.kind == FactKind.FILE:
                file = symbol
                continue
            before = symbols.get(symbol.name)
            if before is None or not (symbol.kind in DATA and before.kind not in DATA):
                symbols[symbol.name] = symbol
            every.setdefault(symbol.name, []).append(symbol)
        bindings: dict[tuple[str, str], list[Binding]] = {}
        bases: dict[str, list[str]] = {}
        if interface is not None:
            for binding in interface.bindings:
                bindings.setdefault((binding.scope, binding.name), []).append(binding)
            for name, base in interface.bases:
                bases.setdefault(name, []).append(base)
        return Source(path, self.languages[path], row, file, symbols, every, bindings, bases)
