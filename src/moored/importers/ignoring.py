"""Tool calls that looked into an ignored path: that they were made is kept, what they showed or wrote is not."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from moored.importers.event import TranscriptEvent
from moored.record.ignored import NOT_KEPT, real_path, root_above, withheld, without_content

_root = lru_cache(maxsize=256)(root_above)


def without_ignored(event: TranscriptEvent, real: Callable[[str], str] = real_path) -> TranscriptEvent:
    """A tool call as it may be kept. Without an ignored path in it, it is the same object.

    `real` remembers, for the length of an import, what links lead to.
    """
    ignored = withheld(event.tool, event.tool_input, _root(event.cwd), real=real)
    if not ignored:
        return event
    tool_input = without_content(event.tool_input)
    if ignored not in tool_input:
        tool_input += f" {ignored}"
    return event._replace(text=NOT_KEPT, tool_input=tool_input)
