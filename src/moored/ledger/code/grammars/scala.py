"""Scala."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.ledger.code.spec import Hook, LanguageSpec, Op
from moored.model.facts import FactKind

from .common import bind_value, call_hooks, display_of, imported, symbol, typed, value_symbol

if TYPE_CHECKING:
    from tree_sitter import Node

    from moored.ledger.code.walk import Frame, Walk

_CALLS = {
    "call_expression": ("function",),
    "instance_expression": ("new", "type_identifier", "generic_type", "stable_type_identifier"),
}


def _import(walk: Walk, node: Node) -> Op:
    statement = walk.text(node)
    path = ".".join(walk.text(child) for child in node.children_by_field_name("path") if child.is_named)
    selected = False
    for child in node.named_children:
        if child.type == "namespace_wildcard":
            selected = True
            imported(walk, node, f"{path}:*", "*", statement)
        elif child.type == "namespace_selectors":
            selected = True
            for item in child.named_children:
                _selected(walk, node, path, item, statement)
    if not selected and path:
        imported(walk, node, path, path.rpartition(".")[2], statement)
    return Op.NODE


def _selected(walk: Walk, node: Node, path: str, item: Node, statement: str) -> None:
    name, alias = walk.field(item, "name"), walk.field(item, "alias")
    if item.type == "namespace_wildcard":
        imported(walk, node, f"{path}:*", "*", statement)
    elif name is not None and alias is not None:
        imported(walk, node, f"{path}.{walk.text(name)}", walk.text(alias), statement)
    elif item.type == "identifier":
        imported(walk, node, f"{path}.{walk.text(item)}", walk.text(item), statement)


def _value(walk: Walk, node: Node) -> Op | Frame:
    name, value = walk.field(node, "pattern") or walk.field(node, "name"), walk.field(node, "value")
    if name is None or name.type != "identifier":
        return Op.NODE
    bind_value(walk, walk.text(name), walk.field(node, "type"), value, _CALLS)
    return value_symbol(walk, node, name, value, display=display_of(node))


def _typed(kind: FactKind) -> Hook:
    return symbol(kind, inherits=("extends_clause",))


_FUNCTION = symbol(FactKind.FUNCTION, method=FactKind.METHOD, returns=("return_type",))

SPECS = (
    LanguageSpec(
        name="scala",
        grammar="tree_sitter_scala",
        comments=frozenset({"comment", "block_comment"}),
        gaps=frozenset({"interpolated_string", "string"}),
        words=frozenset({"end_marker", "vararg", "capture_ref"}),
        separators=frozenset({";", "\n"}),
        identifiers=frozenset({"identifier", "type_identifier"}),
        hooks={
            "import_declaration": _import,
            "class_definition": _typed(FactKind.CLASS),
            "object_definition": _typed(FactKind.CLASS),
            "trait_definition": _typed(FactKind.TRAIT),
            "enum_definition": _typed(FactKind.ENUM),
            "function_definition": _FUNCTION,
            "function_declaration": _FUNCTION,
            "type_definition": symbol(FactKind.TYPE, body=("type",), whole=True),
            "val_definition": _value,
            "var_definition": _value,
            "val_declaration": _value,
            "var_declaration": _value,
            "parameter": typed("name", "type", "", _CALLS),
            "class_parameter": typed("name", "type", "", _CALLS),
            **call_hooks(_CALLS),
        },
    ),
)
