"""The tools of disputes: two notes that cannot both hold, told and settled in the agent's name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import jsonschema
import pytest
from mcp_types import CallToolResult

from lab.serving import opener, project
from moored.server.app import build
from moored.server.tools_disputes import DISPUTES, RESOLVE

OLDER, NEWER = "The quay closes at 20 o'clock.", "The quay closes at 22 o'clock."


class Asked:
    """A server whose tools are called in this process."""

    def __init__(self, root: Path) -> None:
        self.server = build(opener(root), tools=("default", "life"))

    def call(self, tool: str, /, **arguments: Any) -> CallToolResult:
        result = anyio.run(self.server.call_tool, tool, arguments)
        assert isinstance(result, CallToolResult)
        return result

    def values(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        result = self.call(tool, **arguments)
        assert not result.is_error, result.content[0].text  # type: ignore[union-attr]
        return result.structured_content or {}


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[Asked]:
    made = Asked(project(tmp_path))
    yield made
    made.server.access.close()


def test_a_save_tells_the_agent_that_a_note_says_otherwise(asked: Asked) -> None:
    older = asked.values("remember", text=OLDER)["id"]
    newer = asked.values("remember", text=NEWER)
    assert newer["outcome"] == "disputed"
    assert [one["id"] for one in newer["related"]] == [older]


def test_an_agent_lists_a_dispute_and_settles_it(asked: Asked) -> None:
    older = asked.values("remember", text=OLDER)["id"]
    newer = asked.values("remember", text=NEWER)["id"]
    listed = asked.values("disputes")
    jsonschema.validate(listed, dict(DISPUTES.output))
    (one,) = listed["disputes"]
    assert (one["newer"], one["older"]) == (newer, older)
    settled = asked.values("resolve", dispute=one["id"], holds=newer)
    jsonschema.validate(settled, dict(RESOLVE.output))
    assert (settled["outcome"], settled["superseded"]) == (newer, older)
    assert asked.values("disputes") == {"disputes": []}


def test_an_agent_can_insist_on_a_note_that_is_known(asked: Asked) -> None:
    first = asked.values("remember", text=OLDER)["id"]
    assert asked.values("remember", text="the quay closes at 20 o'clock")["id"] == first
    again = asked.values("remember", text="the quay closes at 20 o'clock", insist="yes")
    assert again["outcome"] == "new"
    assert again["id"] != first
