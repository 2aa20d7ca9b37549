"""How the text of an episode is cut, and what is indexed of each of its windows.

Admission and the upgrade of older stores go through the same steps, so that a text is found in the same way whenever it
came in.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from moored.model.episodes import Channel, Role
from moored.model.terms import fragments, searchable
from moored.model.text import windows
from moored.model.traits import of_output, traits_of

if TYPE_CHECKING:
    from collections.abc import Sequence

SIZE = 480
"""Characters of a window."""

MAX_VECTORS = 128
"""Windows of one episode that get a vector, half from its beginning and half from its end; words find the others."""

SHOWN_INPUT = 2_000
"""Characters of a tool's input that are indexed with its output."""

EMBEDDED_INPUT = 200
"""Characters of a tool's input that are embedded with the beginning of its output."""

_FRAME = re.compile(r'\\[nt]|[{}\[\]"]')
"""What JSON puts around what was asked."""

SAID = (Channel.USER, Channel.ASSISTANT, Channel.IMPORT)
"""The channels by which what people and agents say comes in. What documents hold has no traits."""


class Window(NamedTuple):
    """A window `[start, end)` of a text, in characters, with its traits and what is indexed of it."""

    start: int
    end: int
    traits: int
    words: str
    fragments: str


def cut(
    text: str,
    *,
    role: Role,
    channel: Channel,
    author: str = "",
    tool_name: str = "",
    tool_input: str = "",
    exit_status: int | None = None,
) -> tuple[Window, ...]:
    """The windows of an episode. One without a text has a single one, which may be found by its tool.

    The first is also found by the tool and what it was asked.
    """
    said = role is not Role.TOOL and channel in SAID
    by_person = said and (role is Role.USER or bool(author))
    head = f"{tool_name} {tool_input[:SHOWN_INPUT]} " if tool_name or tool_input else ""
    found: list[Window] = []
    for start, end in windows(text, SIZE, 0) or [(0, max(len(text), 1))]:
        part = text[start:end]
        traits = traits_of(text, part, by_person=by_person) if said else 0
        if role is Role.TOOL:
            traits = of_output(part, failed=bool(exit_status))
        entry = head + part
        found.append(Window(start, end, traits, searchable(entry), fragments(entry)))
        head = ""
    return tuple(found)


def embedded(rows: Sequence[int]) -> list[int]:
    """Those of the windows of one episode that get a vector."""
    half = MAX_VECTORS // 2
    return list(rows) if len(rows) <= MAX_VECTORS else [*rows[:half], *rows[-half:]]


def called(tool_name: str, tool_input: str) -> str:
    """The tool and the beginning of what it was asked, as they are embedded before its output.

    Empty where it was asked nothing.
    """
    asked = " ".join(_FRAME.sub(" ", tool_input[: 2 * EMBEDDED_INPUT]).split())[:EMBEDDED_INPUT]
    return f"{tool_name}: {asked}\n" if asked else ""
