"""Uses of names in Python that are no calls, and local names that hide the ones outside."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from moored.model.facts import EdgeKind, Extraction, FactKind, Reference

from .spec import Hook, Op

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tree_sitter import Node

    from .walk import Walk

UNKNOWN = "?"
"""The target of a binding of kind `local`: something that the syntax does not tell."""

_CHAIN = re.compile(rb"[^\W\d]\w*(?:\.[^\W\d]\w*){1,5}")
_ASSIGNED = re.compile(rb"\s{0,2}(?:=(?!=)|:=)")
_DEFINED = (b"def ", b"ass ")
_RECEIVERS = frozenset({"self", "cls", "super"})
_PATTERNS = ("pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern", "dictionary_splat_pattern")


def _identifier(walk: Walk, node: Node) -> Op:
    start, end, source = node.start_byte, node.end_byte, walk.source
    if source[start - 1 : start] == b"." or source[start - 4 : start] in _DEFINED or _ASSIGNED.match(source, end):
        return Op.NODE
    walk.uses.append((walk.scope, source[start:end].decode("utf-8", "replace"), node.start_point[0] + 1))
    return Op.NODE


def _attribute(walk: Walk, node: Node) -> Op:
    start, end, source = node.start_byte, node.end_byte, walk.source
    match = _CHAIN.match(source, start, end)
    if match is not None and match.end() == end:
        walk.uses.append((walk.scope, match.group().decode("utf-8", "replace"), node.start_point[0] + 1))
    return Op.NODE


def _parameters(walk: Walk, node: Node) -> Op:
    for child in node.named_children:
        name = walk.field(child, "name") if child.type == "default_parameter" else child
        if name is not None:
            _hide(walk, name)
    return Op.NODE


def _target(field: str) -> Hook:
    def hook(walk: Walk, node: Node) -> Op:
        named = walk.field(node, field)
        if named is not None and walk.in_function():
            _hide(walk, named)
        return Op.NODE

    return hook


def hide_assigned(walk: Walk, left: Node) -> None:
    """Bind the names that an assignment inside a function makes."""
    if walk.in_function():
        _hide(walk, left)


def _hide(walk: Walk, node: Node) -> None:
    """Bind every name of a pattern to something unknown."""
    pending = [node]
    while pending:
        item = pending.pop()
        if item.type == "identifier":
            walk.bind("local", walk.text(item), UNKNOWN, item)
        elif item.type in _PATTERNS:
            pending.extend(item.named_children)


HOOKS: dict[str, Hook] = {
    "identifier": _identifier,
    "attribute": _attribute,
    "parameters": _parameters,
    "lambda_parameters": _parameters,
    "for_statement": _target("left"),
    "for_in_clause": _target("left"),
    "named_expression": _target("name"),
}
"""Hooks of the Python grammar that record uses and local names."""


def with_uses(
    references: Iterable[Reference], uses: Iterable[tuple[str, str, int]], extraction: Extraction
) -> tuple[Reference, ...]:
    """The references, and the uses (scope, target, line) that can mean a symbol of the file or one that it binds.

    A use that is repeated in its scope, is the callee of a call there, or stands in an import is left out.
    """
    kept = list(references)
    known = {fact.name.rpartition(".")[2] for fact in extraction.facts if fact.kind is not FactKind.IMPORT}
    known |= {binding.name for binding in extraction.bindings if binding.kind != "local"} | _RECEIVERS
    every = "*" in known
    said = {(reference.scope, reference.target) for reference in kept}
    imports = {reference.line for reference in kept if reference.kind is EdgeKind.IMPORT}
    for scope, target, line in uses:
        key = (scope, target)
        if target and key not in said and line not in imports and (every or target.partition(".")[0] in known):
            said.add(key)
            kept.append(Reference(EdgeKind.USE, scope, target, line))
    return tuple(kept)
