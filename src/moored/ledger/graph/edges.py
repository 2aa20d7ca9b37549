"""The edges that begin in one file."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from moored.ledger.graph.families import FAMILY_OF, Family
from moored.ledger.graph.resolve import Resolver, split
from moored.ledger.graph.sources import CLASSES, FUNCTIONS, Source
from moored.ledger.graph.types import mentioned_types
from moored.ledger.graph.values import External, File, Instance, Opaque, Symbol, Value
from moored.model.facts import Binding, EdgeKind, Reference
from moored.store.rows import NewEdge, SymbolRow

if TYPE_CHECKING:
    from collections.abc import Iterator

    from moored.ledger.graph.lookups import Lookups
    from moored.ledger.graph.outline import Uses

MAX_BY_NAME = 5
"""A name that more symbols of the language share gives one edge without a target instead of a guess."""

Found = dict[tuple[EdgeKind, int, int, str], NewEdge]
"""Edges by what makes them the same: kind, source, target and the target's name."""


class EdgeMaker:
    """Turns the references and imports of a file into edges."""

    def __init__(self, lookups: Lookups) -> None:
        self._look = lookups
        self._resolver = Resolver(lookups)

    def edges(self, source: Source, uses: Uses) -> list[NewEdge]:
        """The edges of a file, one for each kind, source and target: that of the first line."""
        file = source.file
        if file is None:
            return []
        local: dict[tuple[str, str], list[Binding]] = {}
        for binding in uses.bindings:
            local.setdefault((binding.scope, binding.name), []).append(binding)
        self._look.begin(source.path, local)
        self._resolver.begin(source.path)
        found: Found = {}
        imports = [one for bound in source.bindings.values() for one in bound if one.kind == "import"]
        imports += [one for one in uses.bindings if one.kind == "import"]
        covered: set[str] = set()
        for binding in imports:
            covered |= {binding.target.split(":")[0], binding.target.replace(":", "."), binding.target.replace(":", "")}
            self._import(source, file, binding, found)
        memo: dict[tuple[EdgeKind, str, str], list[tuple[int, str, bool]]] = {}
        for ref in (*uses.references, *_declared(source, uses)):
            if ref.kind is EdgeKind.IMPORT:
                if ref.target not in covered:
                    self._import(source, file, Binding("import", ref.scope, ref.target, ref.target, ref.line), found)
                continue
            key = (ref.kind, ref.scope, ref.target)
            targets = memo.get(key)
            if targets is None:
                targets = memo[key] = self._targets(source, ref)
            if targets:
                origin = _origin(source, ref.scope, ref.line) or file
                for target, name, resolved in targets:
                    _add(found, NewEdge(ref.kind, origin.row, target, name, resolved, ref.line, origin.body_hash))
        return _without_doubled_uses(found)

    def _import(self, source: Source, file: SymbolRow, binding: Binding, found: Found) -> None:
        value = self._resolver.imported(source, binding.target)
        row, name = self._row(value)
        if not row and not name:
            return
        origin = _origin(source, binding.scope, binding.line) or file
        _add(found, NewEdge(EdgeKind.IMPORT, origin.row, row, name, True, binding.line, origin.body_hash))

    def _targets(self, source: Source, ref: Reference) -> list[tuple[int, str, bool]]:
        """Number, name and proof of each thing that a reference is taken to mean."""
        scope = ref.scope
        if ref.kind is EdgeKind.INHERIT and source.is_class(scope):
            scope = scope.rpartition(".")[0]
        value = self._resolver.evaluate(source, scope, ref.target)
        family = FAMILY_OF[source.language]
        if value is None or (isinstance(value, Opaque) and ref.kind is not EdgeKind.CALL):
            return self._by_name(family, ref) if ref.kind is not EdgeKind.USE else []
        if isinstance(value, Instance) and ref.kind is EdgeKind.CALL:
            value = self._resolver.attribute(value, "__call__")
        if ref.kind is EdgeKind.CALL and isinstance(value, External) and ref.target in family.builtins:
            return []
        row, name = self._row(value)
        if ref.kind is EdgeKind.USE and (not row or isinstance(value, File)):
            return []
        targets = [(row, name, True)] if row or name else []
        if ref.kind is EdgeKind.CALL and isinstance(value, Symbol):
            targets += self._constructor(value, family)
        return targets

    def _constructor(self, value: Symbol, family: Family) -> list[tuple[int, str, bool]]:
        """What runs when a class is called: its own or inherited constructor, if the tree has it."""
        file = self._look.source(value.path)
        if file is None or not file.is_class(value.name):
            return []
        for name in family.constructors:
            made = self._resolver.member(file, value.name, name, None)
            row, full = self._row(made)
            if row:
                return [(row, full, True)]
        return []

    def _row(self, value: Value | None) -> tuple[int, str]:
        """Number and name of what a value stands for; number 0 for what is outside of the tree."""
        if isinstance(value, External):
            return 0, value.name
        if isinstance(value, Symbol):
            source = self._look.source(value.path)
            symbol = source.symbols.get(value.name) if source else None
            return (symbol.row, symbol.name) if symbol else (0, "")
        if isinstance(value, File):
            source = self._look.source(value.path)
            return (source.file.row, source.file.name) if source and source.file else (0, "")
        return 0, ""

    def _by_name(self, family: Family, ref: Reference) -> list[tuple[int, str, bool]]:
        """Edges to whatever has the last name, when nothing in scope says what is meant and few have it."""
        parts = split(ref.target)
        name = parts[-1][0] if parts else ref.target.rpartition(".")[2]
        member = parts is None or len(parts) > 1
        if not name.isidentifier() or name in (family.common if member else family.builtins):
            return []
        if not member and not family.bare_names:
            return []
        wanted = CLASSES if ref.kind is EdgeKind.INHERIT else FUNCTIONS | CLASSES
        fitting = [
            symbol
            for path, symbol in self._look.named(name)
            if symbol.kind in wanted
            and self._look.sources.languages.get(path) in family.languages
            and (member or symbol.kind != "method" or family.implicit_members)
            and (not member or symbol.kind != "function" or (family.bare_names and "." not in symbol.name))
        ]
        if len(fitting) > MAX_BY_NAME:
            return [(0, name, False)]
        return [(symbol.row, symbol.name, False) for symbol in fitting]


