"""The Test Anything Protocol, and the test runner of Node.js, which prints it or a summary of its own."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from moored.ledger.output.runs.collect import Run

if TYPE_CHECKING:
    from moored.ledger.output.view import Found, View

_NODE = re.compile(
    rb"(?:#|\xe2\x84\xb9) (tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) (\d{1,12}(?:\.\d{1,12})?)"
)
_NODE_NAMES = {
    b"tests": "total",
    b"suites": "suites",
    b"pass": "passed",
    b"fail": "failed",
    b"cancelled": "cancelled",
    b"skipped": "skipped",
    b"todo": "todo",
    b"duration_ms": "duration_ms",
}
_NODE_MARKERS = tuple(mark + word + b" " for word in _NODE_NAMES for mark in (b"# ", b"\xe2\x84\xb9 "))
_PLAN = re.compile(rb"(?:^|\n)1\.\.(\d{1,9})[ \t\r]*(?=#|\n|\Z)")
_RESULT = re.compile(rb"( *)(not )?ok (\d{1,9})(?: -)?(?: ([^#]*[^#\s]))?(?: *# *(\S+).*)?")
_ERROR = re.compile(rb" +(?:error|message): *(.*)")
_DIAGNOSTIC_LINES = 40


def extract(view: View) -> Found:
    """Read Node's summary if there is one, else the plan and the counted results of a TAP stream."""
    run = Run(view, "node")
    if b"duration_ms " in view.plain:
        for marker in _NODE_MARKERS:
            for start, end in view.lines_with(marker):
                match = _NODE.fullmatch(view.plain, start, end)
                if match is not None:
                    run.group(_NODE_NAMES[match[1]], match, 2)
    by_node = run.summarised
    if not by_node:
        run = Run(view, "tap")
        plan = _PLAN.search(view.plain)
        if plan is None or b"ok 1" not in view.plain:
            return run.found()
        run.group("total", plan, 1)
    _results(run, counted=not by_node)
    return run.found()


def _results(run: Run, *, counted: bool) -> None:
    """Add the failures, and the counts of top-level results where nothing else states them."""
    counts: dict[str, list[int]] = {}
    for start, end in run.view.lines_with(b"ok "):
        match = _RESULT.fullmatch(run.view.plain, start, end)
        if match is None:
            continue
        directive = (match[5] or b"").lower()
        if directive in (b"skip", b"todo"):
            outcome = "skipped" if directive == b"skip" else "todo"
        else:
            outcome = "failed" if match[2] else "passed"
        if not match[1]:
            count = counts.setdefault(outcome, [0, start, end])
            count[0] += 1
            count[2] = end
        name = (match[4] or match[3]).decode("utf-8", "replace")
        if outcome == "failed" and run.wants(name):
            run.failure(name, _message(run.view, end), start, end)
    if counted:
        for outcome, (count, start, end) in counts.items():
            run.value(outcome, start, end, str(count))


def _message(view: View, end: int) -> str:
    """Give the error in the YAML block below a result."""
    block = False
    for start, last in view.lines_from(view.next_line(end), _DIAGNOSTIC_LINES):
        line = view.plain[start:last]
        if line.strip() == b"---":
            block = True
            continue
        if not block or line.strip() == b"...":
            return ""
        match = _ERROR.fullmatch(line)
        if match is None:
            continue
        text = match[1].decode("utf-8", "replace").strip().strip("'\"")
        if text not in ("|-", "|", ">-", ">"):
            return text
        for first, final in view.lines_from(view.next_line(last), 1):
            return view.text(first, final).strip()
    return ""
