"""`go test`: plain, `-v` and `-json`."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, cast

from moored.ledger.output.runs.collect import Run
from moored.ledger.output.view import Found

if TYPE_CHECKING:
    from moored.ledger.output.view import View

MAX_STREAM = 16 * 1024 * 1024

_RESULT = re.compile(rb" *--- (PASS|FAIL|SKIP): (\S+) \((\d[\d.]{0,12}s)\)")
_PACKAGE = re.compile(rb"(ok|FAIL) *\t(\S+)[ \t]+((?:\d[\d.]{0,12}s|\(cached\)|\[[a-z ]+\]).*)")
_NAMES = {b"PASS": "passed", b"FAIL": "failed", b"SKIP": "skipped"}
_ACTIONS = {"pass": "passed", "fail": "failed", "skip": "skipped"}
_NOISE = ("=== ", "--- ")


def text(view: View) -> Found:
    """Read result lines of packages (`go.package.X`) and of tests, which are counted."""
    run = Run(view, "go")
    for marker in (b"ok  \t", b"FAIL\t"):
        for start, end in view.lines_with(marker):
            match = _PACKAGE.fullmatch(view.plain, start, end)
            if match is not None:
                run.value(f"package.{view.text(*match.span(2))}", *match.span(1))
    counts: dict[bytes, list[int]] = {}
    for start, end in view.lines_with(b"--- "):
        match = _RESULT.fullmatch(view.plain, start, end)
        if match is None:
            continue
        count = counts.setdefault(match[1], [0, start, end])
        count[0] += 1
        count[2] = end
        test = view.text(*match.span(2))
        if match[1] == b"FAIL" and run.wants(test):
            run.failure(test, _message(view, end), start, end)
    for word, (count, start, end) in counts.items():
        run.value(_NAMES[word], start, end, str(count))
    return run.found()


def _message(view: View, end: int) -> str:
    """Give the line below a failed test if it is indented under it and no result itself."""
    for start, last in view.lines_from(view.next_line(end), 1):
        line = view.text(start, last)
        if line.startswith("    ") and not line.lstrip().startswith(_NOISE):
            return line.strip()
    return ""


def json_stream(view: View) -> Found:
    """Read the event stream of `go test -json`; a failed test is named `package.Test`."""
    data = view.plain
    if data.lstrip(b"\r\n\t ")[:1] != b"{" or b'"Action":' not in data[:4_096] or b'"Package":' not in data:
        return Found()
    if len(data) > MAX_STREAM:
        return Found(omitted=1)
    run = Run(view, "go")
    counts: dict[str, list[int]] = {}
    messages: dict[str, str] = {}
    offset = 0
    for raw in data.split(b"\n"):
        start, offset = offset, offset + len(raw) + 1
        event = _event(raw)
        test = f"{event.get('Package')}.{event['Test']}" if isinstance(event.get("Test"), str) else ""
        action = event.get("Action")
        if action == "output" and test:
            line = str(event.get("Output", "")).strip()
            if line and test not in messages and not line.startswith(_NOISE):
                messages[test] = line
        elif isinstance(action, str) and action in _ACTIONS:
            end = start + len(raw.rstrip())
            if test:
                count = counts.setdefault(action, [0, start, end])
                count[0] += 1
                count[2] = end
                if action == "fail" and run.wants(test):
                    run.failure(test, messages.get(test, ""), start, end)
            elif isinstance(event.get("Package"), str):
                run.value(f"package.{event['Package']}", start, end, action)
    for action, (count, start, end) in counts.items():
        run.value(_ACTIONS[action], start, end, str(count))
    return run.found()


def _event(raw: bytes) -> dict[str, Any]:
    try:
        event = json.loads(raw)
    except (ValueError, RecursionError):
        return {}
    return cast(dict[str, Any], event) if isinstance(event, dict) else {}
