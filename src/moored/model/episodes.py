"""Episodes: what happened, verbatim."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Role(StrEnum):
    """Who spoke or acted."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    SYSTEM = "system"


class Channel(StrEnum):
    """The way by which an episode came in; it sets the most that its content is trusted.

    `SUMMARY` is what a host wrote in place of a conversation that it compacted.
    """

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    DOCUMENT = "document"
    IMPORT = "import"
    SUMMARY = "summary"


class Trust(StrEnum):
    """How far the words of an episode may be taken as an instruction. `DATA` is only ever quoted (I-21)."""

    USER = "user"
    AGENT = "agent"
    DATA = "data"

    @property
    def level(self) -> int:
        return {"data": 0, "agent": 1, "user": 2}[self.value]


CHANNEL_TRUST = {
    Channel.USER: Trust.USER,
    Channel.ASSISTANT: Trust.AGENT,
    Channel.TOOL: Trust.DATA,
    Channel.DOCUMENT: Trust.DATA,
    Channel.IMPORT: Trust.DATA,
    Channel.SUMMARY: Trust.DATA,
}

ROLE_CHANNEL = {
    Role.USER: Channel.USER,
    Role.ASSISTANT: Channel.ASSISTANT,
    Role.TOOL: Channel.TOOL,
    Role.SYSTEM: Channel.DOCUMENT,
}


class Event(NamedTuple):
    """What a host hands in to be recorded.

    `content` is kept byte for byte. `channel` defaults to that of the role, `trust` to the most its channel
    allows; a higher one is refused. `host_event` is the host's own id of the event: with it, handing the same
    event in again changes nothing. `corrects` is the id of the episode that this one corrects. `occurred_at`
    is in milliseconds since the epoch, the time of recording when it is None. `author` names who said it where the host
    tells people apart: in a chat of several, in a commit.
    """

    content: bytes
    role: Role
    channel: Channel | None = None
    trust: Trust | None = None
    host: str = ""
    session: str = ""
    host_event: str = ""
    tool_name: str = ""
    tool_input: str = ""
    exit_status: int | None = None
    corrects: str = ""
    occurred_at: int | None = None
    author: str = ""


class Episode(NamedTuple):
    """One thing that happened. Immutable; `content` is what was handed in, byte for byte.

    `corrected_by` is the id of the latest episode that corrects this one, or empty; `author` is who said it, empty when
    the host does not tell people apart.
    """

    seq: int
    id: str
    session: str
    host: str
    role: Role
    channel: Channel
    trust: Trust
    content: bytes
    tokens: int
    tool_name: str
    tool_input: str
    exit_status: int | None
    corrects: str
    corrected_by: str
    occurred_at: int
    recorded_at: int
    author: str = ""

    @property
    def text(self) -> str:
        """The content as text: bytes that are not UTF-8 become the replacement character."""
        return self.content.decode("utf-8", "replace")


class Standing(NamedTuple):
    """How far an episode is trusted, and the id of the latest episode that corrects it, or empty."""

    trust: Trust
    corrected_by: str


class Recorded(NamedTuple):
    """The account of one `record`.

    `outcome` is `recorded`, `duplicate` when the event was known already (then `episode` is the one kept before),
    `withheld` when nothing was left of it to keep, or `forgotten` when it was forgotten and a host hands it in again
    (with both `episode` is empty and nothing was written). `facts` counts the facts that parsers found in it;
    `structure` says in words what they found, or that nothing was found. `omitted` counts facts left out because of
    the cap. `suggested_pins` are sentences of a user's turn that sound like a constraint: nothing is pinned by
    itself. `redacted` names what was taken out before anything was kept: kinds of secrets, `private`, and `recalled`
    for what memory itself had injected.
    """

    episode: str
    outcome: str
    tokens: int
    facts: int
    structure: str
    omitted: int
    suggested_pins: tuple[str, ...] = ()
    redacted: tuple[str, ...] = ()
