"""Kotlin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.ledger.code.spec import LanguageSpec, Op
from moored.ledger.code.walk import Frame, Walk
from moored.model.facts import FactKind

from .common import after, bases, bind_value, call_hooks, display_of, dotted, imported, part, plain_type, value_symbol

if TYPE_CHECKING:
    from tree_sitter import Node

_CALLS = {"call_expression": ("first",), "constructor_invocation": ("new", "user_type")}


def _import(walk: Walk, node: Node) -> Op:
    path = part(walk, node, "qualified_identifier")
    if path is None:
        return Op.NODE
    target = dotted(walk, path)
    if any(child.type == "*" for child in node.children):
        imported(walk, node, f"{target}:*", "*")
    else:
        alias = after(node, "as")
        imported(walk, node, target, walk.text(alias) if alias is not None else target.rpartition(".")[2])
    return Op.NODE


def _class(walk: Walk, node: Node) -> Op | Frame:
    name = walk.field(node, "name")
    if name is None:
        return Op.NODE
    body = part(walk, node, "class_body", "enum_class_body")
    kind = FactKind.CLASS
    if any(child.type == "interface" for child in node.children):
        kind = FactKind.INTERFACE
    elif body is not None and body.type == "enum_class_body":
        kind = FactKind.ENUM
    opened = walk.open(node, kind, walk.text(name), name, body, display=display_of(node))
    if isinstance(opened, Frame):
        bases(walk, node, "delegation_specifiers")
    return opened


def _companion(walk: Walk, node: Node) -> Op | Frame:
    """What a companion holds is reached through its class."""
    return walk.enter(node, walk.scope)


def _function(walk: Walk, node: Node) -> Op | Frame:
    name = walk.field(node, "name")
    if name is None:
        return Op.NODE
    shown = walk.text(name)
    walk.bind("returns", shown, plain_type(walk, after(node, ":")), node)
    kind = FactKind.METHOD if walk.in_class() else FactKind.FUNCTION
    return walk.open(node, kind, shown, name, part(walk, node, "function_body"), display=display_of(node))


def _constructor(walk: Walk, node: Node) -> Op | Frame:
    return walk.open(node, FactKind.METHOD, "constructor", None, part(walk, node, "block"), display=display_of(node))


def _property(walk: Walk, node: Node) -> Op | Frame:
    declaration = part(walk, node, "variable_declaration")
    name = part(walk, declaration, "identifier") if declaration is not None else None
    if declaration is None or name is None:
        return Op.NODE
    value = after(node, "=")
    bind_value(walk, walk.text(name), after(declaration, ":"), value, _CALLS)
    return value_symbol(walk, node, name, value, display=display_of(node))


def _parameter(walk: Walk, node: Node) -> Op | Frame:
    name = part(walk, node, "identifier")
    if name is None:
        return Op.NODE
    bind_value(walk, walk.text(name), after(node, ":"), None, _CALLS)
    if any(child.type in ("val", "var") for child in node.children):
        return value_symbol(walk, node, name, None, kind=FactKind.VARIABLE)
    return Op.NODE


def _alias(walk: Walk, node: Node) -> Op | Frame:
    name = walk.field(node, "type")
    if name is None:
        return Op.NODE
    return walk.open(node, FactKind.TYPE, walk.text(name), name, after(node, "="), shown_end=node.end_byte)


SPECS = (
    LanguageSpec(
        name="kotlin",
        grammar="tree_sitter_kotlin",
        comments=frozenset({"line_comment", "block_comment", "shebang"}),
        passed=frozenset({"parenthesized_expression"}),
        words=frozenset({"is_expression", "navigation_expression"}),
        separators=frozenset({";", "\n"}),
        hooks={
            "import": _import,
            "class_declaration": _class,
            "object_declaration": _class,
            "companion_object": _companion,
            "function_declaration": _function,
            "secondary_constructor": _constructor,
            "property_declaration": _property,
            "parameter": _parameter,
            "class_parameter": _parameter,
            "type_alias": _alias,
            **call_hooks(_CALLS),
        },
    ),
)
