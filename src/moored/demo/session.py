"""The act of the demo in which an agent works: a scripted host calls the hooks, a scripted client the MCP server.

Both are real processes, as a host starts them; what is shown is what the model of that host would see.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

    from mcp import Client

    from moored.demo.edits import Cast
    from moored.demo.promises import Promises
    from moored.memory import Memory

HOST = "claude-code"
COMMAND = "run-tests --fast"
FAILURE = "Exit code 1\nFAILED test_lines.py::test_a_short_line_stays - one character is missing"
CLOSING = "The limit is changed. Next: mend test_lines.py, then run the tests again."
SECRET = "ghp-16C7e42F292c6912E7710c838347Ae178B4a".replace("-", "_")
"""It has the shape of a token and is none; spelled so that no scanner of this text takes it for one either."""

SEARCH = """\
import pathlib, sys
store, words = pathlib.Path(sys.argv[1]), sys.argv[2].encode()
files = [file for file in store.parent.rglob(f"{store.name}*") if file.is_file()]
print(any(words in file.read_bytes() for file in files))
"""
"""The program that looks for words in the files of a store."""

TRIES = 20
"""How often a hook is called again at most."""

PATIENCE = 60.0
"""Seconds that a process or an answer may take before the demo gives up."""

WIDTH = 160
"""Characters of a line that are shown."""


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent at work in the copy: what it is handed by the hooks, and the client by which it asks."""

    memory: Memory
    say: Callable[[str], None]
    promise: Promises

    @property
    def root(self) -> Path:
        return Path(self.memory.tree.root)

    def hears(self, event: str, session: str, payload: dict[str, Any], *, until: str | None = None) -> str:
        """Let the host call a hook and return the text that its model is handed.

        On a busy machine a hook says nothing rather than something late, and what was captured before may still be on
        its way: it is called again, after a longer and longer pause, `until` these words are in the text, or it is
        plain that they will not be.
        """
        told = {"hook_event_name": event, "session_id": session, "cwd": str(self.root), "transcript_path": ""} | payload
        text = ""
        for tried in range(TRIES if until is not None else 1):
            time.sleep(tried / TRIES)
            answer = self._call(event, told)
            text = json.loads(answer)["hookSpecificOutput"]["additionalContext"] if answer else ""
            if until is not None and until in text:
                break
        return text

    def shows(self, what: str, text: str) -> None:
        """Show what the model is handed, without the frame around it and the sentence that says what it is."""
        self.say(f"   {what}")
        for line in text.splitlines()[3:-1] if text else ["nothing"]:
            self.say(f"   | {line if len(line) <= WIDTH else line[:WIDTH] + '...'}".rstrip())

    def recorded(self, words: str) -> None:
        """Wait until something that was said is in the record."""
        for _ in range(TRIES):
            self.memory.absorb()
            if any(words in hit.text for hit in self.memory.recall(words, kinds=["episode"]).hits):
                return
            time.sleep(1 / TRIES)

    @asynccontextmanager
    async def connected(self) -> AsyncGenerator[Client]:
        """A client that is connected to an MCP server of the copy."""
        import anyio
        from mcp import Client, StdioServerParameters, stdio_client

        arguments = ["-P", "-m", "moored", "--project", str(self.root), "serve"]
        server = StdioServerParameters(command=sys.executable, args=arguments, env=self._environment())
        with anyio.fail_after(PATIENCE), Path(os.devnull).open("w") as nowhere:
            async with Client(stdio_client(server, errlog=nowhere)) as client:
                yield client

    def _call(self, event: str, told: dict[str, Any]) -> bytes:
        done = subprocess.run(  # noqa: S603  # our own program, a list of arguments and no shell
            [sys.executable, "-P", "-c", "from moored.hook import main; main()", HOST, event],
            input=json.dumps(told).encode(),
            env=self._environment(),
            capture_output=True,
            timeout=PATIENCE,
            check=True,
        )
        return done.stdout

    def _environment(self) -> dict[str, str]:
        return {**os.environ, "MOORED_STORE": str(self.memory.store.path)}


