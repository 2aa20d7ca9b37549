"""JUnit's XML, read with expat.

A document that declares a type or an entity is refused before anything could be expanded: no report needs one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.parsers import expat

from moored.ledger.output.runs.collect import Run
from moored.ledger.output.view import Found

if TYPE_CHECKING:
    from moored.ledger.output.view import View

_BEGIN = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*+(?:<\?xml[^>]*+>\s*+)?(?:<!--(?:[^-]|-(?!->))*+-->\s*+)*+"
    rb"(?:<testsuites?[\s>]|<!DOCTYPE\s+testsuite)"
)
_TAG = re.compile(rb"<[^<>\"']*+(?:\"[^\"]*+\"[^<>\"']*+|'[^']*+'[^<>\"']*+)*+>")
_COUNTS = {
    "tests": "total",
    "failures": "failed",
    "errors": "errors",
    "skipped": "skipped",
    "disabled": "disabled",
    "time": "duration",
}
_PIECES = 1 << 16


class _Refused(Exception):
    """The document declares a type or an entity."""


def extract(view: View) -> Found:
    """Read a report: the counts of its outermost suites that state some, and each failure or error.

    A test is named `classname::name`. What stands before a fault in the XML is kept.
    """
    if _BEGIN.match(view.plain) is None:
        return Found()
    reader = _Reader(view)
    try:
        for start in range(0, len(view.plain), _PIECES):
            reader.parser.Parse(view.plain[start : start + _PIECES], start + _PIECES >= len(view.plain))
    except _Refused:
        return Found(omitted=1)
    except expat.ExpatError:
        pass
    return reader.run.found()


class _Reader:
    def __init__(self, view: View) -> None:
        self.run = Run(view, "junit")
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters
        self.parser.StartDoctypeDeclHandler = self._refuse
        self.parser.EntityDeclHandler = self._refuse
        self._depth = 0
        self._counted_at = 0
        self._case: tuple[str, int] | None = None
        self._failure: tuple[str, int] | None = None
        self._body: list[str] = []

    def _refuse(self, *_: object) -> None:
        raise _Refused

    def _tag(self, position: int) -> re.Match[bytes] | None:
        return _TAG.match(self.run.view.plain, position)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        position = self.parser.CurrentByteIndex
        if name in ("testsuites", "testsuite") and not self._counted_at and "tests" in attributes:
            self._counted_at = self._depth
            self._counts(position)
        elif name == "testcase":
            owner, test = attributes.get("classname", ""), attributes.get("name", "")
            self._case = (f"{owner}::{test}" if owner else test, position)
        elif name in ("failure", "error") and self._case is not None and self._failure is None:
            self._failure = (attributes.get("message", "").strip(), self._depth)
            self._body = []

    def _counts(self, position: int) -> None:
        tag = self._tag(position)
        if tag is None:
            return
        for attribute, name in _COUNTS.items():
            pattern = re.compile(rb"\s" + attribute.encode() + rb"\s*=\s*[\"']([^\"']{1,40})[\"']")
            match = pattern.search(self.run.view.plain, *tag.span())
            if match is not None:
                self.run.group(name, match, 1)

    def _characters(self, text: str) -> None:
        if self._failure is not None and len(self._body) < 8:
            self._body.append(text)

    def _end(self, name: str) -> None:
        if self._failure is not None and self._depth == self._failure[1] and self._case is not None:
            test, position = self._case
            message = self._failure[0] or "".join(self._body).strip()
            tag = self._tag(position)
            end = tag.end() if tag is not None else position + 1
            if self.run.wants(test):
                self.run.failure(test, message.partition("\n")[0].strip(), position, end)
            self._failure = None
        if name == "testcase":
            self._case = None
        if self._depth == self._counted_at:
            self._counted_at = 0
        self._depth -= 1
