"""What clients are told of changes, also where there are many changes and nobody listens."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import anyio
import pytest
from mcp import MCPError
from mcp_types import SubscribeRequestParams

from lab.serving import SOON
from moored.server import changes
from moored.server.changes import MAX_NAMED, Changes


@dataclass
class Session:
    """A client that is told something when it is let to."""

    told: list[str] = field(default_factory=list)
    reads: anyio.Event = field(default_factory=anyio.Event)

    async def send_notification(self, notification: Any) -> None:
        await self.reads.wait()
        self.told.append(str(notification.params.uri))


def asking(session: Session, connection: str) -> Any:
    request = SimpleNamespace(headers={"mcp-session-id": connection})
    return SimpleNamespace(session=session, request=request)


async def subscribed(told: Changes, session: Session, connection: str, *resources: str) -> None:
    for resource in resources:
        await told.subscribe(asking(session, connection), SubscribeRequestParams(uri=f"moored://{resource}"))


def test_what_changes_again_before_a_client_was_told_is_told_once() -> None:
    told, session = Changes(), Session()

    async def run() -> None:
        with anyio.fail_after(SOON):
            await subscribed(told, session, "one", "pins", "status")
            async with told.served():
                for _ in range(1_000):
                    await told.tell(("status", "pins", "brief"))
                session.reads.set()
                while len(session.told) < 4:
                    await anyio.lowlevel.checkpoint()
                await anyio.wait_all_tasks_blocked()

    anyio.run(run)
    assert session.told == ["moored://status", "moored://pins"] * 2


def test_a_client_that_does_not_read_is_passed_over_for_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "PATIENCE_S", 0.01)
    told, deaf, other = Changes(), Session(), Session()
    other.reads.set()

    async def run() -> None:
        with anyio.fail_after(SOON):
            await subscribed(told, deaf, "deaf", "pins", "status")
            await subscribed(told, other, "other", "pins")
            async with told.served():
                await told.tell(("pins", "status"))
                while not other.told:
                    await anyio.lowlevel.checkpoint()

    anyio.run(run)
    assert (deaf.told, other.told) == ([], ["moored://pins"])


def test_more_than_one_client_may_name_is_refused_and_not_passed_over() -> None:
    told, session = Changes(), Session()

    async def run() -> None:
        await subscribed(told, session, "one", *(f"note/{number}" for number in range(MAX_NAMED)))
        with pytest.raises(MCPError, match="give one up first"):
            await subscribed(told, session, "one", "pins")

    anyio.run(run)
