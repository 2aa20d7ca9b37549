"""Every host's adapter against payloads in the host's own shape, and against anything at all.

A fixture holds an event, the payload as the host would send it, the happening that it is read as (members that are
empty are left out; null when nothing is read) and what answers the event (`<TEXT>` stands for the text handed over).
"""

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moored.hosts.fields import fitted
from moored.hosts.port import Adapter, Happening, Moment

HOSTS = ("claude_code", "codex", "cursor", "gemini", "omp", "opencode", "vscode")
FIXTURES = Path(__file__).parent / "fixtures"
SAMPLES = sorted(FIXTURES.glob("*/*.json"))
ADAPTERS: dict[str, Adapter] = {host: import_module(f"moored.hosts.{host}").ADAPTER for host in HOSTS}


def shown(happening: Happening | None) -> dict[str, Any] | None:
    """A happening without its empty members, as a fixture writes it down."""
    if happening is None:
        return None
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in happening._asdict().items()
        if value not in ("", (), None)
    }


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_payload_is_read_and_answered_as_its_fixture_says(path: Path) -> None:
    sample = json.loads(path.read_text())
    adapter = ADAPTERS[path.parent.name]
    assert shown(adapter.read(sample["event"], sample["payload"])) == sample["happening"]
    expected = json.dumps(sample["answer"])
    assert json.dumps(adapter.answer(sample["event"], "<TEXT>")) == expected


def test_every_host_has_a_module_and_a_folder_of_fixtures() -> None:
    assert {path.name for path in FIXTURES.iterdir()} == set(HOSTS)
    assert [adapter.name for adapter in ADAPTERS.values()] == [host.replace("_", "-") for host in HOSTS]


@pytest.mark.parametrize("host", HOSTS)
def test_every_event_of_a_host_has_a_fixture(host: str) -> None:
    shown_events = {json.loads(path.read_text())["event"] for path in (FIXTURES / host).glob("*.json")}
    assert set(ADAPTERS[host].moments) <= shown_events | WITHOUT_TEXT


WITHOUT_TEXT = {"Stop"}
"""Whose text stands in a transcript for some hosts: tested with one in `test_transcript_ends.py`."""


def test_no_member_of_any_happening_holds_the_users_address() -> None:
    for path in SAMPLES:
        sample = json.loads(path.read_text())
        happening = ADAPTERS[path.parent.name].read(sample["event"], sample["payload"])
        assert "@example.org" not in repr(happening)


# Members that a hook may send, with the values that an adapter does something with.
NAMES = sorted({name for path in SAMPLES for name in json.loads(path.read_text())["payload"]} | {"tool_output", "data"})
INNER = [
    "content",
    "file",
    "structuredPatch",
    "stdout",
    "output",
    "exitCode",
    "files",
    "edits",
    "path",
    "command",
    "type",
]
TOOLS = [
    "Bash",
    "Edit",
    "Read",
    "Grep",
    "apply_patch",
    "Shell",
    "MCP:x",
    "run_shell_command",
    "bash",
    "write",
    "mcp__moored_x",
]
TEXTS = st.text(max_size=20) | st.sampled_from(
    [
        "*** Add File: a",
        "<untrusted_context>\n",
        "Output: ",
        "Exit code 7",
        '{"a": [',
        "[1]",
        ".",
        "/",
        "\x00",
        "\ud800",
        *TOOLS,
    ]
)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(TEXTS | st.sampled_from(INNER + NAMES), inner, max_size=4)
        | st.fixed_dictionaries(
            {"type": st.sampled_from(["text", "image", "resource"]), "text": inner, "source": inner}
        )
    ),
    max_leaves=12,
)
EVENTS = sorted({event for adapter in ADAPTERS.values() for event in adapter.moments} | {"", "Unknown"})


@given(
    host=st.sampled_from(HOSTS),
    event=st.sampled_from(EVENTS),
    payload=st.dictionaries(st.sampled_from(NAMES) | TEXTS, ANYTHING, max_size=12),
    tool=st.sampled_from(TOOLS),
)
def test_reading_never_fails_whatever_a_host_sends(host: str, event: str, payload: dict[str, Any], tool: str) -> None:
    for sent in (payload, {**payload, "tool_name": tool, "toolName": tool, "tool": tool}):
        happening = ADAPTERS[host].read(event, sent)
        if happening is None:
            continue
        assert isinstance(happening.moment, Moment)
        texts = [value for value in happening if isinstance(value, str)]
        assert len(texts) == 12
        assert all(isinstance(path, str) and path for path in happening.paths)
        assert happening.at is None or isinstance(happening.at, int)
        assert happening.exit_status is None or isinstance(happening.exit_status, int)


def test_deep_nesting_is_read_like_anything_else() -> None:
    deep: Any = "x"
    for _ in range(20_000):
        deep = [deep]
    for host, adapter in ADAPTERS.items():
        for event in adapter.moments:
            sent = {"tool_name": "Bash", "toolName": "bash", "tool": "bash", "session_id": "s", "input": deep}
            sent |= {"tool_input": deep, "tool_response": deep, "tool_output": deep, "args": deep, "content": deep}
            happening = adapter.read(event, sent)
            assert happening is None or happening.moment, (host, event)


