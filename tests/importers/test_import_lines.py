from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from moored.importers.formats import NAMES, format_of
from moored.importers.lines import lines, prefix_hash
from moored.importers.transcript import Source, Tally, milliseconds


@given(st.binary(max_size=200), st.integers(1, 9), st.integers(1, 30))
def test_lines_are_those_that_a_file_has_however_it_is_read(content: bytes, chunk: int, longest: int) -> None:
    found = list(lines(io.BytesIO(content), chunk=chunk, longest=longest))
    expected = content.split(b"\n")
    if not expected[-1]:
        expected.pop()
    assert [line.content for line in found] == [one if len(one) <= longest else None for one in expected]
    assert [line.number for line in found] == list(range(1, len(expected) + 1))
    for line in found:
        assert content[line.start : line.end].removesuffix(b"\n") == expected[line.number - 1]
        assert line.ended == content[: line.end].endswith(b"\n")


@given(st.lists(st.binary(max_size=20).filter(lambda one: b"\n" not in one), min_size=1), st.data())
def test_reading_goes_on_where_it_stopped(rows: list[bytes], data: st.DataObject) -> None:
    content = b"".join(row + b"\n" for row in rows)
    whole = list(lines(io.BytesIO(content), chunk=7))
    stop = data.draw(st.integers(0, len(whole) - 1))
    assert list(lines(io.BytesIO(content), whole[stop].start, whole[stop].number - 1)) == whole[stop:]


def test_a_hash_of_a_beginning_tells_a_shorter_file_from_a_longer_one() -> None:
    assert prefix_hash(io.BytesIO(b"abcdef"), 3) == prefix_hash(io.BytesIO(b"abcxyz"), 3)
    assert prefix_hash(io.BytesIO(b"ab"), 3) != prefix_hash(io.BytesIO(b"abc"), 3)


def test_times_are_read_in_every_form_that_hosts_write() -> None:
    assert milliseconds("2026-03-02T09:00:00.250Z") == 1_772_442_000_250
    assert milliseconds("2026-03-02T10:00:00.250+01:00") == 1_772_442_000_250
    assert milliseconds("2026-03-02T09:00:00.250") == 1_772_442_000_250
    assert milliseconds(1_772_442_000) == milliseconds(1_772_442_000_000) == 1_772_442_000_000
    for none in ("yesterday", "", None, True, -5, float("nan"), float("inf"), [], 10**20):
        assert milliseconds(none) is None


_KEYS = st.sampled_from(
    (
        *("type", "message", "content", "role", "payload", "data", "id", "text", "uuid", "toolUseResult", "input"),
        *("tool_use_id", "name", "toolCalls", "result", "$set", "$rewindTo", "messages", "info", "parts", "state"),
        *("output", "toolRequests", "attachment", "prompt", "arguments", "source", "directories", "timestamp", "args"),
    )
)
_WORDS = st.sampled_from(
    (
        *("user", "assistant", "tool", "text", "tool_use", "tool_result", "attachment", "queued_command", "system"),
        *("response_item", "event_msg", "session_meta", "message", "function_call", "function_call_output", "gemini"),
        *("exec_command_end", "mcp_tool_call_end", "compacted", "user.message", "assistant.message", "completed"),
        *(
            "tool.execution_complete",
            "session.start",
            "tool-call",
            "tool-result",
            "2026-03-02T09:00:00Z",
            "{",
            "\ud800",
        ),
    )
)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | _WORDS | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=5),
    max_leaves=25,
)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(NAMES), st.lists(st.dictionaries(_KEYS, _JSON, max_size=6), max_size=6))
def test_no_record_whatever_it_holds_stops_a_parser(host: str, records: list[dict[str, Any]]) -> None:
    form = format_of(host)
    parser = form.parser(Source(Path("x/s.jsonl")), Tally(), {})
    for record in records:
        form.fits(record)
        for event in parser.read(record):
            assert isinstance(event.text, str)
            assert isinstance(event.tool_input, str)
            assert isinstance(event.session, str)
    list(parser.finish())
    assert json.dumps(dict(parser.carried()))


@given(st.sampled_from(["claude-code", "gemini", "swe-agent"]), _JSON)
def test_no_document_whatever_it_holds_stops_a_format(host: str, document: object) -> None:
    form = format_of(host)
    assert form.unpack is not None
    parser = form.parser(Source(Path("x/s.json")), Tally(), {})
    for record in form.unpack(document):
        list(parser.read(record))
    list(parser.finish())


_IMPORT = """
import pathlib, resource, sys
import moored

def peak():
    # Where it can be told, without what the parent had resident when it made this process.
    status = pathlib.Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return int(status.read_text().partition("VmHWM:")[2].split()[0]) // 1024

with moored.open(sys.argv[2], store=sys.argv[3], dense=False) as memory:
    begin = peak()
    done = memory.import_transcripts("claude-code", pathlib.Path(sys.argv[1]))
print(done.turns, peak() - begin)
"""


def test_a_large_transcript_comes_in_within_a_bounded_memory(tmp_path: Path) -> None:
    """20 MB; read as a whole it would take four times as much and more."""
    path, root = tmp_path / "s.jsonl", tmp_path / "p"
    root.mkdir()
    text = "The courier waits at the quay until the tide is high enough to leave. " * 280
    with path.open("w") as out:
        for number in range(1_000):
            line = {"type": "user", "uuid": f"u{number}", "sessionId": "s", "cwd": str(root)}
            out.write(json.dumps({**line, "message": {"role": "user", "content": f"{number} {text}"}}) + "\n")
    assert path.stat().st_size > 19_000_000
    command = [sys.executable, "-c", _IMPORT, str(path), str(root), str(tmp_path / "m.db")]
    turns, megabytes = subprocess.run(command, check=True, capture_output=True, text=True, timeout=100).stdout.split()
    assert int(turns) == 1_000
    assert int(megabytes) < 60
