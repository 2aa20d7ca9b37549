"""Impact: what depends on a symbol, directly or through others, and whether each of those is still what it was."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from moored.ledger.graph.query import facts_by_id, symbols_of_file
from moored.ledger.sight import Sight
from moored.model.facts import Edge, EdgeKind, Fact, FactKind

if TYPE_CHECKING:
    from collections.abc import Collection

    from moored.model.projects import Tree
    from moored.store.port import View

MAX_CHECKED = 200
"""Dependants whose source is compared with the disk; the rest are said to be not checked."""

MAX_LISTED = 500
"""Dependants that are listed; of the rest only the number is told."""

MAX_WALKED = 5_000
"""Dependants that are looked for at all."""

Drift = Literal["unchanged", "changed since the edge was observed", "not checked"]

_ORDER = {EdgeKind.CALL: 0, EdgeKind.INHERIT: 1, EdgeKind.USE: 2, EdgeKind.IMPORT: 3}


@dataclass(frozen=True, slots=True)
class Dependant:
    """A symbol that depends on another, at `depth` steps.

    `path` lists the ids from what was asked about to this one, both included, along one shortest way; from a file by
    the symbol in it that is meant. `kind`,
    `resolved` and `line` are those of the last step: `line` is where this symbol mentions the one before.
    `proven` says that every step is resolved. `drift` compares this symbol with the disk as it is now.
    """

    fact: Fact
    depth: int
    kind: EdgeKind
    resolved: bool
    proven: bool
    line: int
    path: tuple[str, ...]
    drift: Drift


@dataclass(frozen=True, slots=True)
class Impact:
    """What depends on a symbol, nearest first.

    `counts` tells how many were found at each depth. `omitted` were found and are not listed; `truncated` says that
    more may exist than were looked for; `deeper` that some at the last depth have dependants of their own.
    """

    fact: Fact
    dependants: tuple[Dependant, ...]
    counts: dict[int, int]
    omitted: int
    truncated: bool
    deeper: bool


def impact(view: View, tree: Tree, fact: Fact, depth: int = 4, *, sight: Sight | None = None) -> Impact:
    """Everything that reaches a symbol in at most `depth` steps of calling, inheriting, using or importing.

    What reaches a file is what reaches it as a whole or anything that it defines, from elsewhere. The order is by
    depth, kind, path and line. `sight` is what has been seen of the tree already.
    """
    found: dict[str, tuple[Edge, int, bool, tuple[str, ...]]] = {}
    facts: dict[str, Fact] = {fact.id: fact}
    level: dict[str, tuple[bool, tuple[str, ...]]] = {fact.id: (True, (fact.id,))}
    if fact.kind is FactKind.FILE:
        level |= {one.id: (True, (fact.id, one.id)) for one in symbols_of_file(view, tree, fact.path)}
    asked = frozenset(level)
    truncated = False
    for steps in range(1, depth + 1):
        best = _nearest(view, tree, level, found, asked)
        known = facts_by_id(view, tree.project, best)
        facts.update(known)
        ordered = sorted((one for one in best if one in known), key=lambda one: _rank(best[one][0], known[one]))
        room = MAX_WALKED - len(found)
        truncated = truncated or len(ordered) > room
        level = {}
        for one in ordered[:room]:
            edge, proven, path = best[one]
            found[one] = edge, steps, proven, path
            level[one] = proven, path
        if not level:
            break
    deeper = bool(level) and any(
        edge.source not in found and edge.source not in asked for edge in view.graph.into(tree.project, list(level))
    )
    listed = list(found)[:MAX_LISTED]
    sight = sight or Sight(view, tree)
    dependants = tuple(
        Dependant(
            facts[one],
            steps,
            edge.kind,
            edge.resolved,
            proven,
            edge.line,
            path,
            _drift(sight, facts[one], edge) if number < MAX_CHECKED else "not checked",
        )
        for number, one in enumerate(listed)
        for edge, steps, proven, path in (found[one],)
    )
    counts = Counter(steps for _, steps, _, _ in found.values())
    return Impact(fact, dependants, dict(sorted(counts.items())), len(found) - len(listed), truncated, deeper)


def _nearest(
    view: View,
    tree: Tree,
    level: dict[str, tuple[bool, tuple[str, ...]]],
    found: dict[str, tuple[Edge, int, bool, tuple[str, ...]]],
    asked: Collection[str],
) -> dict[str, tuple[Edge, bool, tuple[str, ...]]]:
    """The best edge from each new symbol into a level: proven before by name, then by kind."""
    best: dict[str, tuple[Edge, bool, tuple[str, ...]]] = {}
    for edge in view.graph.into(tree.project, list(level)):
        source = edge.source
        if source in asked or source in found:
            continue
        proven_before, path = level[edge.target]
        proven = proven_before and edge.resolved
        known = best.get(source)
        if known is None or (not proven, _ORDER[edge.kind]) < (not known[1], _ORDER[known[0].kind]):
            best[source] = edge, proven, (*path, source)
    return best


def _rank(edge: Edge, fact: Fact) -> tuple[bool, int, str, int, str]:
    return not edge.resolved, _ORDER[edge.kind], fact.path, edge.line, fact.id


def _drift(sight: Sight, fact: Fact, edge: Edge) -> Drift:
    """Whether the source of an edge still has, on disk, the body that it had when the edge was observed."""
    now = [seen for seen in sight.find(fact.path, fact.name) if seen.kind is fact.kind]
    if fact.path in sight.unreadable:
        return "not checked"
    return "unchanged" if any(seen.body_hash == edge.source_hash for seen in now) else _CHANGED


_CHANGED: Drift = "changed since the edge was observed"
