"""PHP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.ledger.code.spec import LanguageSpec, Op
from moored.ledger.code.walk import Frame, Walk, first_named
from moored.model.facts import EdgeKind, FactKind

from .common import (
    bind_value,
    call_hooks,
    called,
    display_of,
    dotted,
    imported,
    part,
    plain_type,
    quoted,
    symbol,
    value_symbol,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_CALLS = {
    "function_call_expression": ("function",),
    "member_call_expression": ("name",),
    "nullsafe_member_call_expression": ("name",),
    "scoped_call_expression": ("name",),
    "object_creation_expression": ("new", "name", "qualified_name"),
}


def _namespace(walk: Walk, node: Node) -> Op | Frame:
    """A namespace without braces holds all that follows it in the file."""
    name, body = walk.field(node, "name"), walk.field(node, "body")
    if name is None:
        return Op.NODE
    if body is None:
        walk.scope = dotted(walk, name)
        return Op.NODE
    return walk.open(node, FactKind.MODULE, dotted(walk, name), name, body)


def _use(walk: Walk, node: Node) -> Op:
    statement = walk.text(node).rstrip(";")
    prefix = part(walk, node, "namespace_name")
    before = f"{dotted(walk, prefix)}." if prefix is not None else ""
    group = part(walk, node, "namespace_use_group")
    for clause in (group or node).named_children:
        if clause.type != "namespace_use_clause":
            continue
        named, alias = part(walk, clause, "qualified_name", "name"), walk.field(clause, "alias")
        if named is not None:
            target = before + dotted(walk, named)
            bound = walk.text(alias) if alias is not None else target.rpartition(".")[2]
            imported(walk, node, target, bound, statement)
    return Op.NODE


def _trait_use(walk: Walk, node: Node) -> Op:
    for name in node.named_children:
        if name.type in ("name", "qualified_name"):
            walk.refer(EdgeKind.INHERIT, dotted(walk, name), name)
    return Op.NODE


def _members(walk: Walk, node: Node) -> Op:
    """One constant or property of a declaration alone begins at its modifiers."""
    elements = [child for child in node.named_children if child.type in ("const_element", "property_element")]
    declared = walk.field(node, "type")
    for element in elements:
        name = walk.field(element, "name")
        if name is not None:
            bind_value(walk, f"this.{dotted(walk, name)}", declared, None, _CALLS)
    if len(elements) == 1:
        walk.wrap(node, elements[0], display_of(node))
    return Op.NODE


def _element(walk: Walk, node: Node) -> Op | Frame:
    name = walk.field(node, "name") or first_named(node)
    if name is None:
        return Op.NODE
    value = walk.field(node, "default_value") or node.named_children[-1]
    kind = FactKind.CONSTANT if node.type == "const_element" else FactKind.VARIABLE
    return value_symbol(walk, node, name, value if value != name else None, kind=kind)


def _parameter(walk: Walk, node: Node) -> Op:
    name, declared = walk.field(node, "name"), walk.field(node, "type")
    if name is not None and declared is not None:
        shown, target = dotted(walk, name), plain_type(walk, declared).lstrip("?")
        walk.bind("type", shown, target, node)
        if node.type == "property_promotion_parameter":
            walk.bind("type", f"this.{shown}", target, node, walk.class_scope())
    return Op.NODE


def _assignment(walk: Walk, node: Node) -> Op:
    left, right = walk.field(node, "left"), walk.field(node, "right")
    if left is not None and right is not None and left.type in ("variable_name", "member_access_expression"):
        name = dotted(walk, left)
        scope = walk.class_scope() if name.startswith("this.") else None
        walk.bind("call", name, called(walk, right, _CALLS), node, scope)
    return Op.NODE


def _require(walk: Walk, node: Node) -> Op:
    path = part(walk, node, "string", "encapsed_string")
    if path is not None:
        imported(walk, node, quoted(walk, path), quoted(walk, path))
    return Op.NODE


_INHERITS = ("base_clause", "class_interface_clause")

SPECS = (
    LanguageSpec(
        name="php",
        grammar="tree_sitter_php",
        function="language_php",
        passed=frozenset({"parenthesized_expression"}),
        dropped=frozenset({"'", '"'}),
        same={"encapsed_string": "string"},
        access=frozenset({"->", "?->", "::"}),
        keeping=frozenset({"for_statement"}),
        identifiers=frozenset({"name"}),
        hooks={
            "namespace_definition": _namespace,
            "namespace_use_declaration": _use,
            "use_declaration": _trait_use,
            "class_declaration": symbol(FactKind.CLASS, inherits=_INHERITS),
            "interface_declaration": symbol(FactKind.INTERFACE, inherits=_INHERITS),
            "trait_declaration": symbol(FactKind.TRAIT),
            "enum_declaration": symbol(FactKind.ENUM, inherits=_INHERITS),
            "method_declaration": symbol(FactKind.METHOD, returns=("return_type",)),
            "function_definition": symbol(FactKind.FUNCTION, returns=("return_type",)),
            "const_declaration": _members,
            "property_declaration": _members,
            "const_element": _element,
            "property_element": _element,
            "simple_parameter": _parameter,
            "property_promotion_parameter": _parameter,
            "assignment_expression": _assignment,
            "require_expression": _require,
            "require_once_expression": _require,
            "include_expression": _require,
            "include_once_expression": _require,
            **call_hooks(_CALLS),
        },
    ),
)
