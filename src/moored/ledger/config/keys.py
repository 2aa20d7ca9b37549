"""From a tree to facts: one for each leaf, each list of plain values and each section.

A section is a table, or a list that holds tables, at most `SECTION_DEPTH` keys deep; its hash covers the whole
subtree, so a note can be about `tool.ruff` as well as about `tool.ruff.line-length`. Hashes are built from the
hashes of the parts, with the keys of a table sorted: order, layout, comments and quotes do not count. They are those of
the values as they stand in the file; what is shown of a value has no secrets in it (I-20).
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from moored.ledger.config.lines import Lines
from moored.ledger.config.tree import Array, Document, Entry, Scalar, Table, Value
from moored.model.facts import ExtractedFact, Extraction, FactKind
from moored.model.hashing import digest
from moored.model.redaction import RUN, redact, redact_value

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_FACTS = 5_000
MAX_VALUE = 1_000
SECTION_DEPTH = 3
SECTION_VALUE = 200
MAX_OMITTED = 1_000_000_000

_PLAIN_KEY = re.compile(r'[^.\[\]"\x00-\x1f]+')
_JSON_TAGS = frozenset({"int", "bool", "null"})


def join(prefix: str, key: str) -> str:
    """Append a key to a dotted path; a key that would be ambiguous there is written as a JSON string."""
    key = safe_key(key)
    shown = key if _PLAIN_KEY.fullmatch(key) else json.dumps(key, ensure_ascii=False)
    return f"{prefix}.{shown}" if prefix else shown


def safe_key(key: str) -> str:
    """A key without secrets. A short one cannot hold any: nothing stands in it that could set a value."""
    return key if len(key) < RUN else redact(key).text


def shown(text: str, limit: int = MAX_VALUE) -> str:
    """Cut a value, without its secrets already, for display. Its hash still covers all of it."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def scalar_hash(tag: str, text: str) -> str:
    """Hash a value together with its type, so that `1` and `"1"` differ."""
    return digest(f"{tag}:{text}")


def pair_fact(
    name: str, text: str, lines: Lines, start: int, end: int, *, parent: str = "", package: bool = False
) -> ExtractedFact:
    """Make the fact of a key whose value is a text (formats without types), or of a `package` and its version."""
    return ExtractedFact(
        kind=FactKind.CONFIG_KEY,
        name=name,
        value=shown(redact(text).text if package else redact_value(name, text)),
        body_hash=scalar_hash("str", text),
        span=lines.span(start, end),
        parent=parent,
    )


def capped(language: str, facts: list[ExtractedFact], errors: int = 0) -> Extraction:
    """Keep the first `MAX_FACTS` facts and count the others."""
    return Extraction(language, tuple(facts[:MAX_FACTS]), errors=errors, omitted=max(0, len(facts) - MAX_FACTS))


def extraction_of(language: str, source: bytes, document: Document) -> Extraction:
    """Turn a document into its facts."""
    if document.root is None:
        return Extraction(language, errors=document.errors)
    reader = _Reader(Lines(source))
    facts: list[ExtractedFact] = []
    for fact in reader.facts(document.root):
        if len(facts) == MAX_FACTS:
            break
        facts.append(fact)
    omitted = 0
    if len(facts) == MAX_FACTS:
        omitted = min(MAX_OMITTED, reader.count(document.root, 0) - MAX_FACTS)
    return Extraction(language, tuple(facts), errors=document.errors, omitted=omitted)


