"""C#."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.ledger.code.spec import LanguageSpec, Op
from moored.model.facts import FactKind

from .common import bind_value, call_hooks, display_of, dotted, imported, part, symbol, typed, value_symbol

if TYPE_CHECKING:
    from tree_sitter import Node

    from moored.ledger.code.walk import Frame, Walk

_CALLS = {
    "invocation_expression": ("function",),
    "object_creation_expression": ("new", "type"),
    "attribute": ("new", "name"),
}


def _using(walk: Walk, node: Node) -> Op:
    alias = walk.field(node, "name")
    paths = [child for child in node.named_children if child.type.endswith(("name", "identifier"))]
    if not paths:
        return Op.NODE
    target = dotted(walk, paths[-1])
    if alias is not None:
        imported(walk, node, target, walk.text(alias))
    else:
        imported(walk, node, f"{target}:*", "*")
    return Op.NODE


def _namespace(walk: Walk, node: Node) -> Op | Frame:
    """`namespace A.B;` holds all that follows it in the file."""
    name = walk.field(node, "name")
    if name is None:
        return Op.NODE
    shown = dotted(walk, name)
    body = walk.field(node, "body")
    if body is None:
        walk.scope = shown
    return walk.open(node, FactKind.MODULE, shown, name, body) if body is not None else Op.NODE


def _variables(walk: Walk, node: Node) -> Op:
    declared = walk.field(node, "type")
    for declarator in node.named_children:
        if declarator.type != "variable_declarator":
            continue
        name = walk.field(declarator, "name")
        if name is not None:
            value = declarator.named_children[-1]
            bind_value(walk, walk.text(name), declared, value if value != name else None, _CALLS)
    return Op.NODE


def _field(walk: Walk, node: Node) -> Op:
    """One field of a declaration alone begins at its modifiers."""
    declaration = part(walk, node, "variable_declaration")
    declarators = [c for c in (declaration.named_children if declaration else []) if c.type == "variable_declarator"]
    if len(declarators) == 1:
        walk.wrap(node, declarators[0], display_of(node))
    return Op.NODE


def _declarator(walk: Walk, node: Node) -> Op | Frame:
    name = walk.field(node, "name")
    if name is None:
        return Op.NODE
    value = node.named_children[-1]
    return value_symbol(walk, node, name, value if value != name else None)


def _property(walk: Walk, node: Node) -> Op | Frame:
    name = walk.field(node, "name")
    if name is None:
        return Op.NODE
    bind_value(walk, walk.text(name), walk.field(node, "type"), None, _CALLS)
    body = part(walk, node, "accessors", "value")
    end = node.end_byte if body is not None else None
    return walk.open(node, FactKind.VARIABLE, walk.text(name), name, body, body_end=end, display=display_of(node))


_METHOD = symbol(FactKind.METHOD, returns=("returns", "type"))

SPECS = (
    LanguageSpec(
        name="c_sharp",
        grammar="tree_sitter_c_sharp",
        comments=frozenset({"comment", "shebang_directive"}),
        gaps=frozenset({"raw_string_literal", "interpolation_format_clause"}),
        passed=frozenset({"parenthesized_expression"}),
        keeping=frozenset({"for_statement"}),
        hooks={
            "using_directive": _using,
            "namespace_declaration": _namespace,
            "file_scoped_namespace_declaration": _namespace,
            "class_declaration": symbol(FactKind.CLASS, inherits=("base_list",)),
            "record_declaration": symbol(FactKind.CLASS, inherits=("base_list",)),
            "struct_declaration": symbol(FactKind.STRUCT, inherits=("base_list",)),
            "interface_declaration": symbol(FactKind.INTERFACE, inherits=("base_list",)),
            "enum_declaration": symbol(FactKind.ENUM),
            "method_declaration": _METHOD,
            "constructor_declaration": symbol(FactKind.METHOD),
            "destructor_declaration": symbol(FactKind.METHOD),
            "operator_declaration": symbol(FactKind.METHOD, name=("operator",)),
            "local_function_statement": symbol(FactKind.FUNCTION, returns=("type",)),
            "delegate_declaration": symbol(FactKind.TYPE),
            "property_declaration": _property,
            "field_declaration": _field,
            "event_field_declaration": _field,
            "variable_declaration": _variables,
            "variable_declarator": _declarator,
            "parameter": typed("name", "type", "", _CALLS),
            **call_hooks(_CALLS),
        },
    ),
)
