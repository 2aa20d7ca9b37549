"""Ruby."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.ledger.code.spec import Hook, LanguageSpec, Op
from moored.ledger.code.walk import Frame, Walk, first_named
from moored.model.facts import EdgeKind, FactKind

from .common import bases, called, callee_of, dotted, imported, quoted, value_symbol

if TYPE_CHECKING:
    from tree_sitter import Node

_CALLS = {"call": ("method",)}
_ATTRIBUTES = frozenset({"attr_reader", "attr_writer", "attr_accessor"})
_MIXINS = frozenset({"include", "extend", "prepend"})


def _typed(kind: FactKind) -> Hook:
    def hook(walk: Walk, node: Node) -> Op | Frame:
        name = walk.field(node, "name")
        if name is None:
            return Op.NODE
        opened = walk.open(node, kind, dotted(walk, name), name, walk.field(node, "body"))
        if isinstance(opened, Frame):
            bases(walk, node, "superclass")
        return opened

    return hook


def _method(walk: Walk, node: Node) -> Op | Frame:
    name = walk.field(node, "name")
    if name is None:
        return Op.NODE
    frame = walk.container()
    inside = frame is not None and (walk.in_class() or frame.kind is FactKind.MODULE)
    kind = FactKind.METHOD if inside or node.type == "singleton_method" else FactKind.FUNCTION
    body = walk.field(node, "body")
    parameters = walk.field(node, "parameters") or name
    return walk.open(node, kind, walk.text(name), name, body, shown_end=parameters.end_byte)


def _singleton(walk: Walk, node: Node) -> Op | Frame:
    return walk.enter(node, walk.scope)


def _assignment(walk: Walk, node: Node) -> Op | Frame:
    left, right = walk.field(node, "left"), walk.field(node, "right")
    if left is None or right is None:
        return Op.NODE
    if left.type in ("identifier", "constant", "instance_variable", "class_variable"):
        scope = walk.class_scope() if left.type.endswith("_variable") else None
        target = called(walk, right, _CALLS).removesuffix(".new")
        walk.bind("call", walk.text(left), target, node, scope)
    if left.type == "constant":
        return value_symbol(walk, node, left, right, kind=FactKind.CONSTANT)
    return Op.NODE


def _call(walk: Walk, node: Node) -> Op:
    target = callee_of(walk, node, ("method",))
    walk.refer(EdgeKind.CALL, target.removesuffix(".new") or target, node)
    arguments = walk.field(node, "arguments")
    if arguments is None:
        return Op.NODE
    if target in ("require", "require_relative", "load"):
        first = first_named(arguments)
        if first is not None and first.type == "string":
            path = quoted(walk, first)
            if target == "require_relative" and not path.startswith("."):
                path = f"./{path}"
            imported(walk, node, path, path)
    elif target in _MIXINS and walk.in_class():
        for base in arguments.named_children:
            walk.refer(EdgeKind.INHERIT, dotted(walk, base), base)
    elif target in _ATTRIBUTES and walk.in_class():
        for name in arguments.named_children:
            shown = walk.text(name).lstrip(":")
            walk.leaf_fact(FactKind.VARIABLE, walk.within(shown), node, f"{target} :{shown}", target)
    return Op.NODE


SPECS = (
    LanguageSpec(
        name="ruby",
        grammar="tree_sitter_ruby",
        gaps=frozenset({"heredoc_body"}),
        separators=frozenset({";", "\n"}),
        identifiers=frozenset({"identifier", "constant"}),
        access=frozenset({".", "&.", "::"}),
        hooks={
            "class": _typed(FactKind.CLASS),
            "module": _typed(FactKind.MODULE),
            "method": _method,
            "singleton_method": _method,
            "singleton_class": _singleton,
            "assignment": _assignment,
            "call": _call,
        },
    ),
)
