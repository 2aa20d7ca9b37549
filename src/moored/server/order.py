"""Order: the requests of one connection take effect one after the other, as they were sent (I-18).

All use of the SDK's middleware, which is provisional in its 2.x releases, is in this file.

A request begins to be handled in the order in which it arrived, and nothing before this middleware waits. So the first
to ask for the lock of its connection is the first that was sent, and the lock is fair. What tells nothing of the memory
(`ping`, `initialize`, `server/discover`, lists, notifications such as a cancellation) and what lasts
(`subscriptions/listen`) does not wait for anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio

if TYPE_CHECKING:
    from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

ORDERED = frozenset({"tools/call", "resources/read", "prompts/get", "completion/complete"})
"""The requests that read or write the memory."""

SESSION_HEADER = "mcp-session-id"


class Order:
    """The locks of the connections of one server. An instance is a middleware of the SDK."""

    def __init__(self) -> None:
        self._locks: dict[object, anyio.Lock] = {}

    @property
    def idle(self) -> bool:
        """Whether no ordered request is being handled or waits."""
        return not self._locks

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Handle a request when those before it on its connection have been handled."""
        key = connection_of(ctx)
        if ctx.request_id is None or ctx.method not in ORDERED or key is None:
            return await call_next(ctx)
        lock = self._locks.setdefault(key, anyio.Lock())
        try:
            async with lock:
                return await call_next(ctx)
        finally:
            now = lock.statistics()
            if not now.locked and not now.tasks_waiting:
                self._locks.pop(key, None)


def connection_of(ctx: ServerRequestContext[Any, Any]) -> object:
    """What is the same for all requests of a connection and for no others; None where each stands alone.

    Over a pipe that is the state of the run. Over HTTP it is the session of the older protocol; in the newer one every
    request is an exchange of its own.
    """
    if ctx.request is None:
        return id(ctx.lifespan_context)
    return ctx.request.headers.get(SESSION_HEADER)
