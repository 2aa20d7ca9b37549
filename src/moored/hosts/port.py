"""What every host comes down to: something happened at one of a few moments, and a text may be handed back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, NamedTuple


class Moment(StrEnum):
    """The moments of a host's work at which moored is called."""

    START = "start"
    PROMPT = "prompt"
    BEFORE_TOOL = "before tool"
    TOOL_DONE = "tool done"
    TOOL_FAILED = "tool failed"
    TURN_END = "turn end"
    COMPACTING = "compacting"
    COMPACTED = "compacted"
    SESSION_END = "session end"
    SUBAGENT_START = "sub-agent start"
    SUBAGENT_END = "sub-agent end"


class Happening(NamedTuple):
    """One event of a host, in the words of moored. What the host did not say is empty.

    `host` and `session` are as they stand in the record, `agent` is the host's id of the sub-agent in which it
    happened. `cwd` is the folder that the host works in. `event` is the host's own id of this very event, by which it
    is known again. `source` says what began a session (`startup`, `resume`, `clear`, `compact`, `fork`) or who wrote a
    prompt (`user`, or what else the host says). `text` is the prompt, the assistant's message or the summary.
    `tool_input` and `tool_output` are texts; what the host sends as JSON is JSON with sorted keys. `paths` are the
    files that the tool wrote or is about to write, as the host names them. `transcript` is the file that the host
    keeps of the session. `at` is in milliseconds since the epoch, None when the host does not say.
    """

    moment: Moment
    host: str
    session: str
    cwd: str = ""
    agent: str = ""
    event: str = ""
    source: str = ""
    text: str = ""
    tool: str = ""
    tool_input: str = ""
    tool_output: str = ""
    exit_status: int | None = None
    paths: tuple[str, ...] = ()
    transcript: str = ""
    at: int | None = None


Answer = Callable[[str, str], Mapping[str, Any] | None]


class Adapter(NamedTuple):
    """How one host is read and answered.

    `moments` says at which moment each of the host's events happens. `read` turns an event and its payload into a
    happening, or None when there is nothing in it for a memory. `answer` shapes a text that is to be handed to the
    model as the JSON object that the host takes for this event, or None where the host takes none. `guests` are other
    hosts that run the hooks of this one, by the name that they have in a happening, and how each of them is answered.
    """

    name: str
    moments: Mapping[str, Moment]
    read: Callable[[str, Mapping[str, Any]], Happening | None]
    answer: Answer
    guests: Mapping[str, Answer] = {}
