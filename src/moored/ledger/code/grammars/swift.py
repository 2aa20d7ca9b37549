"""Swift. What an extension declares belongs to the type it extends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.ledger.code.spec import LanguageSpec, Op
from moored.ledger.code.walk import Frame, Walk
from moored.model.facts import FactKind

from .common import (
    after,
    bases,
    bind_value,
    call_hooks,
    called,
    display_of,
    dotted,
    imported,
    part,
    plain_type,
    symbol,
    value_symbol,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_CALLS = {"call_expression": ("first",)}
_KINDS = {"class": FactKind.CLASS, "actor": FactKind.CLASS, "struct": FactKind.STRUCT, "enum": FactKind.ENUM}


def _import(walk: Walk, node: Node) -> Op:
    path = part(walk, node, "identifier")
    if path is not None:
        target = dotted(walk, path)
        imported(walk, node, target, target.rpartition(".")[2])
    return Op.NODE


def _class(walk: Walk, node: Node) -> Op | Frame:
    name, word = walk.field(node, "name"), walk.field(node, "declaration_kind")
    if name is None or word is None:
        return Op.NODE
    shown = dotted(walk, name)
    kind = _KINDS.get(word.type)
    if kind is None:
        opened = walk.enter(node, walk.within(shown))
    else:
        opened = walk.open(node, kind, shown, name, walk.field(node, "body"), display=display_of(node))
    if isinstance(opened, Frame):
        bases(walk, node, "inheritance_specifier")
    return opened


def _function(walk: Walk, node: Node) -> Op | Frame:
    name = walk.field(node, "name")
    if name is None:
        return Op.NODE
    shown = walk.text(name)
    walk.bind("returns", shown, plain_type(walk, after(node, "->")), node)
    kind = FactKind.METHOD if walk.in_class() else FactKind.FUNCTION
    return walk.open(node, kind, shown, name, walk.field(node, "body"), display=display_of(node))


def _special(walk: Walk, node: Node) -> Op | Frame:
    """`init` and `deinit`: the word is the name."""
    name = "deinit" if node.type == "deinit_declaration" else "init"
    return walk.open(node, FactKind.METHOD, name, None, walk.field(node, "body"), display=display_of(node))


def _property(walk: Walk, node: Node) -> Op | Frame:
    pattern = walk.field(node, "name")
    name = walk.field(pattern, "bound_identifier") if pattern is not None else None
    if name is None:
        return Op.NODE
    annotation = part(walk, node, "type_annotation")
    value = walk.field(node, "value")
    bind_value(walk, walk.text(name), after(annotation, ":") if annotation else None, value, _CALLS)
    body = value or part(walk, node, "computed_value", "protocol_property_requirements")
    return value_symbol(walk, node, name, body, display=display_of(node))


def _parameter(walk: Walk, node: Node) -> Op:
    name = walk.field(node, "name")
    if name is not None:
        bind_value(walk, walk.text(name), after(node, ":"), None, _CALLS)
    return Op.NODE


def _assignment(walk: Walk, node: Node) -> Op:
    target, result = walk.field(node, "target"), walk.field(node, "result")
    if target is not None and result is not None:
        name = dotted(walk, target)
        scope = walk.class_scope() if name.startswith("self.") else None
        walk.bind("call", name, called(walk, result, _CALLS), node, scope)
    return Op.NODE


def _alias(walk: Walk, node: Node) -> Op | Frame:
    name = walk.field(node, "name")
    if name is None:
        return Op.NODE
    return walk.open(node, FactKind.TYPE, walk.text(name), name, after(node, "="), shown_end=node.end_byte)


SPECS = (
    LanguageSpec(
        name="swift",
        grammar="tree_sitter_swift",
        comments=frozenset({"comment", "multiline_comment", "shebang_line"}),
        gaps=frozenset({"str_escaped_char", "regex_literal"}),
        words=frozenset({"throws_clause", "diagnostic"}),
        separators=frozenset({";", "\n"}),
        identifiers=frozenset({"simple_identifier", "type_identifier"}),
        hooks={
            "import_declaration": _import,
            "class_declaration": _class,
            "protocol_declaration": symbol(FactKind.INTERFACE, inherits=("inheritance_specifier",)),
            "function_declaration": _function,
            "protocol_function_declaration": _function,
            "init_declaration": _special,
            "deinit_declaration": _special,
            "property_declaration": _property,
            "protocol_property_declaration": _property,
            "typealias_declaration": _alias,
            "parameter": _parameter,
            "assignment": _assignment,
            **call_hooks(_CALLS),
        },
    ),
)
