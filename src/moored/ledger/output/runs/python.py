"""pytest (verbose, `-q`, xdist) and unittest."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from moored.ledger.output.runs.collect import Run

if TYPE_CHECKING:
    from moored.ledger.output.view import Found, View

_PYTEST_WORDS = {
    b"passed": "passed",
    b"failed": "failed",
    b"skipped": "skipped",
    b"error": "errors",
    b"errors": "errors",
    b"xfailed": "xfailed",
    b"xpassed": "xpassed",
    b"deselected": "deselected",
    b"warning": "warnings",
    b"warnings": "warnings",
    b"rerun": "rerun",
    b"subtests passed": "subtests-passed",
}
_PYTEST_COUNT = rb"\d{1,9} (?:subtests )?[a-z]{4,10}"
_PYTEST_SUMMARY = re.compile(
    rb"(?:=+ )?((?:" + _PYTEST_COUNT + rb"(?:, " + _PYTEST_COUNT + rb")*)|no tests ran) "
    rb"in (\d{1,9}\.\d\ds(?: \(\d{1,9}(?: days?, \d{1,2})?:\d\d:\d\d\))?)(?: =+)?\r?"
)
_PYTEST_PART = re.compile(rb"(\d{1,9}) ((?:subtests )?[a-z]+)")
_PYTEST_TIME = re.compile(rb" in \d+\.\d\ds")
_PYTEST_FAILURE = re.compile(rb"(?:FAILED|ERROR) (?=[^\s:]*\.py\b)")
_UNITTEST_RAN = re.compile(rb"Ran (\d{1,9}) tests? in (\d{1,9}\.\d{3}s)")
_UNITTEST_RESULT = re.compile(rb"(OK|FAILED|NO TESTS RAN)(?: \(([a-z =,0-9]+)\))?")
_UNITTEST_PART = re.compile(rb"([a-z ]+)=(\d{1,9})")
_UNITTEST_FAILURE = re.compile(rb"(?:FAIL|ERROR): (\S.*)")
_UNITTEST_WORDS = {
    b"failures": "failed",
    b"errors": "errors",
    b"skipped": "skipped",
    b"expected failures": "xfailed",
    b"unexpected successes": "xpassed",
}
_SUMMARY_WIDTH = 1_000
_TRACEBACK_LINES = 200
_RESULT_LINES = 4


def pytest(view: View) -> Found:
    """Read pytest's last line and its short test summary."""
    run = Run(view, "pytest")
    for match in _PYTEST_TIME.finditer(view.plain):
        start = view.plain.rfind(b"\n", max(0, match.start() - _SUMMARY_WIDTH), match.start()) + 1
        _pytest_summary(run, start, match.start())
    if run.summarised or b"= short test summary info =" in view.plain:
        for marker in (b"FAILED ", b"ERROR "):
            for start, end in view.lines_with(marker):
                _pytest_failure(run, start, end)
    return run.found()


def _pytest_summary(run: Run, start: int, middle: int) -> None:
    """Read the line from `start` with the words before ` in 1.23s`, which stand at `middle`."""
    if middle - start > _SUMMARY_WIDTH:
        return
    end = run.view.plain.find(b"\n", middle, middle + _SUMMARY_WIDTH)
    match = _PYTEST_SUMMARY.match(run.view.plain, start)
    if match is None or match.end() != (end if end >= 0 else len(run.view.plain)):
        return
    parts = list(_PYTEST_PART.finditer(run.view.plain, *match.span(1)))
    if any(part[2] not in _PYTEST_WORDS for part in parts):
        return
    for part in parts:
        run.group(_PYTEST_WORDS[part[2]], part, 1)
    if not parts:
        run.group("result", match, 1)
    run.group("duration", match, 2)


def _pytest_failure(run: Run, start: int, end: int) -> None:
    match = _PYTEST_FAILURE.match(run.view.plain, start, end)
    if match is None:
        return
    text = run.view.text(match.end(), end)
    # A parameter may hold the separator, so the end of the parameters is looked for first.
    close = text.find("] - ") if "[" in text.partition(" - ")[0] else -1
    split = close + 1 if close >= 0 else text.find(" - ")
    test, message = (text[:split], text[split + 3 :]) if split >= 0 else (text, "")
    if run.wants(test.strip()):
        run.failure(test.strip(), message.strip(), match.end(), end)


def unittest(view: View) -> Found:
    """Read the end of a run of unittest and its failures."""
    run = Run(view, "unittest")
    for start, end in view.lines_with(b"Ran "):
        match = _UNITTEST_RAN.fullmatch(view.plain, start, end)
        if match is not None:
            run.group("total", match, 1)
            run.group("duration", match, 2)
            _unittest_result(run, view.next_line(end))
    if run.summarised:
        for marker in (b"FAIL: ", b"ERROR: "):
            for start, end in view.lines_with(marker):
                match = _UNITTEST_FAILURE.fullmatch(view.plain, start, end)
                # unittest draws a line of `=` above each failure.
                if match is None or view.plain[max(0, start - 4) : start].strip() not in (b"===", b"=="):
                    continue
                test = view.text(*match.span(1))
                if run.wants(test):
                    run.failure(test, *_unittest_message(view, start, end))
    return run.found()


def _unittest_result(run: Run, offset: int) -> None:
    for start, end in run.view.lines_from(offset, _RESULT_LINES):
        match = _UNITTEST_RESULT.fullmatch(run.view.plain, start, end)
        if match is None:
            continue
        run.group("result", match, 1)
        if match[2]:
            for part in _UNITTEST_PART.finditer(run.view.plain, *match.span(2)):
                word = _UNITTEST_WORDS.get(part[1].strip())
                if word is not None:
                    run.group(word, part, 2)
        return


def _unittest_message(view: View, start: int, end: int) -> tuple[str, int, int]:
    """Give the line that ends the traceback of a failure, and the bytes from its header to there."""
    in_traceback = False
    for first, last in view.lines_from(view.next_line(end), _TRACEBACK_LINES):
        line = view.plain[first:last]
        if line.startswith(b"====="):
            break
        if line.startswith(b"Traceback "):
            in_traceback = True
        elif in_traceback and line[:1].strip():
            return view.text(first, last), start, last
    return "", start, end