class _Reader:
    """Walks one tree and remembers what it worked out for shared nodes."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._hashes: dict[int, str] = {}
        self._containers: dict[int, bool] = {}
        self._counts: dict[tuple[int, int], int] = {}

    def facts(self, root: Value) -> Iterator[ExtractedFact]:
        if self._container(root):
            yield from self._parts(root, "", 0)
        else:
            yield self._fact("$", root, root.start, root.end, "", "")

    def count(self, value: Value, depth: int) -> int:
        """Count the facts below a value without listing them (a few aliases can stand for billions)."""
        if not self._container(value):
            return 1
        key = (id(value), min(depth, SECTION_DEPTH + 1))
        known = self._counts.get(key)
        if known is None:
            own = 1 if 0 < depth <= SECTION_DEPTH else 0
            if isinstance(value, Table):
                known = own + sum(self.count(entry.value, depth + 1) for entry in value.entries)
            elif isinstance(value, Array):
                known = own + sum(self.count(item, depth) for item in value.items)
            else:
                known = 1
            self._counts[key] = known
        return known

    def _parts(self, value: Value, name: str, depth: int) -> Iterator[ExtractedFact]:
        if isinstance(value, Table):
            for entry in value.entries:
                child, called = join(name, entry.key), _called(value, entry)
                yield from self._named(entry.value, child, depth + 1, entry.start, entry.end, name, called)
        elif isinstance(value, Array):
            for index, item in enumerate(value.items):
                yield from self._named(item, f"{name}[{index}]", depth, item.start, item.end, name, name)

    def _named(
        self, value: Value, name: str, depth: int, start: int, end: int, parent: str, called: str
    ) -> Iterator[ExtractedFact]:
        if not self._container(value):
            yield self._fact(name, value, start, end, parent, called)
            return
        if 0 < depth <= SECTION_DEPTH:
            yield self._fact(name, value, start, end, parent, called)
        yield from self._parts(value, name, depth)

    def _fact(self, name: str, value: Value, start: int, end: int, parent: str, called: str) -> ExtractedFact:
        if isinstance(value, Scalar):
            text = shown(redact_value(called, value.text))
        else:
            limit = SECTION_VALUE if self._container(value) else MAX_VALUE
            parts: list[str] = []
            _write(value, parts, limit + 1, called)
            text = shown("".join(parts), limit)
        return ExtractedFact(
            kind=FactKind.CONFIG_KEY,
            name=name,
            value=text,
            body_hash=self._hash(value),
            span=self._lines.span(start, end),
            parent=parent,
        )

    def _container(self, value: Value) -> bool:
        if isinstance(value, Scalar):
            return False
        known = self._containers.get(id(value))
        if known is None:
            if isinstance(value, Table):
                known = bool(value.entries)
            else:
                known = any(self._container(item) for item in value.items)
            self._containers[id(value)] = known
        return known

    def _hash(self, value: Value) -> str:
        if isinstance(value, Scalar):
            return scalar_hash(value.tag, value.text)
        known = self._hashes.get(id(value))
        if known is None:
            if isinstance(value, Table):
                # A stable sort: the order of a repeated key decides which of its values counts.
                pairs = sorted(value.entries, key=lambda entry: entry.key)
                parts = [f"{json.dumps(entry.key)}:{self._hash(entry.value)}" for entry in pairs]
                known = digest("table{" + ",".join(parts) + "}")
            else:
                known = digest("list[" + ",".join(self._hash(item) for item in value.items) + "]")
            self._hashes[id(value)] = known
        return known


def _called(table: Table, entry: Entry) -> str:
    """What says of a value what it is: its key, or the name beside it (`name: DB_PASSWORD`, `value: ...`)."""
    if entry.key.lower() == "value":
        for other in table.entries:
            if other.key.lower() in ("name", "key") and isinstance(other.value, Scalar):
                return other.value.text
    return entry.key


def _write(value: Value, parts: list[str], room: int, called: str) -> int:
    """Append compact JSON with sorted keys and give the room that is left; below 1 nothing more is written."""
    if isinstance(value, Scalar):
        kept = redact_value(called, value.text)
        plain = value.tag in _JSON_TAGS or (value.tag == "float" and value.text not in ("inf", "-inf", "nan"))
        text = kept if plain and kept == value.text else json.dumps(kept[:room], ensure_ascii=False)
        parts.append(text)
        return room - len(text)
    if isinstance(value, Table):
        opening, closing = "{", "}"
        entries = sorted(value.entries, key=lambda entry: entry.key)
        children = [
            (json.dumps(safe_key(entry.key), ensure_ascii=False) + ":", entry.value, _called(value, entry))
            for entry in entries
        ]
    else:
        opening, closing = "[", "]"
        children = [("", item, called) for item in value.items]
    parts.append(opening)
    room -= 2
    for index, (label, child, name) in enumerate(children):
        if room < 1:
            break
        lead = ("," if index else "") + label
        parts.append(lead)
        room = _write(child, parts, room - len(lead), name)
    parts.append(closing)
    return room
