"""YAML configuration (CI workflows, docker-compose, Kubernetes manifests).

The tree is built from the parser's events and never constructs an object, so no tag is executed. Plain scalars
are read by the core schema of YAML 1.2, except that `yes`, `no`, `on` and `off`, over which 1.1 and 1.2 disagree,
keep their written form and differ from the same word in quotes. A custom tag on a collection becomes a table
with the tag as its only key.
"""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import yaml

from moored.ledger.config.keys import extraction_of
from moored.ledger.config.tree import MAX_DEPTH, Array, Document, Entry, Scalar, Table, Value, number

if TYPE_CHECKING:
    from moored.model.facts import Extraction

MAX_MERGED = 100_000
"""How many keys `<<` may copy in one file."""

_ESCAPED = re.compile("[\udc80-\udcff]")
_STANDARD = "tag:yaml.org,2002:"
_INT = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_SPECIAL = re.compile(r"([-+]?)\.(inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_BOOL = {"true": "true", "True": "true", "TRUE": "true", "false": "false", "False": "false", "FALSE": "false"}
_BOOL_OF_1_1 = frozenset({"y", "n", "yes", "no", "on", "off"})


def extract(source: bytes) -> Extraction:
    """Read the keys of a YAML file. With several documents each name starts with `[0]`, `[1]`..."""
    return extraction_of("yaml", source, read(source))


def read(source: bytes) -> Document:
    """Read a YAML file into a tree, up to its first fault."""
    # A byte that is no UTF-8 becomes one character, so that it is known which characters stand for how many bytes.
    escaped = source.decode("utf-8", "surrogateescape")
    text = _ESCAPED.sub("\ufffd", escaped)
    composer = _Composer(source, _byte_offsets(escaped, source))
    # PyYAML is not typed.
    untyped: Any = yaml
    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    errors = 0
    try:
        for event in untyped.parse(text, Loader=loader):
            if not composer.add(event):
                errors = 1
                break
    except (yaml.YAMLError, ValueError):
        errors = 1
    composer.close()
    documents = [value for value in composer.documents if value.end > value.start]
    root: Value | None
    root = Array(0, len(source), documents) if len(documents) > 1 else documents[0] if documents else None
    return Document(root, errors + composer.errors)


def _byte_offsets(escaped: str, source: bytes) -> array[int] | None:
    """Map the parser's character positions to bytes; None when they are the same."""
    if len(escaped) == len(source):
        return None
    return array("Q", accumulate(map(_width, escaped), initial=0))


def _width(char: str) -> int:
    """The bytes that a character stands for."""
    if char < "\u0800":
        return 1 if char < "\x80" else 2
    if "\ud800" <= char <= "\udfff":
        return 1
    return 3 if char < "\U00010000" else 4


@dataclass(slots=True)
class _Frame:
    """A collection being read. `key` waits for its value, `height` is that of the tallest part so far."""

    node: Table | Array
    anchor: str
    tag: str
    flow: bool
    key: tuple[str, int] | None = None
    height: int = 0
    merges: list[Value] = field(default_factory=list[Value])


class _Composer:
    """Builds the documents; aliases share the node they name."""

    def __init__(self, source: bytes, offsets: array[int] | None) -> None:
        self._source = source
        self._offsets = offsets
        self._frames: list[_Frame] = []
        self._anchors: dict[str, tuple[Value, int]] = {}
        self._merged = 0
        self._end = 0
        self.documents: list[Value] = []
        self.errors = 0

    def add(self, event: Any) -> bool:
        """Take one event of the parser; false when the nesting goes too deep to be followed."""
        if isinstance(event, yaml.ScalarEvent):
            start, end = self._bytes_of(event)
            scalar = _scalar(event, start, end)
            if event.anchor:
                self._anchors[event.anchor] = (scalar, 0)
            self._place(scalar, 0, start, end, written=event.value)
        elif isinstance(event, yaml.AliasEvent):
            self._alias(event)
        elif isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
            if len(self._frames) >= MAX_DEPTH - 2:
                return False
            start, end = self._bytes_of(event)
            node = Table(start, end) if isinstance(event, yaml.MappingStartEvent) else Array(start, end)
            tag = event.tag if event.tag and not event.tag.startswith(_STANDARD) else ""
            self._frames.append(_Frame(node, event.anchor or "", tag, bool(event.flow_style)))
        elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            self._end = max(self._end, self._bytes_of(event)[1])
            self._end_collection()
        elif isinstance(event, yaml.DocumentStartEvent):
            self._anchors.clear()
        return True

    def close(self) -> None:
        """End what a fault left open."""
        while self._frames:
            self._end_collection()

    def _bytes_of(self, event: Any) -> tuple[int, int]:
        start: int = event.start_mark.index
        end: int = event.end_mark.index
        if self._offsets is not None:
            start, end = self._offsets[start], self._offsets[end]
        # The parser ends a block scalar at the next token: what is blank before that is not its own.
        while end > start and self._source[end - 1] in b" \t\r\n":
            end -= 1
        return start, end

    def _alias(self, event: Any) -> None:
        start, end = self._bytes_of(event)
        value, height = self._anchors.get(event.anchor, (None, 0))
        # An anchor is known when its node is complete, so an alias inside its own node is not found.
        if value is None or len(self._frames) + height >= MAX_DEPTH - 2:
            self.errors += 1
            value, height = Scalar("alias", f"*{event.anchor}", start, end), 0
        self._place(value, height, start, end)

    def _place(self, value: Value, height: int, start: int, end: int, written: str | None = None) -> None:
        """Put a node where it belongs; a scalar that turns out to be a key is used as it is `written`."""
        self._end = end
        if not self._frames:
            self.documents.append(value)
            return
        frame = self._frames[-1]
        frame.node.end = end
        if isinstance(frame.node, Array):
            frame.node.items.append(value)
        elif frame.key is None:
            text = self._source[start:end].decode("utf-8", "replace") if written is None else written
            frame.key = (text, start)
            return
        else:
            key, key_start = frame.key
            frame.key = None
            if key == "<<" and not isinstance(value, Scalar):
                frame.merges.append(value)
            else:
                frame.node.entries.append(Entry(key, value, key_start, max(end, key_start)))
        frame.height = max(frame.height, height + 1)

    def _end_collection(self) -> None:
        frame = self._frames.pop()
        node: Value = frame.node
        start = node.start
        # A flow collection ends at its bracket, one in block style at its last part.
        node.end = end = max(start, self._end if frame.flow else node.end)
        if isinstance(node, Table):
            for merged in frame.merges:
                self._merge(node, merged)
        height = frame.height
        if frame.tag:
            node = Table(start, end, [Entry(frame.tag, node, start, end)])
            height += 1
        if frame.anchor:
            self._anchors[frame.anchor] = (node, height)
        self._place(node, height, start, end)

    def _merge(self, table: Table, merged: Value) -> None:
        """Add the keys of `<<` that the table does not set itself; earlier sources win."""
        sources = merged.items if isinstance(merged, Array) else [merged]
        present = {entry.key for entry in table.entries}
        for source in sources:
            if not isinstance(source, Table):
                self.errors += 1
                continue
            for entry in source.entries:
                if entry.key in present:
                    continue
                self._merged += 1
                if self._merged > MAX_MERGED:
                    self.errors += 1
                    return
                present.add(entry.key)
                table.entries.append(entry)


def _scalar(event: Any, start: int, end: int) -> Scalar:
    text: str = event.value
    tag: str = event.tag or ""
    if tag.startswith("!") and tag != "!":
        return Scalar(tag, f"{tag} {text}", start, end)
    kind = tag.removeprefix(_STANDARD)
    if kind in ("str", "!") or (not kind and not event.implicit[0]):
        return Scalar("str", text, start, end)
    if kind not in ("", "int", "float", "bool", "null"):
        return Scalar(kind, text, start, end)
    return Scalar(*_plain(text), start, end)


def _plain(text: str) -> tuple[str, str]:
    """Resolve a plain scalar to its tag and canonical text."""
    if text in _NULL:
        return "null", "null"
    if text in _BOOL:
        return "bool", _BOOL[text]
    if text.lower() in _BOOL_OF_1_1:
        return "bool of YAML 1.1", text
    if _INT.fullmatch(text) or _FLOAT.fullmatch(text):
        return number(text)
    special = _SPECIAL.fullmatch(text)
    if special is not None:
        return "float", (special[1] or "").strip("+") + "inf" if special[2] else "nan"
    return "str", text
