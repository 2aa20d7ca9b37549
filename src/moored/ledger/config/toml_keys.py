"""TOML configuration (`pyproject.toml`, `Cargo.toml`).

tree-sitter gives the positions and reads on after a fault; tomllib gives the values of strings.
"""

from __future__ import annotations

import tomllib
from functools import lru_cache
from typing import TYPE_CHECKING

import tree_sitter
import tree_sitter_toml

from moored.ledger.config.keys import extraction_of
from moored.ledger.config.tree import MAX_DEPTH, Array, Document, Entry, Scalar, Table, Value, number, widen

if TYPE_CHECKING:
    from moored.model.facts import Extraction

_KEY_TYPES = frozenset({"bare_key", "quoted_key", "dotted_key"})


@lru_cache(maxsize=1)
def _language() -> tree_sitter.Language:
    return tree_sitter.Language(tree_sitter_toml.language())


def extract(source: bytes) -> Extraction:
    """Read the keys of a TOML file. Elements of an array of tables are named `table[0]`."""
    return extraction_of("toml", source, read(source))


def read(source: bytes) -> Document:
    """Read a TOML file into a tree."""
    tree = tree_sitter.Parser(_language()).parse(source)
    reader = _Reader(source)
    for node in tree.root_node.named_children:
        reader.top_level(node)
    return Document(reader.root, reader.errors + (tree.root_node.has_error and not reader.errors))


class _Reader:
    """Puts pairs into the tables that headers and dotted keys name."""

    def __init__(self, source: bytes) -> None:
        self.root = Table(0, len(source))
        self.errors = 0
        self._entries: dict[tuple[int, str], Entry] = {}

    def top_level(self, node: tree_sitter.Node) -> None:
        if node.type == "pair":
            self._pair(node, [self.root], [], 0)
        elif node.type in ("table", "table_array_element"):
            self._table(node)
        elif node.type != "comment":
            self.errors += 1

    def _table(self, node: tree_sitter.Node) -> None:
        children = node.named_children
        key = next((child for child in children if child.type in _KEY_TYPES), None)
        if key is None:
            self.errors += 1
            return
        path = _key_path(key)
        if len(path) > MAX_DEPTH:
            self.errors += 1
            return
        body = [child for child in children if child.type == "pair"]
        self.errors += sum(child.type == "ERROR" for child in children)
        end = body[-1].end_byte if body else key.end_byte + (2 if node.type == "table_array_element" else 1)
        tables: list[Table] = [self.root]
        entries: list[Entry] = []
        for name in path[:-1]:
            self._descend(name, tables, entries, node.start_byte, end)
        if node.type == "table":
            self._descend(path[-1], tables, entries, node.start_byte, end)
        else:
            self._append_element(path[-1], tables, entries, node.start_byte, end)
        for pair in body:
            self._pair(pair, tables, entries, len(path))

    def _descend(self, name: str, tables: list[Table], entries: list[Entry], start: int, end: int) -> None:
        """Go to the table `name` of the last table, making it if need be, and widen what holds it."""
        holder = tables[-1]
        entry = self._entries.get((id(holder), name))
        if entry is not None and isinstance(entry.value, Array) and entry.value.items:
            found: Value | None = entry.value.items[-1]
        else:
            found = entry.value if entry is not None else None
        if entry is None or not isinstance(found, Table):
            self.errors += entry is not None
            found = Table(start, end)
            entry = Entry(name, found, start, end)
            self._add(holder, entry)
        found.end = max(found.end, end)
        widen(entry, end)
        tables.append(found)
        entries.append(entry)

    def _append_element(self, name: str, tables: list[Table], entries: list[Entry], start: int, end: int) -> None:
        holder = tables[-1]
        entry = self._entries.get((id(holder), name))
        if entry is None or not isinstance(entry.value, Array):
            self.errors += entry is not None
            entry = Entry(name, Array(start, end), start, end)
            self._add(holder, entry)
        element = Table(start, end)
        if isinstance(entry.value, Array):
            entry.value.items.append(element)
        widen(entry, end)
        tables.append(element)
        entries.append(entry)

    def _add(self, table: Table, entry: Entry) -> None:
        table.entries.append(entry)
        self._entries[(id(table), entry.key)] = entry

    def _pair(self, node: tree_sitter.Node, tables: list[Table], entries: list[Entry], depth: int) -> None:
        children = [child for child in node.named_children if child.type not in ("ERROR", "comment")]
        if node.has_error:
            self.errors += 1
        if len(children) < 2 or children[0].type not in _KEY_TYPES:
            return
        path = _key_path(children[0])
        depth += len(path)
        if depth > MAX_DEPTH:
            self.errors += 1
            return
        inner, held = list(tables), list(entries)
        for name in path[:-1]:
            self._descend(name, inner, held, node.start_byte, node.end_byte)
        value = self._value(children[-1], depth)
        self._add(inner[-1], Entry(path[-1], value, node.start_byte, node.end_byte))

    def _value(self, node: tree_sitter.Node, depth: int) -> Value:
        start, end = node.start_byte, node.end_byte
        if node.type not in ("array", "inline_table"):
            return Scalar(*_scalar(node), start, end)
        if depth >= MAX_DEPTH:
            self.errors += 1
            return Scalar("too deep", _text(node), start, end)
        if node.type == "array":
            items = [child for child in node.named_children if child.type not in ("comment", "ERROR")]
            return Array(start, end, [self._value(child, depth + 1) for child in items])
        table = Table(start, end)
        for child in node.named_children:
            if child.type == "pair":
                self._pair(child, [table], [], depth + 1)
        return table


def _text(node: tree_sitter.Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def _key_path(node: tree_sitter.Node) -> list[str]:
    """Give the parts of a key in order; a dotted key nests its left part."""
    parts: list[str] = []
    pending = [node]
    while pending:
        part = pending.pop()
        if part.type == "dotted_key":
            pending.extend(reversed(part.named_children))
        elif part.type == "quoted_key":
            parts.append(_string(_text(part)))
        elif part.type == "bare_key":
            parts.append(_text(part))
    return parts


def _string(text: str) -> str:
    if "\\" not in text and text[:3] not in ('"""', "'''"):
        return text[1:-1]
    try:
        return str(tomllib.loads("v = " + text)["v"])
    except (tomllib.TOMLDecodeError, RecursionError):
        return text


def _scalar(node: tree_sitter.Node) -> tuple[str, str]:
    text = _text(node)
    match node.type:
        case "string":
            return "str", _string(text)
        case "boolean":
            return "bool", text
        case "integer" | "float":
            return number(text.replace("_", ""))
        case _:
            return "datetime", text.upper().replace(" ", "T")
