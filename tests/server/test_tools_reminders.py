"""The tools that make reminders and see to them, and the reminders that come with an answer."""

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
from moored.server.sets import chosen

SETS = ("default", "life", "context")


class Asked:
    """A server whose tools are called in this process."""

    def __init__(self, root: Path) -> None:
        self.server = build(opener(root), tools=SETS)
        self.schemas = {tool.name: dict(tool.output) for tool in chosen(SETS)}

    def ask(self, tool: str, /, **arguments: Any) -> tuple[str, dict[str, Any]]:
        result = anyio.run(self.server.call_tool, tool, arguments)
        assert isinstance(result, CallToolResult)
        assert not result.is_error, result.content[0].text  # type: ignore[union-attr]
        jsonschema.validate(result.structured_content, self.schemas[tool])
        return result.content[0].text, result.structured_content or {}  # type: ignore[union-attr]

    def error(self, tool: str, /, **arguments: Any) -> str:
        result = anyio.run(self.server.call_tool, tool, arguments)
        assert isinstance(result, CallToolResult)
        assert result.is_error
        return result.content[0].text  # type: ignore[union-attr]


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[Asked]:
    made = Asked(project(tmp_path))
    yield made
    made.server.access.close()


def test_a_reminder_is_made_told_with_the_answer_and_ended(asked: Asked) -> None:
    text, made = asked.ask("remind", text="Migrate first", when="deploy staging")
    assert text.startswith("will be told: ")
    assert (made["kind"], made["on"], made["state"]) == ("keyword", "deploy staging", "waiting")
    text, answer = asked.ask("recall", query="how do we deploy to staging")
    assert text.startswith("Reminders:\n- ")
    (told,) = answer["reminders"]
    assert told["why"] == 'because the question says "deploy" and "staging"'
    _, listed = asked.ask("reminders")
    assert [one["told"] for one in listed["reminders"]] == [1]
    _, done = asked.ask("reminders", do="done", reminder=made["id"])
    assert done["reminders"][0]["state"] == "done"
    assert asked.ask("reminders")[1]["reminders"] == []


def test_a_reminder_is_put_off_and_the_answer_says_until_when(asked: Asked) -> None:
    _, made = asked.ask("remind", text="Migrate first", when="deploy")
    text, _ = asked.ask("reminders", do="snooze", reminder=made["id"], until="in 2 days")
    assert "(snoozed until " in text
    assert "reminders" not in asked.ask("recall", query="how do we deploy")[1]


def test_what_an_agent_reports_as_said_by_the_user_proposes_nothing(asked: Asked) -> None:
    asked.ask("record", content="When we deploy, remember to migrate first.", role="user")
    assert asked.ask("reminders", do="proposed")[1]["reminders"] == []


def test_the_brief_that_is_asked_for_counts_what_it_tells(asked: Asked) -> None:
    asked.ask("remind", text="Migrate first", when="deploy")
    assert "Migrate first" in asked.ask("brief", task="deploy it now")[0]
    assert [one["told"] for one in asked.ask("reminders")[1]["reminders"]] == [1]
    assert "Migrate first" not in asked.ask("brief", task="deploy it now")[0]


def test_what_does_not_fit_is_an_error_that_says_what_does(asked: Asked) -> None:
    assert "give a time" in asked.error("remind", text="x", when="time: yesterday")
    assert "needs 'reminder'" in asked.error("reminders", do="done")
    assert "There is no proposed reminder" in asked.error("reminders", do="accept", reminder="rm_0")
    assert "no moment to come" in asked.error("reminders", do="snooze", reminder="rm_0", until="yesterday")
