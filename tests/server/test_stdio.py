"""A server on a pipe: it begins at once, says nothing but the protocol, and ends with its host."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from statistics import median
from time import monotonic
from typing import Any

import pytest
from mcp_types import INVALID_PARAMS, INVALID_REQUEST

from lab.serving import SOON, Frames, command, opener, project, said, spawned, store_of, until
from moored.server import lifeline

RESTARTS = int(os.environ.get("MOORED_RESTARTS", "10"))
"""How often a server is killed and started again; 50 is what the figures in docs/mcp.md are of."""

GONE_S = 2.0
IDLE_KB = 120_000
RECALLED_KB = 300_000

linux = pytest.mark.skipif(sys.platform != "linux", reason="needs pidfd and /proc")

WRAPPER = """
import subprocess, sys
server = subprocess.Popen(sys.argv[1:])
print(server.pid, flush=True)
server.wait()
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return project(tmp_path)


def resident_kb(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1])
    raise AssertionError("no resident memory is told")


def children(pid: int) -> list[int]:
    found: list[int] = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                stat = (folder / "stat").read_text()
            except OSError:
                continue
            if int(stat.rpartition(")")[2].split()[1]) == pid:
                found.append(int(folder.name))
    return found


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@linux
def test_a_server_ends_with_the_process_that_started_it_though_the_pipe_is_held_open(root: Path) -> None:
    wrapped = [sys.executable, "-c", WRAPPER, *command(root)]
    with subprocess.Popen(wrapped, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as wrapper:
        assert wrapper.stdout
        client = Frames(wrapper)
        pid = client.read()
        assert isinstance(pid, int)
        server = os.pidfd_open(pid)
        try:
            client.handshake()
            client.write(client.call("pin", text="Never push to main."))
            assert said(client.read()).startswith("pinned")
            begun = monotonic()
            wrapper.send_signal(signal.SIGKILL)
            ended, _, _ = select.select([server], [], [], SOON)
            assert ended
            assert monotonic() - begun < GONE_S
        finally:
            os.close(server)
    with opener(root)() as memory:
        assert [pin.text for pin in memory.pins()] == ["Never push to main."]


def test_a_client_that_reads_no_more_ends_it_though_it_holds_its_own_end_open(root: Path) -> None:
    with spawned(root) as client:
        client.handshake()
        assert client.process.stdout
        client.process.stdout.close()
        client.write(client.call("status"))
        assert client.process.wait(SOON) == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly(root: Path, number: signal.Signals) -> None:
    with spawned(root) as client:
        client.handshake()
        client.write(client.call("status"))
        client.read()
        begun = monotonic()
        client.process.send_signal(number)
        assert client.process.wait(SOON) == 0
        assert monotonic() - begun < GONE_S
        assert client.process.stderr
        assert client.process.stderr.read() == b""


def test_the_end_of_the_input_ends_it(root: Path) -> None:
    with spawned(root) as client:
        client.handshake()
        client.write(client.call("recall", query="sending"))
        client.read()
        assert client.process.stdin
        begun = monotonic()
        client.process.stdin.close()
        assert client.process.wait(SOON) == 0
        assert monotonic() - begun < GONE_S


def test_a_client_that_leaves_without_a_word_ends_it(root: Path) -> None:
    with spawned(root) as client:
        assert client.process.stdin
        client.process.stdin.close()
        assert client.process.wait(SOON) == 0


def test_where_nothing_tells_of_its_end_the_parent_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    parents = iter([7, 7, 1])
    monkeypatch.setattr(lifeline, "POLL_S", 0.0)
    monkeypatch.delattr(os, "pidfd_open", raising=False)
    monkeypatch.setattr(os, "getppid", lambda: next(parents))
    lifeline.wait_for_end(7)
    assert list(parents) == []


@linux
def test_killed_and_started_again_it_leaves_no_process_no_lock_and_no_less_memory(root: Path) -> None:
    resident: list[int] = []
    begun: list[int] = []
    for number in range(RESTARTS):
        with spawned(root) as client:
            client.handshake()
            client.write(client.call("pin", text=f"Rule {number} stands."), client.call("recall", query="rule"))
            assert said(client.read()).startswith("pinned: ")
            client.read()
            resident.append(resident_kb(client.process.pid))
            begun += children(client.process.pid)  # git, while it lists files
            client.process.kill()
            client.process.wait(SOON)
    until(lambda: not any(map(is_running, begun)))
    half = RESTARTS // 2
    assert median(resident[half:]) < 1.1 * median(resident[:half])
    with opener(root)() as memory:
        assert len(memory.pins()) == RESTARTS
        memory.pin("The store can be written.")


@linux
def test_it_is_small_at_rest_and_after_answers(root: Path) -> None:
    with spawned(root) as client:
        client.handshake()
        assert resident_kb(client.process.pid) < IDLE_KB
        client.write(client.call("remember", text="Sending is tried thrice.", about=["Session.send"]))
        client.read()
        client.write(client.call("recall", query="how often is sending tried"))
        assert "thrice" in said(client.read())
        assert resident_kb(client.process.pid) < RECALLED_KB


def test_the_handshake_touches_no_store(tmp_path: Path) -> None:
    root = tmp_path / "courier"
    root.mkdir()
    with spawned(root) as client:
        assert client.handshake()["result"]["serverInfo"]["name"] == "moored"
        client.write(client.frame("tools/list"), client.frame("resources/list"), client.frame("prompts/list"))
        assert all("result" in client.read() for _ in range(3))
        assert not store_of(root).exists()
        client.write(client.call("status"))
        assert "0 episodes" in said(client.read())
        assert store_of(root).exists()


def test_a_store_that_cannot_be_opened_is_an_error_of_the_call_and_is_tried_again(root: Path) -> None:
    store = store_of(root)
    sound = store.read_bytes()
    store.write_bytes(b"This is no database, but long enough to be looked at as one." * 100)
    with spawned(root) as client:
        client.handshake()
        client.write(client.call("status"))
        answer = client.read()
        assert answer["result"]["isError"]
        assert str(store) in said(answer)
        store.write_bytes(sound)
        client.write(client.call("status"))
        assert not client.read()["result"]["isError"]


def test_what_is_no_frame_is_passed_over(root: Path) -> None:
    with spawned(root) as client:
        client.handshake()
        client.write(
            b"\n", b"not json\n", b"[]\n", b"null\n", b'{"jsonrpc": "2.0"}\n', b"\xff\xfe\n", client.call("status")
        )
        assert "courier" in said(client.read())


@pytest.mark.parametrize("requested", ["[1]", "{}", "null", "1.5", "true"])
def test_a_cancellation_of_nothing_that_there_can_be_ends_nothing(root: Path, requested: str) -> None:
    odd = '{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": ' + requested + "}}\n"
    with spawned(root) as client:
        client.handshake()
        client.write(odd.encode(), client.call("status"))
        assert "courier" in said(client.read())


def test_half_a_character_is_replaced_and_the_request_is_served(root: Path) -> None:
    with spawned(root) as client:
        client.handshake()
        client.write(
            client.call("pin", text="Cut in the middle: \ud83d, whole: \ud83d\ude80"), client.call("fetch", id="pi_")
        )
        pinned = client.read()["result"]["structuredContent"]["id"]
        client.read()
        client.write(client.call("fetch", id=pinned))
        kept = client.read()["result"]["structuredContent"]["text"]
    assert kept == "Cut in the middle: \ufffd, whole: \U0001f680"


def test_a_request_that_cannot_be_read_is_answered_all_the_same(root: Path) -> None:
    with spawned(root) as client:
        client.handshake()
        client.write(b'{"jsonrpc": "2.0", "id": 77, "method": "tools/list", "params": [1]}\n')
        answer = client.read()
    assert answer["id"] == 77
    assert answer["error"]["code"] == INVALID_REQUEST


def test_what_a_client_does_wrong_fills_no_log(root: Path) -> None:
    with spawned(root) as client:
        client.handshake()
        client.write(client.frame("prompts/get", {"name": "nothing"}), client.frame("nothing/known"))
        assert client.read()["error"]["code"] == INVALID_PARAMS
        client.read()
        client.write(b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": []}}\n')
        assert client.process.stdin
        client.process.stdin.close()
        assert client.process.wait(SOON) == 0
        assert client.process.stderr
        assert client.process.stderr.read() == b""


def test_heavy_modules_are_not_loaded_before_a_question(root: Path) -> None:
    program = (
        "import sys, json\n"
        "from moored.server.app import build\n"
        "import moored.server.stdio\n"
        "build(lambda: None)\n"
        "print(json.dumps([name for name in sys.argv[1:] if name in sys.modules]))\n"
    )
    heavy = ["numpy", "tree_sitter", "tokenizers", "apsw", "moored.memory", "moored.recall.selector"]
    done = subprocess.run([sys.executable, "-c", program, *heavy], capture_output=True, timeout=SOON, check=True)
    assert json.loads(done.stdout) == []


def frames_only(output: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines()]


def test_nothing_but_the_protocol_goes_to_stdout(root: Path) -> None:
    client_says = Frames(subprocess.Popen(["true"]))
    frames = [
        client_says.frame(
            "initialize",
            {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
        ),
        client_says.frame("notifications/initialized", answered=False),
        client_says.call("remember", text="Sending is tried thrice.", about=["Session.send"]),
        client_says.call("recall", query="sending"),
        client_says.call("recall", nothing="x"),
        client_says.call("map"),
        client_says.frame("nothing/known"),
    ]
    client_says.process.wait(SOON)
    done = subprocess.run(command(root), input=b"".join(frames), capture_output=True, timeout=SOON, check=True)
    answers = frames_only(done.stdout)
    assert sorted(answer["id"] for answer in answers if "id" in answer) == [1, 2, 3, 4, 5, 6]
    assert all(answer["jsonrpc"] == "2.0" for answer in answers)


def test_two_servers_lose_no_write(root: Path) -> None:
    with spawned(root) as one, spawned(root) as other:
        for client in (one, other):
            client.handshake()
            client.write(*(client.call("record", content=f"{id(client)} {number}") for number in range(20)))
        kept = {
            json.dumps(client.read()["result"]["structuredContent"]["id"]) for client in (one, other) for _ in range(20)
        }
    assert len(kept) == 40
    with opener(root)() as memory:
        assert memory.status().counts.episodes == 40
