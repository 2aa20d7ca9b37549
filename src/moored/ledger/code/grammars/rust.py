"""Rust. Methods belong to the type of their `impl`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.ledger.code.spec import Hook, LanguageSpec, Op
from moored.model.facts import EdgeKind, FactKind

from .common import bind_value, call_hooks, dotted, imported, part, symbol, typed, value_symbol

if TYPE_CHECKING:
    from tree_sitter import Node

    from moored.ledger.code.walk import Frame, Walk

_CALLS = {
    "call_expression": ("function",),
    "macro_invocation": ("macro",),
    "struct_expression": ("new", "name"),
}


def _attribute(walk: Walk, node: Node) -> Op:
    walk.lead(node)
    return Op.NODE


def _impl(walk: Walk, node: Node) -> Op | Frame:
    subject, trait = walk.field(node, "type"), walk.field(node, "trait")
    if subject is None:
        return Op.NODE
    name = dotted(walk, subject).lstrip("&")
    opened = walk.enter(node, walk.within(name))
    if trait is not None:
        walk.refer(EdgeKind.INHERIT, dotted(walk, trait), node)
    return opened


def _use(walk: Walk, node: Node) -> Op:
    argument = walk.field(node, "argument")
    if argument is not None:
        statement = walk.text(node).rstrip(";")
        for target, bound in _used(walk, argument, ""):
            imported(walk, node, target, bound, statement)
    return Op.NODE


def _used(walk: Walk, node: Node, prefix: str) -> list[tuple[str, str]]:
    """What a use tree imports: the dotted path and the name it is bound to."""
    found: list[tuple[str, str]] = []
    pending = [(node, prefix)]
    while pending:
        item, before = pending.pop()
        kind = item.type
        if kind == "scoped_use_list":
            path = walk.field(item, "path")
            inner = f"{before}{dotted(walk, path)}." if path is not None else before
            listed = walk.field(item, "list")
            pending.extend((child, inner) for child in reversed(listed.named_children if listed else []))
        elif kind == "use_list":
            pending.extend((child, before) for child in reversed(item.named_children))
        elif kind == "use_wildcard":
            found.append((f"{before}{dotted(walk, item).removesuffix('*').rstrip('.')}:*".replace(".:", ":"), "*"))
        elif kind == "use_as_clause":
            path, alias = walk.field(item, "path"), walk.field(item, "alias")
            if path is not None and alias is not None:
                found.append((before + dotted(walk, path), walk.text(alias)))
        elif kind == "self":
            found.append((before.rstrip("."), before.rstrip(".").rpartition(".")[2]))
        elif "comment" not in kind:
            target = before + dotted(walk, item)
            found.append((target, target.rpartition(".")[2]))
    return found


def _field(walk: Walk, node: Node) -> Op | Frame:
    name = walk.field(node, "name")
    if name is None:
        return Op.NODE
    bind_value(walk, f"self.{walk.text(name)}", walk.field(node, "type"), None, _CALLS)
    return value_symbol(walk, node, name, None)


def _value(kind: FactKind) -> Hook:
    def hook(walk: Walk, node: Node) -> Op | Frame:
        name = walk.field(node, "name")
        if name is None:
            return Op.NODE
        bind_value(walk, walk.text(name), walk.field(node, "type"), None, _CALLS)
        return value_symbol(walk, node, name, walk.field(node, "value"), kind=kind)

    return hook


def _extern(walk: Walk, node: Node) -> Op:
    name, alias = walk.field(node, "name"), walk.field(node, "alias")
    if name is not None:
        imported(walk, node, walk.text(name), walk.text(alias or name))
    return Op.NODE


def _macro(walk: Walk, node: Node) -> Op | Frame:
    name = walk.field(node, "name")
    rules = part(walk, node, "macro_rule")
    if name is None:
        return Op.NODE
    end = node.end_byte
    return walk.open(node, FactKind.FUNCTION, walk.text(name), name, rules, body_end=end, shown_end=name.end_byte)


SPECS = (
    LanguageSpec(
        name="rust",
        grammar="tree_sitter_rust",
        comments=frozenset({"line_comment", "block_comment", "shebang"}),
        passed=frozenset({"parenthesized_expression"}),
        words=frozenset({"token_repetition", "token_repetition_pattern"}),
        keeping=frozenset({"tuple_type", "tuple_pattern"}),
        identifiers=frozenset({"identifier", "type_identifier", "field_identifier", "shorthand_field_identifier"}),
        hooks={
            "attribute_item": _attribute,
            "use_declaration": _use,
            "extern_crate_declaration": _extern,
            "function_item": symbol(FactKind.FUNCTION, method=FactKind.METHOD, returns=("return_type",)),
            "function_signature_item": symbol(FactKind.METHOD, returns=("return_type",)),
            "struct_item": symbol(FactKind.STRUCT),
            "union_item": symbol(FactKind.STRUCT),
            "enum_item": symbol(FactKind.ENUM),
            "trait_item": symbol(FactKind.TRAIT, inherits=("trait_bounds",)),
            "impl_item": _impl,
            "mod_item": symbol(FactKind.MODULE),
            "type_item": symbol(FactKind.TYPE, body=("type",), whole=True),
            "const_item": _value(FactKind.CONSTANT),
            "static_item": _value(FactKind.VARIABLE),
            "macro_definition": _macro,
            "field_declaration": _field,
            "parameter": typed("pattern", "type", "", _CALLS),
            "let_declaration": typed("pattern", "type", "value", _CALLS),
            **call_hooks(_CALLS),
        },
    ),
)
