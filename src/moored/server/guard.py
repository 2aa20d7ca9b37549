"""What an HTTP request must show before the protocol sees a byte of it.

Every request passes, in this order: its `Host` must be a name of this server (421), an `Origin` must be this server
itself (403), its bearer token must be right (401), its path must be the one that is served (404), and its body must
come within a size and a time (413, 408). Nothing is answered without the token, preflights included, and no header
opens the server to scripts of other origins.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

PATH = "/mcp"
MAX_BODY = 4 * 1024 * 1024
"""Bytes that the body of a request may have."""

BODY_SECONDS = 30.0
"""How long a request may take to send its body."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The answer to a request that is not let through."""

    status: int
    text: str
    headers: tuple[tuple[bytes, bytes], ...] = ()

    async def send(self, send: Send) -> None:
        body = self.text.encode()
        headers = [
            (b"content-type", b"text/plain; charset=utf-8"),
            (b"content-length", b"%d" % len(body)),
            (b"cache-control", b"no-store"),
            (b"connection", b"close"),
            *self.headers,
        ]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": body})


_WRONG_HOST = Refusal(421, "This server does not go by that name.")
_WRONG_ORIGIN = Refusal(403, "Pages of other origins may not call this server.")
_NO_TOKEN = Refusal(
    401,
    "Send the header Authorization: Bearer TOKEN, with the token from the file that the server named at its start.",
    ((b"www-authenticate", b'Bearer realm="moored"'),),
)
_WRONG_TOKEN = Refusal(
    401, "This token is not right.", ((b"www-authenticate", b'Bearer realm="moored", error="invalid_token"'),)
)
_NOT_HERE = Refusal(404, f"Only {PATH} is served here.")
_TOO_LARGE = Refusal(413, f"The body of a request may have {MAX_BODY:,} bytes.")
_TOO_LATE = Refusal(408, "The body of the request did not come in time.")


class Guard:
    """Lets through to `app` what comes from a known name, from no other origin, with the token, and within limits."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str], token: str) -> None:
        self._app = app
        self._hosts = hosts
        self._origins = frozenset(f"{scheme}://{host}" for scheme in ("http", "https") for host in hosts)
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal.send(send)
            return
        try:
            with anyio.fail_after(BODY_SECONDS):
                body = await self._body(scope, receive)
        except TimeoutError:
            await _TOO_LATE.send(send)
            return
        if body is None:
            await _TOO_LARGE.send(send)
            return
        await self._app(scope, _again(body, receive), send)

    def _refusal(self, scope: Scope) -> Refusal | None:
        """Why a request is not let in, judged by its head alone."""
        host = _values(scope, b"host")
        if len(host) != 1 or host[0].lower() not in self._hosts:
            return _WRONG_HOST
        if any(origin.lower() not in self._origins for origin in _values(scope, b"origin")):
            return _WRONG_ORIGIN
        given = _values(scope, b"authorization")
        scheme, _, token = given[0].partition(" ") if len(given) == 1 else ("", "", "")
        if scheme.lower() != "bearer":
            return _NO_TOKEN
        if not hmac.compare_digest(token.strip().encode("latin-1"), self._token):
            return _WRONG_TOKEN
        return None if scope["path"] == PATH else _NOT_HERE

    async def _body(self, scope: Scope, receive: Receive) -> list[Message] | None:
        """The messages that make up the body of a request, None when it is too large."""
        declared = _values(scope, b"content-length")
        if declared and int(declared[0]) > MAX_BODY:
            return None
        messages: list[Message] = []
        size = 0
        while True:
            message = await receive()
            messages.append(message)
            size += len(message.get("body", b""))
            if size > MAX_BODY:
                return None
            if message["type"] != "http.request" or not message.get("more_body", False):
                return messages


def _again(messages: list[Message], receive: Receive) -> Receive:
    """What was received already, then what comes."""
    waiting = iter(messages)

    async def next_message() -> Message:
        message = next(waiting, None)
        return message if message is not None else await receive()

    return next_message


def _values(scope: Scope, name: bytes) -> list[str]:
    return [value.decode("latin-1").strip() for key, value in scope["headers"] if key == name]
