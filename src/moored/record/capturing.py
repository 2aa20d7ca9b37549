"""What hooks and importers must agree on, so that what one of them kept the other knows again (I-17)."""

from __future__ import annotations

_OWN_TOOLS = ("mcp__moored__", "mcp__plugin_moored_", "mcp_moored_", "mcp:moored", "moored__", "moored_", "moored.")
"""How the hosts' names of moored's own tools begin."""


def is_own_tool(name: str) -> bool:
    """Whether a host calls one of moored's own tools by this name: what it writes is in the record already."""
    return name.lower().replace("-", "_").startswith(_OWN_TOOLS)


def session_of(session: str, agent: str) -> str:
    """The session in which something stands in the record: a sub-agent has one of its own."""
    return f"{session}/{agent}" if agent else session
