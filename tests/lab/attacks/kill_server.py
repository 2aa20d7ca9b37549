"""Servers on a pipe and over HTTP, and hooks, are killed at random moments while they write to one store."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPException
from itertools import count
from pathlib import Path
from typing import Any

from lab import hooks, serving
from lab.attack import Attack, Trial
from moored.memory import open_memory

LONGEST = 1.0
"""Seconds that a server lives at most after its first answer."""

HOOKS = 4
"""Hooks that are called, and killed with what they left behind, while the servers write."""

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "lab", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def _trial(seed: int, folder: Path) -> Trial:
    rng = random.Random(seed)  # noqa: S311 - chooses moments
    root = folder / "quay"
    root.mkdir()
    (root / ".moored.toml").write_text("")
    with open_memory(root, store=serving.store_of(root), dense=False) as memory:
        memory.remember("The quay is the first thing that is known.")
    state = folder / "state"
    environment = {**os.environ, "XDG_STATE_HOME": str(state), "XDG_RUNTIME_DIR": str(folder)}
    acknowledged: list[str] = []
    clients = [
        threading.Thread(target=client, args=(root, environment, acknowledged, rng.uniform(0, LONGEST)), daemon=True)
        for client in (_on_a_pipe, _over_http)
    ]
    for client in clients:
        client.start()
    for number in range(HOOKS):
        _hook(root, environment, f"{seed}-{number}", rng.uniform(0, 0.3))
    for client in clients:
        client.join(serving.SOON)
        assert not client.is_alive(), "a client waits for a server that was killed"
    assert acknowledged, "no server answered before it was killed"
    return Trial(len(clients) + HOOKS, tuple(_flaws(root, acknowledged)))


def _flaws(root: Path, acknowledged: list[str]) -> Iterator[str]:
    with open_memory(root, store=serving.store_of(root), dense=False) as memory:
        memory.absorb()
        told = {one.judged.note.head.text for one in memory.notes()}
        yield from (f"acknowledged and lost: {text}" for text in acknowledged if text not in told)
        yield from (f"{one.name}: {one.detail}" for one in memory.doctor(deep=True).checks if one.state == "problem")
        memory.remember("The quay is open again.")


def _texts(who: str) -> Iterator[str]:
    return (f"The {who} berth {number} was taken by ship {number * 7_919}." for number in count())


def _on_a_pipe(root: Path, environment: dict[str, str], acknowledged: list[str], moment: float) -> None:
    with serving.spawned(root, env=environment, start_new_session=True) as server:
        server.handshake()
        killing: threading.Timer | None = None
        for text in _texts("piped"):
            try:
                server.write(server.call("remember", text=text))
                answer = server.read()
            except (AssertionError, OSError):
                return
            assert not answer["result"].get("isError"), answer
            acknowledged.append(text)
            if killing is None:
                killing = _killing(server.process, moment)


def _over_http(root: Path, environment: dict[str, str], acknowledged: list[str], moment: float) -> None:
    command = serving.command(root, "--http", "127.0.0.1:0")
    with subprocess.Popen(
        command, env=environment, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as server:
        try:
            _post_until_it_dies(server, acknowledged, moment)
        finally:
            server.kill()


def _post_until_it_dies(server: subprocess.Popen[str], acknowledged: list[str], moment: float) -> None:
    assert server.stderr
    announced = server.stderr.readline()
    found = re.search(r"127\.0\.0\.1:(\d+)/mcp; the token is in (.+)\n", announced)
    assert found, announced
    token, killing = Path(found[2]).read_text().strip(), None
    for text in _texts("posted"):
        try:
            answer = _posted(int(found[1]), token, {"text": text})
        except (HTTPException, OSError):
            return
        assert not answer["result"].get("isError"), answer
        acknowledged.append(text)
        killing = killing or _killing(server, moment)


def _posted(port: int, token: str, arguments: dict[str, Any]) -> Any:
    headers = {
        "Authorization": f"Bearer {token}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": "remember",
    }
    params = {"name": "remember", "arguments": arguments, "_meta": META}
    connection = HTTPConnection("127.0.0.1", port, timeout=serving.SOON)
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    connection.request("POST", "/mcp", body, headers)
    text = connection.getresponse().read().decode()
    connection.close()
    return json.loads(text.partition("data: ")[2] or text)


def _killing(process: subprocess.Popen[Any], after: float) -> threading.Timer:
    timer = threading.Timer(after, process.kill)
    timer.start()
    return timer


def _hook(root: Path, environment: dict[str, str], number: str, moment: float) -> None:
    """Hand a turn to a hook, and kill it with all that it began."""
    code = "from moored.hook import main\nmain()"
    command = [sys.executable, "-P", "-c", code, "claude-code", "UserPromptSubmit"]
    said = hooks.prompt(root, f"Is berth {number} free?", prompt_id=number)
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**environment, "MOORED_STORE": str(serving.store_of(root))},
        start_new_session=True,
    )
    assert process.stdin
    process.stdin.write(json.dumps(said).encode())
    process.stdin.close()
    threading.Event().wait(moment)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait(serving.SOON)


ATTACKS = (
    Attack(
        name="kill-server",
        promises=("I-01", "I-16", "I-18", "I-19"),
        how="`kill -9` at random moments of a server on a pipe, one over HTTP, and hooks, in one store",
        unit="kills",
        trial=_trial,
        wanted=300,
        short=(1,),
    ),
)
