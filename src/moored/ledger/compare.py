"""Compare: what became of the facts of a tree's changed files, told file by file and across files.

The refresh writes this down; `Sight` only looks at it. So a verdict is the same before the ledger has heard of a change
and after.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from moored.ledger.moves import Born, Moves, match_moves
from moored.ledger.reconcile import Reconciliation, reconcile

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from moored.model.facts import ExtractedFact, Fact
    from moored.model.projects import Tree
    from moored.store.port import View


@dataclass(frozen=True, slots=True)
class Comparison:
    """The reconciliation of each file that was read, and what moved among all of them and those that were removed."""

    files: Mapping[str, Reconciliation]
    moves: Moves


def compare(
    view: View, tree: Tree, read: Mapping[str, Sequence[ExtractedFact]], removed: Collection[str]
) -> Comparison:
    """Compare what the ledger knows of these files with what was just read from them; nothing is left of `removed`."""
    files: dict[str, Reconciliation] = {}
    gone: list[Fact] = []
    for path in removed:
        gone += view.facts.in_file(tree, path)
    for path, facts in read.items():
        files[path] = reconcile(view.facts.in_file(tree, path, gone=True), facts)
        gone += files[path].gone
    born = [Born(path, now) for path, outcome in files.items() for now in outcome.born]
    return Comparison(files, match_moves(gone, born))
