"""C and C++."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.ledger.code.spec import Hook, LanguageSpec, Op
from moored.ledger.code.text import fold
from moored.ledger.code.walk import Frame, Walk
from moored.model.facts import FactKind

from .common import (
    SHOWN_VALUE,
    bases,
    bind_value,
    call_hooks,
    dotted,
    imported,
    plain_type,
    quoted,
    symbol,
    value_symbol,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_CALLS = {"call_expression": ("function",), "new_expression": ("new", "type")}
_WRAPPERS = frozenset(
    {"pointer_declarator", "reference_declarator", "array_declarator", "init_declarator", "parenthesized_declarator"}
)


def _declared(walk: Walk, node: Node) -> tuple[Node | None, bool]:
    """The node of the name that a declarator declares, and whether it declares a function."""
    current: Node | None = node
    function = False
    while current is not None:
        kind = current.type
        if kind == "function_declarator":
            function = True
        elif kind not in _WRAPPERS:
            return current, function
        inner = walk.field(current, "declarator")
        if inner is None:
            named = [child for child in current.named_children if child.type not in ("type_qualifier", "comment")]
            inner = named[-1] if named else None
        current = inner
    return None, function


def _name(walk: Walk, node: Node) -> tuple[str, str, Node]:
    """The scope written before a name (`Foo` in `Foo::bar`), the name, and the node of the name alone."""
    owners: list[str] = []
    while node.type == "qualified_identifier":
        scope, inner = walk.field(node, "scope"), walk.field(node, "name")
        if scope is not None:
            owners.append(dotted(walk, scope))
        if inner is None:
            break
        node = inner
    if node.type == "operator_name":
        return ".".join(owners), "".join(walk.text(node).split()), node
    if node.type in ("template_function", "template_type"):
        node = walk.field(node, "name") or node
    return ".".join(owners), dotted(walk, node), node


def _function(walk: Walk, node: Node) -> Op | Frame:
    declarator = walk.field(node, "declarator")
    named, is_function = _declared(walk, declarator) if declarator is not None else (None, False)
    if named is None or not is_function:
        return Op.NODE
    owner, shown, name = _name(walk, named)
    scope = walk.within(owner) if owner else walk.scope
    walk.bind("returns", shown, plain_type(walk, walk.field(node, "type")), node, scope)
    kind = FactKind.METHOD if owner or walk.in_class() else FactKind.FUNCTION
    return walk.open(node, kind, shown, name, walk.field(node, "body"), owner=owner)


def _declaration(walk: Walk, node: Node) -> Op | Frame:
    """Prototypes, fields and global variables; inside a function only bindings."""
    declarators = node.children_by_field_name("declarator")
    if not declarators:
        return Op.NODE
    declared = walk.field(node, "type")
    for declarator in declarators:
        named, is_function = _declared(walk, declarator)
        if named is not None and not is_function:
            value = walk.field(declarator, "value")
            bind_value(walk, dotted(walk, named), declared, value, _CALLS)
    named, is_function = _declared(walk, declarators[0])
    if named is None or walk.in_function():
        return Op.NODE
    if is_function:
        return _function(walk, node)
    value = walk.field(declarators[0], "value") or walk.field(node, "default_value")
    return value_symbol(walk, node, named, value)


def _parameter(walk: Walk, node: Node) -> Op:
    declarator = walk.field(node, "declarator")
    named, is_function = _declared(walk, declarator) if declarator is not None else (None, False)
    if named is not None and not is_function:
        bind_value(walk, dotted(walk, named), walk.field(node, "type"), None, _CALLS)
    return Op.NODE


def _typed(kind: FactKind) -> Hook:
    """A class, struct, union or enum where it is defined; a mention of one is no symbol."""

    def hook(walk: Walk, node: Node) -> Op | Frame:
        named, body = walk.field(node, "name"), walk.field(node, "body")
        if named is None or body is None:
            return Op.NODE
        owner, shown, name = _name(walk, named)
        opened = walk.open(node, kind, shown, name, body, owner=owner)
        if isinstance(opened, Frame):
            bases(walk, node, "base_class_clause")
        return opened

    return hook


def _typedef(walk: Walk, node: Node) -> Op | Frame:
    declarator, declared = walk.field(node, "declarator"), walk.field(node, "type")
    named = _declared(walk, declarator)[0] if declarator is not None else None
    if named is None or declared is None:
        return Op.NODE
    body = walk.field(declared, "body")
    kinds = {"struct_specifier": FactKind.STRUCT, "union_specifier": FactKind.STRUCT, "enum_specifier": FactKind.ENUM}
    kind = kinds.get(declared.type, FactKind.TYPE) if body is not None else FactKind.TYPE
    whole = node.end_byte if node.end_byte - node.start_byte <= SHOWN_VALUE else -1
    return walk.open(node, kind, walk.text(named), named, body or declared, shown_end=whole)


def _template(walk: Walk, node: Node) -> Op:
    if node.named_child_count:
        walk.wrap(node, node.named_children[-1], node.start_byte)
    return Op.NODE


def _include(walk: Walk, node: Node) -> Op:
    path = quoted(walk, walk.field(node, "path"))
    imported(walk, node, path, path)
    return Op.NODE


def _using(walk: Walk, node: Node) -> Op:
    named = node.named_children[-1] if node.named_child_count else None
    if named is not None:
        target = dotted(walk, named)
        if any(child.type == "namespace" for child in node.children):
            imported(walk, node, f"{target}:*", "*")
        else:
            imported(walk, node, target, target.rpartition(".")[2])
    return Op.NODE


def _define(walk: Walk, node: Node) -> Op | Frame:
    name = walk.field(node, "name")
    if name is None:
        return Op.NODE
    kind = FactKind.FUNCTION if walk.field(node, "parameters") is not None else FactKind.CONSTANT
    whole = node.end_byte if node.end_byte - node.start_byte <= SHOWN_VALUE else -1
    return walk.open(node, kind, walk.text(name), name, walk.field(node, "value"), shown_end=whole)


def _macro_text(walk: Walk, node: Node) -> Op:
    """What a macro stands for is one text in the tree, up to its line end."""
    walk.emit(b"l" + fold(walk.source[node.start_byte : node.end_byte]).encode("utf-8", "replace"), node.start_byte)
    return Op.DROP


_HOOKS: dict[str, Hook] = {
    "function_definition": _function,
    "declaration": _declaration,
    "field_declaration": _declaration,
    "parameter_declaration": _parameter,
    "optional_parameter_declaration": _parameter,
    "class_specifier": _typed(FactKind.CLASS),
    "struct_specifier": _typed(FactKind.STRUCT),
    "union_specifier": _typed(FactKind.STRUCT),
    "enum_specifier": _typed(FactKind.ENUM),
    "type_definition": _typedef,
    "alias_declaration": symbol(FactKind.TYPE, body=("type",), whole=True),
    "concept_definition": symbol(FactKind.TYPE, body=()),
    "template_declaration": _template,
    "namespace_definition": symbol(FactKind.MODULE),
    "preproc_include": _include,
    "using_declaration": _using,
    "preproc_arg": _macro_text,
    "preproc_def": _define,
    "preproc_function_def": _define,
    **call_hooks(_CALLS),
}
_IDENTIFIERS = frozenset({"identifier", "type_identifier", "field_identifier", "namespace_identifier"})
_ACCESS = frozenset({".", "->", "::"})

SPECS = (
    LanguageSpec(
        name="c",
        grammar="tree_sitter_c",
        passed=frozenset({"parenthesized_expression"}),
        separators=frozenset({";", "\n"}),
        keeping=frozenset({"for_statement"}),
        identifiers=_IDENTIFIERS,
        access=_ACCESS,
        hooks=_HOOKS,
    ),
    LanguageSpec(
        name="cpp",
        grammar="tree_sitter_cpp",
        separators=frozenset({";", "\n"}),
        keeping=frozenset({"for_statement"}),
        identifiers=_IDENTIFIERS,
        access=_ACCESS,
        hooks=_HOOKS,
    ),
)
