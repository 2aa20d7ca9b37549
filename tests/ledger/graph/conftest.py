"""A small project on disk, its index, and its edges in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from moored.ledger.graph import LinkReport, link
from moored.ledger.refresh import refresh
from moored.model.clock import SystemClock
from moored.model.facts import Fact
from moored.model.ids import SequentialIds
from moored.model.projects import Tree
from moored.store.sqlite.store import Store


class Code:
    """Files that are indexed and linked; edges are told as `kind source -> target`, `~>` where only a name fits."""

    def __init__(self, root: Path, store: Path) -> None:
        self.root = root
        self.store = Store(store)
        self.ids = SequentialIds()
        self.root.mkdir(parents=True, exist_ok=True)
        with self.store.write() as transaction:
            project = transaction.projects.add(self.ids.new("pr"), f"dir:{root}", "code", 0)
            self.tree: Tree = transaction.projects.add_tree(self.ids.new("tr"), project, str(root.resolve()), 0)

    def write(self, files: dict[str, str]) -> None:
        for path, text in files.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text(text, encoding="utf-8")

    def index(self, files: dict[str, str] | None = None) -> LinkReport:
        self.write(files or {})
        refresh(self.store, self.tree, clock=SystemClock(), ids=self.ids)
        return link(self.store, self.tree)

    def edges(self, *kinds: str) -> set[str]:
        """The edges of these kinds, or of all."""
        with self.store.read() as view:
            rows = view.connection.rows(
                """SELECT e.kind, e.resolved, s.path, s.name, s.kind, coalesce(t.path, ''), coalesce(t.name, ''),
                    coalesce(t.kind, ''), e.target_name
                FROM edge e JOIN fact s ON s.row = e.source LEFT JOIN fact t ON t.row = e.target AND e.target <> 0"""
            )
        found: set[str] = set()
        for kind, resolved, path, name, source_kind, to_path, to_name, to_kind, target_name in rows:
            if kinds and kind not in kinds:
                continue
            source = path if source_kind == "file" else f"{path}::{name}"
            target = to_path if to_kind == "file" else f"{to_path}::{to_name}" if to_path else f"({target_name})"
            found.add(f"{kind} {source} {'->' if resolved else '~>'} {target}")
        return found

    def fact(self, path: str, name: str) -> Fact:
        with self.store.read() as view:
            return view.facts.named(self.tree, name, path=path)[-1]


@pytest.fixture
def code(tmp_path: Path) -> Iterator[Code]:
    made = Code(tmp_path / "code", tmp_path / "store.db")
    yield made
    made.store.close()


@pytest.fixture
def new_code(tmp_path: Path) -> Iterator[Callable[[], Code]]:
    """Makes any number of projects."""
    made: list[Code] = []

    def make() -> Code:
        made.append(Code(tmp_path / f"code{len(made)}" / "app", tmp_path / f"store{len(made)}.db"))
        return made[-1]

    yield make
    for one in made:
        one.store.close()
