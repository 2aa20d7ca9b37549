"""What the walker must know of a language: which nodes are layout, which are symbols, which are references."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING

from .text import tidy

if TYPE_CHECKING:
    from tree_sitter import Node

    from .walk import Frame, Walk


_TAIL = re.compile(r"\s*(?:\{|=>|=|:=)?\s*;?$")


def trim_braces(signature: str) -> str:
    """A folded signature without the brace, arrow or equals sign that leads to the body."""
    return tidy(_TAIL.sub("", signature))


class Op(IntEnum):
    """What the walker does with a node.

    CONST emits a fixed token, DROP nothing, COMMENT remembers the place for documentation and signatures.
    OPEN and CLOSE are brackets: they vanish inside a transparent wrapper, and a comma before CLOSE is dropped.
    SEPARATOR vanishes unless its parent keeps separators. COMMA is a token unless a closing bracket follows.
    NODE emits its kind and descends, or its text when it has no children. PASS descends and emits nothing.
    TEXT emits the text as written. GAPS is NODE for nodes whose text is partly outside their children.
    HOOK asks the language's function for the node, which answers with one of the others or opens a symbol.
    """

    CONST = 0
    NODE = 1
    HOOK = 2
    DROP = 3
    COMMA = 4
    OPEN = 5
    CLOSE = 6
    SEPARATOR = 7
    PASS = 8
    TEXT = 9
    GAPS = 10
    COMMENT = 11


Hook = Callable[["Walk", "Node"], "Op | Frame"]


@dataclass(frozen=True, slots=True)
class LanguageSpec:
    """One language, as data and a few functions.

    `grammar` is the distribution's module, `function` its function that returns the grammar. The sets hold
    node kinds: `comments`, `passed` (wrappers without meaning, such as redundant parentheses), `verbatim`
    (emitted as written), `gaps` (with text outside their children), `words` (the same, white
    space apart), `separators` and `commas` (dropped where
    they are optional), `keeping` (parents in which separators and commas count), `identifiers` (leaves that
    can be a symbol's own name), `access` (tokens between an object and the name of its member). Kinds that begin
    with `constant_prefix` are words without regard to case.
    `same` renames kinds that mean the same. `anonymous` holds hooks of unnamed tokens, `hooks` those of named
    nodes. `trim` shortens a shown signature.
    """

    name: str
    grammar: str
    hooks: Mapping[str, Hook]
    function: str = "language"
    comments: frozenset[str] = frozenset({"comment"})
    passed: frozenset[str] = frozenset()
    verbatim: frozenset[str] = frozenset()
    gaps: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    separators: frozenset[str] = frozenset({";"})
    commas: frozenset[str] = frozenset({","})
    dropped: frozenset[str] = frozenset()
    keeping: frozenset[str] = frozenset()
    identifiers: frozenset[str] = frozenset({"identifier"})
    access: frozenset[str] = frozenset({".", "?.", "::"})
    same: Mapping[str, str] = field(default_factory=dict[str, str])
    trim: Callable[[str], str] = trim_braces
    constant_prefix: str = ""
    anonymous: Mapping[str, Hook] = field(default_factory=dict[str, Hook])
