"""The one application behind every transport: tools, resources, a prompt, and what a client is told of changes.

It is built without a memory: `build` gets a function that opens one, which is called at the first question. So the
handshake of either era of the protocol is answered before any store, migration, model or index is touched.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import AsyncGenerator, Callable, Collection
from contextlib import asynccontextmanager
from functools import partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import anyio.to_thread
from mcp.server import CacheHint, MCPServer
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolResult,
    GetPromptResult,
    InputRequiredResult,
    SubscribeRequestParams,
    TextContent,
    ToolAnnotations,
    UnsubscribeRequestParams,
)
from mcp_types import Tool as ListedTool

from moored.errors import MooredError, NotFound
from moored.server.access import Access
from moored.server.arguments import read
from moored.server.changes import Changes
from moored.server.instructions import INSTRUCTIONS
from moored.server.order import Order, connection_of
from moored.server.sets import DEFAULT, chosen
from moored.server.worked_in import WorkedIn

if TYPE_CHECKING:
    from mcp.server.mcpserver.context import Context
    from mcp.shared._stream_protocols import ReadStream, WriteStream
    from mcp.shared.message import SessionMessage

    from moored.memory import Memory
    from moored.server.tool import Answer, Tool

NAME = "moored"
TITLE = "moored: memory that stays tied to its source"

ERROR_CHARACTERS = 10_000
"""Hosts cut the text of an error at about 11,000."""

READING_S = 5.0
"""How long a name that is not found waits for the first reading of the tree."""

STILL_READING = "the tree is still being read, so not all of its code may be known yet"

LISTED_FOR_MS = 3_600_000
"""How long a client may keep what is listed: it is the same as long as the server runs."""

_LISTS = ("tools/list", "resources/list", "resources/templates/list", "prompts/list", "server/discover")


def build(open_: Callable[[], Memory], *, tools: Collection[str] = DEFAULT) -> MemoryServer:
    """The application for one memory, which `open_` opens when it is first needed, in a worker thread.

    `tools` are names of sets of tools and of single tools. Raises `NotFound` for one that there is not.
    """
    from moored.server.completions import add_completions
    from moored.server.prompts import add_prompts
    from moored.server.resources import add_resources

    server = MemoryServer(Access(open_), chosen(tools))
    add_resources(server, server.access)
    add_prompts(server, server.access)
    add_completions(server, server.access)
    return server


class MemoryServer(MCPServer[object]):
    """The SDK's server with moored's tools before those that are added by its own means."""

    def __init__(self, access: Access, tools: Collection[Tool]) -> None:
        self.access = access
        self.changes = Changes()
        self.order = Order()
        self.worked_in = WorkedIn()
        self._tools = {tool.name: tool for tool in tools}
        super().__init__(
            NAME,
            TITLE,
            instructions=INSTRUCTIONS,
            version=version("moored"),
            log_level="WARNING",
            lifespan=self._run_state,
            cache_hints={method: CacheHint(LISTED_FOR_MS) for method in _LISTS},
            subscriptions=self.changes.bus,
            middleware=(self.order,),
        )
        handlers = self._lowlevel_server
        handlers.add_request_handler("resources/subscribe", SubscribeRequestParams, self.changes.subscribe)
        handlers.add_request_handler("resources/unsubscribe", UnsubscribeRequestParams, self.changes.unsubscribe)

    async def list_tools(self) -> list[ListedTool]:
        """All tools, in an order that does not change."""
        return [*(_listed(tool) for tool in self._tools.values()), *await super().list_tools()]

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[object, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Do what a tool does, in a worker thread; an error is a result that says so."""
        tool = self._tools.get(name)
        if tool is None:
            return await super().call_tool(name, arguments, context)
        connection = connection_of(context.request_context) if context else None
        try:
            works_in = {"session": self.worked_in.session(connection)} if tool.of_session else {}
            answer = await anyio.to_thread.run_sync(partial(self._do, tool, arguments, works_in))
        except MooredError as error:
            return _failed(str(error))
        except Exception as error:  # noqa: BLE001  # the edge: a client gets one sentence, the log the rest
            traceback.print_exc(file=sys.stderr)
            return _failed(
                f"This should not happen: {type(error).__name__} in `{name}`. The log of the server says more; "
                "`moored doctor` examines the store."
            )
        self.worked_in.note(connection, answer.session)
        await self.changes.tell(answer.changed)
        return CallToolResult(
            content=[TextContent(type="text", text=answer.text)], structured_content=dict(answer.data)
        )

    async def get_prompt(
        self, name: str, arguments: dict[str, Any] | None = None, context: Context[object, Any] | None = None
    ) -> GetPromptResult | InputRequiredResult:
        """A prompt as messages. Raises `MCPError` with the code that the protocol has for a name that there is not."""
        try:
            return await super().get_prompt(name, arguments, context)
        except ValueError as error:
            raise MCPError(INVALID_PARAMS, str(error)) from error

    async def run_over(
        self,
        incoming: ReadStream[SessionMessage | Exception],
        outgoing: WriteStream[SessionMessage],
    ) -> None:
        """Serve one client over two streams, in the era of the protocol that its first words are of."""
        server = self._lowlevel_server
        await server.run(incoming, outgoing, server.create_initialization_options())

    def _do(self, tool: Tool, arguments: dict[str, Any], works_in: dict[str, str]) -> Answer:
        values = read(tool.arguments, arguments) | works_in
        memory = self.access.memory()
        partly = tool.of_code and not self.access.reading.is_set()
        try:
            answer = tool.run(memory, **values)
            return answer.degraded(STILL_READING) if partly else answer
        except NotFound:
            # What is named may stand in a file that is only just being read.
            if self.access.reading.is_set() or not self.access.reading.wait(READING_S):
                raise
        return tool.run(memory, **values)

    @asynccontextmanager
    async def _run_state(self, _: MCPServer[object]) -> AsyncGenerator[object]:
        """What a run has: somebody who passes changes on. Its identity is that of a connection over a pipe."""
        async with self.changes.served():
            yield object()


def _listed(tool: Tool) -> ListedTool:
    if tool.writes:
        # Clients take for granted that a tool writes, and not the same again: what is said costs each of them tokens.
        hints = ToolAnnotations(
            destructive_hint=tool.destroys,
            idempotent_hint=tool.repeatable or None,
            open_world_hint=False,
        )
    else:
        hints = ToolAnnotations(read_only_hint=True, open_world_hint=False)
    return ListedTool(
        name=tool.name,
        description=tool.about,
        input_schema=tool.input_schema(),
        output_schema=dict(tool.output),
        annotations=hints,
    )


def _failed(message: str) -> CallToolResult:
    said = message if len(message) <= ERROR_CHARACTERS else f"{message[:ERROR_CHARACTERS]}…"
    return CallToolResult(content=[TextContent(type="text", text=said)], is_error=True)
