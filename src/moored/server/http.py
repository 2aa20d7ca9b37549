"""Streamable HTTP: where the server listens, by which names it may be called, and how it ends.

What is let in is decided by `moored.server.guard`, before the protocol sees a byte.
"""

from __future__ import annotations

import ipaddress
import signal
import socket
import sys
import threading
from asyncio import TimerHandle, Transport
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from uvicorn.protocols.http.h11_impl import H11Protocol

from moored.errors import InvalidInput
from moored.server.guard import MAX_BODY, PATH, Guard
from moored.server.token import own_token, read_token, token_file

if TYPE_CHECKING:
    from mcp.server import MCPServer
    from starlette.types import ASGIApp

DEFAULT_ADDRESS = "127.0.0.1:7667"

MAX_HEAD = 32 * 1024
"""Bytes that a request may have before its body."""

HEAD_SECONDS = 10.0
"""How long a connection may take to send the head of its next request."""

GRACE_SECONDS = 1
"""How long answers that are under way may take when the server ends."""

MAX_CONNECTIONS = 128
MAX_SESSIONS = 1_024
"""Sessions of the older protocol that are open at once: clients seldom end theirs, and one takes some 40 KB until the
SDK ends it, after half an hour without a request.
"""

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
            log_level="error",
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
