"""What of an event may be kept: all of it but secrets, what is private, and what memory itself had injected (I-20).

It stands before everything else that is done with an event: nothing is written to any disk, hashed, counted or parsed
before it went through here. Doing it again changes nothing, so who holds an event for later cleans it first.
"""

from __future__ import annotations

from typing import NamedTuple

from moored.model.episodes import Channel, Event, Role
from moored.model.private import only_private, without_frames, without_private
from moored.model.redaction import redact, redact_bytes

PRIVATE = "private"
RECALLED = "recalled"


class Cleaned(NamedTuple):
    """An event as it may be kept, what was taken out (as in `Recorded.redacted`), and whether nothing is left of it."""

    event: Event
    redacted: tuple[str, ...]
    withheld: bool


class CleanedText(NamedTuple):
    """A text as it may be kept, what was taken out, and whether nothing is left of it."""

    text: str
    redacted: tuple[str, ...]
    withheld: bool


def cleaned(event: Event) -> Cleaned:
    """Take out of an event's content, tool input and names what must not be kept. Every other byte stays. Never raises.

    Of names secrets alone are taken out. Without anything to take out, the event is the same object.
    """
    given = event.role is Role.TOOL or event.channel in (Channel.TOOL, Channel.DOCUMENT)
    content, removed = _cleaned(event.content, own_words=not given)
    asked = event.tool_input.encode("utf-8", "surrogatepass")
    tool_input, removed_too = _cleaned(asked, own_words=False)
    redacted = tuple(dict.fromkeys((*removed, *removed_too)))
    withheld = bool(event.content.strip() or asked.strip()) and only_private(content) and only_private(tool_input)
    if redacted:
        event = event._replace(content=content, tool_input=tool_input.decode("utf-8", "surrogatepass"))
    names = (event.host, event.session, event.host_event, event.tool_name, event.author)
    if (kept := without_secrets(*names)) != names:
        host, session, host_event, tool_name, author = kept
        event = event._replace(host=host, session=session, host_event=host_event, tool_name=tool_name, author=author)
    return Cleaned(event, redacted, withheld)


def without_secrets(*names: str) -> tuple[str, ...]:
    """Names that a host gives, without secrets. Never raises."""
    if not redact("\n".join(names)).kinds:
        return names
    return tuple(redact(name).text for name in names)


def cleaned_text(text: str) -> CleanedText:
    """Take out of a text that is no event, such as a tag or a pin, what must not be kept. Never raises."""
    data, redacted = _cleaned(text.encode("utf-8", "surrogatepass"), own_words=True)
    if not redacted:
        return CleanedText(text, (), only_private(data))
    return CleanedText(data.decode("utf-8", "surrogatepass"), redacted, only_private(data))


def _cleaned(data: bytes, *, own_words: bool) -> tuple[bytes, tuple[str, ...]]:
    framed = without_frames(data)
    hidden = without_private(framed, own_words=own_words)
    done = redact_bytes(hidden)
    taken = [name for name, gone in ((RECALLED, framed is not data), (PRIVATE, hidden is not framed)) if gone]
    return done.data, (*taken, *done.kinds)
