"""Resources: what a host may show or attach without calling a tool. Each is text, read anew each time."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from typing import TYPE_CHECKING

from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError

from moored.errors import Ambiguous, MooredError, NotFound
from moored.server.briefing import NOTHING, briefing
from moored.server.changes import SCHEME
from moored.server.tools_code import code_map, symbol
from moored.server.tools_fetch import fetch
from moored.server.tools_reading import MOST_BUDGET, stale, status
from moored.server.words import quoted

if TYPE_CHECKING:
    from mcp.server import MCPServer

    from moored.memory import Memory
    from moored.server.access import Access

MAP_BUDGET = 2_000
TYPE = "text/plain"


def add_resources(server: MCPServer[object], access: Access) -> None:
    """Offer the resources of a memory and the templates of what has an id or a name."""
    for name, (about, tell) in _FIXED.items():
        server.resource(f"{SCHEME}{name}", name=name, description=about, mime_type=TYPE)(_reading(access, tell))
    for template, (name, about, tell_of) in _OF_ID.items():
        server.resource(f"{SCHEME}{template}", name=name, description=about, mime_type=TYPE)(_of_id(access, tell_of))
    for template, (name, about, tell_of) in _OF_NAME.items():
        server.resource(f"{SCHEME}{template}", name=name, description=about, mime_type=TYPE)(_of_name(access, tell_of))


def _pins(memory: Memory) -> str:
    return "\n".join(f"- {pin.id}: {quoted(pin.text, data=False)}" for pin in memory.pins()) or "nothing is pinned"


def _brief(memory: Memory) -> str:
    return briefing(memory).text or NOTHING


def _stale(memory: Memory) -> str:
    return stale(memory, MOST_BUDGET).text


def _map(memory: Memory) -> str:
    return code_map(memory, MAP_BUDGET, ()).text


def _status(memory: Memory) -> str:
    return status(memory).text


def _whole(memory: Memory, name: str) -> str:
    return fetch(memory, name).text


def _symbol(memory: Memory, name: str) -> str:
    return symbol(memory, name, MOST_BUDGET).text


_FIXED: dict[str, tuple[str, Callable[[Memory], str]]] = {
    "pins": ("The user's constraints that always hold, verbatim.", _pins),
    "brief": ("What a session is to know when it begins: pins, what stopped holding, recent work, notes.", _brief),
    "stale": ("The notes that do not hold any more, and why.", _stale),
    "map": ("The symbols on which the most depends, by file.", _map),
    "status": ("What this memory holds, in numbers.", _status),
}
_OF_ID: dict[str, tuple[str, str, Callable[[Memory, str], str]]] = {
    "episode/{id}": ("episode", "One thing that happened, verbatim.", _whole),
    "note/{id}": ("note", "A note with its verdict as of now.", _whole),
}
_OF_NAME: dict[str, tuple[str, str, Callable[[Memory, str], str]]] = {
    "symbol/{+name}": ("symbol", "What is known of a symbol of the code.", _symbol),
}


def _reading(access: Access, tell: Callable[[Memory], str]) -> Callable[[], str]:
    def read() -> str:
        return _answered(lambda: tell(access.memory()))

    return read


def _of_id(access: Access, tell: Callable[[Memory, str], str]) -> Callable[[str], str]:
    def read(id: str) -> str:  # noqa: A002  # the template's variable
        return _answered(lambda: tell(access.memory(), id))

    return read


def _of_name(access: Access, tell: Callable[[Memory, str], str]) -> Callable[[str], str]:
    def read(name: str) -> str:
        return _answered(lambda: tell(access.memory(), name))

    return read


def _answered(tell: Callable[[], str]) -> str:
    """A text, or the error that the SDK passes on in its words."""
    try:
        return tell()
    except (NotFound, Ambiguous) as error:
        raise ResourceNotFoundError(str(error)) from error
    except MooredError as error:
        raise ResourceError(str(error)) from error
    except Exception:
        traceback.print_exc(file=sys.stderr)
        raise
