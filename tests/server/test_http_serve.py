"""`moored serve --http` as a whole: a real process that serves a memory, hooks included, until it is told to end."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from time import monotonic

import pytest

from moored.errors import InvalidInput
from moored.hosts.live import ask
from moored.memory import open_memory
from moored.server.http import serve_http

pytestmark = [pytest.mark.xdist_group("http"), pytest.mark.skipif(os.name != "posix", reason="signals and sockets")]

SOON = 30.0
DECISION = "The harbour opens at six."
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
DIES = """
import subprocess, sys
server = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
print(server.stderr.readline(), end="")
print(server.pid, flush=True)
"""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """A project with one note, and the environment of its user."""

    project: Path
    store: Path
    environment: Mapping[str, str]

    @property
    def command(self) -> list[str]:
        project = ("--project", str(self.project), "--store", str(self.store))
        return [sys.executable, "-m", "moored", *project, "serve", "--http", "127.0.0.1:0"]

    def recall(self, said: str) -> str:
        """What a client of the server that announced itself so is told about the harbour."""
        found = re.search(r"127\.0\.0\.1:(\d+)/mcp; the token is in (.+)\n", said)
        assert found, said
        request = {"name": "recall", "arguments": {"query": "when does the harbour open?"}, "_meta": META}
        headers = {
            "Authorization": f"Bearer {Path(found[2]).read_text().strip()}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2026-07-28",
            "Mcp-Method": "tools/call",
            "Mcp-Name": "recall",
        }
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": request})
        connection = HTTPConnection("127.0.0.1", int(found[1]), timeout=SOON)
        connection.request("POST", "/mcp", body, headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        assert answer.status == 200, text
        return text


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Surroundings]:
    runtime = tempfile.mkdtemp(prefix="m", dir="/tmp")
    monkeypatch.setenv("XDG_RUNTIME_DIR", runtime)
    project = tmp_path / "project"
    project.mkdir()
    (project / "harbour.py").write_text("OPENS = 6\n")
    with open_memory(project, store=tmp_path / "moored.db", dense=False) as memory:
        memory.index()
        memory.remember(DECISION, about=["harbour.py"])
    yield Surroundings(project, tmp_path / "moored.db", {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")})
    shutil.rmtree(runtime)


def pings(store: Path) -> bool:
    """Whether a server of a store answers hooks within the time it may take to begin with that."""
    end = monotonic() + SOON
    while ask(store, {"do": "ping"}, 1.0) is None:
        if monotonic() > end:
            return False
        threading.Event().wait(0.05)
    return True


def test_a_client_asks_the_memory_and_a_signal_ends_the_server(user: Surroundings) -> None:
    with subprocess.Popen(user.command, env=user.environment, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            assert DECISION in user.recall(server.stderr.readline())
            assert pings(user.store)
            server.send_signal(signal.SIGTERM)
            assert server.wait(SOON) == 0
            assert server.stderr.read() == ""
        finally:
            server.kill()
    assert ask(user.store, {"do": "ping"}, 1.0) is None


def test_a_server_outlives_the_process_that_started_it(user: Surroundings) -> None:
    started = subprocess.run(
        [sys.executable, "-c", DIES, *user.command],
        env=user.environment,
        stdout=subprocess.PIPE,
        text=True,
        timeout=SOON,
    )
    said, pid = started.stdout.splitlines(keepends=True)
    try:
        assert pings(user.store)
        assert DECISION in user.recall(said)
    finally:
        os.kill(int(pid), signal.SIGTERM)
    end = monotonic() + SOON
    while ask(user.store, {"do": "ping"}, 1.0) is not None:
        assert monotonic() < end, "the server did not end"


@pytest.mark.parametrize(("hosts", "with_token"), [((), False), (("memory.example",), False), ((), True)])
def test_a_server_that_others_can_reach_needs_both_names_and_a_token(
    tmp_path: Path, hosts: tuple[str, ...], with_token: bool
) -> None:
    token = tmp_path / "token"
    token.touch(0o600)
    token.write_text("t" * 43)
    with pytest.raises(InvalidInput, match="Other machines could reach"):
        serve_http(object(), "[::]:0", allowed_hosts=hosts, token=token if with_token else None)
