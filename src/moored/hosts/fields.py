"""How the adapters read what a host sends and shape what it is answered: any member may be missing or of another type.

The last words of the assistant come from the end of a transcript where the event itself does not hold them. Of a
transcript only the end is read, so that a session of any length costs the same.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

from moored.record.tool_text import is_list, is_object

TAIL_BYTES = 512 * 1024
"""How much of the end of a transcript is searched for the assistant's last message."""

_PATHS = ("file_path", "filePath", "notebook_path", "path", "target_file", "target_notebook", "absolute_path")
_PATCHED = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")


def text(payload: Mapping[str, Any], *names: str) -> str:
    """Give the first of the named members that is a text and not empty, or an empty text."""
    for name in names:
        value = payload.get(name)
        if isinstance(value, str) and value:
            return value
    return ""


def number(payload: Mapping[str, Any], name: str) -> int | None:
    """Give a member that is a whole number, else None."""
    value = payload.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def milliseconds(stamp: str) -> int | None:
    """Give a time in ISO 8601 as milliseconds since the epoch, None when it is none or names no time zone."""
    from datetime import datetime

    try:
        time = datetime.fromisoformat(stamp)
        return round(time.timestamp() * 1000) if time.tzinfo else None
    except (ValueError, OverflowError):
        return None


def call_at(stamp: str, tool: str, given: str) -> str:
    """Give what a call is known by that has no id: its time, tool and input. Several may end in one millisecond."""
    return f"{stamp} {tool} {zlib.crc32(given.encode('utf-8', 'surrogatepass')):08x}" if stamp else ""


def member(payload: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Give a member that is an object, else an empty one."""
    value = payload.get(name)
    return value if is_object(value) else {}


def decoded(value: object) -> object:
    """Give what a text holds when it is a JSON object or list, else the value as it is."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def file_paths(arguments: object) -> tuple[str, ...]:
    """Give the paths that an editing tool's input names, each once: under a usual name, or in a list of them."""
    if not is_object(arguments):
        return ()
    found = [text(arguments, *_PATHS)]
    for name in ("files", "paths", "edits", "replacements"):
        entries = arguments.get(name)
        if is_list(entries):
            found += [text(entry, *_PATHS) for entry in entries if is_object(entry)]
            found += [entry for entry in entries if isinstance(entry, str) and name in ("files", "paths")]
    return distinct(found)


def patched_paths(patch: str) -> tuple[str, ...]:
    """Give the paths of the files that a patch in the `apply_patch` format adds, changes, moves or deletes."""
    lines = (line.strip() for line in patch.splitlines())
    return distinct([line[len(mark) :].strip() for line in lines for mark in _PATCHED if line.startswith(mark)])


def distinct(paths: list[str]) -> tuple[str, ...]:
    """Give the paths that are not empty, each once, in their order."""
    return tuple(dict.fromkeys(path for path in paths if path))


def last_assistant_text(transcript: str, *, sidechain: bool = False) -> str:
    """Give the assistant's last message since the last prompt in a transcript of JSON lines, or an empty text.

    Reads at most `TAIL_BYTES` of its end. `sidechain` says that the transcript is that of a sub-agent, whose lines are
    passed over in the transcript of the session itself.
    """
    for record in _records_from_the_end(transcript):
        if record.get("isApiErrorMessage") or (record.get("isSidechain") and not sidechain):
            continue
        inner = record.get("message", record.get("payload", record.get("data")))
        message: Mapping[str, Any] = inner if is_object(inner) else record
        role = (text(message, "role") or text(record, "role", "type")).partition(".")[0]
        spoken = _spoken(message.get("content"))
        if role == "assistant" and spoken:
            return spoken
        if role == "user" and spoken:
            return ""
    return ""


def _spoken(content: object) -> str:
    """Give the texts of a message's content, one under the other. Tool calls, results and thoughts are none."""
    if isinstance(content, str):
        return content
    if not is_list(content):
        return ""
    kinds = ("text", "output_text", "input_text")
    return "\n".join(text(block, "text") for block in content if is_object(block) and block.get("type") in kinds)


def _records_from_the_end(transcript: str) -> Iterator[Mapping[str, Any]]:
    for line in reversed(_tail(transcript).split(b"\n")):
        if not line.startswith(b"{"):
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if is_object(record):
            yield record


def _tail(transcript: str) -> bytes:
    """Give the end of a file, or nothing when there is none that can be read. Never waits, whatever the path names."""
    try:
        handle = os.open(transcript, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except (OSError, ValueError):
        return b""
    try:
        os.lseek(handle, max(0, os.fstat(handle).st_size - TAIL_BYTES), os.SEEK_SET)
        return os.read(handle, TAIL_BYTES)
    except OSError:
        return b""
    finally:
        os.close(handle)


def context(event: str, content: str) -> Mapping[str, Any]:
    """Shape a text as additional context, the way that Claude Code and the hosts that follow it take it."""
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": content}}


def fitted(content: str, limit: int) -> str:
    """Give a framed text within `limit` bytes of UTF-8: whole lines before its last are left out, and that is said.

    A host cuts what is longer itself, in the middle of a line and without the end of the frame.
    """
    if _size(content) <= limit:
        return content
    *lines, last = content.split("\n")
    room = limit - _size(last) - 100
    kept: list[str] = []
    for line in lines:
        room -= _size(line) + 1
        if room < 0:
            break
        kept.append(line)
    return "\n".join([*kept, f"[{len(lines) - len(kept)} more lines: this host takes {limit} bytes at most]", last])


def _size(content: str) -> int:
    return len(content.encode("utf-8", "surrogatepass"))
