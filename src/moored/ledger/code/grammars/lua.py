"""Lua."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.ledger.code.spec import LanguageSpec, Op
from moored.ledger.code.walk import Frame, Walk, first_named
from moored.model.facts import EdgeKind, FactKind

from .common import dotted, imported, part, quoted, value_symbol

if TYPE_CHECKING:
    from tree_sitter import Node


def _function(walk: Walk, node: Node) -> Op | Frame:
    name = walk.field(node, "name")
    if name is None:
        return Op.NODE
    kind = FactKind.METHOD if name.type == "method_index_expression" else FactKind.FUNCTION
    parameters = walk.field(node, "parameters") or name
    body = walk.field(node, "body")
    return walk.open(node, kind, dotted(walk, name), name, body, shown_end=parameters.end_byte)


def _local(walk: Walk, node: Node) -> Op:
    inner = first_named(node)
    if inner is not None:
        walk.wrap(node, inner, node.start_byte)
    return Op.NODE


def _assignment(walk: Walk, node: Node) -> Op | Frame:
    names, values = part(walk, node, "variable_list"), part(walk, node, "expression_list")
    name = first_named(names) if names is not None else None
    value = first_named(values) if values is not None else None
    if names is None or name is None or names.named_child_count != 1:
        return Op.NODE
    shown = dotted(walk, name)
    if value is not None and value.type == "function_call":
        target = walk.field(value, "name")
        called = dotted(walk, target) if target is not None else ""
        arguments = walk.field(value, "arguments")
        if called == "require" and arguments is not None:
            imported(walk, node, quoted(walk, first_named(arguments)), shown)
            return Op.NODE
        walk.bind("call", shown, called, node)
    if value is not None and value.type == "function_definition":
        parameters = walk.field(value, "parameters")
        end = parameters.end_byte if parameters is not None else -1
        return walk.open(node, FactKind.FUNCTION, shown, name, walk.field(value, "body"), shown_end=end)
    return value_symbol(walk, node, name, value)


def _call(walk: Walk, node: Node) -> Op:
    name = walk.field(node, "name")
    if name is not None and name.end_byte - name.start_byte <= 300:
        walk.refer(EdgeKind.CALL, dotted(walk, name), node)
    return Op.NODE


SPECS = (
    LanguageSpec(
        name="lua",
        grammar="tree_sitter_lua",
        comments=frozenset({"comment", "hash_bang_line"}),
        gaps=frozenset({"string_content"}),
        dropped=frozenset({"'", '"', "empty_statement"}),
        access=frozenset({".", ":"}),
        hooks={
            "function_declaration": _function,
            "variable_declaration": _local,
            "assignment_statement": _assignment,
            "function_call": _call,
        },
    ),
)
