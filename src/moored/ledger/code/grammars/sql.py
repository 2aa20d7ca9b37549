"""SQL: what a schema creates. Keywords count without regard to case."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.ledger.code.spec import Hook, LanguageSpec, Op
from moored.model.facts import EdgeKind, FactKind

from .common import dotted, part, symbol

if TYPE_CHECKING:
    from tree_sitter import Node

    from moored.ledger.code.walk import Frame, Walk

_NAME = ("object_reference", "identifier")


def _created(kind: FactKind, *body: str) -> Hook:
    def hook(walk: Walk, node: Node) -> Op | Frame:
        name = part(walk, node, *_NAME)
        if name is None:
            return Op.NODE
        inner = part(walk, node, *body)
        end = inner.start_byte if inner is not None else node.end_byte
        return walk.open(node, kind, dotted(walk, name), name, inner, shown_end=end, body_end=node.end_byte)

    return hook


def _type(walk: Walk, node: Node) -> Op | Frame:
    name = part(walk, node, *_NAME)
    if name is None:
        return Op.NODE
    body = part(walk, node, "enum_elements", "column_definitions")
    kind = FactKind.ENUM if part(walk, node, "keyword_enum") is not None else FactKind.TYPE
    return walk.open(node, kind, dotted(walk, name), name, body, shown_end=node.end_byte)


def _column(walk: Walk, node: Node) -> Op | Frame:
    name = walk.field(node, "name")
    if name is None or not walk.in_class():
        return Op.NODE
    return walk.open(node, FactKind.VARIABLE, walk.text(name), name, None, shown_end=node.end_byte)


def _relation(walk: Walk, node: Node) -> Op:
    name = part(walk, node, "object_reference")
    if name is not None:
        walk.refer(EdgeKind.CALL, dotted(walk, name), node)
    return Op.NODE


SPECS = (
    LanguageSpec(
        name="sql",
        grammar="tree_sitter_sql",
        comments=frozenset({"comment", "marginalia"}),
        constant_prefix="keyword_",
        gaps=frozenset({"literal", "interval", "identifier"}),
        words=frozenset({"alter_column", "function_rows", "function_cost", "tablet_split", "statement"}),
        hooks={
            "create_table": _created(FactKind.STRUCT, "column_definitions", "create_query"),
            "create_view": _created(FactKind.TYPE, "create_query"),
            "create_materialized_view": _created(FactKind.TYPE, "create_query"),
            "create_function": _created(FactKind.FUNCTION, "function_body"),
            "create_procedure": _created(FactKind.FUNCTION, "procedure_body", "function_body"),
            "create_trigger": symbol(FactKind.FUNCTION, name=_NAME),
            "create_type": _type,
            "create_schema": symbol(FactKind.MODULE, name=("identifier",)),
            "column_definition": _column,
            "relation": _relation,
            "invocation": _relation,
        },
    ),
)
