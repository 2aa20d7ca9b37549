"""A map of a repository in a token budget: the files and symbols on which the most depends.

Rank is PageRank over the resolved edges (Page, Brin, Motwani, Winograd: "The PageRank Citation Ranking", 1999),
personalised to the focus when there is one: a symbol passes its weight on to what it depends on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from moored.ledger.graph.find import find_one
from moored.model.facts import FactKind
from moored.model.tokens import count_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.model.projects import Tree
    from moored.store.port import View

DAMPING = 0.85
ROUNDS = 20
MAX_SYMBOLS = 2_000
"""Symbols that are considered for a map, best first."""

LINE_LIMIT = 140
"""Characters of a signature that are shown."""

_HIDDEN = frozenset({FactKind.FILE, FactKind.MODULE})


@dataclass(frozen=True, slots=True)
class CodeMap:
    """The map as text, and its account. `tokens` is the size of `text` and at most the budget."""

    text: str
    tokens: int
    files: int
    symbols: int
    omitted_files: int
    omitted_symbols: int


def code_map(view: View, tree: Tree, budget: int = 2_000, focus: Sequence[str] = ()) -> CodeMap:
    """The most central symbols of a tree by file, as many as the budget holds.

    `focus` names folders, paths and symbols (as `find.find` reads them) that the map is about: rank spreads from them.
    Raises `NotFound` or `Ambiguous` for a focus that is not one thing.
    """
    symbols = view.graph.map_symbols(tree)
    ranks = _page_rank(view, tree, [row for row, *_ in symbols], _focused(view, tree, symbols, focus))
    shown = [item for item in symbols if item[2] not in _HIDDEN]
    ranked = sorted(shown, key=lambda item: (-ranks[item[0]], item[1], item[4], item[0]))[:MAX_SYMBOLS]
    values = view.graph.values(tree, [row for row, *_ in ranked])
    lines = {row: _line(values[row], name) for row, _, _, name, _ in ranked}
    files = len({path for _, path, *_ in shown})
    low, high = 0, len(ranked)
    best = _rendered(ranked[:0], lines, files, len(shown))
    while low < high:
        middle = (low + high + 1) // 2
        text = _rendered(ranked[:middle], lines, files, len(shown))
        if count_tokens(text) <= budget:
            low, best = middle, text
        else:
            high = middle - 1
    if count_tokens(best) > budget:
        best = ""
    in_files = len({path for _, path, *_ in ranked[:low]})
    return CodeMap(best, count_tokens(best), in_files, low, files - in_files, len(shown) - low)


def _focused(
    view: View, tree: Tree, symbols: list[tuple[int, str, str, str, int]], focus: Sequence[str]
) -> dict[int, float]:
    """The numbers of the focus and what is in it, each with its share of the weight."""
    chosen: set[int] = set()
    for name in focus:
        folder = name.removeprefix("./").rstrip("/") + "/"
        if inside := {row for row, path, *_ in symbols if path.startswith(folder)}:
            chosen |= inside
            continue
        fact = find_one(view, tree, name)
        whole = fact.kind is FactKind.FILE
        chosen |= {
            row
            for row, path, _, other, _ in symbols
            if path == fact.path and (whole or other == fact.name or other.startswith(f"{fact.name}."))
        }
    return dict.fromkeys(chosen, 1 / len(chosen)) if chosen else {}


def _page_rank(view: View, tree: Tree, rows: list[int], focus: dict[int, float]) -> dict[int, float]:
    if not rows:
        return {}
    import numpy as np

    count = len(rows)
    known = np.array(rows, dtype=np.int64)
    order = np.argsort(known)
    ends = np.array(view.graph.resolved_pairs(tree), dtype=np.int64).reshape(-1, 2)
    places = order[np.minimum(np.searchsorted(known, ends, sorter=order), count - 1)]
    inside = (known[places] == ends).all(axis=1) & (places[:, 0] != places[:, 1])
    source, target = places[inside, 0], places[inside, 1]
    degree = np.bincount(source, minlength=count)
    share = DAMPING / degree[source]
    start = np.full(count, 1 / count)
    if focus:
        start = np.array([focus.get(row, 0.0) for row in rows])
    giving = degree > 0
    ranks = start
    for _ in range(ROUNDS):
        passed = np.bincount(target, weights=ranks[source] * share, minlength=count)
        ranks = passed + (1.0 - DAMPING * ranks[giving].sum()) * start
    return dict(zip(rows, ranks.tolist(), strict=True))


def _rendered(
    chosen: Sequence[tuple[int, str, str, str, int]],
    lines: dict[int, str],
    files: int,
    symbols: int,
) -> str:
    """Files by the best rank of what is shown of them, symbols in the order in which they stand there."""
    by_file: dict[str, list[tuple[int, int, str]]] = {}
    for row, path, _, name, line in chosen:
        by_file.setdefault(path, []).append((line, row, name))
    parts: list[str] = []
    for path, entries in by_file.items():
        parts.append(f"{path}:")
        parts += [f"{'  ' * (name.count('.') + 1)}{lines[row]}" for _, row, name in sorted(entries)]
    left_files, left = files - len(by_file), symbols - len(chosen)
    if left or left_files:
        parts.append(f"({left} symbols left out, {left_files} files not shown)")
    return "\n".join(parts) + "\n" if parts else ""


def _line(signature: str, name: str) -> str:
    shown = signature or name
    return shown if len(shown) <= LINE_LIMIT else shown[: LINE_LIMIT - 1].rstrip() + "…"
