"""Tools, resources, prompts and completion are the same in both eras of the protocol, over every transport."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest
from mcp import Client, MCPError
from mcp.client.subscriptions import ResourceUpdated
from mcp_types import PromptReference, ResourceTemplateReference, ResourceUpdatedNotification

from lab.serving import ERAS, SOON, TRANSPORTS, connected, project, said

EVERYWHERE = [(era, transport) for era in ERAS for transport in TRANSPORTS]

pytestmark = pytest.mark.parametrize(("era", "transport"), EVERYWHERE)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return project(tmp_path)


async def session(client: Client) -> None:
    """What a client asks in one sitting."""
    assert client.server_info.name == "moored"
    assert client.instructions
    assert [tool.name for tool in (await client.list_tools()).tools][:3] == ["recall", "remember", "record"]
    about = ["net/session.py::Session.send"]
    kept = await client.call_tool("remember", {"text": "Sending is tried three times.", "about": about})
    assert not kept.is_error
    assert kept.structured_content
    note = kept.structured_content["id"]

    found = await client.call_tool("recall", {"query": "how often is sending tried"})
    assert found.structured_content
    assert found.structured_content["hits"][0]["id"] == note
    assert "current note" in said(found)

    assert "Sending is tried" in (await client.read_resource(f"moored://note/{note}")).contents[0].text
    assert (
        "Session.send" in (await client.read_resource("moored://symbol/net/session.py::Session.send")).contents[0].text
    )
    with pytest.raises(MCPError, match="There is no note no_nothing"):
        await client.read_resource("moored://note/no_nothing")

    listed = await client.list_resources()
    assert [str(one.uri) for one in listed.resources] == [
        f"moored://{name}" for name in ("pins", "brief", "stale", "map", "status")
    ]
    template = ResourceTemplateReference(type="ref/resource", uri="moored://note/{id}")
    assert (await client.complete(template, {"name": "id", "value": note[:-2]})).completion.values == [note]
    symbols = ResourceTemplateReference(type="ref/resource", uri="moored://symbol/{+name}")
    assert (await client.complete(symbols, {"name": "name", "value": "Sess"})).completion.values[0] == "Session"
    prompt = PromptReference(type="ref/prompt", name="preamble")
    completed = await client.complete(prompt, {"name": "task", "value": "look at gree"})
    assert completed.completion.values == ["look at greet"]

    preamble = await client.get_prompt("preamble", {"task": "how often is sending tried"})
    assert "tried three times" in preamble.messages[0].content.text
    wrong = await client.call_tool("recall", {"question": "x"})
    assert wrong.is_error
    assert said(wrong).startswith("There is no argument 'question'.")


def test_a_client_finds_everything(root: Path, era: str, transport: str) -> None:
    async def run() -> None:
        with anyio.fail_after(SOON):
            async with connected(root, era, transport) as client:
                assert client.protocol_version == ("2025-11-25" if era == "legacy" else "2026-07-28")
                await session(client)

    anyio.run(run)


@pytest.mark.filterwarnings("ignore:resources/:mcp.MCPDeprecationWarning")
def test_a_client_is_told_what_a_write_changed(root: Path, era: str, transport: str) -> None:
    told: list[str] = []

    async def run() -> None:
        heard = anyio.Event()

        async def note(message: object) -> None:
            if isinstance(message, ResourceUpdatedNotification):
                told.append(str(message.params.uri))
                heard.set()

        handler = {"message_handler": note} if era == "legacy" else {}
        with anyio.fail_after(SOON):
            async with connected(root, era, transport, **handler) as client:
                if era == "legacy":
                    await client.subscribe_resource("moored://pins")
                    await client.call_tool("pin", {"text": "Never push to main."})
                    await heard.wait()
                    await client.unsubscribe_resource("moored://pins")
                    await client.call_tool("pin", {"text": "Keep it short."})
                    return
                async with client.listen(resource_subscriptions=["moored://pins"]) as changes:
                    await client.call_tool("pin", {"text": "Never push to main."})
                    async for event in changes:
                        assert isinstance(event, ResourceUpdated)
                        told.append(event.uri)
                        break

    anyio.run(run)
    assert told == ["moored://pins"]
