"""The tool of rules: laid down in the agent's name, tried, and taken back."""

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
from moored.server.tools_rules import RULE

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
