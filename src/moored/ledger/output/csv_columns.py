"""Tables in tool output: CSV, TSV and semicolon-separated text.

Nothing is guessed: a text is a table only if every line has the same number of cells (two or more), there are at
least three lines, and the first holds distinct names that are no numbers and touch their separators.
"""

from __future__ import annotations

import csv
import io
import re

from moored.ledger.output.view import MAX_LINE, Found, View
from moored.model.facts import FactKind

MAX_BYTES = 16 * 1024 * 1024
MAX_COLUMNS = 500
SAMPLES = 3
SAMPLE_WIDTH = 40

_NAME = re.compile(r"[^\W\d][\w .\-/()%#:@+]{0,63}")
_QUOTED = rb'"(?:[^"]|"")*+"'
_CUTTING = re.compile(r"(?:^|[|;&]\s*|\s)(?:grep|rg|awk|tail|sed|cut|shuf|sort)\b")


def extract(view: View, command: str) -> Found:
    """Find the columns of a table; of more than `MAX_BYTES` only the fact of omission is kept.

    `command` may tell that the header line is not to be trusted (`grep`).
    """
    if _CUTTING.search(command):
        return Found()
    data = view.plain
    start = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    end = view.line_end(start)
    if not start < end <= start + MAX_LINE:
        return Found()
    for separator in (b"\t", b",", b";"):
        cells = _header(data[start:end], separator)
        if cells and len(data) > MAX_BYTES:
            return Found(omitted=1)
        if cells:
            rows = _Rows(len(cells))
            if rows.read(data[view.next_line(end) :], separator.decode()):
                return _columns(view, cells, start, rows)
    return Found()


def _header(line: bytes, separator: bytes) -> list[tuple[str, int, int]]:
    """Give the names of a header line with their places in it, or nothing if it is no header."""
    if separator not in line:
        return []
    cell = re.compile(_QUOTED + rb"|[^" + re.escape(separator) + rb"]*+")
    cells: list[tuple[str, int, int]] = []
    position = 0
    while position <= len(line):
        match = cell.match(line, position)
        if match is None or (match.end() < len(line) and line[match.end() : match.end() + 1] != separator):
            return []
        quoted = match[0].startswith(b'"')
        inner = slice(match.start() + quoted, match.end() - quoted)
        name = line[inner].decode("utf-8", "replace")
        if not _NAME.fullmatch(name) or name != name.strip():
            return []
        cells.append((name, inner.start, inner.stop))
        position = match.end() + 1
    names = {name.casefold() for name, _, _ in cells}
    return cells if 2 <= len(cells) == len(names) and len(cells) <= MAX_COLUMNS else []


class _Rows:
    """Counts the rows of a table and keeps the first distinct values of each column."""

    def __init__(self, width: int) -> None:
        self.count = 0
        self.samples: list[list[str]] = [[] for _ in range(width)]

    def read(self, data: bytes, separator: str) -> bool:
        """Read the rows; false as soon as one has another width, or when there are fewer than two."""
        width = len(self.samples)
        lines = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", errors="replace", newline="")
        ended = False
        try:
            for row in csv.reader(lines, delimiter=separator, strict=True):
                if not row:
                    ended = True
                    continue
                if len(row) != width or ended:
                    return False
                self.count += 1
                if self.count <= 100:
                    self._sample(row)
        except csv.Error:
            return False
        return self.count >= 2

    def _sample(self, row: list[str]) -> None:
        for kept, value in zip(self.samples, row, strict=True):
            short = value if len(value) <= SAMPLE_WIDTH else value[: SAMPLE_WIDTH - 1] + "…"
            if short.strip() and len(kept) < SAMPLES and short not in kept:
                kept.append(short)


def _columns(view: View, cells: list[tuple[str, int, int]], start: int, rows: _Rows) -> Found:
    found = Found()
    for (name, first, last), samples in zip(cells, rows.samples, strict=True):
        value = f"{rows.count} values" + (f", e.g. {', '.join(samples)}" if samples else ", all empty")
        found.facts.append(view.fact(FactKind.CSV_COLUMN, name, value, start + first, start + last))
    return found
