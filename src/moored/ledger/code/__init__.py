"""The code extractor: symbols, references and bindings of a source file, read from its syntax tree."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from moored.model.facts import Extraction

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["extract", "language_of"]


def language_of(path: str, head: bytes = b"") -> str | None:
    """The language of a file by its extension, its name or its `#!` line, None when it is none of ours."""
    from .languages import language_of as find

    return find(path, head)


def extract(path: str, source: bytes) -> Extraction:
    """Read one source file. `path` only tells the language; nothing is opened.

    A file in a language that is none of ours gives an empty extraction with language "".
    """
    from .languages import language_of as find
    from .languages import load
    from .references import worth_keeping
    from .walk import Walk, hash_tokens, walk_tree

    name = find(path, source)
    if name is None:
        return Extraction(language="")
    language = load(name)
    tree = language.parse(source)
    walk = Walk(language, source)
    walk_tree(walk, tree)
    facts = sorted(walk.facts, key=lambda fact: (fact.span.start, -fact.span.end))
    root = tree.root_node
    found = Extraction(
        language=name,
        facts=tuple(facts),
        bindings=tuple(walk.bindings),
        errors=_count_errors(root) if root.has_error else 0,
        body_hash=hash_tokens(walk.tokens),
    )
    return replace(found, references=worth_keeping(walk.references, found))


def _count_errors(root: Node) -> int:
    """The places that did not parse: outermost error nodes, and tokens the parser had to invent."""
    count = 0
    pending = [root]
    while pending:
        node = pending.pop()
        if node.is_error or node.is_missing:
            count += 1
        elif node.has_error:
            pending.extend(node.children)
    return count
