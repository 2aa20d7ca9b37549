"""Facts: what a deterministic extractor read from a file or from an episode."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class FactKind(StrEnum):
    """What sort of thing a fact is about."""

    FUNCTION = "function"
    METHOD = "method"
    CLASS = "class"
    STRUCT = "struct"
    ENUM = "enum"
    TRAIT = "trait"
    INTERFACE = "interface"
    TYPE = "type"
    CONSTANT = "constant"
    VARIABLE = "variable"
    MODULE = "module"
    IMPORT = "import"
    EXPORT = "export"
    CONFIG_KEY = "config_key"
    FILE = "file"
    COMMAND = "command"
    EXIT_STATUS = "exit_status"
    JSON_FIELD = "json_field"
    CSV_COLUMN = "csv_column"
    HTTP_HEADER = "http_header"
    DIFF_HUNK = "diff_hunk"
    TEST_SUMMARY = "test_summary"
    TEST_FAILURE = "test_failure"


SYMBOL_KINDS = frozenset(
    {
        FactKind.FUNCTION,
        FactKind.METHOD,
        FactKind.CLASS,
        FactKind.STRUCT,
        FactKind.ENUM,
        FactKind.TRAIT,
        FactKind.INTERFACE,
        FactKind.TYPE,
        FactKind.CONSTANT,
        FactKind.VARIABLE,
        FactKind.MODULE,
    }
)


class EdgeKind(StrEnum):
    """How one symbol depends on another.

    `call` calls or constructs it, `import` imports it, `inherit` has it as a base, and `use` names it in any other
    way: an annotation, a default, a callback, an attribute that is read or set. Uses are read in Python alone so far.
    """

    CALL = "call"
    IMPORT = "import"
    INHERIT = "inherit"
    USE = "use"


class Span(NamedTuple):
    """Where a fact stands in its source: bytes `[start, end)`, lines from 1, both ends included."""

    start: int
    end: int
    line: int
    end_line: int


class ExtractedFact(NamedTuple):
    """One fact as an extractor read it, before the ledger gives it an id.

    `name` is qualified within the source: `Session.send` in a code file, `tool.ruff.line-length` in a
    configuration file, `content-type` in a header block. `value` is what is shown as the current value: the
    signature of a symbol as written (white space folded), the value of a key as canonical text.

    Hashes are 32 hexadecimal digits (BLAKE2b, 16 bytes). For a symbol `signature_hash` covers the normalised
    syntax tree of everything but the body and the symbol's own name, and `body_hash` that of the body: layout
    and comments count in neither. For any other fact `signature_hash` is empty and `body_hash` covers the
    value. `trivial` says that the body is too small to be recognised in another place.
    """

    kind: FactKind
    name: str
    value: str
    body_hash: str
    span: Span
    signature_hash: str = ""
    parent: str = ""
    doc: str = ""
    trivial: bool = False


class Reference(NamedTuple):
    """A use of a name in a code file, as written and not yet resolved: a tuple, because there are very many.

    `scope` is the qualified name of the innermost symbol that contains it, empty at module level. `target` is
    the dotted text of the callee, base class or imported name (`self.send`, `np.array`, `os.path`).
    """

    kind: EdgeKind
    scope: str
    target: str
    line: int


class Binding(NamedTuple):
    """What a name stands for in a scope of a code file, as far as the syntax tells: a tuple, as references are.

    `kind` is `import` (`target` is the imported module or `module:name`, relative ones with their leading
    dots or `./`; a `name` of `*` binds everything of the module), `type` (an annotation, a parameter's or a
    variable's declared type), `call` (assigned from a call of `target`, so of that type if it is a class), `returns`
    (a function of this name has `target` as its declared result, in the scope in which it is defined) or `local`
    (made inside the function by something that the syntax does not tell, `target` is `?`: it hides what has the name
    outside). Attributes of `self` are bound in the scope of their class under `self.name`.
    """

    kind: str
    scope: str
    name: str
    target: str
    line: int


class Extraction(NamedTuple):
    """All that was read from one source.

    `errors` counts the places that did not parse: the rest was read all the same. `omitted` counts facts left
    out because the source holds more than the cap of its extractor. `found` is false when the extractors
    looked and the source has no structure they know. `body_hash` is the hash of the whole source without what
    does not count (layout, comments), empty when its extractor knows no such form.
    """

    language: str
    facts: tuple[ExtractedFact, ...] = ()
    references: tuple[Reference, ...] = ()
    bindings: tuple[Binding, ...] = ()
    errors: int = 0
    omitted: int = 0
    body_hash: str = ""

    @property
    def found(self) -> bool:
        return bool(self.facts)


class Fact(NamedTuple):
    """One fact in the ledger, as of its latest version.

    It belongs to a file of a tree (`tree`, `path`) or to an episode (`episode`); the other is empty. `ordinal`
    tells apart facts of the same kind and name in one source (overloads), from 0 in order of appearance.
    `since` is when this version was first seen, `gone_at` when the source stopped holding it, in milliseconds,
    or None while it holds.
    """

    id: str
    project: str
    tree: str
    path: str
    episode: str
    kind: FactKind
    name: str
    ordinal: int
    value: str
    signature_hash: str
    body_hash: str
    span: Span
    parent: str
    doc: str
    trivial: bool
    extractor: str
    since: int
    gone_at: int | None

    @property
    def address(self) -> str:
        """The name by which a person calls it: `path::name` in a file, `episode::name` in an episode.

        A file fact is called by its path, a command by its text.
        """
        if self.kind in (FactKind.FILE, FactKind.COMMAND):
            return self.name
        return f"{self.path or self.episode}::{self.name}"


class FactVersion(NamedTuple):
    """One version of a fact in its history: what it was from `since` until `until` (None: still)."""

    path: str
    name: str
    value: str
    signature_hash: str
    body_hash: str
    line: int
    since: int
    until: int | None
    change: str


class Edge(NamedTuple):
    """`source` depends on `target`.

    `resolved` says whether scopes and imports prove the target, or only its name fits. `source_hash` is the
    body hash of the source when the edge was observed; when the source's own hash differs now, the edge is not
    to be trusted without a look.
    """

    kind: EdgeKind
    source: str
    target: str
    target_name: str
    resolved: bool
    line: int
    source_hash: str
