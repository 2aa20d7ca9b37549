"""How the text of an episode is cut, and what is indexed of each of its windows.

Admission and the upgrade of older stores go through the same steps, so that a text is found in the same way whenever it
came in.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from moored.model.episodes import Channel, Role
from moored.model.terms import fragments, searchable
from moored.model.text import windows
from moored.model.traits import traits_of

if TYPE_CHECKING:
    from collections.abc import Sequence

SIZE = 480
"""Characters of a window."""

MAX_VECTORS = 128
"""Windows of one episode that get a vector, half from its beginning and half from its end; words find the others."""

SHOWN_INPUT = 2_000
"""Characters of a tool's input that are indexed with its output."""

SAID = (Channel.USER, Channel.ASSISTANT, Channel.IMPORT)
"""The channels by which what people and agents say comes in. What tools and documents print has no traits."""


class Window(NamedTuple):
    """A window `[start, end)` of a text, in characters, with its traits and what is indexed of it."""

    start: int
    end: int
    traits: int
    words: str
    fragments: str


def cut(
    text: str, *, role: Role, channel: Channel, author: str = "", tool_name: str = "", tool_input: str = ""
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
        entry = head + part
        found.append(Window(start, end, traits, searchable(entry), fragments(entry)))
        head = ""
    return tuple(found)


def embedded(rows: Sequence[int]) -> list[int]:
    """Those of the windows of one episode that get a vector."""
    half = MAX_VECTORS // 2
    return list(rows) if len(rows) <= MAX_VECTORS else [*rows[:half], *rows[-half:]]
