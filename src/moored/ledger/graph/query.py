"""Questions to the code graph: what a symbol is, who depends on it, what it depends on, what nobody refers to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from moored.ledger.graph.find import find_one
from moored.model.batching import batches
from moored.model.facts import SYMBOL_KINDS, Edge, EdgeKind, Fact, FactKind

if TYPE_CHECKING:
    from moored.model.projects import Project, Tree
    from moored.store.port import View

MAX_CLASSES = 2_000
"""Subclasses that are followed from one class."""

_CLASSES = frozenset(
    {FactKind.CLASS, FactKind.STRUCT, FactKind.ENUM, FactKind.TRAIT, FactKind.INTERFACE, FactKind.TYPE}
)
_FUNCTIONS = (FactKind.FUNCTION, FactKind.METHOD)
_STRENGTH = {EdgeKind.INHERIT: 3, EdgeKind.CALL: 2, EdgeKind.USE: 1, EdgeKind.IMPORT: 0}
_End = Callable[[Edge], str]


@dataclass(frozen=True, slots=True)
class Relation:
    """A symbol at the other end of one or more edges, the strongest of which is `kind`.

    `line` is where the source of the edge mentions its target; `source_hash` is that source's body hash when it did.
    """

    fact: Fact
    kind: EdgeKind
    resolved: bool
    line: int
    source_hash: str


@dataclass(frozen=True, slots=True)
class SymbolReport:
    """What is known of a symbol: itself, its members, and how many symbols depend on it and it depends on."""

    fact: Fact
    members: tuple[Fact, ...]
    callers: int
    callees: int


def symbol(view: View, tree: Tree, name: str) -> SymbolReport:
    """The symbol that a name means, as `find.find` reads names. Raises `NotFound` or `Ambiguous`."""
    fact = find_one(view, tree, name)
    callers_count, callees_count = view.graph.counts(fact)
    return SymbolReport(fact, tuple(members(view, tree, fact)), callers_count, callees_count)


def members(view: View, tree: Tree, fact: Fact) -> list[Fact]:
    """What is defined directly in a class, function, module or file, in order of appearance."""
    parent = "" if fact.kind is FactKind.FILE else fact.name
    return [one for one in view.facts.in_file(tree, fact.path) if one.parent == parent and one.kind in SYMBOL_KINDS]


def symbols_of_file(view: View, tree: Tree, path: str) -> list[Fact]:
    """The file itself and every symbol in it, in order of appearance; empty for a file that is not known."""
    kinds = SYMBOL_KINDS | {FactKind.FILE}
    return [one for one in view.facts.in_file(tree, path) if one.kind in kinds]


def callers(view: View, project: Project, fact: Fact) -> list[Relation]:
    """The symbols that call, use, import or inherit a symbol, by path and line. Files stand for module level."""
    return _relations(view, project, view.graph.into(project, [fact.id]), fact, lambda edge: edge.source)


def callees(view: View, project: Project, fact: Fact) -> list[Relation]:
    """The symbols that a symbol calls, uses, imports or inherits, in the order in which it mentions them."""
    return _relations(view, project, view.graph.out_of(project, [fact.id]), fact, lambda edge: edge.target)


def outside(view: View, project: Project, fact: Fact) -> list[Edge]:
    """The edges from a symbol to what is not in the tree, or to a name that too many symbols share."""
    return [edge for edge in view.graph.out_of(project, [fact.id]) if not edge.target]


def subclasses(view: View, project: Project, fact: Fact) -> list[Fact]:
    """The classes that inherit a class, directly or not, nearest first."""
    found: dict[str, Fact] = {}
    level = [fact.id]
    seen = {fact.id}
    while level and len(found) < MAX_CLASSES:
        edges = [edge for edge in view.graph.into(project, level) if edge.kind is EdgeKind.INHERIT]
        facts = facts_by_id(view, project, (edge.source for edge in edges))
        level = [one for one in dict.fromkeys(edge.source for edge in edges) if one in facts and one not in seen]
        seen.update(level)
        found.update((one, facts[one]) for one in level)
    return list(found.values())


def implementors(view: View, tree: Tree, fact: Fact) -> list[Fact]:
    """The subclasses of a class; of a method, those that override it in subclasses of its class."""
    project = tree.project
    if fact.kind in _CLASSES:
        return subclasses(view, project, fact)
    owner, _, last = fact.name.rpartition(".")
    found: list[Fact] = []
    for one in view.facts.named(tree, owner, path=fact.path) if owner else ():
        if one.kind in _CLASSES:
            for child in subclasses(view, project, one):
                found += view.facts.named(tree, f"{child.name}.{last}", path=child.path)
    return found


def orphans(view: View, tree: Tree, kinds: Sequence[FactKind] = _FUNCTIONS, *, limit: int = 1_000) -> list[Fact]:
    """The functions and methods that nothing in the tree calls, uses or inherits, neither proven nor by name.

    Importing one is not yet using it. What is called from outside (an entry point, a test found by its name, a
    framework's hook) is among them. By path and place, at most `limit`.
    """
    ids = view.graph.unreferenced(tree, [str(kind) for kind in kinds], limit)
    facts = facts_by_id(view, tree.project, ids)
    return [facts[one] for one in ids if one in facts]


def facts_by_id(view: View, project: Project, ids: Iterable[str]) -> dict[str, Fact]:
    """Live facts by their ids."""
    found: dict[str, Fact] = {}
    numbers = view.graph.numbers(project, list(dict.fromkeys(one for one in ids if one)))
    for chunk in batches(numbers, 500):
        found.update((fact.id, fact) for fact in view.facts.by_rows(project, chunk).values())
    return found


def _relations(view: View, project: Project, edges: list[Edge], fact: Fact, end: _End) -> list[Relation]:
    best: dict[str, Edge] = {}
    for edge in edges:
        other = end(edge)
        known = best.get(other)
        if other and other != fact.id and (known is None or _strength(edge) > _strength(known)):
            best[other] = edge
    facts = facts_by_id(view, project, best)
    return [
        Relation(facts[other], edge.kind, edge.resolved, edge.line, edge.source_hash)
        for other, edge in best.items()
        if other in facts
    ]


def _strength(edge: Edge) -> tuple[bool, int]:
    return edge.resolved, _STRENGTH[edge.kind]
