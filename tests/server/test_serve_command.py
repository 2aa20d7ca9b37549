"""The command `moored serve`: what it takes, and its two ways of serving."""

from __future__ import annotations

import gc
import json
import signal
import socket
from pathlib import Path

import pytest
from click.testing import CliRunner

from lab.serving import SOON, Frames, project, spawned
from moored.cli.main import cli

LISTEN = "subscriptions/listen"
MODERN = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return project(tmp_path)


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--tools", "defualt"], 3, "Did you mean: default?"),
        (["--allow-host", "memory.example"], 2, "are for HTTP"),
        (["--token-file", __file__], 2, "are for HTTP"),
    ],
)
def test_what_cannot_be_served_is_an_error_and_nothing_is_served(options: list[str], code: int, message: str) -> None:
    done = CliRunner().invoke(cli, ["serve", *options])
    assert done.exit_code == code
    assert message in done.output
    assert gc.isenabled()


def tools_of(client: Frames) -> list[str]:
    client.handshake()
    client.write(client.frame("tools/list"))
    return [tool["name"] for tool in client.read()["result"]["tools"]]


def test_sets_and_single_tools_are_chosen_with_commas(root: Path) -> None:
    with spawned(root, "--tools", "recall, context") as client:
        assert tools_of(client) == ["recall", "brief", "pins"]


def test_a_stream_that_lasts_ends_with_a_server_over_http_and_no_trace_in_its_log(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    with spawned(root, "--http", "0") as client:
        assert client.process.stderr
        address = client.process.stderr.readline().decode().split()[3].rstrip(";")
        token = (tmp_path / "moored" / "http-token").read_text().strip()
        params = {"_meta": META, "notifications": {"resourceSubscriptions": ["moored://pins"]}}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": LISTEN, "params": params})
        place = address.removeprefix("http://").removesuffix("/mcp")
        headers = {
            "Host": place,
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "Mcp-Method": LISTEN,
            "MCP-Protocol-Version": MODERN,
            "Content-Length": str(len(body)),
        }
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        with socket.create_connection(("127.0.0.1", int(place.rpartition(":")[2])), SOON) as stream:
            stream.sendall(f"POST /mcp HTTP/1.1\r\n{head}\r\n{body}".encode())
            heard = b""
            while b"acknowledged" not in heard:
                heard += stream.recv(4_096)
            client.process.send_signal(signal.SIGTERM)
            assert client.process.wait(SOON) == 0
        assert "Traceback" not in client.process.stderr.read().decode()


def test_over_http_it_says_where_it_listens_and_ends_at_a_signal(root: Path) -> None:
    with spawned(root, "--http", "0") as client:
        assert client.process.stderr
        line = client.process.stderr.readline().decode()
        assert line.startswith("moored listens at http://127.0.0.1:")
        client.process.send_signal(signal.SIGTERM)
        assert client.process.wait(SOON) == 0