def work_a_day(agent: Agent, cast: Cast, question: str, note: str, pin: str) -> None:
    """Play a session: its start, a prompt, the agent's own notes, an edit, a failure, a compaction and a restart."""
    import anyio

    agent.say("")
    agent.say("9. An agent works here: its host calls the hooks, the agent itself the MCP server")
    started = agent.hears("SessionStart", "monday", {"source": "startup"}, until=pin)
    agent.shows("the session starts; the model is handed:", started)
    agent.promise("the pin is handed out word for word", f"- {pin}" in started)
    asked = agent.hears("UserPromptSubmit", "monday", {"prompt": f"{question}?", "prompt_id": "m1"}, until=note)
    agent.shows(f"the user asks: {question}? The model is handed:", asked)
    agent.promise("the note comes with the question, and holds", f"{note} [current]" in asked)
    nothing = agent.hears("UserPromptSubmit", "monday", {"prompt": "thanks, go on", "prompt_id": "m2"})
    agent.promise("a prompt that asks for nothing is handed nothing", nothing == "")
    anyio.run(_note, agent, cast)
    _edit(agent, cast, note)
    _compact(agent, cast)
    _restart(agent, note)
    cast.edit.take_back(agent.root)


async def _note(agent: Agent, cast: Cast) -> None:
    text = f"Whoever changes `{cast.edited.name}` also changes its tests."
    asked = f"what to do when {cast.edited.name} changes"
    async with agent.connected() as client:
        agent.say(f"   the agent calls remember: {text}")
        written = await client.call_tool("remember", {"text": text, "about": [cast.edited.address], "kind": "lesson"})
        agent.say(f"   the agent calls recall: {asked}? It is answered:")
        found = await _settled(client, {"query": asked, "kinds": ["note"], "budget": 400})
    for line in _text(found).splitlines():
        agent.say(f"   | {line}")
    wrote: dict[str, Any] = written.structured_content or {}
    agent.promise("what it wrote it finds, with a verdict", f"current note {wrote.get('id')}" in _text(found))


async def _settled(client: Client, arguments: dict[str, Any]) -> Any:
    """The answer to a question once the server has read the tree, which it says as long as it is still doing so."""
    import anyio

    while True:
        found = await client.call_tool("recall", arguments)
        told: dict[str, Any] = found.structured_content or {}
        if not told.get("degraded"):
            return found
        await anyio.sleep(0.1)


def _text(result: Any) -> str:
    return "\n".join(block.text for block in result.content)


def _edit(agent: Agent, cast: Cast, note: str) -> None:
    path = str(agent.root / cast.edit.path)
    call = {"tool_name": "Edit", "tool_input": {"file_path": path, "old_string": cast.edit.old}, "tool_use_id": "e1"}
    before = agent.hears("PreToolUse", "monday", call, until=note)
    agent.shows(f"the agent is about to edit {cast.edit.path}; the model is handed:", before)
    agent.promise("what was said about the function comes before the edit", f"{note} [current]" in before)
    cast.edit.make(agent.root)
    agent.hears("PostToolUse", "monday", {**call, "tool_response": {"filePath": path}})
    run = {"tool_name": "Bash", "tool_input": {"command": COMMAND}, "tool_use_id": "e2"}
    failed = {**run, "error": f"{FAILURE}\nGITHUB_TOKEN={SECRET}"}
    for _ in range(2):
        agent.hears("PostToolUseFailure", "monday", failed)
    agent.hears("Stop", "monday", {"last_assistant_message": CLOSING, "prompt_id": "m1"})
    agent.memory.absorb()
    ran = [
        hit for hit in agent.memory.recall(FAILURE, kinds=["episode"]).hits if "one character is missing" in hit.text
    ]
    agent.promise("an event that the host sends twice is recorded once", len(ran) == 1)
    agent.promise("the token that the tool printed is nowhere on disk", not _stands_in(agent.memory.store.path, SECRET))


def _stands_in(store: Path, words: str) -> bool:
    """Whether words stand in a file of the store, or beside it.

    Another process reads the files: to open and close them here would drop the locks that this process has on them, and
    the next hook would take the log away from under it.
    """
    done = subprocess.run(  # noqa: S603  # our own program, a list of arguments and no shell
        [sys.executable, "-P", "-c", SEARCH, str(store), words], capture_output=True, timeout=PATIENCE, check=True
    )
    return done.stdout.strip() != b"False"


def _compact(agent: Agent, cast: Cast) -> None:
    agent.hears("PostCompact", "monday", {"trigger": "auto", "compact_summary": "We looked at how lines are cut."})
    again = agent.hears("SessionStart", "monday", {"source": "compact"}, until=CLOSING)
    agent.shows("the host compacts the conversation; the model is handed:", again)
    agent.promise("the file that was edited is in it", cast.edit.path in again)
    agent.promise("so are the command that failed and what is next", COMMAND in again and CLOSING in again)


def _restart(agent: Agent, note: str) -> None:
    agent.hears("SessionEnd", "monday", {"reason": "other"})
    started = agent.hears("SessionStart", "tuesday", {"source": "startup"}, until=f"{note} [stale]")
    agent.shows("the next day another session starts; the model is handed:", started)
    agent.promise("what went stale since is said first", f"{note} [stale]" in started)
