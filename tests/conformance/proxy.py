"""A proxy on loopback that adds the token, which neither the suite nor the inspector can be told to send.

It passes every request on as it came but for three headers: the token is added, the connection is for one request,
and where `Host` or `Origin` name the proxy they name the server instead. A foreign `Host` or `Origin` stays foreign.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

HEAD_END = b"\r\n\r\n"


@asynccontextmanager
async def proxy(port: int, token: str) -> AsyncIterator[int]:
    """Run a proxy before the server at a port of loopback, and yield the port to call instead."""
    own = 0
    calls: set[asyncio.Task[None]] = set()

    async def pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(HEAD_END)
        onward, back = await asyncio.open_connection("127.0.0.1", port)
        back.write(rewritten(head, own, port, token))
        ways = [asyncio.create_task(copy(reader, back)), asyncio.create_task(copy(onward, writer))]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            back.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        call = asyncio.create_task(pass_on(reader, writer))
        calls.add(call)
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            await call
        calls.discard(call)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    own = server.sockets[0].getsockname()[1]
    try:
        yield own
    finally:
        server.close()
        for call in calls:
            call.cancel()


def rewritten(head: bytes, own: int, port: int, token: str) -> bytes:
    """The head of a request as it is passed on."""
    first, *lines = head.removesuffix(HEAD_END).split(b"\r\n")
    kept = [line for line in lines if not line.lower().startswith((b"connection:", b"authorization:"))]
    for at, line in enumerate(kept):
        if line.lower().startswith((b"host:", b"origin:")):
            kept[at] = line.replace(b":%d" % own, b":%d" % port)
    added = [b"Connection: close", b"Authorization: Bearer " + token.encode()]
    return b"\r\n".join([first, *kept, *added]) + HEAD_END


async def copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    """Pass on all that comes."""
    with suppress(ConnectionError):
        while part := await source.read(65_536):
            target.write(part)
            await target.drain()
