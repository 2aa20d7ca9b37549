"""Jest, Vitest and Mocha."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from moored.ledger.output.runs.collect import Run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from moored.ledger.output.view import Found, View

_COUNTS = rb"\d{1,9} [a-z]{4,8}"
_JEST = re.compile(rb"(Tests|Test Suites|Snapshots): +(" + _COUNTS + rb"(?:, " + _COUNTS + rb")*)")
_JEST_TIME = re.compile(rb"Time: +(\d[\d.]{0,12} ?m?s)(?:, estimated .*)?")
_JEST_FAILURE = re.compile(rb" {2}\xe2\x97\x8f (.*\S)")
_BULLET = b"  \xe2\x97\x8f "
_ANGLE = b" \xe2\x80\xba "
_JEST_LEVELS = {b"Tests": "", b"Test Suites": "suites.", b"Snapshots": "snapshots."}
_VITEST = re.compile(rb" *(Test Files|Tests) {2}(" + _COUNTS + rb"(?: \| " + _COUNTS + rb")*) \((\d{1,9})\)")
_VITEST_TIME = re.compile(rb" *Duration {2}(\d[\d.]{0,12}m?s)\b.*")
_VITEST_FAILURE = re.compile(rb" *(?:FAIL|\xc3\x97) {1,2}(\S.*)")
_VITEST_LEVELS = {b"Tests": "", b"Test Files": "files."}
_PART = re.compile(rb"(\d{1,9}) ([a-z]+)")
_MOCHA = re.compile(rb" {2}(\d{1,9}) (passing|failing|pending)(?: \((\d{1,9}(?:ms|s|m|h))\))?")
_MOCHA_NAMES = {b"passing": "passed", b"failing": "failed", b"pending": "skipped"}
_MOCHA_FAILURE = re.compile(rb" {2}\d{1,6}\) (.*\S)")
_MOCHA_MESSAGE = re.compile(rb" {5,6}(\S.*)")
_NEARBY_LINES = 12
_FAILURE_LINES = 20_000
_MAX_TITLES = 20


def jest(view: View) -> Found:
    """Read Jest's closing block and the titles of its failures."""
    run = Run(view, "jest")
    for marker in (b"Test Suites: ", b"Tests: ", b"Snapshots: "):
        for start, end in view.lines_with(marker):
            match = _JEST.fullmatch(view.plain, start, end)
            if match is not None and b" total" in match[2]:
                _counts(run, match, _JEST_LEVELS[match[1]])
    if not run.summarised:
        return run.found()
    for start, end in view.lines_with(b"Time: "):
        match = _JEST_TIME.fullmatch(view.plain, start, end)
        if match is not None:
            run.group("duration", match, 1)
    for start, end in view.lines_with(_BULLET):
        match = _JEST_FAILURE.fullmatch(view.plain, start, end)
        if match is not None and _ANGLE in match[1]:
            test = view.text(*match.span(1)).rstrip()
            if run.wants(test):
                run.failure(test, next(_texts(view, view.next_line(end)), ""), start, end)
    return run.found()


def vitest(view: View) -> Found:
    """Read Vitest's closing block and its list of failed tests."""
    run = Run(view, "vitest")
    for marker in (b"Test Files  ", b" Tests  "):
        for start, end in view.lines_with(marker):
            match = _VITEST.fullmatch(view.plain, start, end)
            if match is not None:
                _counts(run, match, _VITEST_LEVELS[match[1]])
                run.group(_VITEST_LEVELS[match[1]] + "total", match, 3)
    if not run.summarised:
        return run.found()
    for start, end in view.lines_with(b" Duration  "):
        match = _VITEST_TIME.fullmatch(view.plain, start, end)
        if match is not None:
            run.group("duration", match, 1)
    for start, end in view.lines_with(b" FAIL  "):
        match = _VITEST_FAILURE.fullmatch(view.plain, start, end)
        if match is not None and b" > " in match[1]:
            test = view.text(*match.span(1)).rstrip()
            if run.wants(test):
                run.failure(test, next(_texts(view, view.next_line(end)), ""), start, end)
    return run.found()


def _counts(run: Run, match: re.Match[bytes], level: str) -> None:
    for part in _PART.finditer(run.view.plain, *match.span(2)):
        run.group(level + part[2].decode("ascii"), part, 1)


def _texts(view: View, offset: int) -> Iterator[str]:
    """Yield the next lines that are not blank."""
    for start, end in view.lines_from(offset, _NEARBY_LINES):
        text = view.text(start, end).strip()
        if text:
            yield text


def mocha(view: View) -> Found:
    """Read the closing block of Mocha's reporters for terminals. Failures are named `suite > test`."""
    run = Run(view, "mocha")
    read_to = 0
    for marker in (b" passing (", b" pending", b" failing"):
        for start, end in view.lines_with(marker):
            match = _MOCHA.fullmatch(view.plain, start, end)
            if match is None or (match[2] != b"passing" and not run.summarised):
                continue
            run.group(_MOCHA_NAMES[match[2]], match, 1)
            run.group("duration", match, 3)
            if match[2] == b"failing" and start >= read_to:
                read_to = _mocha_failures(run, view.next_line(end))
    return run.found()


def _mocha_failures(run: Run, offset: int) -> int:
    """Read the numbered failures: the titles up to a line that ends in a colon, then the message.

    Gives the offset up to which the text was read.
    """
    titles: list[str] = []
    begin = 0
    end = offset
    for start, end in run.view.lines_from(offset, _FAILURE_LINES):
        line = run.view.plain[start:end]
        if _MOCHA.fullmatch(line):
            return start
        header = _MOCHA_FAILURE.fullmatch(line)
        if header is not None:
            titles, begin = [header[1].decode("utf-8", "replace")], start
        elif titles and line.strip():
            text = line.strip().decode("utf-8", "replace")
            if titles[-1].endswith(":"):
                if _MOCHA_MESSAGE.fullmatch(line):
                    titles[-1] = titles[-1][:-1]
                    if run.wants(" > ".join(titles)):
                        run.failure(" > ".join(titles), text, begin, end)
                titles = []
            elif len(titles) < _MAX_TITLES:
                titles.append(text)
    return end
