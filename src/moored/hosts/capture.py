"""Capture: which moments of a host become episodes, and what is kept of each.

What is kept is redacted here, before it reaches any disk (I-20), and rid of the frames around text that a memory handed
out, so that recalled text is never recorded again. The output of a tool that looked into an ignored path is not kept,
nor is what a tool wrote there; that it was called is. Calls of moored's own tools are not captured: what they write is
in the record already, and what they answer is no news.

Standard library and lean modules only: hooks load it. What only capturing needs is loaded when something is captured,
since the process that answers a prompt captures nothing itself.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from moored.hosts.port import Happening, Moment
from moored.record.capturing import is_own_tool, session_of

if TYPE_CHECKING:
    from moored.record.inbox import Entry

PART = 32 * 1024 * 1024
"""Bytes of a content that one entry holds; what is longer is kept in parts, within what one episode may have."""

LATEST = 253_402_300_799_999
"""The last millisecond of the year 9999, from the Unix epoch: a clock that says more says nothing."""

_TOOLS = frozenset({Moment.TOOL_DONE, Moment.TOOL_FAILED})
_SPOKEN = {
    Moment.PROMPT: ("user", "user"),
    Moment.TURN_END: ("assistant", "assistant"),
    Moment.SUBAGENT_END: ("assistant", "assistant"),
    Moment.COMPACTED: ("system", "summary"),
}
CAPTURED = _TOOLS | _SPOKEN.keys()
"""The moments of which something is kept."""


def events(happening: Happening, now: int) -> list[Entry]:
    """What is kept of a happening: nothing, one entry, or several parts of a long one. `now` is in milliseconds."""
    if happening.moment in _TOOLS:
        return _of_tool(happening, now)
    if happening.moment not in _SPOKEN:
        return []
    from moored.model.hashing import digest
    from moored.model.private import only_private

    content = _clean(happening.text)
    if only_private(content):
        return []
    role, channel = _SPOKEN[happening.moment]
    if happening.moment is Moment.PROMPT and happening.source not in ("", "user"):
        # What an automation wrote in the user's place is no order of the user's.
        channel = "document"
    return _parts(_entry(happening, content, role, channel, happening.event or digest(content), now))


def session_name(happening: Happening) -> str:
    """The session in which a happening stands in the record: a sub-agent has one of its own."""
    return session_of(happening.session, happening.agent)


def _of_tool(happening: Happening, now: int) -> list[Entry]:
    if is_own_tool(happening.tool):
        return []
    tool_input = _text(_clean(happening.tool_input, own_words=False))
    content = _clean(happening.tool_output, own_words=False)
    if ignored := _ignored(happening):
        from moored.record.ignored import NOT_KEPT, without_content

        content = NOT_KEPT.encode()
        tool_input = _text(_clean(without_content(happening.tool_input), own_words=False))
        if ignored not in tool_input:
            tool_input += f" {ignored}"
    if not tool_input.strip() and not content.strip():
        return []
    entry = _entry(happening, content, "tool", "tool", happening.event, now, tool_input)
    return _parts(entry)


def _entry(
    happening: Happening, content: bytes, role: str, channel: str, event: str, now: int, tool_input: str = ""
) -> Entry:
    from moored.record.cleaning import without_secrets
    from moored.record.inbox import Entry

    session, host_event, tool = without_secrets(
        session_name(happening), f"{role}:{event}" if event else "", happening.tool
    )
    told = happening.at is not None and 0 < happening.at <= LATEST
    return Entry(
        content=content,
        role=role,
        channel=channel,
        host=happening.host,
        session=session,
        host_event=host_event,
        tool_name=tool,
        tool_input=tool_input,
        exit_status=happening.exit_status,
        occurred_at=happening.at if told else min(max(now, 0), LATEST),
        cwd=happening.cwd,
        paths=happening.paths if happening.moment in _TOOLS else (),
    )


def _parts(entry: Entry) -> list[Entry]:
    """The entry, or one for each part of its content if that is too long for one. The first keeps the name."""
    if len(entry.content) <= PART:
        return [entry]

    parts: list[Entry] = []
    for number, start in enumerate(range(0, len(entry.content), PART), 1):
        event = entry.host_event if number == 1 or not entry.host_event else f"{entry.host_event}:part {number}"
        parts.append(entry._replace(content=entry.content[start : start + PART], host_event=event))
    return parts


def _clean(text: str, *, own_words: bool = True) -> bytes:
    """A text as bytes, without frames, private parts and secrets. Bytes that the host sent and are not UTF-8 stay."""
    from moored.model.private import without_frames, without_private
    from moored.model.redaction import redact_bytes

    try:
        content = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        content = text.encode("utf-8", "surrogatepass")
    return redact_bytes(without_private(without_frames(content), own_words=own_words)).data


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace")


def _ignored(happening: Happening) -> str:
    """The path of which nothing is kept that a tool call looked into or wrote to; empty when there is none."""
    from moored.record.ignored import is_ignored, root_above, withheld

    root = root_above(happening.cwd)
    for path in happening.paths:
        if is_ignored(str(Path(happening.cwd, path)), root):
            return path
    return withheld(happening.tool, happening.tool_input, root)