def test_a_hook_of_claude_code_that_cursor_runs_is_the_same_event_as_cursors_own() -> None:
    claude, cursor = ADAPTERS["claude_code"], ADAPTERS["cursor"]
    for name, theirs in (("prompt", "UserPromptSubmit"), ("command_done", "PostToolUse"), ("compacting", "PreCompact")):
        sample = json.loads((FIXTURES / "cursor" / f"{name}.json").read_text())
        assert claude.read(theirs, sample["payload"]) == cursor.read(sample["event"], sample["payload"])
    assert claude.read("Notification", {"cursor_version": "3.7"}) is None


@pytest.mark.parametrize(("host", "event"), [("gemini", "AfterTool"), ("vscode", "PostToolUse")])
def test_calls_that_end_in_one_millisecond_are_told_apart_by_their_input(host: str, event: str) -> None:
    told = {"timestamp": "2026-10-02T09:15:30.250Z", "session_id": "s", "tool_name": "edit"}
    first, again, other = (
        ADAPTERS[host].read(event, {**told, "tool_input": {"path": path}, "tool_response": "ok"})
        for path in ("a.py", "a.py", "b.py")
    )
    assert first is not None
    assert other is not None
    assert first == again
    assert first.event != other.event


def test_a_host_that_runs_the_hooks_of_claude_code_is_answered_in_a_shape_that_it_knows() -> None:
    claude = ADAPTERS["claude_code"]
    for host in ("vscode", "copilot"):
        for event in claude.moments:
            assert claude.guests[host](event, "text") == ADAPTERS["vscode"].answer(event, "text")
    answer = claude.guests["cursor"]("SessionStart", "text")
    assert answer == {**(claude.answer("SessionStart", "text") or {}), "additional_context": "text"}
    assert claude.guests["cursor"]("UserPromptSubmit", "text") is None


@pytest.mark.parametrize(("host", "event"), [("claude_code", "SessionStart"), ("codex", "UserPromptSubmit")])
def test_a_text_over_the_limit_of_a_host_keeps_whole_lines_and_the_end_of_its_frame(host: str, event: str) -> None:
    text = "\n".join(["<moored-memory>", *(f"line {number} " + "ä" * 40 for number in range(400)), "</moored-memory>"])
    answer = ADAPTERS[host].answer(event, text)
    assert answer is not None
    handed = answer["hookSpecificOutput"]["additionalContext"]
    first, *kept, left_out, last = handed.split("\n")
    assert len(handed.encode()) <= 10_000
    assert (first, last) == ("<moored-memory>", "</moored-memory>")
    assert kept == [f"line {number} " + "ä" * 40 for number in range(len(kept))]
    assert left_out == f"[{400 - len(kept)} more lines: this host takes 10000 bytes at most]"
    assert len(kept) > 90


@given(lines=st.lists(st.text(max_size=60)), limit=st.integers(300, 600))
def test_a_framed_text_always_fits_and_loses_whole_lines_only(lines: list[str], limit: int) -> None:
    text = "\n".join(["<moored-memory>", *lines, "</moored-memory>"])
    handed = fitted(text, limit)
    assert len(handed.encode("utf-8", "surrogatepass")) <= limit
    assert handed.endswith("\n</moored-memory>")
    if handed != text:
        kept, _, told = handed.removesuffix("\n</moored-memory>").rpartition("\n")
        assert text.startswith(kept + "\n")
        assert (
            told
            == f"[{text.count(chr(10)) - kept.count(chr(10)) - 1} more lines: this host takes {limit} bytes at most]"
        )


def test_an_answer_to_codex_holds_no_member_that_its_schemas_do_not_know() -> None:
    for event in ADAPTERS["codex"].moments:
        answer = ADAPTERS["codex"].answer(event, "text")
        if answer is not None:
            assert set(answer) == {"hookSpecificOutput"}
            assert answer["hookSpecificOutput"] == {"hookEventName": event, "additionalContext": "text"}


def test_adapters_load_nothing_but_the_standard_library_and_the_form_of_results() -> None:
    code = (
        "import sys\n"
        "known = set(sys.modules)\n"
        f"for host in {HOSTS!r}: __import__('moored.hosts.' + host)\n"
        "loaded = set(sys.modules) - known\n"
        "foreign = {name.partition('.')[0] for name in loaded} - set(sys.stdlib_module_names) - {'moored'}\n"
        "ours = {name for name in loaded if name.startswith('moored.') and not name.startswith('moored.hosts')}\n"
        "print(sorted(foreign | ours - {'moored.errors', 'moored.record', 'moored.record.tool_text'}))\n"
        "print(sorted(loaded & {'datetime', 'socket', 'subprocess'}))\n"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split("\n") == ["[]", "[]", ""]
