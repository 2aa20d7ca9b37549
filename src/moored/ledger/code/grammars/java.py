"""Java."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.ledger.code.spec import LanguageSpec, Op
from moored.model.facts import EdgeKind, FactKind

from .common import bind_value, call_hooks, display_of, dotted, imported, part, symbol, typed, value_symbol

if TYPE_CHECKING:
    from tree_sitter import Node

    from moored.ledger.code.walk import Frame, Walk

_CALLS = {
    "method_invocation": ("name",),
    "object_creation_expression": ("new", "type"),
    "explicit_constructor_invocation": ("constructor",),
    "annotation": ("new", "name"),
    "marker_annotation": ("new", "name"),
}


def _import(walk: Walk, node: Node) -> Op:
    path = part(walk, node, "scoped_identifier", "identifier")
    if path is None:
        return Op.NODE
    name = dotted(walk, path)
    if part(walk, node, "asterisk") is not None:
        imported(walk, node, f"{name}:*", "*")
    else:
        imported(walk, node, name, name.rpartition(".")[2])
    return Op.NODE


def _fields(walk: Walk, node: Node) -> Op:
    """The declarators of a field or a local variable, each bound to the declared type."""
    declared = walk.field(node, "type")
    declarators = node.children_by_field_name("declarator")
    for declarator in declarators:
        name = walk.field(declarator, "name")
        if name is not None:
            shown = walk.text(name)
            value = walk.field(declarator, "value")
            bind_value(walk, shown, declared, value, _CALLS)
            if walk.in_class():
                bind_value(walk, f"this.{shown}", declared, value, _CALLS)
    if len(declarators) == 1:
        walk.wrap(node, declarators[0], display_of(node))
    return Op.NODE


def _declarator(walk: Walk, node: Node) -> Op | Frame:
    name = walk.field(node, "name")
    return Op.NODE if name is None else value_symbol(walk, node, name, walk.field(node, "value"))


def _assignment(walk: Walk, node: Node) -> Op:
    left, right = walk.field(node, "left"), walk.field(node, "right")
    if left is not None and left.type == "field_access":
        bind_value(walk, walk.text(left), None, right, _CALLS, walk.class_scope())
    return Op.NODE


def _reference(walk: Walk, node: Node) -> Op:
    """`Type::method`."""
    walk.refer(EdgeKind.CALL, dotted(walk, node), node)
    return Op.NODE


_METHOD = symbol(FactKind.METHOD, returns=("type",))

SPECS = (
    LanguageSpec(
        name="java",
        grammar="tree_sitter_java",
        comments=frozenset({"line_comment", "block_comment"}),
        passed=frozenset({"parenthesized_expression"}),
        keeping=frozenset({"for_statement"}),
        identifiers=frozenset({"identifier", "type_identifier"}),
        hooks={
            "import_declaration": _import,
            "class_declaration": symbol(FactKind.CLASS, inherits=("superclass", "super_interfaces")),
            "record_declaration": symbol(FactKind.CLASS, inherits=("super_interfaces",)),
            "interface_declaration": symbol(FactKind.INTERFACE, inherits=("extends_interfaces",)),
            "annotation_type_declaration": symbol(FactKind.INTERFACE),
            "enum_declaration": symbol(FactKind.ENUM, inherits=("super_interfaces",)),
            "method_declaration": _METHOD,
            "annotation_type_element_declaration": _METHOD,
            "constructor_declaration": symbol(FactKind.METHOD),
            "compact_constructor_declaration": symbol(FactKind.METHOD),
            "field_declaration": _fields,
            "constant_declaration": _fields,
            "local_variable_declaration": _fields,
            "variable_declarator": _declarator,
            "assignment_expression": _assignment,
            "formal_parameter": typed("name", "type", "", _CALLS),
            "method_reference": _reference,
            **call_hooks(_CALLS),
        },
    ),
)
