"""Unified diffs: each hunk, and what git says of whole files (new, deleted, renamed, binary).

A hunk is named `path@@-a,b+c,d`; its value is its header with the lines it adds and removes. The counts in the
header say how many lines belong to it, so a removed line that looks like a file header is not taken for one.
Combined diffs (`@@@`) are read with one column for each parent.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from moored.ledger.output.view import Found, View
from moored.model.facts import FactKind

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_HUNKS = 2_000

_HUNK = re.compile(rb"(@@+)((?: -\d{1,9}(?:,\d{1,9})?)+) \+(\d{1,9}(?:,\d{1,9})?) \1(?:[ \t][^\n]*)?")
_GIT = re.compile(rb"diff --(?:git a/(.+) b/(.+)|(?:cc|combined) (.+))")
_STAMP = re.compile(r"\t.*$", re.DOTALL)
_NOTES = (b"new file mode ", b"deleted file mode ", b"rename from ", b"copy from ")
_STARTS = (b"diff --", b"--- ", b"Index: ")


def extract(view: View) -> Found:
    """Find the hunks and file notes of all diffs in an output."""
    found = Found()
    reader = _Reader(view, found)
    offset = _first_line(view)
    while offset is not None and offset < len(view.plain):
        end = view.line_end(offset)
        offset = reader.line(offset, end)
        if found.omitted:
            # What follows is only counted, at the speed of a byte search.
            found.omitted += view.plain.count(b"\n@@ -", max(0, offset - 1))
            break
    return found


def _first_line(view: View) -> int | None:
    """Give where the first file header starts, or None when there is no sign of a diff."""
    data = view.plain
    if b"@@ -" not in data and b"diff --git " not in data:
        return None
    places = [0 if data.startswith(start) else data.find(b"\n" + start) + 1 for start in _STARTS]
    known = [place for place in places if place or data.startswith(_STARTS)]
    return min(known, default=None)


class _Reader:
    """Follows the headers of a diff. `_old` and `_new` are the paths of the file at hand, empty outside one."""

    def __init__(self, view: View, found: Found) -> None:
        self._view = view
        self._found = found
        self._old = ""
        self._new = ""

    def line(self, start: int, end: int) -> int:
        """Read the line at `start` and give where to read on."""
        data = self._view.plain
        following = self._view.next_line(end)
        mark = data[start : start + 1]
        if mark == b"@" and self._new:
            hunk = _HUNK.fullmatch(data[start:end])
            if hunk is not None:
                return self._hunk(hunk, start, end)
        elif mark == b"d" and data.startswith((b"diff --", b"deleted "), start):
            self._header(start, end)
        elif mark in (b"n", b"r", b"c", b"B", b"G"):
            self._file_note(start, end)
        elif mark == b"-" and data.startswith(b"--- ", start):
            after = self._view.line_end(following)
            if data.startswith(b"+++ ", following):
                self._old = self._path(start + 4, end, "a/")
                self._new = self._path(following + 4, after, "b/")
                return self._view.next_line(after)
        return following

    def _header(self, start: int, end: int) -> None:
        match = _GIT.fullmatch(self._view.plain[start:end])
        if match is None:
            self._file_note(start, end)
            return
        self._old = (match[1] or match[3]).decode("utf-8", "replace")
        self._new = (match[2] or match[3]).decode("utf-8", "replace")

    def _path(self, start: int, end: int, prefix: str) -> str:
        text = _STAMP.sub("", self._view.text(start, end).rstrip("\r"))
        if text.startswith('"') and text.endswith('"') and len(text) > 1:
            text = _unquoted(text)
        if text == "/dev/null":
            return text
        return text.removeprefix(prefix)

    def _name(self) -> str:
        return self._old if self._new == "/dev/null" else self._new

    def _file_note(self, start: int, end: int) -> None:
        data = self._view.plain
        if not self._new:
            return
        if data.startswith(_NOTES, start):
            words = self._view.text(start, end)
            verb, _, rest = words.partition(" from ") if " from " in words[:12] else (words.split(" ")[0], "", "")
            suffix = {"new": "new", "deleted": "deleted", "rename": "renamed", "copy": "copied"}[verb]
            value = f"{suffix} from {rest}" if rest else f"{suffix} file"
        elif self._binary(start, end):
            suffix, value = "binary", "binary"
        else:
            return
        name = f"{self._name()}@@{suffix}"
        if self._found.has_room(MAX_HUNKS):
            self._found.facts.append(self._view.fact(FactKind.DIFF_HUNK, name, value, start, end))

    def _binary(self, start: int, end: int) -> bool:
        data = self._view.plain
        differ = data.startswith(b"Binary files ", start) and data.endswith(b" differ", start, end)
        return differ or data[start:end] == b"GIT binary patch"

    def _hunk(self, match: re.Match[bytes], start: int, header_end: int) -> int:
        """Read a hunk to the end its counts give, or to the first line that is no part of it."""
        olds = [_length(part) for part in match[2].split()]
        new = _length(match[3])
        added = removed = 0
        end = header_end
        offset = self._view.next_line(header_end)
        for line_start, line_end in self._view_lines(offset):
            if max(olds) <= 0 and new <= 0:
                break
            columns = self._view.plain[line_start : min(line_start + len(olds), line_end)]
            if columns.startswith(b"\\"):
                end = line_end
                continue
            columns = columns.ljust(len(olds))
            if columns.strip(b" +-"):
                break
            plus, minus = b"+" in columns, b"-" in columns
            added += plus
            removed += minus
            new -= not minus
            kept = b"-" if minus else b" -"
            olds = [old - (mark in kept) for old, mark in zip(olds, columns, strict=True)]
            end = line_end
        end = self._marker_end(end)
        ranges = match[2].decode().replace(" ", "") + "+" + match[3].decode()
        name = f"{self._name()}{match[1].decode()}{ranges}"
        value = f"{match[0].decode('utf-8', 'replace').rstrip()} (+{added} -{removed})"
        if self._found.has_room(MAX_HUNKS):
            fact = self._view.fact(FactKind.DIFF_HUNK, name, value, start, end, parent=self._name())
            self._found.facts.append(fact)
        return self._view.next_line(end)

    def _marker_end(self, end: int) -> int:
        """Take in the line that says there is no newline at the end of the file."""
        following = self._view.next_line(end)
        return self._view.line_end(following) if self._view.plain.startswith(b"\\ ", following) else end

    def _view_lines(self, offset: int) -> Iterator[tuple[int, int]]:
        while offset < len(self._view.plain):
            end = self._view.line_end(offset)
            yield offset, end
            offset = self._view.next_line(end)


def _length(part: bytes) -> int:
    """Give the number of lines of a range such as `-3,7`; without a length it is one."""
    _, comma, length = part.partition(b",")
    return int(length) if comma else 1


def _unquoted(text: str) -> str:
    """Decode a path that git quoted (octal escapes of UTF-8)."""
    raw = re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8) & 0xFF), text)
    try:
        return str(json.loads(raw, strict=False)).encode("latin-1").decode("utf-8")
    except ValueError:
        return text[1:-1]
