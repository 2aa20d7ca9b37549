"""Hooks that most languages share, built from the names of their fields and node kinds."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from moored.ledger.code.spec import Hook, Op
from moored.ledger.code.text import callee, fold, type_name, without
from moored.ledger.code.walk import Frame, Walk, first_named
from moored.model.facts import EdgeKind, FactKind

if TYPE_CHECKING:
    from tree_sitter import Node

SHOWN_VALUE = 200
"""A value of at most this many bytes is shown whole, a longer one cut."""

_ANNOTATIONS = frozenset({"annotation", "marker_annotation", "attribute_list", "attribute", "attribute_item"})
_CLOSING = {">": "<", ")": "(", "]": "[", "}": "{"}
_BASE = re.compile(r"[\w$][\w$.:\\]*")
_NO_BASE = frozenset(
    {"extends", "implements", "with", "public", "private", "protected", "virtual", "by", "derives", "dyn", "for"}
)
_POINTERS = re.compile(r"^(?:[&*\s]|mut\b|const\b|struct\b|dyn\b|'\w+)+|(?<![&*\s?!])[&*\s?!]+$")


def unbracketed(text: str) -> str:
    """The text without its brackets of every sort and what is in them; one that has no partner is left."""
    kept: list[str] = []
    opened: list[tuple[str, int]] = []
    waiting = Counter[str]()
    for character in text:
        opening = _CLOSING.get(character)
        if opening and waiting[opening]:
            found = ""
            while found != opening:
                found, at = opened.pop()
                waiting[found] -= 1
                if found == opening:
                    del kept[at:]
            continue
        if character in "<([{":
            opened.append((character, len(kept)))
            waiting[character] += 1
        kept.append(character)
    return "".join(kept)


def part(walk: Walk, node: Node, *names: str) -> Node | None:
    """The first child that stands in one of these fields or is of one of these kinds."""
    for name in names:
        found = walk.field(node, name)
        if found is not None:
            return found
        for child in node.children:
            if child.type == name:
                return child
    return None


def after(node: Node, token: str) -> Node | None:
    """The first named child that follows a token."""
    seen = False
    for child in node.children:
        if seen and child.is_named and "comment" not in child.type:
            return child
        seen = seen or child.type == token
    return None


def dotted(walk: Walk, node: Node) -> str:
    """A name with dots between its parts, whatever the language writes there."""
    text = unbracketed(walk.source[node.start_byte : node.end_byte].decode("utf-8", "replace"))
    return re.sub(r"::|\\|:|->", ".", "".join(text.split())).lstrip("$").strip(".")


def plain_type(walk: Walk, node: Node | None) -> str:
    """The text of a declared type without pointers, references and qualifiers."""
    if node is None:
        return ""
    text = type_name(walk.source[node.start_byte : node.end_byte].lstrip(b":"))
    return _POINTERS.sub("", text).replace("::", ".")


def display_of(node: Node) -> int:
    """Where a declaration begins without its annotations."""
    for child in node.children:
        kind = child.type
        if kind in _ANNOTATIONS or "comment" in kind:
            continue
        if kind == "modifiers":
            for modifier in child.children:
                if modifier.type not in _ANNOTATIONS:
                    return modifier.start_byte
            continue
        return child.start_byte
    return node.start_byte


def bases(walk: Walk, node: Node, *clauses: str) -> None:
    """Record the types that the clauses of a declaration name, without their arguments."""
    for clause in node.children:
        if clause.type not in clauses:
            continue
        text = without(walk.source, clause.start_byte, clause.end_byte, walk.comments).decode("utf-8", "replace")
        for name in _BASE.findall(unbracketed(text)):
            if name not in _NO_BASE:
                walk.refer(EdgeKind.INHERIT, re.sub(r"::|\\", ".", name).strip(".:"), clause)


def symbol(
    kind: FactKind,
    *,
    name: tuple[str, ...] = ("name",),
    body: tuple[str, ...] = ("body",),
    method: FactKind | None = None,
    inherits: tuple[str, ...] = (),
    returns: tuple[str, ...] = (),
    whole: bool = False,
) -> Hook:
    """A declaration with a name and a body.

    `method` is its kind inside a type, `inherits` the clauses that name its bases, `returns` where its result
    type stands; `whole` shows the body with the signature when it is short.
    """

    def hook(walk: Walk, node: Node) -> Op | Frame:
        named = part(walk, node, *name)
        if named is None:
            return Op.NODE
        shown = dotted(walk, named)
        if returns:
            walk.bind("returns", shown, plain_type(walk, part(walk, node, *returns)), node)
        chosen = method if method is not None and walk.in_class() else kind
        inner = part(walk, node, *body)
        short = whole and node.end_byte - node.start_byte <= SHOWN_VALUE
        opened = walk.open(
            node, chosen, shown, named, inner, display=display_of(node), shown_end=node.end_byte if short else -1
        )
        if inherits and isinstance(opened, Frame):
            bases(walk, node, *inherits)
        return opened

    return hook


def value_symbol(
    walk: Walk, node: Node, named: Node, value: Node | None, *, kind: FactKind | None = None, display: int = -1
) -> Op | Frame:
    """A constant or variable of a file, a module or a type; nothing inside a function."""
    if walk.in_function():
        return Op.NODE
    name = dotted(walk, named)
    role = kind or (FactKind.CONSTANT if name.isupper() else FactKind.VARIABLE)
    whole = node.end_byte if node.end_byte - node.start_byte <= SHOWN_VALUE else -1
    shown = display if display >= 0 else None
    return walk.open(node, role, name, named, value, shown_end=whole, display=shown)


def bind_value(
    walk: Walk,
    name: str,
    declared: Node | None,
    value: Node | None,
    calls: dict[str, tuple[str, ...]],
    scope: str | None = None,
) -> None:
    """Bind a variable to its declared type, and to what it was assigned from if that is a call."""
    if declared is not None and declared.type not in ("implicit_type", "placeholder_type_specifier"):
        target = plain_type(walk, declared)
        if target not in ("var", "auto"):
            walk.bind("type", name, target, declared, scope)
    if value is not None:
        walk.bind("call", name, called(walk, value, calls), value, scope)


def called(walk: Walk, node: Node, calls: dict[str, tuple[str, ...]]) -> str:
    """The callee when the node is a call; `calls` gives for each kind of call where its callee ends."""
    while node.type in ("await_expression", "try_expression", "expression_list", "parenthesized_expression"):
        inner = first_named(node)
        if inner is None:
            return ""
        node = inner
    ends = calls.get(node.type)
    if ends is None:
        return ""
    return callee_of(walk, node, ends)


def callee_of(walk: Walk, node: Node, ends: tuple[str, ...]) -> str:
    """The text of a call up to the end of its callee; of a construction, the type alone."""
    if ends[0] == "new":
        built = part(walk, node, *ends[1:])
        return re.sub(r"[<\[].*", "", callee(walk.source[built.start_byte : built.end_byte])) if built else ""
    last = part(walk, node, *ends) if ends[0] != "first" else first_named(node)
    if last is None:
        return ""
    return callee(walk.source[node.start_byte : last.end_byte])


def call_hooks(calls: dict[str, tuple[str, ...]]) -> dict[str, Hook]:
    """A hook for each kind of call that records a reference to its callee."""

    def make(ends: tuple[str, ...]) -> Hook:
        def hook(walk: Walk, node: Node) -> Op:
            walk.refer(EdgeKind.CALL, callee_of(walk, node, ends), node)
            return Op.NODE

        return hook

    return {kind: make(ends) for kind, ends in calls.items()}


def imported(walk: Walk, node: Node, target: str, bound: str, statement: str = "") -> None:
    """Record one imported thing: the fact, the reference, and the name it is bound to."""
    if not target:
        return
    shown = statement or fold(walk.source[node.start_byte : node.end_byte]).rstrip(";")
    walk.leaf_fact(FactKind.IMPORT, target, node, shown[: 2 * SHOWN_VALUE], f"{target} as {bound}")
    walk.refer(EdgeKind.IMPORT, target.replace(":", "."), node)
    walk.bind("import", bound, target, node)


def quoted(walk: Walk, node: Node | None) -> str:
    """The text of a string literal without its quotes."""
    return walk.text(node).strip("'\"`<>") if node is not None else ""


def typed(name: str, declared: str, value: str, calls: dict[str, tuple[str, ...]]) -> Hook:
    """A parameter or local variable whose name, type and value stand in these fields."""

    def hook(walk: Walk, node: Node) -> Op:
        named = part(walk, node, name)
        if named is not None:
            bind_value(walk, dotted(walk, named), part(walk, node, declared), walk.field(node, value), calls)
        return Op.NODE

    return hook