def _origin(source: Source, scope: str, line: int) -> SymbolRow | None:
    """The symbol that a reference stands in, None at module level."""
    while scope:
        rows = source.all.get(scope, ())
        for row in rows:
            if row.line <= line <= row.end_line:
                return row
        if rows:
            return rows[0]
        scope = scope.rpartition(".")[0]
    return None


def _declared(source: Source, uses: Uses) -> Iterator[Reference]:
    """A use of each type that is declared for a variable, a parameter or a result."""
    every = chain(chain.from_iterable(source.bindings.values()), uses.bindings)
    for binding in every:
        if binding.kind == "type":
            scope = binding.scope
        elif binding.kind == "returns":
            scope = f"{binding.scope}.{binding.name}" if binding.scope else binding.name
        else:
            continue
        for name in mentioned_types(binding.target):
            yield Reference(EdgeKind.USE, scope, name, binding.line)


def _add(found: Found, edge: NewEdge) -> None:
    found.setdefault((edge.kind, edge.source, edge.target, edge.target_name), edge)


def _without_doubled_uses(found: Found) -> list[NewEdge]:
    """A use says nothing where the same source calls, inherits or imports the same target, or is it."""
    other = {(edge.source, edge.target) for edge in found.values() if edge.kind is not EdgeKind.USE}
    return [
        edge
        for edge in found.values()
        if edge.kind is not EdgeKind.USE or ((edge.source, edge.target) not in other and edge.source != edge.target)
    ]
