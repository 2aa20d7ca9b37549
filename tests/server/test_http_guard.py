"""The HTTP server as the network sees it: a real process, asked with bytes that no polite client would send."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from moored.errors import InvalidInput
from moored.server.guard import MAX_BODY
from moored.server.http import MAX_HEAD, listen, names

pytestmark = pytest.mark.xdist_group("http")

SOON = 30.0
EVERYWHERE = ".".join("0000")
"""Every address of this machine, for which nothing must be bound by mistake."""

SERVER = """
import sys
from pathlib import Path
import moored.server.guard as guard
import moored.server.http as http
from mcp.server import MCPServer

http.HEAD_SECONDS = guard.BODY_SECONDS = float(sys.argv[2])
server = MCPServer("toy", log_level="CRITICAL")

@server.tool()
def echo(text: str) -> str:
    return text

hosts, token = sys.argv[3:4], Path(sys.argv[4]) if sys.argv[4:] else None
say = lambda line: print(line, end="", flush=True)
http.serve_http(server, sys.argv[1], allowed_hosts=hosts, token=token, announce=say)
"""

DISCOVER = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "server/discover",
    "params": {
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
    },
}
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


@dataclass(frozen=True, slots=True)
class Running:
    """A server of our own, its port and the token it asks for."""

    process: subprocess.Popen[str]
    port: int
    token: str
    said: str

    def head(self, **changed: str | None) -> dict[str, str | None]:
        """The headers of a request that is let in, with some of them changed or, with None, left out."""
        usual = {
            "Host": f"127.0.0.1:{self.port}",
            "Authorization": f"Bearer {self.token}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        return {**usual, **{name.replace("_", "-"): value for name, value in changed.items()}}

    def send(
        self, headers: dict[str, str | None], body: bytes = b"", *, method: str = "POST", path: str = "/mcp"
    ) -> tuple[int, str]:
        """One request, exactly as said, and the status and whole text of the answer."""
        given = dict(headers)
        if body:
            given.setdefault("Content-Length", str(len(body)))
        lines = [
            f"{method} {path} HTTP/1.1",
            *(f"{name}: {value}" for name, value in given.items() if value is not None),
        ]
        return self.raw("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body)

    def raw(self, request: bytes) -> tuple[int, str]:
        with socket.create_connection(("127.0.0.1", self.port), SOON) as connection:
            with suppress(BrokenPipeError, ConnectionResetError):  # it may answer and close before all is sent
                connection.sendall(request)
            return answered(connection)


def more(connection: socket.socket) -> bytes:
    """What comes next; nothing when the connection was closed, or cut because the server did not read all."""
    try:
        return connection.recv(65_536)
    except ConnectionResetError:
        return b""


def answered(connection: socket.socket) -> tuple[int, str]:
    """The status and whole text of an answer; status 0 when the connection was closed without one."""
    received = b""
    while b"\r\n\r\n" not in received:
        part = more(connection)
        if not part:
            return 0, ""
        received += part
    head, _, rest = received.partition(b"\r\n\r\n")
    fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
    length = int(fields.get(b"content-length", b"-1"))
    while (len(rest) < length) if length >= 0 else not rest.endswith(b"0\r\n\r\n"):
        part = more(connection)
        if not part:
            break
        rest += part
    return int(head.split(b" ")[1]), (head + b"\n\n" + rest).decode("utf-8", "replace")


@contextmanager
def started(address: str, state: Path, seconds: float = SOON, *allowed: str) -> Iterator[Running]:
    """A server that waits so many seconds for what it is sent. `allowed` are a further host and a token file."""
    environment = {**os.environ, "XDG_STATE_HOME": str(state)}
    command = [sys.executable, "-c", SERVER, address, str(seconds), *allowed]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            said = process.stdout.readline()
            port = int(said.partition("/mcp")[0].rpartition(":")[2])
            token = Path(said.partition("the token is in ")[2].strip()).read_text().strip()
            yield Running(process, port, token, said)
        finally:
            process.kill()


def end(running: Running, number: int = signal.SIGTERM) -> tuple[int, str]:
    """End a server; its exit code and what it wrote to stderr."""
    running.process.send_signal(number)
    _, errors = running.process.communicate(timeout=SOON)
    return running.process.returncode, errors


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with tempfile.TemporaryDirectory() as state, started("127.0.0.1:0", Path(state)) as running:
        yield running
        assert end(running) == (0, "")


@pytest.fixture(scope="module")
def hurried() -> Iterator[Running]:
    with tempfile.TemporaryDirectory() as state, started("127.0.0.1:0", Path(state), 0.5) as running:
        yield running


def body(request: dict[str, object]) -> bytes:
    return json.dumps(request).encode()


def test_a_client_of_the_older_revisions_is_let_in(server: Running) -> None:
    status, text = server.send(server.head(), body(INITIALIZE))
    assert status == 200
    assert '"protocolVersion":"2025-11-25"' in text
    assert "mcp-session-id" in text


def test_a_client_of_the_newest_revision_is_let_in(server: Running) -> None:
    headers = server.head(MCP_Protocol_Version="2026-07-28", Mcp_Method="server/discover")
    status, text = server.send(headers, body(DISCOVER))
    assert status == 200
    assert '"supportedVersions"' in text


def test_the_token_is_announced_as_a_file_and_never_itself(server: Running) -> None:
    assert "http-token" in server.said
    assert server.token not in server.said


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:{port}",
        "127.0.0.1",
        "127.0.0.1:1",
        "127.0.0.1.nip.io:{port}",
        "localhost.:{port}",
        "localhost.evil.example:{port}",
        "0.0.0.0:{port}",
        "2130706433:{port}",
        "127.1:{port}",
        "[::ffff:127.0.0.1]:{port}",
        "127.0.0.1:{port}@evil.example",
        "user@127.0.0.1:{port}",
        "127.0.0.1:{port},evil.example",
        "",
    ],
)
def test_a_name_that_is_not_the_servers_is_misdirected(server: Running, host: str) -> None:
    """With DNS rebinding a page calls a name of its own that leads here."""
    status, text = server.send(server.head(Host=host.format(port=server.port)), body(INITIALIZE))
    assert status == 421
    assert "mcp-session-id" not in text


@pytest.mark.parametrize("host", ["127.0.0.1:{port}", "localhost:{port}", "LOCALHOST:{port}", "[::1]:{port}"])
def test_the_names_of_loopback_are_the_servers(server: Running, host: str) -> None:
    assert server.send(server.head(Host=host.format(port=server.port)), body(INITIALIZE))[0] == 200


def test_a_request_with_two_hosts_or_none_is_not_let_in(server: Running) -> None:
    good = f"Host: 127.0.0.1:{server.port}\r\n"
    rest = f"Authorization: Bearer {server.token}\r\nContent-Length: 0\r\n\r\n"
    assert server.raw(f"POST /mcp HTTP/1.1\r\n{good}Host: evil.example\r\n{rest}".encode())[0] == 400
    assert server.raw(f"POST /mcp HTTP/1.1\r\n{rest}".encode())[0] == 400
    assert server.raw(f"POST /mcp HTTP/1.0\r\n{rest}".encode())[0] == 421


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "https://evil.example:{port}",
        "null",
        "http://localhost:1",
        "http://localhost",
        "http://localhost:{port}.evil.example",
        "http://127.0.0.1:{port}/",
        "file://",
        "moz-extension://localhost:{port}",
        "http://",
    ],
)
def test_a_page_of_another_origin_is_forbidden(server: Running, origin: str) -> None:
    headers = server.head(Origin=origin.format(port=server.port))
    status, text = server.send(headers, body(INITIALIZE))
    assert status == 403
    assert "access-control" not in text.lower()


def test_the_servers_own_origin_is_let_in(server: Running) -> None:
    assert server.send(server.head(Origin=f"http://localhost:{server.port}"), body(INITIALIZE))[0] == 200


def test_a_second_origin_does_not_hide_behind_the_first(server: Running) -> None:
    request = (
        f"POST /mcp HTTP/1.1\r\nHost: localhost:{server.port}\r\nOrigin: http://localhost:{server.port}\r\n"
        f"Origin: http://evil.example\r\nAuthorization: Bearer {server.token}\r\nContent-Length: 0\r\n\r\n"
    )
    assert server.raw(request.encode())[0] == 403


@pytest.mark.parametrize("given", [None, "", "Basic dXNlcjpwdw==", "{token}", "Token {token}"])
def test_without_a_token_a_request_is_told_what_to_send(server: Running, given: str | None) -> None:
    authorization = given.format(token=server.token) if given is not None else None
    status, text = server.send(server.head(Authorization=authorization), body(INITIALIZE))
    assert status == 401
    assert "www-authenticate: bearer" in text.lower()
    assert "file" in text
    assert server.token not in text


@pytest.mark.parametrize(
    "given", ["Bearer", "Bearer wrong", "Bearer {token}x", "Bearer {token} x", "Bearer \xe9", "Bearer {less}"]
)
def test_a_wrong_token_is_refused(server: Running, given: str) -> None:
    authorization = given.format(token=server.token, less=server.token[:-1])
    status, text = server.send(server.head(Authorization=authorization), body(INITIALIZE))
    assert status == 401
    assert 'error="invalid_token"' in text


def test_one_of_two_tokens_is_not_enough(server: Running) -> None:
    request = (
        f"POST /mcp HTTP/1.1\r\nHost: localhost:{server.port}\r\nAuthorization: Bearer {server.token}\r\n"
        "Authorization: Bearer wrong\r\nContent-Length: 0\r\n\r\n"
    )
    assert server.raw(request.encode())[0] == 401


def test_the_scheme_of_the_token_may_be_written_in_any_case(server: Running) -> None:
    assert server.send(server.head(Authorization=f"bearer {server.token}"), body(INITIALIZE))[0] == 200


def test_host_is_judged_before_origin_and_origin_before_the_token(server: Running) -> None:
    everything = server.head(Host="evil.example", Origin="http://evil.example", Authorization=None)
    assert server.send(everything, path="/etc/passwd")[0] == 421
    assert server.send(server.head(Origin="http://evil.example", Authorization=None), path="/etc/passwd")[0] == 403
    assert server.send(server.head(Authorization=None), path="/etc/passwd")[0] == 401
    assert server.send(server.head(), path="/etc/passwd")[0] == 404


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/mcp/",
        "/mcp/../mcp",
        "/../../etc/passwd",
        "/mcp/..%2f..%2fetc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "//mcp",
        "/mcp%00",
        "/.well-known/oauth-protected-resource",
        "http://evil.example/mcp",
        "*",
    ],
)
def test_no_other_path_leads_anywhere(server: Running, path: str) -> None:
    status, text = server.send(server.head(), body(INITIALIZE), path=path)
    assert status == 404
    assert "location:" not in text.lower()


def test_a_preflight_gets_nothing(server: Running) -> None:
    preflight = {"Origin": "http://evil.example", "Access_Control_Request_Method": "POST", "Authorization": None}
    for origin, status in (("http://evil.example", 403), (f"http://localhost:{server.port}", 401)):
        got, text = server.send(server.head(**{**preflight, "Origin": origin}), method="OPTIONS")
        assert got == status
        assert "access-control-allow" not in text.lower()
    got, text = server.send(server.head(), method="OPTIONS")
    assert got == 405
    assert "access-control-allow" not in text.lower()


@pytest.mark.parametrize("method", ["PUT", "PATCH", "TRACE", "CONNECT", "PROPFIND"])
def test_other_methods_are_not_allowed(server: Running, method: str) -> None:
    assert server.send(server.head(), method=method)[0] == 405


def test_a_body_that_is_said_to_be_too_large_is_refused_at_once(server: Running) -> None:
    assert server.send(server.head(Content_Length=str(MAX_BODY + 1)))[0] == 413
    assert server.send(server.head(Content_Length="9" * 19))[0] == 413


def test_a_body_in_chunks_is_refused_where_it_grows_too_large(server: Running) -> None:
    chunk = b"%x\r\n%s\r\n" % (1 << 16, b" " * (1 << 16))
    headers = "\r\n".join(
        f"{name}: {value}" for name, value in {**server.head(), "Transfer-Encoding": "chunked"}.items()
    )
    request = f"POST /mcp HTTP/1.1\r\n{headers}\r\n\r\n".encode() + chunk * (MAX_BODY // (1 << 16) + 2)
    assert server.raw(request)[0] == 413


def test_a_body_of_the_largest_size_is_read(server: Running) -> None:
    request = body(INITIALIZE)
    assert server.send(server.head(), request + b" " * (MAX_BODY - len(request)))[0] == 200


def test_a_body_without_the_token_is_not_waited_for(server: Running) -> None:
    with socket.create_connection(("127.0.0.1", server.port), SOON) as connection:
        connection.sendall(
            f"POST /mcp HTTP/1.1\r\nHost: localhost:{server.port}\r\nContent-Length: {MAX_BODY}\r\n\r\n".encode()
        )
        assert answered(connection)[0] == 401


def test_a_body_that_does_not_come_is_given_up(hurried: Running) -> None:
    with socket.create_connection(("127.0.0.1", hurried.port), SOON) as connection:
        headers = "\r\n".join(f"{name}: {value}" for name, value in {**hurried.head(), "Content-Length": "100"}.items())
        connection.sendall(f"POST /mcp HTTP/1.1\r\n{headers}\r\n\r\n{{".encode())
        assert answered(connection)[0] == 408


@pytest.mark.parametrize("begun", [b"", b"POST /mcp HT", b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nX: "])
def test_a_head_that_does_not_come_is_given_up(hurried: Running, begun: bytes) -> None:
    with socket.create_connection(("127.0.0.1", hurried.port), SOON) as connection:
        connection.sendall(begun)
        assert connection.recv(100) == b""


def test_a_connection_that_is_kept_is_closed_when_nothing_more_comes(hurried: Running) -> None:
    with socket.create_connection(("127.0.0.1", hurried.port), SOON) as connection:
        for _ in range(2):
            request = body(INITIALIZE)
            headers = {**hurried.head(), "Content-Length": str(len(request))}
            lines = "\r\n".join(f"{name}: {value}" for name, value in headers.items())
            connection.sendall(f"POST /mcp HTTP/1.1\r\n{lines}\r\n\r\n".encode() + request)
            assert answered(connection)[0] == 200
        connection.sendall(b"POST ")
        assert connection.recv(100) == b""


def test_a_head_that_is_too_large_is_refused(server: Running) -> None:
    assert server.send(server.head(X="x" * 32 * MAX_HEAD), body(INITIALIZE))[0] in (0, 400)


@pytest.mark.parametrize("request_bytes", [b"\x16\x03\x01\x02\x00\x01", b"GET\r\n\r\n", b"\0" * 100 + b"\r\n\r\n"])
def test_what_is_not_http_is_refused(server: Running, request_bytes: bytes) -> None:
    status, _ = server.raw(request_bytes)
    assert status in (0, 400)
    assert server.send(server.head(), body(INITIALIZE))[0] == 200


def test_an_upgrade_to_a_web_socket_is_not_made(server: Running) -> None:
    headers = server.head(
        Connection="Upgrade", Upgrade="websocket", Sec_WebSocket_Version="13", Sec_WebSocket_Key="eA=="
    )
    assert server.send(headers, method="GET")[0] not in (101, 200)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_cleanly_also_while_a_stream_is_open(tmp_path: Path, number: int) -> None:
    with started("127.0.0.1:0", tmp_path) as running:
        _, text = running.send(running.head(), body(INITIALIZE))
        session = text.lower().partition("mcp-session-id: ")[2].split("\r\n")[0]
        with socket.create_connection(("127.0.0.1", running.port), SOON) as connection:
            headers = running.head(Mcp_Session_Id=session, MCP_Protocol_Version="2025-11-25")
            lines = "\r\n".join(f"{name}: {value}" for name, value in headers.items())
            connection.sendall(f"GET /mcp HTTP/1.1\r\n{lines}\r\n\r\n".encode())
            assert b" 200 " in connection.recv(1000)
            code, errors = end(running, number)
    assert code == 0
    assert "Traceback" not in errors


def test_a_server_listens_on_loopback_of_ipv6(tmp_path: Path) -> None:
    with started("[::1]:0", tmp_path) as running:
        assert f"http://[::1]:{running.port}/mcp" in running.said
        with socket.create_connection(("::1", running.port), SOON) as connection:
            headers = {**running.head(Host=f"[::1]:{running.port}"), "Content-Length": str(len(body(INITIALIZE)))}
            lines = "\r\n".join(f"{name}: {value}" for name, value in headers.items())
            connection.sendall(f"POST /mcp HTTP/1.1\r\n{lines}\r\n\r\n".encode() + body(INITIALIZE))
            assert answered(connection)[0] == 200
        assert end(running)[0] == 0


@pytest.mark.parametrize("address", [f"{EVERYWHERE}:0", "[::]:0", EVERYWHERE, "::", "192.0.2.1:0", "[2001:db8::1]:0"])
def test_others_are_not_let_in_without_being_named(address: str) -> None:
    with pytest.raises(InvalidInput, match="Other machines could reach"):
        listen(address)


def test_a_server_that_is_open_to_others_still_goes_by_its_names_only(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.touch(0o600)
    token.write_text("t" * 43)
    with started(f"{EVERYWHERE}:0", tmp_path, SOON, "memory.example:8443", str(token)) as running:
        assert not (tmp_path / "moored").exists()
        for host, status in (
            ("memory.example:8443", 200),
            (f"127.0.0.1:{running.port}", 200),
            ("memory.example", 421),
            (f"evil.example:{running.port}", 421),
        ):
            assert running.send(running.head(Host=host), body(INITIALIZE))[0] == status
        assert running.send(running.head(Origin="https://memory.example:8443"), body(INITIALIZE))[0] == 200
        assert running.send(running.head(Origin="https://evil.example:8443"), body(INITIALIZE))[0] == 403
        assert running.send(running.head(Authorization=None), body(INITIALIZE))[0] == 401


def test_others_are_let_in_when_that_is_asked_for() -> None:
    with listen(f"{EVERYWHERE}:0", open_to_others=True) as listener:
        assert listener.getsockname()[0] == EVERYWHERE


@pytest.mark.parametrize("address", ["127.0.0.1:0", "127.0.0.1:00", "localhost:0", "0", ":0", "127.0.0.2:0"])
def test_loopback_is_listened_at(address: str) -> None:
    with listen(address) as listener:
        assert listener.getsockname()[1] > 0


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:http", "host.example:80", "0:0", "127.0.0.1:", "127.0.0.1:1.5"],
)
def test_what_is_no_address_is_said(address: str) -> None:
    with pytest.raises(InvalidInput, match="no address"):
        listen(address)


def test_a_port_that_is_taken_is_said() -> None:
    with (
        listen("127.0.0.1:0") as listener,
        pytest.raises(InvalidInput, match="Choose another port"),
    ):
        listen(f"127.0.0.1:{listener.getsockname()[1]}")


def test_further_names_are_taken_with_and_without_a_port() -> None:
    known = names(EVERYWHERE, 7000, ["Memory.example", "proxy.example:8443", "[2001:db8::1]"])
    assert {"memory.example", "memory.example:7000", "proxy.example:8443", "[2001:db8::1]:7000"} <= known
    assert "proxy.example" not in known
    assert "proxy.example:7000" not in known


@pytest.mark.parametrize("name", ["*", "*.example", "", "http://memory.example", "a/b"])
def test_a_name_that_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match="no name of a host"):
        names(EVERYWHERE, 7000, [name])
