"""One thing that a transcript tells, whatever its format."""

from __future__ import annotations

from typing import NamedTuple

from moored.model.episodes import Role


class TranscriptEvent(NamedTuple):
    """One thing that a transcript tells.

    `name` is the host's id of it with its role, as hooks name it (`user:<id>`, `assistant:<id>`, `tool:<id>`;
    `call:<id>` for a call that the transcript has no result of), `parent` the host's id of what it follows. `session`
    and `agent` are the host's ids of the session and of the sub-agent in it, `cwd` the folder that it works in, `at`
    the time in milliseconds since the epoch, None where the transcript does not say. A tool call comes with its result
    as the text.
    """

    role: Role
    name: str
    text: str
    session: str
    agent: str = ""
    parent: str = ""
    cwd: str = ""
    at: int | None = None
    summary: bool = False
    tool: str = ""
    tool_input: str = ""
    exit_status: int | None = None

    @property
    def answered(self) -> bool:
        """Whether a tool call has its result."""
        return self.role is Role.TOOL and not self.name.startswith("call:")
