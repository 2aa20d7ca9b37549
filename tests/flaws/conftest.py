"""A house: a project as its user has it, whoever works in it, and what can be asked of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
from click.testing import CliRunner
from mcp_types import CallToolResult

from moored.cli.main import cli
from moored.embed.fake import HashingEmbedder
from moored.memory import Memory, open_memory
from moored.model.clock import ManualClock
from moored.model.ids import RandomIds, SequentialIds
from moored.model.recall import Hit
from moored.server.app import build
from moored.server.sets import SETS

CODE = '''\
class Relay:
    """Carries parcels."""

    def send(self, parcel, attempts=3):
        return [self.line.put(parcel, attempt) for attempt in range(attempts)]
'''
CONFIG = "[ssh]\nport = 22\n\n[pool]\nsize = 8\n"


class House:
    """One project in a store that it may share."""

    def __init__(self, root: Path, store: Path, clock: ManualClock, ids: SequentialIds) -> None:
        self.root, self.store, self.clock, self.ids = root, store, clock, ids
        root.mkdir(parents=True, exist_ok=True)
        self.write("relay.py", CODE)
        self.write("settings.toml", CONFIG)
        self.memory = self.open()
        self.memory.index()

    def open(self, **fields: Any) -> Memory:
        """Another view of the same memory, as another process has it."""
        made = {"clock": self.clock, "ids": self.ids, "embedder": HashingEmbedder(), **fields}
        return open_memory(self.root, store=self.store, **made)

    def beside(self, name: str) -> House:
        """Another project in the same store."""
        return House(self.root.with_name(name), self.store, self.clock, self.ids)

    def write(self, path: str, text: str) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def edit(self, path: str, old: str, new: str) -> None:
        text = (self.root / path).read_text(encoding="utf-8")
        assert old in text
        self.write(path, text.replace(old, new))

    def remember(self, text: str, *about: str, **fields: Any) -> str:
        return self.memory.remember(text, about=about, **fields).id

    def say(self, text: str, session: str = "first", role: str = "user", **fields: Any) -> str:
        """A turn as a host hands it in."""
        return self.memory.record(text, role=role, host="lab", session=session, **fields).episode

    def hits(self, question: str, **fields: Any) -> list[Hit]:
        return list(self.memory.recall(question, **fields).hits)

    def notes(self, question: str, **fields: Any) -> list[Hit]:
        return self.hits(question, kinds=["note"], **fields)

    def says(self, note: str) -> str:
        return self.memory.show(note).note.head.text  # type: ignore[union-attr]

    def rows(self, *, without: tuple[str, ...] = ()) -> dict[str, list[tuple[Any, ...]]]:
        """Every row of every table but those left out."""
        with self.memory.store.read() as view:
            tables = view.connection.rows("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
            kept = [table for (table,) in tables if table not in without and not table.endswith(("_fts", "_trigram"))]
            return {table: sorted(view.connection.rows(f'SELECT * FROM "{table}"'), key=repr) for table in kept}

    def bytes_of_files(self) -> dict[str, bytes]:
        """Every file beside the store, its log among them."""
        files = (file for file in self.store.parent.rglob("*") if file.is_file())
        return {str(file.relative_to(self.store.parent)): file.read_bytes() for file in files}


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def house(tmp_path: Path, clock: ManualClock) -> Iterator[House]:
    made = House(tmp_path / "depot", tmp_path / "data" / "moored.db", clock, SequentialIds())
    yield made
    made.memory.close()


Call = Callable[..., Any]


@pytest.fixture
def command(tmp_path: Path) -> Call:
    """Call the command line on a project; return the JSON that a command gives, which has to end well."""
    root, store = tmp_path / "depot", tmp_path / "data" / "moored.db"
    root.mkdir(exist_ok=True)
    (root / "relay.py").write_text(CODE)
    (root / "settings.toml").write_text(CONFIG)
    (root / ".moored.toml").touch()

    def run(*arguments: str, stdin: str | None = None) -> Any:
        place = ["--project", str(root), "--store", str(store)]
        done = CliRunner().invoke(cli, [*place, *arguments, "--json"], input=stdin)
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)

    run("init")
    return run


@pytest.fixture
def tool(tmp_path: Path, clock: ManualClock) -> Iterator[Call]:
    """Call a tool of a server, every set of which is offered; return its values."""
    root, store = tmp_path / "depot", tmp_path / "data" / "moored.db"
    root.mkdir(exist_ok=True)
    (root / "relay.py").write_text(CODE)
    (root / "settings.toml").write_text(CONFIG)
    opener = partial(open_memory, root, store=store, clock=clock, ids=RandomIds(clock), embedder=HashingEmbedder())
    with opener() as memory:
        memory.index()
    server = build(opener, tools=tuple(SETS))

    def run(name: str, **arguments: Any) -> Any:
        result = anyio.run(server.call_tool, name, arguments)
        assert isinstance(result, CallToolResult)
        assert not result.is_error, result.content[0].text  # type: ignore[union-attr]
        return {**(result.structured_content or {}), "said": result.content[0].text}  # type: ignore[union-attr]

    yield run
    server.access.close()
