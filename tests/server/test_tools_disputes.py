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


def test_what_a_file_states_of_a_dispute_is_told_with_it_and_proposed(asked: Asked, tmp_path: Path) -> None:
    older = asked.values("remember", text=OLDER)["id"]
    newer = asked.values("remember", text=NEWER)["id"]
    assert asked.values("disputes")["disputes"][0]["fact"] == ""
    root = tmp_path / "courier"
    (root / "hours.toml").write_text("[quay]\ncloses = 20\n")
    with opener(root)() as memory:
        memory.index()
    found = asked.values("disputes")
    jsonschema.validate(found, dict(DISPUTES.output))
    assert "hours.toml::quay.closes is 20 since 20" in found["disputes"][0]["fact"]
    assert f"as {older} says" in found["disputes"][0]["fact"]
    (one,) = asked.values("review")["proposals"]
    assert (one["note"], one["successor"]) == (newer, older)


def test_a_note_that_an_agent_rates_wrong_is_up_for_review(asked: Asked) -> None:
    note = asked.values("remember", text=OLDER)["id"]
    asked.values("rate", note=note, worth="wrong")
    (one,) = asked.values("review")["proposals"]
    assert (one["note"], one["action"]) == (note, "archive")
    assert "found useless by agent: it is wrong" in one["evidence"][0]
