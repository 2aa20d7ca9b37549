"""Seeding on the command line and by the tool."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import jsonschema
import pytest
from click.testing import CliRunner
from mcp_types import CallToolResult

from lab.serving import opener, project
from moored.cli.main import cli
from moored.server.app import MemoryServer, build
from moored.server.tools_seed import SEED_TOOL


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = project(tmp_path)
    (made / "README.md").write_text("# Courier\n\nIt brings packets home.\n")
    (made / "Makefile").write_text("test:\n\tpytest -q\n")
    return made


@pytest.fixture
def server(root: Path) -> Iterator[MemoryServer]:
    made = build(opener(root), tools=("default", "life", "history"))
    yield made
    made.access.close()


def call(root: Path, *arguments: str) -> str:
    store = root.parent / "moored.db"
    done = CliRunner().invoke(cli, ["--project", str(root), "--store", str(store), *arguments])
    assert done.exit_code == 0, done.output
    return done.output


def ask(server: MemoryServer, **arguments: Any) -> tuple[str, dict[str, Any]]:
    result = anyio.run(server.call_tool, "seed", arguments)
    assert isinstance(result, CallToolResult)
    assert not result.is_error, result.content[0].text  # type: ignore[union-attr]
    jsonschema.validate(result.structured_content, dict(SEED_TOOL.output))
    return result.content[0].text, result.structured_content or {}  # type: ignore[union-attr]


def test_a_dry_run_shows_what_documents_say_quoted_and_with_what_it_rests_on(root: Path) -> None:
    shown = call(root, "seed", "--dry-run")
    assert "new commands:Makefile" in shown
    assert "   > - `make test`: pytest -q" in shown
    assert "   about Makefile::target:test" in shown
    assert "would be: " in shown
    assert "moored undo" not in shown


def test_a_run_counts_what_it_did_and_names_what_it_left_alone_and_how_to_take_it_back(root: Path) -> None:
    assert "`moored undo op_" in call(root, "seed")
    with opener(root)() as memory, memory.store.read() as view:
        note = view.seeds.all(memory.project)["commands:Makefile"]
    call(root, "revise", note, "Run `make test` before you push.")
    (root / "Makefile").write_text("test:\n\tpytest -x\n")
    again = call(root, "seed")
    assert f"left alone commands:Makefile {note} (it was reworded by " in again
    assert "1 left alone" in again


def test_the_tool_tells_what_was_read_quoted_and_its_operation_can_be_undone(server: MemoryServer) -> None:
    told, would = ask(server, dry_run="yes")
    assert "> - `make test`: pytest -q" in told
    assert would["operation"] == ""
    _, done = ask(server)
    assert {one["outcome"] for one in done["notes"]} == {"new"}
    undone = anyio.run(server.call_tool, "undo", {"operation": done["operation"]})
    assert isinstance(undone, CallToolResult)
    assert not undone.is_error
    assert ask(server, most=1)[1]["omitted_count"] == len(done["notes"]) - 1
