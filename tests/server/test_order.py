"""The requests of one connection take effect in the order in which they were sent (I-18)."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ResourceTemplateReference

from lab.serving import ERAS, SOON, Frames, listening, opener, project, said, spawned
from moored.server.app import MemoryServer, build

ROUNDS = {"legacy": 1_000, "modern": 250}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return project(tmp_path)


def frames_of(client: Frames, era: str, number: int) -> tuple[bytes, bytes]:
    """A write, and a read that tells how many writes there were before it."""
    meta = {"_meta": META} if era == "modern" else {}
    write = {"name": "pin", "arguments": {"text": f"Rule {number} stands."}, **meta}
    return client.frame("tools/call", write), client.frame("resources/read", {"uri": "moored://status", **meta})


@pytest.mark.invariant("I-18")
@pytest.mark.parametrize("era", ERAS)
def test_a_read_sent_behind_a_write_sees_that_write_and_none_sent_later(root: Path, era: str) -> None:
    with spawned(root) as client:
        if era == "legacy":
            client.handshake()
        frames = [frame for number in range(ROUNDS[era]) for frame in frames_of(client, era, number)]
        writer = threading.Thread(target=client.write, args=frames, daemon=True)
        writer.start()
        answers = sorted((client.read() for _ in frames), key=lambda answer: answer["id"])
        writer.join(SOON)
    missed: list[str] = []
    for number, (written, read) in enumerate(zip(answers[::2], answers[1::2], strict=True), 1):
        assert said(written).startswith("pinned: ")
        text = read["result"]["contents"][0]["text"]
        if f" {number:,} pin" not in text:
            missed.append(text)
    assert missed == []


@pytest.mark.invariant("I-18")
def test_all_that_was_sent_before_the_end_of_the_input_is_answered(root: Path) -> None:
    with spawned(root) as client:
        client.handshake()
        client.write(*(client.call("pin", text=f"Rule {number} stands.") for number in range(50)))
        assert client.process.stdin
        client.process.stdin.close()
        assert [said(client.read()).partition(":")[0] for _ in range(50)] == ["pinned"] * 50
        assert client.process.wait(SOON) == 0


class Slow:
    """A server with a tool that ends when it is let go."""

    def __init__(self, root: Path) -> None:
        self.go = threading.Event()
        self.begun = threading.Event()
        self.server: MemoryServer = build(opener(root))
        self.server.add_tool(self.wait, name="wait")

    def wait(self) -> str:
        self.begun.set()
        assert self.go.wait(SOON)
        return "gone"

    def run(self, clients: int, steps: Callable[..., Awaitable[None]]) -> None:
        async def main() -> None:
            with anyio.fail_after(SOON):
                async with AsyncExitStack() as stack:
                    entered = [
                        await stack.enter_async_context(Client(self.server, mode="legacy")) for _ in range(clients)
                    ]
                    async with anyio.create_task_group() as group:
                        group.start_soon(entered[0].call_tool, "wait", {})
                        await anyio.to_thread.run_sync(self.begun.wait, SOON)
                        await steps(*entered)
                        self.go.set()

        anyio.run(main)
        self.server.access.close()


@pytest.mark.invariant("I-18")
def test_tools_resources_prompts_and_completions_stand_in_one_queue(root: Path) -> None:
    template = ResourceTemplateReference(type="ref/resource", uri="moored://note/{id}")

    async def steps(client: Client) -> None:
        async def waits(ask: Callable[[], Awaitable[object]]) -> None:
            with anyio.move_on_after(0.05) as scope:
                await ask()
            assert scope.cancelled_caught

        await waits(lambda: client.call_tool("status", {}))
        await waits(lambda: client.read_resource("moored://pins"))
        await waits(lambda: client.get_prompt("preamble"))
        await waits(lambda: client.complete(template, {"name": "id", "value": "no_"}))

    Slow(root).run(1, steps)


@pytest.mark.invariant("I-18")
def test_a_completion_sent_behind_a_write_knows_what_was_written(root: Path) -> None:
    reference = {"ref": {"type": "ref/resource", "uri": "moored://note/{id}"}, "argument": {"name": "id", "value": ""}}
    with spawned(root) as client:
        client.handshake()
        for number in range(30):
            client.write(
                client.call("remember", text=f"Note {number} is written."),
                client.frame("completion/complete", reference),
            )
        answers = sorted((client.read() for _ in range(60)), key=lambda answer: answer["id"])
    written = [answer["result"]["structuredContent"]["id"] for answer in answers[::2]]
    known = [answer["result"]["completion"]["values"] for answer in answers[1::2]]
    assert [sorted(ids) for ids in known] == [sorted(written[: number + 1]) for number in range(30)]


@pytest.mark.invariant("I-18")
def test_a_session_over_http_has_a_queue_of_its_own_also_behind_a_slow_tool_and_a_broken_one(root: Path) -> None:
    slow = Slow(root)
    slow.server.add_tool(broken, name="broken")

    async def run(url: str, token: str) -> None:
        with anyio.fail_after(SOON):
            async with (
                httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=SOON) as http,
                Client(streamable_http_client(url, http_client=http), mode="legacy") as client,
                Client(streamable_http_client(url, http_client=http), mode="legacy") as other,
                anyio.create_task_group() as group,
            ):
                assert (await client.call_tool("broken", {})).is_error
                group.start_soon(client.call_tool, "wait", {})
                await anyio.to_thread.run_sync(slow.begun.wait, SOON)
                with anyio.move_on_after(0.2) as scope:
                    await client.call_tool("pin", {"text": "Cancelled while it waited."})
                assert scope.cancelled_caught
                assert "0 pins" in said(await other.call_tool("status", {}))
                slow.go.set()
                assert "0 pins" in said(await client.call_tool("status", {}))

    with listening(slow.server) as (url, token):
        anyio.run(run, url, token)
    slow.server.access.close()


def broken() -> str:
    raise RuntimeError("the disk is upside down")


@pytest.mark.filterwarnings("ignore:ping is removed:mcp.MCPDeprecationWarning")
def test_a_ping_and_the_lists_wait_for_no_tool(root: Path) -> None:
    async def steps(client: Client) -> None:
        await client.send_ping()
        assert len((await client.list_tools()).tools) == 15
        assert (await client.list_prompts()).prompts

    Slow(root).run(1, steps)


def test_connections_do_not_wait_for_each_other(root: Path) -> None:
    async def steps(_: Client, other: Client) -> None:
        assert "0 pins" in said(await other.call_tool("status", {}))

    Slow(root).run(2, steps)


def test_a_call_that_is_cancelled_while_it_waits_does_nothing_and_holds_up_nobody(root: Path) -> None:
    slow = Slow(root)

    async def steps(client: Client) -> None:
        with anyio.move_on_after(0.1) as scope:
            await client.call_tool("pin", {"text": "Cancelled."})
        assert scope.cancelled_caught
        slow.go.set()
        assert "0 pins" in said(await client.call_tool("status", {}))

    slow.run(1, steps)


def test_nothing_is_kept_of_a_connection_at_rest(root: Path) -> None:
    slow = Slow(root)

    async def steps(client: Client) -> None:
        assert not slow.server.order.idle
        slow.go.set()
        await client.call_tool("status", {})
        assert slow.server.order.idle

    slow.run(1, steps)
