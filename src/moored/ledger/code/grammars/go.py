"""Go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.ledger.code.spec import LanguageSpec, Op
from moored.ledger.code.walk import Frame, Walk, first_named
from moored.model.facts import EdgeKind, FactKind

from .common import (
    bind_value,
    call_hooks,
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

_CALLS = {"call_expression": ("function",), "composite_literal": ("new", "type")}


def _import(walk: Walk, node: Node) -> Op:
    path = quoted(walk, walk.field(node, "path"))
    alias = walk.field(node, "name")
    bound = walk.text(alias) if alias is not None else path.rpartition("/")[2]
    if bound == ".":
        imported(walk, node, f"{path}:*", "*")
    else:
        imported(walk, node, path, bound)
    return Op.NODE


def _method(walk: Walk, node: Node) -> Op | Frame:
    name, receiver = walk.field(node, "name"), walk.field(node, "receiver")
    if name is None or receiver is None:
        return Op.NODE
    parameter = first_named(receiver)
    declared = walk.field(parameter, "type") if parameter is not None else None
    owner = plain_type(walk, declared).partition("[")[0]
    shown = walk.text(name)
    walk.bind("returns", shown, plain_type(walk, walk.field(node, "result")), node, walk.within(owner))
    return walk.open(node, FactKind.METHOD, shown, name, walk.field(node, "body"), owner=owner)


def _declaration(walk: Walk, node: Node) -> Op:
    """`type T struct{}` and `const a = 1` begin at their keyword when they stand alone."""
    specs = [child for child in node.named_children if child.type.endswith(("_spec", "type_alias"))]
    grouped = any(child.type == "(" for child in node.children)
    if len(specs) == 1 and not grouped:
        walk.wrap(node, specs[0], node.start_byte)
    return Op.NODE


def _type(walk: Walk, node: Node) -> Op | Frame:
    name, body = walk.field(node, "name"), walk.field(node, "type")
    if name is None or body is None:
        return Op.NODE
    kinds = {"struct_type": FactKind.STRUCT, "interface_type": FactKind.INTERFACE}
    kind = kinds.get(body.type, FactKind.TYPE)
    inner = part(walk, body, "field_declaration_list") if kind is FactKind.STRUCT else body
    short = node.end_byte if kind is FactKind.TYPE else -1
    opened = walk.open(node, kind, walk.text(name), name, inner, shown_end=short)
    if kind is FactKind.INTERFACE and isinstance(opened, Frame):
        for child in body.named_children:
            if child.type == "type_elem" and child.named_child_count == 1:
                walk.refer(EdgeKind.INHERIT, dotted(walk, child), child)
    return opened


def _value(walk: Walk, node: Node) -> Op | Frame:
    names = [child for child in node.children_by_field_name("name") if child.is_named]
    declared, value = walk.field(node, "type"), walk.field(node, "value")
    if not names:
        return Op.NODE
    single = value if len(names) == 1 else None
    for name in names:
        bind_value(walk, walk.text(name), declared, single, _CALLS)
    constant = FactKind.CONSTANT if node.type == "const_spec" else FactKind.VARIABLE
    return value_symbol(walk, node, names[0], value, kind=constant)


def _short(walk: Walk, node: Node) -> Op:
    left, right = walk.field(node, "left"), walk.field(node, "right")
    if left is not None and right is not None:
        name = first_named(left)
        if name is not None and name.type == "identifier" and right.named_child_count == 1:
            bind_value(walk, walk.text(name), None, right, _CALLS)
    return Op.NODE


def _parameter(walk: Walk, node: Node) -> Op:
    declared = walk.field(node, "type")
    for name in node.children_by_field_name("name"):
        if name.is_named:
            bind_value(walk, walk.text(name), declared, None, _CALLS)
    return Op.NODE


def _field(walk: Walk, node: Node) -> Op | Frame:
    declared = walk.field(node, "type")
    names = [child for child in node.children_by_field_name("name") if child.is_named]
    if not names:
        if declared is not None and walk.in_class():
            walk.refer(EdgeKind.INHERIT, plain_type(walk, declared), node)
        return Op.NODE
    for name in names:
        bind_value(walk, walk.text(name), declared, None, _CALLS)
    return value_symbol(walk, node, names[0], None, kind=FactKind.VARIABLE)


SPECS = (
    LanguageSpec(
        name="go",
        grammar="tree_sitter_go",
        passed=frozenset({"parenthesized_expression"}),
        separators=frozenset({";", "\n", "\0"}),
        keeping=frozenset({"for_clause"}),
        identifiers=frozenset({"identifier", "type_identifier", "field_identifier", "package_identifier"}),
        hooks={
            "import_spec": _import,
            "function_declaration": symbol(FactKind.FUNCTION, returns=("result",)),
            "method_declaration": _method,
            "method_elem": symbol(FactKind.METHOD, returns=("result",)),
            "type_declaration": _declaration,
            "const_declaration": _declaration,
            "var_declaration": _declaration,
            "type_spec": _type,
            "type_alias": _type,
            "const_spec": _value,
            "var_spec": _value,
            "short_var_declaration": _short,
            "parameter_declaration": _parameter,
            "field_declaration": _field,
            **call_hooks(_CALLS),
        },
    ),
)
