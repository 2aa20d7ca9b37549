"""Changes: telling clients which resources say something else now, in both eras of the protocol.

A client of the newer era asks once with `subscriptions/listen`, which the SDK serves from a bus of events. One of the
older era names each resource with `resources/subscribe`; what it named is kept here, and it is told from the same bus.
A change is told, not kept: who was not listening reads the resource again. What changes again before a client was told
is told once.
"""

from __future__ import annotations

import threading
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import anyio
import anyio.from_thread
import anyio.lowlevel
from mcp.server.subscriptions import InMemorySubscriptionBus, ResourceUpdated
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_REQUEST,
    EmptyResult,
    ResourceUpdatedNotification,
    ResourceUpdatedNotificationParams,
    SubscribeRequestParams,
    UnsubscribeRequestParams,
)

from moored.server.order import connection_of

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterable

    from mcp.server.context import ServerRequestContext
    from mcp.server.session import ServerSession
    from mcp.server.subscriptions import ServerEvent

SCHEME = "moored://"
MAX_CLIENTS = 256
"""Clients of the older era that are told of changes at once; the one that asked first makes room for another."""

MAX_NAMED = 1_024
"""Resources that one of them may name."""

PATIENCE_S = 5.0
"""How long a client that does not read is waited for before it is passed over with all that it was to be told."""


class Changes:
    """The bus, and the resources that clients of the older era named."""

    def __init__(self) -> None:
        self.bus = InMemorySubscriptionBus()
        self._named: dict[object, tuple[ServerSession, set[str]]] = {}
        self._guard = threading.Lock()
        self._loop: anyio.lowlevel.EventLoopToken | None = None

    async def tell(self, resources: Iterable[str]) -> None:
        """Say that resources (named without their scheme) changed."""
        for resource in resources:
            await self.bus.publish(ResourceUpdated(f"{SCHEME}{resource}"))

    def tell_from_thread(self, resources: Iterable[str]) -> None:
        """Say it from a thread that is none of the loop's. Where nothing is served any more, nobody is told."""
        with self._guard:
            loop = self._loop
        if loop is not None:
            try:
                anyio.from_thread.run(self.tell, tuple(resources), token=loop)
            except RuntimeError:
                return  # the loop has ended

    @asynccontextmanager
    async def served(self) -> AsyncGenerator[None]:
        """Pass changes on to clients of the older era while a server runs."""
        waiting: dict[object, tuple[ServerSession, dict[str, None]]] = {}
        news = anyio.Event()

        def note(event: ServerEvent) -> None:
            if isinstance(event, ResourceUpdated):
                for key, (session, named) in self._named.items():
                    if event.uri in named:
                        waiting.setdefault(key, (session, {}))[1][event.uri] = None
                        news.set()

        async def pass_on() -> None:
            nonlocal news
            while True:
                await news.wait()
                news = anyio.Event()
                while waiting:
                    session, changed = waiting.pop(next(iter(waiting)))
                    with anyio.move_on_after(PATIENCE_S):
                        for uri in changed:
                            await session.send_notification(
                                ResourceUpdatedNotification(params=ResourceUpdatedNotificationParams(uri=uri))
                            )

        with self._guard:
            self._loop = anyio.lowlevel.current_token()
        forget = self.bus.subscribe(note)
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(pass_on)
                yield
                group.cancel_scope.cancel()
        finally:
            forget()
            with self._guard:
                self._loop = None

    async def subscribe(self, ctx: ServerRequestContext[Any, Any], params: SubscribeRequestParams) -> EmptyResult:
        """Serve `resources/subscribe`. Raises `MCPError` beyond what one client may name."""
        key = connection_of(ctx)
        if key not in self._named and len(self._named) >= MAX_CLIENTS:
            del self._named[next(iter(self._named))]
        _, named = self._named.setdefault(key, (ctx.session, set()))
        if len(named) >= MAX_NAMED:
            raise MCPError(INVALID_REQUEST, f"No more than {MAX_NAMED:,} resources can be followed; give one up first.")
        named.add(str(params.uri))
        return EmptyResult()

    async def unsubscribe(self, ctx: ServerRequestContext[Any, Any], params: UnsubscribeRequestParams) -> EmptyResult:
        """Serve `resources/unsubscribe`."""
        key = connection_of(ctx)
        if known := self._named.get(key):
            known[1].discard(str(params.uri))
            if not known[1]:
                del self._named[key]
        return EmptyResult()
