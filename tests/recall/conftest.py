"""A desk for recall: a real store, real files, notes, episodes and vectors, and the few calls that the tests make."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from moored.atlas.drafts import Amendment, Draft
from moored.atlas.notes import remember, revise
from moored.embed.fake import HashingEmbedder
from moored.embed.index import fill
from moored.embed.port import Embedder
from moored.ledger.refresh import refresh
from moored.model.clock import ManualClock
from moored.model.episodes import Event, Role
from moored.model.ids import PROJECT, TREE, SequentialIds
from moored.model.projects import Project, Tree
from moored.model.recall import Recall
from moored.recall.meaning import Meaning
from moored.recall.policy import RECALL, Policy
from moored.recall.selector import recall
from moored.recall.vectors import VectorCache
from moored.record.admission import admit, write
from moored.store.sqlite.store import Store


class Desk:
    """One project in one tree."""

    def __init__(self, name: str, root: Path, store: Store, clock: ManualClock, ids: SequentialIds) -> None:
        self.root, self.store, self.clock, self.ids = root, store, clock, ids
        self.embedder: Embedder | None = HashingEmbedder()
        self.first: Embedder | None = None
        self.cache = VectorCache()
        self.changed: frozenset[str] = frozenset()
        root.mkdir(parents=True, exist_ok=True)
        with store.write() as transaction:
            projects = transaction.projects
            self.project: Project = projects.add(ids.new(PROJECT), f"id:{name}", name, clock.now())
            self.tree: Tree = projects.add_tree(ids.new(TREE), self.project, str(root), clock.now())

    def beside(self, name: str) -> Desk:
        """Another project in the same store."""
        return Desk(name, self.root.with_name(name), self.store, self.clock, self.ids)

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def index(self) -> None:
        refresh(self.store, self.tree, clock=self.clock, ids=self.ids)

    def record(self, content: str, role: Role = Role.USER, **fields: object) -> str:
        admitted = admit(Event(content.encode(), role, **fields))  # pyright: ignore[reportArgumentType]
        with self.store.write() as transaction:
            return write(transaction, self.project, admitted, self.clock, self.ids).episode

    def remember(self, text: str, *about: str, **fields: object) -> str:
        draft = Draft(text, about, **fields)  # pyright: ignore[reportArgumentType]
        return remember(self.store, self.tree, draft, clock=self.clock, ids=self.ids).id

    def revise(self, note: str, text: str) -> None:
        revise(self.store, self.tree, note, Amendment(text), clock=self.clock, ids=self.ids)

    def fill(self) -> int:
        assert self.embedder
        return fill(self.store, self.embedder, limit=10_000)

    def fill_anew(self) -> int:
        """Give every text a vector of another embedder than the one before."""
        assert self.embedder
        with self.store.write() as transaction:
            transaction.vectors.requeue_missing(self.embedder.model)
        return self.fill()

    def recall(self, question: str, policy: Policy = RECALL, *, tree: bool = True) -> Recall:
        with self.store.read() as view:
            answer, self.changed = recall(
                view,
                self.project,
                self.tree if tree else None,
                question,
                policy,
                meaning=self.meaning,
                now=self.clock.now(),
            )
        return answer

    @property
    def meaning(self) -> Meaning:
        return Meaning(self.embedder, self.first, self.cache)

    def ids_of(self, question: str, policy: Policy = RECALL) -> list[str]:
        return [hit.id for hit in self.recall(question, policy).hits]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """An empty project."""
    clock = ManualClock()
    store = Store(tmp_path / "data" / "moored.db", clock=clock)
    yield Desk("harbour", tmp_path / "harbour", store, clock, SequentialIds())
    store.close()


@pytest.fixture
def harbour(desk: Desk) -> Desk:
    """A project with a module, a configuration file, two notes and some talk, all with vectors."""
    desk.write(
        "crane.py",
        "class Crane:\n"
        '    """Lifts containers off a ship."""\n'
        "\n"
        "    def lift_container(self, weight, retries=3):\n"
        '        """Lift one container and put it on the quay."""\n'
        "        for attempt in range(retries):\n"
        "            if self.winch.pull(weight, attempt):\n"
        "                return weight\n"
        "        raise RuntimeError(weight)\n",
    )
    desk.write("harbour.toml", "[crane]\nmax-weight = 40\n")
    desk.index()
    desk.remember("We retry `Crane.lift_container` three times because the winch slips in the rain.")
    desk.remember("Tariffs are rounded down to whole cents, the auditors insisted.", kind="decision", actor="person")
    desk.record("The night shift complained about the noise of the ventilation.")
    desk.record("Let us postpone the migration of the tide table service.", Role.ASSISTANT)
    desk.record("3 passed, 1 failed", Role.TOOL, tool_name="Bash", tool_input="pytest -q tests/quay", exit_status=1)
    desk.fill()
    return desk
