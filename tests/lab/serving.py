"""MCP servers for tests: in memory, behind a pipe and over HTTP, and a client that speaks in raw frames."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

import httpx2
import uvicorn
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from moored.memory import open_memory
from moored.server.app import MemoryServer, build

SOON = 30.0
"""Seconds that anything may take before a test fails."""

ERAS = {"legacy": "legacy", "modern": "auto"}
TRANSPORTS = ("memory", "pipe", "http")

CODE = '''\
class Session:
    """A connection that sends."""

    def send(self, packet, attempts=3):
        """Send a packet, trying again when the line is down."""
        return [self.line.put(packet, attempt) for attempt in range(attempts)]


def greet(session):
    return session.send("hello")


def main():
    greet(Session())
'''


def project(folder: Path) -> Path:
    """A project with a store beside it, read into the ledger; return its root."""
    root = folder / "courier"
    (root / "net").mkdir(parents=True)
    (root / ".moored.toml").write_text("")
    (root / "net" / "session.py").write_text(CODE)
    with opener(root)() as memory:
        memory.index()
    return root


def store_of(root: Path) -> Path:
    return root.parent / "moored.db"


def opener(root: Path, **options: Any) -> Callable[[], Any]:
    return partial(open_memory, root, store=store_of(root), **{"dense": False, **options})


def command(root: Path, *options: str) -> list[str]:
    """What starts a server of a project on a pipe."""
    return [sys.executable, "-m", "moored", "--project", str(root), "--store", str(store_of(root)), "serve", *options]


@asynccontextmanager
async def connected(root: Path, era: str, transport: str, **options: Any) -> AsyncIterator[Client]:
    """A client of one era connected over one transport."""
    options = {"mode": ERAS[era], "read_timeout_seconds": SOON, **options}
    if transport == "memory":
        server = build(opener(root))
        async with Client(server, **options) as client:
            yield client
        server.access.close()
    elif transport == "pipe":
        program, *arguments = command(root)
        parameters = StdioServerParameters(command=program, args=arguments, env=dict(os.environ))
        async with Client(parameters, **options) as client:
            yield client
    else:
        server = build(opener(root))
        with listening(server) as (url, token):
            headers = {"Authorization": f"Bearer {token}"}
            async with (
                httpx2.AsyncClient(headers=headers, timeout=SOON) as http,
                Client(streamable_http_client(url, http_client=http), **options) as client,
            ):
                yield client
        server.access.close()


@contextmanager
def listening(server: MemoryServer) -> Iterator[tuple[str, str]]:
    """The guarded application on a free port of this machine, in a thread; its address and token."""
    from moored.server.http import PATH, guarded, listen, names

    token = "an-open-secret-of-the-tests"  # noqa: S105 - there is nothing behind it
    listener = listen("127.0.0.1:0")
    host, port = listener.getsockname()[:2]
    app = guarded(server, names(host, port), token)
    running = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="on", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield f"http://{host}:{port}{PATH}", token
    finally:
        running.should_exit = True
        thread.join(SOON)
        listener.close()


class Frames:
    """A client of the older era that writes frames when it is told to and reads them in the order they come."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self._buffer = b""
        self._last = 0

    def frame(self, method: str, params: dict[str, Any] | None = None, *, answered: bool = True) -> bytes:
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            message["params"] = params
        if answered:
            self._last += 1
            message["id"] = self._last
        return json.dumps(message).encode() + b"\n"

    def call(self, tool: str, /, **arguments: Any) -> bytes:
        return self.frame("tools/call", {"name": tool, "arguments": arguments})

    def write(self, *frames: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(b"".join(frames))
        self.process.stdin.flush()

    def read(self) -> dict[str, Any]:
        """The next frame; an error when none comes in time."""
        assert self.process.stdout
        end = monotonic() + SOON
        descriptor = self.process.stdout.fileno()
        while b"\n" not in self._buffer:
            ready, _, _ = select.select([descriptor], [], [], max(0.0, end - monotonic()))
            assert ready, "no frame came in time"
            piece = os.read(descriptor, 1 << 20)
            assert piece, "the server ended"
            self._buffer += piece
        line, _, self._buffer = self._buffer.partition(b"\n")
        return json.loads(line)

    def handshake(self) -> dict[str, Any]:
        client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
        self.write(self.frame("initialize", client))
        answer = self.read()
        self.write(self.frame("notifications/initialized", answered=False))
        return answer


@contextmanager
def spawned(root: Path, *options: str, **how: Any) -> Iterator[Frames]:
    """A server on a pipe as a process, which is gone at the end."""
    pipe = subprocess.PIPE
    with subprocess.Popen(command(root, *options), stdin=pipe, stdout=pipe, stderr=pipe, **how) as process:
        try:
            yield Frames(process)
        finally:
            process.kill()
            for stream in (process.stdin, process.stdout, process.stderr):
                if stream:
                    stream.close()


def said(answer: Any) -> str:
    """The text of the result of a tool."""
    content = answer["result"]["content"] if isinstance(answer, dict) else answer.content
    first = content[0]
    return first["text"] if isinstance(first, dict) else first.text


def until(holds: Callable[[], object]) -> None:
    """Return when something holds; an error when it does not in time."""
    end, never = monotonic() + SOON, threading.Event()
    while not holds():
        assert monotonic() < end
        never.wait(0.02)
