"""The tool of rules: laid down in the agent's name, tried, and taken back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import jsonschema
import pytest
from mcp import Client
from mcp_types import CallToolResult

from lab.serving import ERAS, connected, opener, project
from moored.server.app import build
from moored.server.tools_rules import RULE
from moored.server.worked_in import MOST, WorkedIn

SETS = ("default", "life", "history")
QUESTION = "how often is sending tried"


class Asked:
    """A server whose tools are called in this process."""

    def __init__(self, root: Path) -> None:
        self.server = build(opener(root), tools=SETS)

    def call(self, tool: str, /, **arguments: Any) -> CallToolResult:
        result = anyio.run(self.server.call_tool, tool, arguments)
        assert isinstance(result, CallToolResult)
        return result

    def rule(self, **arguments: Any) -> dict[str, Any]:
        result = self.call("rule", **arguments)
        assert not result.is_error, result.content[0].text  # type: ignore[union-attr]
        jsonschema.validate(result.structured_content, dict(RULE.output))
        return result.structured_content or {}

    def error(self, **arguments: Any) -> str:
        result = self.call("rule", **arguments)
        assert result.is_error
        return result.content[0].text  # type: ignore[union-attr]


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[Asked]:
    made = Asked(project(tmp_path))
    yield made
    made.server.access.close()


def found(asked: Asked) -> list[str]:
    answer = asked.call("recall", query=QUESTION).structured_content or {}
    return [hit["id"] for hit in answer["hits"]]


def test_a_rule_without_what_to_do_with_it_is_not_passed_over(asked: Asked) -> None:
    assert "'do' may be add" in asked.error(action="forbid", condition="kind=note")
    assert asked.rule()["rules"] == []


def test_a_rule_is_laid_down_tried_heeded_and_taken_back(asked: Asked) -> None:
    note = (asked.call("remember", text="Sending is tried three times", tags=["draft"]).structured_content or {})["id"]
    before = found(asked)
    assert note in before
    added = asked.rule(do="add", action="forbid", condition="tag=draft", because="drafts mislead")
    (rule,) = added["rules"]
    assert (rule["by"], rule["condition"]) == ("agent", "tag=draft")
    assert note not in found(asked)
    effects = {one["id"]: one for one in asked.rule(do="test", query=QUESTION)["effects"]}
    assert (effects[note]["after"], effects[note]["why"]) == (0, f"rule {rule['id']}")
    assert asked.rule()["rules"] == [rule]
    gone = asked.rule(do="remove", rule=rule["id"])
    assert found(asked) == before
    asked.call("undo", operation=gone["operation"])
    assert note not in found(asked)


def test_an_error_says_what_is_missing_or_does_not_read(asked: Asked) -> None:
    assert "'action' is missing: one of forbid" in asked.error(do="add", condition="kind=note")
    assert "'query' is missing" in asked.error(do="test")
    assert "'factor' is a number" in asked.error(do="add", action="boost", condition="kind=note", factor="much")
    assert "at character 1, 'colour'" in asked.error(do="add", action="forbid", condition="colour=red")
    assert "No rule ru_1 holds" in asked.error(do="remove", rule="ru_1")


@pytest.mark.parametrize("era", ERAS)
def test_a_rule_of_a_session_holds_for_the_client_that_records_under_it(tmp_path: Path, era: str) -> None:
    root = project(tmp_path)
    with opener(root)() as memory:
        note = memory.remember("Sending is tried three times", tags=["draft"]).id
        memory.add_rule("scope", "tag=draft", session="first")

    async def told(client: Client) -> bool:
        answer = await client.call_tool("recall", {"query": QUESTION})
        return note in [hit["id"] for hit in (answer.structured_content or {})["hits"]]

    async def run() -> None:
        async with connected(root, era, "pipe") as client, connected(root, era, "pipe") as other:
            assert not await told(client)
            await client.call_tool("record", {"content": "Good morning", "session": "first"})
            assert await told(client)
            assert not await told(other)
            await client.call_tool("record", {"content": "Good night", "session": "second"})
            assert not await told(client)

    anyio.run(run)


def test_of_very_many_connections_those_that_named_a_session_longest_ago_are_forgotten() -> None:
    known = WorkedIn()
    for connection in range(MOST + 1):
        known.note(connection, "first")
    known.note(None, "first")
    assert [known.session(one) for one in (0, 1, MOST, None)] == ["", "first", "first", ""]
