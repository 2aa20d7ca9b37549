"""The tools of a review: what is proposed, told as data, decided in the agent's name, and protection."""

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
from moored.server.tools_review import PROTECT, REVIEW

TEXT = "Sending goes by the line."


class Asked:
    """A server whose tools are called in this process."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.server = build(opener(root), tools=("default", "life"))

    def call(self, tool: str, /, **arguments: Any) -> tuple[str, dict[str, Any]]:
        result = anyio.run(self.server.call_tool, tool, arguments)
        assert isinstance(result, CallToolResult)
        text = result.content[0].text  # type: ignore[union-attr]
        return text, {} if result.is_error else result.structured_content or {}

    def stale_note(self) -> str:
        note = self.call("remember", text=TEXT, about=["Session.send"])[1]["id"]
        file = self.root / "net" / "session.py"
        file.write_text(file.read_text().replace("attempts=3", "attempts=5"))
        return note


@pytest.fixture
def asked(tmp_path: Path) -> Iterator[Asked]:
    made = Asked(project(tmp_path))
    yield made
    made.server.access.close()


def test_an_agent_sees_the_evidence_quoted_and_accepts(asked: Asked) -> None:
    note = asked.stale_note()
    text, found = asked.call("review")
    jsonschema.validate(found, dict(REVIEW.output))
    (one,) = found["proposals"]
    assert (one["note"], one["action"], one["state"]) == (note, "revise", "stale")
    assert "> net/session.py::Session.send: was def send(self, packet, attempts=3)" in text
    assert "> +now: def send(self, packet, attempts=5)" in text
    _, done = asked.call("review", accept=one["id"])
    jsonschema.validate(done, dict(REVIEW.output))
    assert (done["decision"], done["note"]) == ("accepted", note)
    assert "attempts=5" in asked.call("fetch", id=note)[1]["text"]
    assert asked.call("review")[1]["proposals"] == []


def test_an_agent_rejects_with_a_reason_and_writes_a_text_of_its_own(asked: Asked) -> None:
    note = asked.stale_note()
    proposal = asked.call("review")[1]["proposals"][0]["id"]
    assert "Nothing was changed" in asked.call("review", accept=proposal, reject=proposal)[0]
    assert "say in a few words why" in asked.call("review", reject=proposal)[0]
    asked.call("review", accept=proposal, text="Sending is tried five times.")
    assert asked.call("fetch", id=note)[1]["text"] == "Sending is tried five times."


def test_an_agent_protects_a_note_for_the_user_and_frees_it(asked: Asked) -> None:
    note = asked.stale_note()
    _, done = asked.call("protect", note=note, because="the user wants it kept")
    jsonschema.validate(done, dict(PROTECT.output))
    assert done["protected"] == "the user wants it kept"
    assert "protected: the user wants it kept" in asked.call("history", name=note)[0]
    assert "protected: the user wants it kept" in asked.call("review")[0]
    assert asked.call("protect", note=note, lift="yes")[1]["protected"] == ""
