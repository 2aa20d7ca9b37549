"""Streamable HTTP, guarded before the protocol sees a byte.

Every request passes, in this order: its `Host` must be a name of this server (421), an `Origin` must be this server
itself (403), its bearer token must be right (401), its path must be the one that is served (404), and its body must
come within a size and a time (413, 408). Nothing is answered without the token, preflights included, and no header
opens the server to scripts of other origins.
"""

from __future__ import annotations

import hmac
import ipaddress
import signal
import socket
import sys
import threading
from asyncio import TimerHandle, Transport
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from uvicorn.protocols.http.h11_impl import H11Protocol

from moored.errors import InvalidInput
from moored.server.token import own_token, read_token, token_file

if TYPE_CHECKING:
    from mcp.server import MCPServer
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

DEFAULT_ADDRESS = "127.0.0.1:7667"
PATH = "/mcp"
MAX_BODY = 4 * 1024 * 1024
"""Bytes that the body of a request may have."""

MAX_HEAD = 32 * 1024
"""Bytes that a request may have before its body."""

HEAD_SECONDS = 10.0
"""How long a connection may take to send the head of its next request."""

BODY_SECONDS = 30.0
"""How long a request may take to send its body."""

GRACE_SECONDS = 1
"""How long answers that are under way may take when the server ends."""

MAX_CONNECTIONS = 128
MAX_SESSIONS = 256
LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")


def serve_http(
    server: MCPServer[Any],
    address: str = DEFAULT_ADDRESS,
    *,
    allowed_hosts: Sequence[str] = (),
    token: Path | None = None,
    announce: Callable[[str], object] = sys.stderr.write,
) -> None:
    """Serve until SIGTERM or SIGINT, and end cleanly then.

    `address` is `HOST:PORT`, `HOST` or `PORT`; port 0 takes a free one. `allowed_hosts` are further names, with or
    without a port, by which clients may call this server. `token` is a file that holds the token to ask for; without
    it the user's own token is used, and made if need be. `announce` is told one line with the address that was taken
    and where the token is, never the token.

    Raises `InvalidInput` when the address cannot be taken, when others could reach it and `allowed_hosts` and `token`
    are not both given, and when the token file is not safe.
    """
    listener = listen(address, open_to_others=bool(allowed_hosts and token))
    with listener:
        host, port = listener.getsockname()[:2]
        secret = read_token(token) if token else own_token()
        app = guarded(server, names(host, port, allowed_hosts), secret)
        config = uvicorn.Config(
            app,
            http=_Punctual,
            loop="asyncio",
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            limit_concurrency=MAX_CONNECTIONS,
            timeout_graceful_shutdown=GRACE_SECONDS,
            h11_max_incomplete_event_size=MAX_HEAD,
        )
        running = uvicorn.Server(config)
        _end_on_signals(running)
        shown = f"[{host}]" if ":" in host else host
        announce(f"moored listens at http://{shown}:{port}{PATH}; the token is in {token or token_file()}\n")
        running.run(sockets=[listener])


def listen(address: str, *, open_to_others: bool = False) -> socket.socket:
    """A listening socket at an address. Raises `InvalidInput` where it cannot be had, or others could reach it."""
    ip, port = _parted(address)
    if not (open_to_others or ip.is_loopback):
        raise InvalidInput(
            f"Other machines could reach {ip}. To open the memory to them, name the hosts by which they may call it "
            "and a file with the token that they must send; else listen at 127.0.0.1."
        )
    listener = socket.socket(socket.AF_INET if ip.version == 4 else socket.AF_INET6, socket.SOCK_STREAM)
    try:
        if sys.platform != "win32":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((str(ip), port))
        listener.listen(MAX_CONNECTIONS)
    except OSError as error:
        listener.close()
        raise InvalidInput(f"{address} cannot be listened at: {error.strerror}. Choose another port.") from error
    return listener


def names(host: str, port: int, allowed: Sequence[str] = ()) -> frozenset[str]:
    """The values of a `Host` header that mean a server at this address.

    Raises `InvalidInput` for a name with which every name would be allowed.
    """
    bound = f"[{host}]" if ":" in host else host
    known = {f"{name}:{port}" for name in (*LOOPBACK_NAMES, bound)}
    for name in (one.strip().lower() for one in allowed):
        if not name or "*" in name or "/" in name:
            raise InvalidInput(f"'{name}' is no name of a host. Name each host, such as memory.example:8443.")
        known |= {name} if _has_port(name) else {name, f"{name}:{port}"}
    return frozenset(known)


def guarded(server: MCPServer[Any], hosts: frozenset[str], token: str) -> ASGIApp:
    """The whole application: the protocol behind its guard.

    The SDK's own checks of names are off: they do without a token, know no name written in capitals, and are silently
    not made for a server that listens beyond loopback.
    """
    inner = server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=MAX_BODY,
        max_sessions=MAX_SESSIONS,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    return Guard(inner, hosts, token)


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


def _parted(address: str) -> tuple[ipaddress.IPv4Address | ipaddress.IPv6Address, int]:
    """The two parts of an address; what is not given is as in the default one. Raises `InvalidInput`.

    No name but `localhost` is looked up: what a name leads to can change, and asking would leave the machine.
    """
    default_host, _, default_port = DEFAULT_ADDRESS.rpartition(":")
    if address.isascii() and address.isdigit():
        host, port = default_host, address
    elif _has_port(address):
        host, _, port = address.rpartition(":")
    else:
        host, port = address, default_port
    host = host.removeprefix("[").removesuffix("]")
    try:
        ip = ipaddress.ip_address(default_host if host in ("", "localhost") else host)
    except ValueError:
        ip = None
    if ip is None or not (port.isascii() and port.isdigit() and int(port) < 1 << 16):
        raise InvalidInput(
            f"'{address}' is no address to listen at. Give an IP address and a port: {DEFAULT_ADDRESS} or [::1]:0."
        )
    return ip, int(port)


def _has_port(address: str) -> bool:
    """Whether an address ends in a port: the colons of a bare IPv6 address are part of its host."""
    return address.count(":") == 1 or "]:" in address


def _end_on_signals(running: uvicorn.Server) -> None:
    """Let SIGTERM and SIGINT end the server, whether they come before, while or after uvicorn listens to them."""
    if threading.current_thread() is not threading.main_thread():
        return

    def end(*_: object) -> None:
        running.should_exit = True

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)


class _Punctual(H11Protocol):
    """A connection that is closed when the head of its next request does not come in time.

    uvicorn bounds only the silence between two requests, so a client that sends a byte now and then, or nothing at
    first, would keep its connection for ever.
    """

    _waiting: TimerHandle | None = None

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._wait_for_head()

    def _wait_for_head(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
        self._waiting = self.loop.call_later(HEAD_SECONDS, self._close_if_idle)

    def _close_if_idle(self) -> None:
        # uvicorn's annotation does not say that there is no cycle before the first request.
        if not self.cycle or self.cycle.response_complete:
            self.transport.close()
