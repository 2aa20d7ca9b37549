"""`cargo test` and `cargo nextest`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from moored.ledger.output.runs.collect import Run

if TYPE_CHECKING:
    from moored.ledger.output.view import Found, View

_CARGO = re.compile(
    rb"test result: (?P<result>ok|FAILED)\. (?P<passed>\d{1,9}) passed; (?P<failed>\d{1,9}) failed; "
    rb"(?P<skipped>\d{1,9}) ignored; (?P<measured>\d{1,9}) measured; (?P<filtered>\d{1,9}) filtered out"
    rb"(?:; finished in (?P<duration>\d[\d.]{0,12}s))?"
)
_CARGO_FIELDS = ("result", "passed", "failed", "skipped", "duration")
_CARGO_FAILURE = re.compile(rb"test (\S.*?)(?: - should panic)? \.\.\. FAILED")
_CARGO_OUTPUT = re.compile(rb"---- (\S.*?) stdout ----")
_NEXTEST = re.compile(
    rb" *Summary \[ *(?P<duration>\d[\d.]{0,12}s)\] (?P<total>\d{1,9})(?:/\d{1,9})? tests? run: "
    rb"(?P<passed>\d{1,9}) passed(?: \([^)]*\))?(?:, (?P<failed>\d{1,9}) failed)?"
    rb"(?:, (?P<errors>\d{1,9}) exec failed)?(?:, (?P<timeouts>\d{1,9}) timed out)?(?:, (?P<skipped>\d{1,9}) skipped)?"
)
_NEXTEST_FIELDS = ("total", "passed", "failed", "errors", "timeouts", "skipped", "duration")
_NEXTEST_FAILURE = re.compile(rb" *(?:FAIL|TIMEOUT|SIG[A-Z]+) \[ *[\d.]{1,12}s\] (?:\([\d/ ]+\) )?(\S.*\S)")
_OUTPUT_LINES = 30


def cargo(view: View) -> Found:
    """Read each `test result:` line (one for each test binary) and the failures with their panics."""
    run = Run(view, "cargo")
    for start, end in view.lines_with(b"test result: "):
        match = _CARGO.fullmatch(view.plain, start, end)
        if match is not None:
            for field in _CARGO_FIELDS:
                run.group(field, match, field)
    if not run.summarised:
        return run.found()
    messages: dict[bytes, str] = {}
    for start, end in view.lines_with(b"---- "):
        match = _CARGO_OUTPUT.fullmatch(view.plain, start, end)
        if match is not None and match[1] not in messages:
            messages[match[1]] = _panic(view, view.next_line(end))
    for start, end in view.lines_with(b"... FAILED"):
        match = _CARGO_FAILURE.fullmatch(view.plain, start, end)
        if match is not None and run.wants(view.text(*match.span(1))):
            run.failure(view.text(*match.span(1)), messages.get(match[1], ""), start, end)
    return run.found()


def _panic(view: View, offset: int) -> str:
    """Give the message of the panic in the captured output of a test, of either form that Rust has printed."""
    panicked = False
    for start, end in view.lines_from(offset, _OUTPUT_LINES):
        line = view.plain[start:end]
        if panicked:
            return view.text(start, end).strip()
        if line.startswith(b"---- "):
            return ""
        if b" panicked at " in line:
            _, inline, rest = view.text(start, end).partition(" panicked at '")
            if inline:
                return rest.rpartition("', ")[0] or rest
            panicked = True
    return ""


def nextest(view: View) -> Found:
    """Read nextest's summary line and its failed tests, named `binary test`."""
    run = Run(view, "nextest")
    for start, end in view.lines_with(b" Summary ["):
        match = _NEXTEST.fullmatch(view.plain, start, end)
        if match is not None:
            for field in _NEXTEST_FIELDS:
                run.group(field, match, field)
    if run.summarised:
        for marker in (b" FAIL [", b" TIMEOUT [", b" SIG"):
            for start, end in view.lines_with(marker):
                match = _NEXTEST_FAILURE.fullmatch(view.plain, start, end)
                if match is not None and run.wants(view.text(*match.span(1))):
                    run.failure(view.text(*match.span(1)), "", start, end)
    return run.found()
