"""LongMemCode: questions that a coding agent asks of a code index, over the `fastapi/` package of FastAPI.

Questions and scoring: https://github.com/CataDef/LongMemCode (MIT). The product indexes the package folder into a
fresh store and answers through its own queries. Only the names are translated, to the form of SCIP symbols and back.

Four readings belong to the benchmark's model of a graph and are stated here. A name with its SCIP marks must be
met exactly; it names a function inside a method as if it were a method. Asked for the callers of a file, it means
what depends on the file or stands in it. Every name that fits is an answer to a bare name, where the product's own
`symbol` would ask which is meant.

The names in the data are those of FastAPI 0.136.0, whatever version its description tells: only a release with
`sse.py` and `_compat/v2.py` has them all.
"""

from __future__ import annotations

import json
import re
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from moored.errors import InvalidInput
from moored.ledger.graph.find import find
from moored.ledger.graph.link import link
from moored.ledger.graph.query import callees, callers, implementors, members, orphans, symbols_of_file
from moored.ledger.refresh import refresh
from moored.model.clock import SystemClock
from moored.model.facts import Fact, FactKind
from moored.model.ids import SequentialIds
from moored.model.projects import Tree
from moored.store.port import Store, View
from moored.store.sqlite.store import Store as SqliteStore

WEIGHTS = {
    "Completion": 0.32,
    "BugFix": 0.22,
    "ApiDiscovery": 0.14,
    "Refactor": 0.12,
    "TestGen": 0.10,
    "FeatureAdd": 0.10,
}
"""Weight of each category in the headline; a category that is not among them is reported and does not count."""

_CALLABLE = frozenset({FactKind.FUNCTION, FactKind.METHOD})
_TYPES = frozenset({FactKind.CLASS, FactKind.ENUM, FactKind.STRUCT, FactKind.INTERFACE, FactKind.TRAIT})
_SCIP = re.compile(r"(\S+) `([\w.]+)`/(.+)")
_KINDS = {"struct": _TYPES, "function": _CALLABLE}


