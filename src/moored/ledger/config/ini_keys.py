"""Files of sections and `key = value` lines: INI, `setup.cfg`, `tox.ini`, `.editorconfig`, git configuration."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from moored.ledger.config.keys import extraction_of
from moored.ledger.config.tree import Document, Entry, Scalar, Table, widen

if TYPE_CHECKING:
    from moored.model.facts import Extraction

_SECTION = re.compile(rb"\[([^\n]+)\]\s*(?:[;#].*)?", re.DOTALL)
_SUBSECTION = re.compile(r'([\w.-]+)\s+"((?:[^"\\]|\\.)*)"')
_TRAILING_COMMENT = re.compile(rb'((?:[^"\\]|\\.|"(?:[^"\\]|\\.)*+")*?)\s[;#]', re.DOTALL)
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*+)"', re.DOTALL)
_STATEMENT = re.compile(rb"\[[^\n]+\]|[^\s={<][^={<]*=")
_OTHER_FORMATS = (b"{", b"}", b";")


def extract(source: bytes, *, trailing_comments: bool = False) -> Extraction:
    """Read the keys of an INI file.

    A line indented deeper than its key continues the value. `[remote "origin"]` is named `remote.origin`.
    `trailing_comments` says that ` #` and ` ;` outside of quotes end a value (git, EditorConfig); elsewhere they belong
    to it.
    """
    return extraction_of("ini", source, read(source, trailing_comments=trailing_comments))


def is_sections_and_keys(source: bytes) -> bool:
    """Whether a file called `.conf`, which many programs write in formats of their own, is made of `key = value` lines.

    It is when most lines that are not indented are sections or assignments, and none opens, closes or ends a block.
    """
    lines = [line.rstrip() for line in source.split(b"\n")]
    counted = [line for line in lines if line and line[:1] not in b"#; \t"]
    if any(line.endswith(_OTHER_FORMATS) for line in lines if line.lstrip()[:1] not in (b"#", b";")):
        return False
    return 2 * sum(_STATEMENT.match(line) is not None for line in counted) >= len(counted) > 0


@dataclass(slots=True)
class _Key:
    name: str
    indent: int
    start: int
    end: int
    lines: list[str] = field(default_factory=list[str])


class _Reader:
    def __init__(self, size: int) -> None:
        self.root = Table(0, size)
        self.errors = 0
        self._tables: dict[tuple[str, ...], tuple[Table, list[Entry]]] = {(): (self.root, [])}
        self._section: tuple[Table, list[Entry]] = (self.root, [])
        self._key: _Key | None = None

    def line(self, raw: bytes, start: int, *, trailing_comments: bool) -> None:
        body = raw.strip()
        indent = len(raw) - len(raw.lstrip())
        if not body or body[:1] in (b"#", b";"):
            return
        if trailing_comments:
            comment = _TRAILING_COMMENT.match(body)
            body = comment[1].rstrip() if comment else body
        begin, end = start + indent, start + indent + len(body)
        if self._key is not None and indent > self._key.indent:
            self._key.lines.append(body.decode("utf-8", "replace"))
            self._key.end = end
            return
        self.flush()
        section = _SECTION.fullmatch(body)
        if section is not None:
            self._open(section[1].decode("utf-8", "replace").strip(), begin, end)
            return
        name, separator, value = _split(body.decode("utf-8", "replace"))
        if not name:
            self.errors += 1
            return
        if trailing_comments and (quoted := _QUOTED.fullmatch(value)):
            value = quoted[1]
        self._key = _Key(name, indent, begin, end, [value] if separator and value else [])

    def flush(self) -> None:
        """Put the key that was being read into its section."""
        key = self._key
        if key is None:
            return
        self._key = None
        table, entries = self._section
        scalar = Scalar("str", "\n".join(key.lines), key.start, key.end)
        table.entries.append(Entry(key.name, scalar, key.start, key.end))
        for entry in entries:
            widen(entry, key.end)

    def _open(self, name: str, start: int, end: int) -> None:
        sub = _SUBSECTION.fullmatch(name)
        path = (sub[1], sub[2]) if sub else (name,)
        for depth in range(1, len(path) + 1):
            if path[:depth] not in self._tables:
                holder, entries = self._tables[path[: depth - 1]]
                table = Table(start, end)
                entry = Entry(path[depth - 1], table, start, end)
                holder.entries.append(entry)
                self._tables[path[:depth]] = (table, [*entries, entry])
        self._section = self._tables[path]


def _split(line: str) -> tuple[str, str, str]:
    """Split at the first `=` or `:`; without one the whole line is the key."""
    for index, char in enumerate(line):
        if char in "=:":
            return line[:index].strip(), char, line[index + 1 :].strip()
    return line, "", ""


def read(source: bytes, *, trailing_comments: bool = False) -> Document:
    """Read an INI file into a tree of at most three levels."""
    reader = _Reader(len(source))
    offset = 3 if source.startswith(b"\xef\xbb\xbf") else 0
    for raw in source[offset:].split(b"\n"):
        reader.line(raw, offset, trailing_comments=trailing_comments)
        offset += len(raw) + 1
    reader.flush()
    return Document(reader.root, reader.errors)
