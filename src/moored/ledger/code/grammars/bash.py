"""Bash and other POSIX shells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.ledger.code.spec import LanguageSpec, Op
from moored.model.facts import EdgeKind, FactKind

from .common import imported, quoted, symbol, value_symbol

if TYPE_CHECKING:
    from tree_sitter import Node

    from moored.ledger.code.walk import Frame, Walk


def _command(walk: Walk, node: Node) -> Op:
    name = walk.field(node, "name")
    for child in node.named_children:
        if child.type != "variable_assignment":
            break
        walk.notes[child.start_byte] = b""
    if name is None:
        return Op.NODE
    target = walk.text(name)
    if target in ("source", "."):
        argument = walk.field(node, "argument")
        path = quoted(walk, argument)
        imported(walk, node, path, path)
    elif "$" not in target and len(target) <= 100:
        walk.refer(EdgeKind.CALL, target, node)
    return Op.NODE


def _declaration(walk: Walk, node: Node) -> Op:
    assignments = [child for child in node.named_children if child.type == "variable_assignment"]
    if len(assignments) == 1:
        walk.wrap(node, assignments[0], node.start_byte)
    return Op.NODE


def _assignment(walk: Walk, node: Node) -> Op | Frame:
    name = walk.field(node, "name")
    for_one_command = walk.notes.pop(node.start_byte, None) is not None
    if name is None or name.type != "variable_name" or for_one_command:
        return Op.NODE
    return value_symbol(walk, node, name, walk.field(node, "value"))


SPECS = (
    LanguageSpec(
        name="bash",
        grammar="tree_sitter_bash",
        gaps=frozenset({"heredoc_body", "string", "regex", "arithmetic_expansion", "expansion", "number"}),
        separators=frozenset({";", "\n"}),
        commas=frozenset(),
        identifiers=frozenset({"word", "variable_name"}),
        hooks={
            "function_definition": symbol(FactKind.FUNCTION),
            "command": _command,
            "declaration_command": _declaration,
            "variable_assignment": _assignment,
        },
    ),
)