@dataclass(frozen=True, slots=True)
class Miss:
    """A question that was not answered in full."""

    id: str
    sub_type: str
    query: str
    score: float
    missing: tuple[str, ...]
    invented: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome. Scores are shares from 0 to 1, times milliseconds for one question."""

    questions: int
    weighted: float
    categories: dict[str, tuple[int, float]]
    absent: float
    median_ms: float
    p99_ms: float
    index_seconds: float
    misses: tuple[Miss, ...] = field(default=())

    def text(self) -> str:
        """The report for a person."""
        lines = [f"LongMemCode, FastAPI: {self.questions} questions, weighted accuracy {self.weighted:.4f}", ""]
        for name, (count, score) in self.categories.items():
            weight = f"weight {WEIGHTS[name]:.2f}" if name in WEIGHTS else "not weighted"
            lines.append(f"  {name:<14}{count:>4} questions  {score:.4f}  {weight}")
        lines += [
            "",
            f"  nothing invented where nothing is: {self.absent:.4f}",
            f"  median {self.median_ms:.2f} ms, 99th percentile {self.p99_ms:.2f} ms a question",
            f"  indexed in {self.index_seconds:.2f} s",
        ]
        if self.misses:
            lines += ["", f"  {len(self.misses)} not answered in full:"]
            lines += [
                f"    {miss.id} {miss.query}: {miss.score:.2f}, missing {', '.join(miss.missing) or 'none'}"
                f"{', invented ' + ', '.join(miss.invented) if miss.invented else ''}"
                for miss in self.misses
            ]
        return "\n".join(lines) + "\n"


def run(data: Path, source: Path, store_path: Path) -> Report:
    """Index the package folder `source` into a new store at `store_path` and answer the questions of `data`.

    Raises `InvalidInput` when the data is not a LongMemCode file, or the folder is not a Python package.
    """
    questions = _questions(data)
    if not (source / "__init__.py").is_file():
        raise InvalidInput(f"There is no __init__.py in {source}. Give the folder of the package itself.")
    store = SqliteStore(store_path)
    try:
        began = time.perf_counter()
        tree = _index(store, source)
        indexed = time.perf_counter() - began
        with store.read() as view:
            return _answer_all(view, tree, questions, indexed)
    finally:
        store.close()


def _questions(data: Path) -> list[dict[str, Any]]:
    try:
        read: list[dict[str, Any]] = json.loads(data.read_text(encoding="utf-8"))
        for item in read:
            _ = item["id"], item["category"], item["query"]["op"], item["expected"]["kind"]
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise InvalidInput(f"{data} does not hold LongMemCode questions: {error!r}.") from error
    return read


def _index(store: Store, source: Path) -> Tree:
    clock, ids = SystemClock(), SequentialIds()
    root = str(source.resolve())
    with store.write() as transaction:
        project = transaction.projects.add(ids.new("pr"), f"dir:{root}", source.name, clock.now())
        tree = transaction.projects.add_tree(ids.new("tr"), project, root, clock.now())
    refresh(store, tree, clock=clock, ids=ids)
    link(store, tree)
    return tree


def _answer_all(view: View, tree: Tree, questions: list[dict[str, Any]], indexed: float) -> Report:
    scores: dict[str, list[float]] = defaultdict(list)
    absent: list[float] = []
    times: list[float] = []
    misses: list[Miss] = []
    names = Names(view, tree)
    for item in questions:
        began = time.perf_counter()
        answer = answered(names, item["query"])
        times.append((time.perf_counter() - began) * 1_000)
        score, missing, invented = scored(answer, item["expected"])
        scores[item["category"]].append(score)
        if item["expected"]["kind"] == "exact_set" and not item["expected"]["stable_ids"]:
            absent.append(score)
        if score < 1:
            misses.append(Miss(item["id"], item["sub_type"], _shown(item["query"]), score, missing, invented))
    means = {name: (len(found), statistics.fmean(found)) for name, found in sorted(scores.items())}
    weight = sum(WEIGHTS[name] for name in means if name in WEIGHTS)
    weighted = sum(WEIGHTS[name] * means[name][1] for name in means if name in WEIGHTS) / weight if weight else 0.0
    times.sort()
    return Report(
        questions=len(questions),
        weighted=weighted,
        categories=means,
        absent=statistics.fmean(absent) if absent else 1.0,
        median_ms=statistics.median(times),
        p99_ms=times[min(len(times) - 1, int(len(times) * 0.99))],
        index_seconds=indexed,
        misses=tuple(misses),
    )


def scored(answer: list[str], expected: dict[str, Any]) -> tuple[float, tuple[str, ...], tuple[str, ...]]:
    """Score, what is missing and what was invented, by the arithmetic of the benchmark."""
    kind = expected["kind"]
    if kind == "exact_symbol":
        wanted = expected["stable_id"]
        hit = answer[:1] == [wanted]
        return float(hit), () if hit else (wanted,), ()
    if kind == "in_top_k":
        wanted = expected["stable_id"]
        hit = wanted in answer[: expected["k"]]
        return float(hit), () if hit else (wanted,), ()
    if kind == "contains":
        required: list[str] = expected["required"]
        missing = tuple(one for one in required if one not in answer)
        return (1 - len(missing) / len(required) if required else 1.0), missing, ()
    wanted_set, found = set(expected["stable_ids"]), set(answer)
    if not wanted_set and not found:
        return 1.0, (), ()
    common = len(wanted_set & found)
    score = 2 * common / (len(wanted_set) + len(found))
    return score, tuple(sorted(wanted_set - found)), tuple(sorted(found - wanted_set))


class Names:
    """Our facts by their SCIP names, and back."""

    def __init__(self, view: View, tree: Tree) -> None:
        self.view = view
        self.tree = tree
        self.package = Path(tree.root).name
        self._kinds: dict[str, dict[str, FactKind]] = {}

    def of(self, fact: Fact) -> str:
        """The SCIP name of a fact."""
        if fact.kind is FactKind.FILE:
            return f"file:{fact.path}"
        inner = fact.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        module = self.package if inner == "__init__" else f"{self.package}.{inner}"
        return f"{self.package} `{module}`/{self._descriptors(fact)}"

    def facts(self, name: str) -> list[Fact]:
        """The facts of exactly this SCIP name."""
        if name.startswith("file:"):
            path = name.removeprefix("file:")
            return [fact for fact in find(self.view, self.tree, path) if fact.kind is FactKind.FILE]
        match = _SCIP.fullmatch(name)
        if match is None:
            return find(self.view, self.tree, name) or self._inside_methods(name)
        _, module, descriptors = match.groups()
        inner = re.sub(r"\(\)\.|#", ".", descriptors).strip(".")
        found = find(self.view, self.tree, f"{module}.{inner}") or find(self.view, self.tree, inner.rpartition(".")[2])
        return [fact for fact in found if self.of(fact) == name]

    def _inside_methods(self, name: str) -> list[Fact]:
        """The functions that stand in a method of a class, for `Class#function`."""
        owner, _, last = name.rpartition("#")
        if not owner:
            return []
        classes = {(fact.path, fact.name) for fact in find(self.view, self.tree, owner)}
        return [
            fact
            for fact in find(self.view, self.tree, last)
            if any(fact.path == path and fact.name.startswith(f"{inside}.") for path, inside in classes)
        ]

    def _descriptors(self, fact: Fact) -> str:
        parts = fact.name.split(".")
        marks = [self._mark(fact, ".".join(parts[: at + 1])) for at in range(len(parts))]
        last = len(parts) - 1
        return "".join(
            part + mark
            for at, (part, mark) in enumerate(zip(parts, marks, strict=True))
            if at == 0 or at == last or not (mark == "()." and marks[at - 1] == "#")
        )

    def _mark(self, fact: Fact, name: str) -> str:
        kinds = self._kinds.get(fact.path)
        if kinds is None:
            found = symbols_of_file(self.view, self.tree, fact.path)
            kinds = self._kinds[fact.path] = {one.name: one.kind for one in found}
        kind = fact.kind if name == fact.name else kinds.get(name, FactKind.VARIABLE)
        return "()." if kind in _CALLABLE else "#" if kind in _TYPES else "."


def answered(names: Names, query: dict[str, Any]) -> list[str]:
    """The answer to one question as SCIP names."""
    operation = _OPERATIONS.get(query["op"])
    if operation is None:
        raise InvalidInput(f"The benchmark asks for {query['op']!r}, which is not one of {', '.join(_OPERATIONS)}.")
    return list(dict.fromkeys(names.of(fact) for fact in operation(names, query)))


def _lookup(names: Names, query: dict[str, Any]) -> Iterable[Fact]:
    wanted = _KINDS.get(query.get("kind", ""))
    return [fact for fact in names.facts(query["name"]) if wanted is None or fact.kind in wanted]


def _callers(names: Names, query: dict[str, Any]) -> Iterable[Fact]:
    for fact in names.facts(query["sym_stable_id"]):
        if fact.kind is FactKind.FILE:
            yield from symbols_of_file(names.view, names.tree, fact.path)
        yield from (found.fact for found in callers(names.view, names.tree.project, fact))


def _callees(names: Names, query: dict[str, Any]) -> Iterable[Fact]:
    for fact in names.facts(query["sym_stable_id"]):
        yield from (found.fact for found in callees(names.view, names.tree.project, fact))


def _contained(names: Names, query: dict[str, Any]) -> Iterable[Fact]:
    for fact in names.facts(query["sym_stable_id"]):
        yield from members(names.view, names.tree, fact)


def _implementors(names: Names, query: dict[str, Any]) -> Iterable[Fact]:
    for fact in names.facts(query["sym_stable_id"]):
        yield from implementors(names.view, names.tree, fact)


def _orphans(names: Names, query: dict[str, Any]) -> Iterable[Fact]:
    wanted = _KINDS.get(query.get("kind", ""), _CALLABLE)
    return orphans(names.view, names.tree, sorted(wanted))


def _file_symbols(names: Names, query: dict[str, Any]) -> Iterable[Fact]:
    return symbols_of_file(names.view, names.tree, query["file_path"])


_OPERATIONS: dict[str, Callable[[Names, dict[str, Any]], Iterable[Fact]]] = {
    "lookup": _lookup,
    "callers": _callers,
    "callees": _callees,
    "contained_by": _contained,
    "implementors": _implementors,
    "orphans": _orphans,
    "file_symbols": _file_symbols,
}


def _shown(query: dict[str, Any]) -> str:
    return " ".join(str(query[key]) for key in ("op", "name", "sym_stable_id", "file_path", "kind") if query.get(key))
