"""Serving over a pipe: one client, from its first words to the end of its input or of the process that started us.

What a client sent before it closed its end is still answered, within a bound: the SDK would drop it.
"""

from __future__ import annotations

import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio
from mcp.server.stdio import stdio_server
from mcp.shared.jsonrpc_dispatcher import cancelled_request_id_from_params
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from moored.server.background import Background
from moored.server.frames import mended, refusal
from moored.server.lifeline import Lifeline

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable
    from pathlib import Path

    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.shared._stream_protocols import ReadStream, WriteStream

    from moored.server.app import MemoryServer

    Incoming = SessionMessage | Exception
    Pipe = tuple[MemoryObjectReceiveStream[Incoming], MemoryObjectSendStream[SessionMessage]]

DRAIN_S = 1.0
"""How long what was sent before the end of the input may take."""

POLL_S = 0.01
LASTING = "subscriptions/listen"


def serve_stdio(server: MemoryServer, store: Path) -> None:
    """Serve the client at the other end of stdin and stdout until it, or the process that started us, has ended.

    `store` is the file behind the memory, by which hooks find this server.
    """
    background = Background(server, store)

    def close() -> None:
        end = time.monotonic() + DRAIN_S
        while not server.order.idle and time.monotonic() < end:
            time.sleep(POLL_S)
        background.stop()
        server.access.close()

    lifeline = Lifeline(close)
    lifeline.watch()

    async def serve() -> None:
        async with stdio_server() as (read, write):
            try:
                async with drained(read, write, lifeline.arm) as (incoming, outgoing):
                    await server.run_over(incoming, outgoing)
            finally:
                # A thread still reads where the input goes on, and would keep the process for as long as it does.
                lifeline.arm()

    with background:
        anyio.run(serve)
    server.access.close()


@asynccontextmanager
async def drained(
    read: ReadStream[Incoming], write: WriteStream[SessionMessage], at_end: Callable[[], None]
) -> AsyncGenerator[Pipe]:
    """The two streams of a client, of which the first ends only when all that it brought has been answered.

    `at_end` is called when the client's end has come.
    """
    to_server, incoming = anyio.create_memory_object_stream["Incoming"]()
    outgoing, to_client = anyio.create_memory_object_stream[SessionMessage]()
    answers = outgoing.clone()
    open_requests: set[object] = set()
    answered = anyio.Event()

    async def pass_in() -> None:
        nonlocal answered
        async with to_server, answers:
            async for item in read:
                taken = (mended(item) or item) if isinstance(item, Exception) else item
                if isinstance(taken, Exception) and (answer := refusal(taken)):
                    await answers.send(answer)
                _note(taken, open_requests)
                await to_server.send(taken)
            at_end()
            with anyio.move_on_after(DRAIN_S):
                while open_requests:
                    answered = anyio.Event()
                    await answered.wait()

    async def pass_out() -> None:
        async with write:
            async for item in to_client:
                await write.send(item)
                if isinstance(item.message, JSONRPCResponse | JSONRPCError):
                    open_requests.discard(item.message.id)
                    answered.set()

    async with anyio.create_task_group() as group:
        group.start_soon(pass_in)
        group.start_soon(pass_out)
        yield incoming, outgoing
        outgoing.close()


def _note(item: Incoming, open_requests: set[object]) -> None:
    """Keep which requests wait for an answer. One that lasts or was cancelled has none to wait for."""
    message = item.message if isinstance(item, SessionMessage) else None
    if isinstance(message, JSONRPCRequest) and message.method != LASTING:
        open_requests.add(message.id)
    elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
        open_requests.discard(cancelled_request_id_from_params(message.params))
