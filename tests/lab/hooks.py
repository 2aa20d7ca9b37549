"""Running hooks as a host does: real processes, with bounded waits."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ALLOWANCE = 2.0
"""Seconds above its deadline that a hook's process may take to start and to be noticed, on a busy machine."""

PATIENT = "import moored.hook as h; h.DEADLINE = h.START_DEADLINE = 20.0; h.ASK_TIMEOUT = h.POKE_TIMEOUT = 10.0"
"""Code that gives a hook more time: where a test asks what it answers, and not how fast on a busy machine."""

DEADLINES = {"SessionStart": 1.0}
DEADLINE = 0.3


@dataclass(frozen=True, slots=True)
class Called:
    """What a host saw of a hook."""

    status: int
    stdout: bytes
    stderr: bytes
    seconds: float

    @property
    def answer(self) -> dict[str, Any] | None:
        """The one JSON object on stdout, or None when there is nothing; anything else is an error."""
        if not self.stdout:
            return None
        found = json.loads(self.stdout)
        assert isinstance(found, dict)
        assert self.stdout.count(b"\n") == 1
        return found

    @property
    def text(self) -> str:
        """The text that Claude Code hands to the model."""
        return self.answer["hookSpecificOutput"]["additionalContext"] if self.answer else ""


def start(
    store: Path, event: str, *, host: str = "claude-code", first: str = "", env: Mapping[str, str] | None = None
) -> subprocess.Popen[bytes]:
    """Start a hook. `first` is Python code that is run in its process before it."""
    code = f"{first}\nfrom moored.hook import main\nmain()"
    return subprocess.Popen(
        [sys.executable, "-P", "-c", code, host, event],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "MOORED_STORE": str(store), **(env or {})},
    )


def call(
    store: Path,
    event: str,
    payload: object,
    *,
    host: str = "claude-code",
    first: str = "",
    env: Mapping[str, str] | None = None,
) -> Called:
    """Call a hook as a host does, and check what is promised of every call (I-19)."""
    data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    began = time.monotonic()
    with start(store, event, host=host, first=first, env=env) as process:
        stdout, stderr = process.communicate(data, timeout=60)
    called = Called(process.returncode, stdout, stderr, time.monotonic() - began)
    assert called.status == 0
    assert called.stderr == b""
    assert called.answer is None or called.answer
    assert PATIENT in first or called.seconds < DEADLINES.get(event, DEADLINE) + ALLOWANCE
    return called


def ask(store: Path, event: str, payload: object, *, first: str = "", env: Mapping[str, str] | None = None) -> Called:
    """Call a hook that has all the time it needs."""
    return call(store, event, payload, first=f"{PATIENT}\n{first}", env=env)


def prompt(cwd: Path, text: str = "Where does the crane lift?", **more: object) -> dict[str, object]:
    """A prompt, as Claude Code sends it."""
    return {
        "session_id": "s1",
        "cwd": str(cwd),
        "hook_event_name": "UserPromptSubmit",
        "prompt": text,
        "prompt_id": "p1",
        "source": "user",
        **more,
    }


def bash(cwd: Path, output: str = "3 passed", use: str = "toolu_1", **more: object) -> dict[str, object]:
    """A command that was run, as Claude Code sends it."""
    return {
        "session_id": "s1",
        "cwd": str(cwd),
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "make test"},
        "tool_response": {"stdout": output, "stderr": "", "interrupted": False, "isImage": False},
        "tool_use_id": use,
        **more,
    }


def edit(cwd: Path, path: str, use: str = "toolu_2", **more: object) -> dict[str, object]:
    """An edit that is about to be made or was made, as Claude Code sends it."""
    return {
        "session_id": "s1",
        "cwd": str(cwd),
        "tool_name": "Edit",
        "tool_input": {"file_path": str(cwd / path), "old_string": "lift", "new_string": "raise"},
        "tool_response": {"filePath": str(cwd / path)},
        "tool_use_id": use,
        **more,
    }


def session_start(cwd: Path, source: str = "startup") -> dict[str, object]:
    """The start of a session, as Claude Code sends it."""
    return {"session_id": "s2", "cwd": str(cwd), "hook_event_name": "SessionStart", "source": source}
