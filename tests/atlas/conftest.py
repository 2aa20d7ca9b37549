"""A workshop for the atlas: a real store, real files, and the few calls that the tests make of them."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from moored.atlas.about import Resolved, resolve
from moored.atlas.affected import Affected, affected
from moored.atlas.drafts import Amendment, Draft
from moored.atlas.notes import remember, revise
from moored.atlas.notes_seen import get
from moored.atlas.stale import StaleReport, stale
from moored.atlas.verdict import judge
from moored.ledger.refresh import refresh
from moored.ledger.sight import Sight
from moored.model.clock import ManualClock
from moored.model.episodes import Event, Role
from moored.model.ids import PROJECT, TREE, SequentialIds
from moored.model.notes import JudgedNote, Note, Remembered, Revision
from moored.model.projects import Project, Tree
from moored.record.admission import admit, write
from moored.store.sqlite.store import Store

SEND = '''def send(request, retries=3):
    """Send a request."""
    for attempt in range(retries):
        answer = transport.call(request, attempt)
        if answer.ok:
            return answer
    raise TimeoutError(request)
'''


class Workshop:
    """One project in one tree. `also` is the same project in another tree."""

    def __init__(self, root: Path, store: Store, clock: ManualClock, ids: SequentialIds) -> None:
        self.root = root
        self.store = store
        self.clock = clock
        self.ids = ids
        root.mkdir(parents=True, exist_ok=True)
        with store.write() as transaction:
            projects = transaction.projects
            self.project: Project = projects.by_key("id:workshop") or projects.add(
                ids.new(PROJECT), "id:workshop", "workshop", clock.now()
            )
            self.tree: Tree = projects.add_tree(ids.new(TREE), self.project, str(root), clock.now())

    def also(self, root: Path) -> Workshop:
        return Workshop(root, self.store, self.clock, self.ids)

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def read(self, path: str) -> str:
        return (self.root / path).read_text(encoding="utf-8")

    def edit(self, path: str, old: str, new: str) -> None:
        assert old in self.read(path)
        self.write(path, self.read(path).replace(old, new))

    def index(self) -> None:
        refresh(self.store, self.tree, clock=self.clock, ids=self.ids)

    def git(self, *arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=self.root, check=True, capture_output=True, text=True)
        return done.stdout

    def commit(self) -> None:
        if not (self.root / ".git").exists():
            self.git("init", "-q", "-b", "main")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "a step")

    def record(self, content: str, **fields: object) -> str:
        event = Event(content.encode(), fields.pop("role", Role.USER), **fields)  # pyright: ignore[reportArgumentType]
        admitted = admit(event)
        with self.store.write() as transaction:
            return write(transaction, self.project, admitted, self.clock, self.ids).episode

    def run(self, command: str, exit_status: int) -> str:
        return self.record("done", role=Role.TOOL, tool_name="Bash", tool_input=command, exit_status=exit_status)

    def remember(self, text: str, *about: str, **fields: object) -> Remembered:
        draft = Draft(text, about, **fields)  # pyright: ignore[reportArgumentType]
        return remember(self.store, self.tree, draft, clock=self.clock, ids=self.ids)

    def revise(self, note_id: str, text: str | None = None, **fields: object) -> Remembered:
        amendment = Amendment(text, **fields)  # pyright: ignore[reportArgumentType]
        return revise(self.store, self.tree, note_id, amendment, clock=self.clock, ids=self.ids)

    def resolve(self, text: str = "", about: Sequence[str] = ()) -> Resolved:
        with self.store.read() as view:
            return resolve(view, Sight(view, self.tree), about, text)

    def judge(self, note_id: str) -> JudgedNote:
        with self.store.read() as view:
            return judge(Sight(view, self.tree), view, self.project, get(view, self.project, note_id))

    def stale(self) -> StaleReport:
        with self.store.read() as view:
            return stale(Sight(view, self.tree), view, self.project)

    def affected(self, base: str | None = None) -> Affected:
        with self.store.read() as view:
            return affected(Sight(view, self.tree), view, self.tree, base)

    def notes(self) -> list[Note]:
        with self.store.read() as view:
            return view.notes.all(self.project)

    def revisions(self, note_id: str) -> list[Revision]:
        with self.store.read() as view:
            return view.notes.revisions(self.project, note_id)

    def rows(self) -> dict[str, int]:
        """How many rows each table has that a note writes to."""
        tables = ("note", "revision", "anchor", "episode", "vector_queue", "revision_fts", "window")
        with self.store.read() as view:
            return {table: view.connection.value(f"SELECT count(*) FROM {table}") for table in tables}


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Workshop]:
    """An empty project."""
    clock = ManualClock()
    store = Store(tmp_path / "data" / "moored.db", clock=clock)
    yield Workshop(tmp_path / "project", store, clock, SequentialIds())
    store.close()


@pytest.fixture
def client(shop: Workshop) -> Workshop:
    """A project with one function in `client.py`, a class in `session.py` and a configuration file, indexed."""
    shop.write("client.py", SEND)
    shop.write(
        "web/session.py",
        "class Session:\n"
        "    def open(self, host):\n"
        "        self.host = host\n"
        "        self.socket = connect(host, timeout=self.timeout)\n"
        "        return self.socket\n"
        "\n"
        "    def close(self):\n"
        "        return self.socket.close()\n",
    )
    shop.write("pyproject.toml", '[project]\nname = "client"\n\n[tool.ruff]\nline-length = 120\n')
    shop.index()
    return shop
