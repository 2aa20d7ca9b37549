"""What an agent and its host wait for: each hook as a process, the start of the MCP server, and recall through it.

The store is that of `bench.speed`, with 5,000 notes and 95,000 episodes of Django 5.2, in a git repository as a project
would be. The hooks are those of Claude Code; every event is another one, so that each is recorded. Where npm's
`@modelcontextprotocol/server-memory` is named, its start is measured in turn with that of moored.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.report import Section, table
from bench.sources import unpacked
from bench.speed import DJANGO, LARGE, fill
from bench.texts import Writer, words_of

ROUNDS = 25
DROPPED = 3
"""First samples that are dropped: they put bytecode and pages where later ones find them."""

STARTS = 10
ASKED = 40
PAUSE = 0.25
"""Seconds between two hooks, so that what one leaves behind does not run into the next."""

VERSION = "2025-11-25"

HOOKS = {
    "after a tool": ("PostToolUse", 70),
    "before a prompt": ("UserPromptSubmit", 120),
    "start": ("SessionStart", 150),
}
"""What is measured: the event, and the goal in milliseconds."""


@dataclass(frozen=True, slots=True)
class Figure:
    """Samples of one thing, with the most that their median may be, or None."""

    name: str
    unit: str
    samples: Sequence[float]
    goal: float | None = None

    @property
    def median(self) -> float:
        return statistics.median(self.samples)

    def row(self) -> list[str]:
        goal = "" if self.goal is None else f"{self.goal:,g} {self.unit}"
        met = "" if self.goal is None else ("yes" if self.median <= self.goal else "**no**")
        low, high = min(self.samples), max(self.samples)
        return [
            self.name,
            goal,
            f"{self.median:,.4g} {self.unit}",
            f"{low:,.4g} to {high:,.4g}",
            str(len(self.samples)),
            met,
        ]


@dataclass(frozen=True, slots=True)
class Bench:
    """The tree, the store, and the environment in which everything is started."""

    tree: Path
    store: Path

    @property
    def environment(self) -> dict[str, str]:
        # An installed program has its bytecode beside it.
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        return {**kept, "MOORED_STORE": str(self.store), "XDG_RUNTIME_DIR": str(self.store.parent)}


def run(*, peer: Path | None = None, folder: Path | None = None) -> Section:
    """Measure everything. `peer` is the script of server-memory; `folder` has a `tree` and a store from before."""
    with tempfile.TemporaryDirectory() as scratch:
        if folder is None:
            folder = Path(scratch)
            _prepare(folder)
        bench = Bench(folder / "tree", folder / "moored.db")
        figures = [*_hooks(bench, "no server"), *_starts(Path(scratch), peer)]
        with _served(bench) as served:
            figures += [*_recalls(bench, served), *_hooks(bench, "a server")]
    head = ["figure", "goal", "median", "lowest to highest", "samples", "met"]
    return Section(
        "agents", "Beside an agent", [_text(figures), "", *table(head, [figure.row() for figure in figures])]
    )


def _text(figures: Sequence[Figure]) -> str:
    text = (
        "Whole processes, by the clock, one after another on one machine. The store holds 5,000 notes and 95,000 "
        "episodes beside the ledger of Django 5.2. Every prompt names something of the tree."
    )
    starts = {figure.name: figure.median for figure in figures if figure.name.startswith("spawn to `initialize`")}
    if len(starts) == 2:
        ours, peer = starts.values()
        text += f" moored takes {ours / peer:.1f} times as long to start as server-memory."
    return text


def _prepare(folder: Path) -> None:
    shutil.copytree(unpacked(*DJANGO), folder / "tree")
    for arguments in (
        ["init", "-q"],
        ["add", "-A"],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "Begin"],
    ):
        subprocess.run(["git", *arguments], cwd=folder / "tree", check=True, capture_output=True)
    subprocess.run([sys.executable, "-m", "bench.figures", "index", str(folder)], check=True, capture_output=True)
    fill(folder, *LARGE)


def _hooks(bench: Bench, beside: str) -> Iterator[Figure]:
    writer = Writer(words_of(bench.tree, "django"), 11)
    program = str(Path(sys.executable).with_name("moored-hook"))
    yield Figure(f"bare Python, beside {beside}", "ms", _timed(lambda _: ([sys.executable, "-c", "pass"], {}), bench))
    for name, (event, goal) in HOOKS.items():

        def call(number: int, event: str = event) -> tuple[list[str], dict[str, Any]]:
            return [program, "claude-code", event], _payload(bench, event, number, writer)

        yield Figure(f"hook, {name}, beside {beside}", "ms", _timed(call, bench), goal)
        print(f"measured: hook, {name}, beside {beside}", flush=True)


def _timed(call: Callable[[int], tuple[list[str], dict[str, Any]]], bench: Bench) -> list[float]:
    samples: list[float] = []
    for number in range(ROUNDS + DROPPED):
        command, payload = call(number)
        began = time.perf_counter()
        subprocess.run(
            command, input=json.dumps(payload).encode(), env=bench.environment, check=True, capture_output=True
        )
        samples.append(1000 * (time.perf_counter() - began))
        time.sleep(PAUSE)
    return samples[DROPPED:]


def _payload(bench: Bench, event: str, number: int, writer: Writer) -> dict[str, Any]:
    told = {"hook_event_name": event, "session_id": "bench", "cwd": str(bench.tree), "transcript_path": ""}
    unique = f"{event}-{time.time_ns()}"
    if event == "PostToolUse":
        call = {"tool_name": "Bash", "tool_use_id": unique, "tool_input": {"command": "make test"}}
        return {**told, **call, "tool_response": {"stdout": writer.sized(2_000), "stderr": "", "interrupted": False}}
    if event == "UserPromptSubmit":
        return {**told, "prompt": f"{writer.query()}?", "prompt_id": unique}
    return {**told, "source": "startup", "session_id": f"bench-{number}"}


class Server:
    """A server on a pipe, spoken to in single frames of JSON."""

    def __init__(self, command: Sequence[str], environment: dict[str, str], cwd: Path) -> None:
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, cwd=cwd
        )
        self._number = 0

    def ask(self, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._number += 1
        frame = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": parameters}
        self._process.stdin.write(json.dumps(frame).encode() + b"\n")
        self._process.stdin.flush()
        while line := self._process.stdout.readline():
            answer: dict[str, Any] = json.loads(line)
            if answer.get("id") == self._number:
                return answer
        raise RuntimeError(f"the server ended instead of answering {method}")

    def greet(self) -> None:
        client = {"name": "bench", "version": "1"}
        self.ask("initialize", {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": client})

    def call(self, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        answer = self.ask("tools/call", {"name": tool, "arguments": arguments})
        if "error" in answer or answer["result"].get("isError"):
            raise RuntimeError(f"{tool} failed: {answer}")
        return answer["result"]

    def resident(self) -> float:
        """Megabytes."""
        pages = int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGESIZE") / 1e6

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=10)


def _starts(scratch: Path, peer: Path | None) -> list[Figure]:
    """From spawning a server until `initialize` is answered, with a store that is not there yet; a peer in turn."""
    project = scratch / "new"
    project.mkdir()
    bench = Bench(project, project / "moored.db")
    commands = {"moored": [sys.executable, "-m", "moored", "serve"]}
    if peer:
        commands["server-memory"] = ["node", str(peer)]
    environment = {**bench.environment, "MEMORY_FILE_PATH": str(project / "memory.jsonl")}
    samples: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(STARTS + 1):
        for name, command in commands.items():
            began = time.perf_counter()
            server = Server(command, environment, project)
            server.greet()
            samples[name].append(time.perf_counter() - began)
            server.close()
    print("measured: starts", flush=True)
    goals = {"moored": 1.5}
    return [
        Figure(f"spawn to `initialize` answered, {name}", "s", all_[1:], goals.get(name))
        for name, all_ in samples.items()
    ]


@contextmanager
def _served(bench: Bench) -> Iterator[Server]:
    server = Server([sys.executable, "-m", "moored", "serve"], bench.environment, bench.tree)
    try:
        server.greet()
        yield server
    finally:
        server.close()


def _recalls(bench: Bench, server: Server) -> list[Figure]:
    """Recall through the server, over the notes alone and over everything, and the memory that the server has."""
    writer = Writer(words_of(bench.tree, "django"), 12)
    idle = server.resident()
    server.call("recall", {"query": writer.query()})
    taken: dict[str, list[float]] = {}
    for name, kinds in (("5,000 notes", ["note"]), ("100,000 notes and episodes", ["note", "episode", "fact"])):
        taken[name] = []
        for _ in range(ASKED + DROPPED):
            query = writer.query()
            began = time.perf_counter()
            server.call("recall", {"query": query, "kinds": kinds})
            taken[name].append(1000 * (time.perf_counter() - began))
    print("measured: recall through the server", flush=True)
    notes, everything = taken.items()
    return [
        Figure("resident memory of an idle server", "MB", [idle], 120),
        Figure(f"`recall` through MCP over {notes[0]}", "ms", notes[1][DROPPED:], 30),
        Figure(f"`recall` through MCP over {everything[0]}", "ms", everything[1][DROPPED:]),
        Figure("resident memory of a server after these recalls", "MB", [server.resident()], 300),
    ]
