"""The one prompt: how to work with the memory, and what it knows about a task."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR
from pydantic import Field

from moored.errors import MooredError
from moored.server.briefing import briefing
from moored.server.instructions import INSTRUCTIONS

if TYPE_CHECKING:
    from mcp.server import MCPServer

    from moored.server.access import Access

PREAMBLE = "preamble"
TASK = "What you are about to do; what the memory knows about it is added."


def add_prompts(server: MCPServer[object], access: Access) -> None:
    """Offer the working preamble."""

    def preamble(task: Annotated[str, Field(description=TASK)] = "") -> str:
        try:
            brief = briefing(access.memory(), task=task)
        except MooredError as error:
            raise MCPError(INTERNAL_ERROR, str(error)) from error
        parts = [INSTRUCTIONS, brief.text]
        if brief.omitted:
            parts.append(f"(left out, since they did not fit: {', '.join(brief.omitted)})")
        if task.strip():
            parts.append(f"The task: {task}")
        return "\n\n".join(part for part in parts if part)

    about = "How to work with this memory, what a session is to know, and what is known about your task."
    server.prompt(PREAMBLE, "Begin with the memory", about)(preamble)
