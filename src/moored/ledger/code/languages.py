"""Which language a file is in, and the tables of each language by the numbers of its grammar's kinds."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from typing import cast

from .spec import Hook, LanguageSpec, Op
from .walk import COMMA, END, END_KEEPING

_ERROR = 65535
_BRACKETS = {"(": Op.OPEN, "[": Op.OPEN, "{": Op.OPEN, ")": Op.CLOSE, "]": Op.CLOSE, "}": Op.CLOSE}

SPECS: dict[str, str] = {
    "python": "python",
    "typescript": "ecma",
    "tsx": "ecma",
    "javascript": "ecma",
    "go": "go",
    "rust": "rust",
    "java": "java",
    "c": "c",
    "cpp": "c",
    "c_sharp": "csharp",
    "ruby": "ruby",
    "php": "php",
    "kotlin": "kotlin",
    "swift": "swift",
    "scala": "scala",
    "bash": "bash",
    "lua": "lua",
    "sql": "sql",
}
"""Language name to the module of `grammars` that describes it."""

_EXTENSIONS = {
    "py": "python",
    "pyi": "python",
    "pyw": "python",
    "ts": "typescript",
    "mts": "typescript",
    "cts": "typescript",
    "tsx": "tsx",
    "js": "javascript",
    "jsx": "javascript",
    "mjs": "javascript",
    "cjs": "javascript",
    "go": "go",
    "rs": "rust",
    "java": "java",
    "c": "c",
    "h": "c",
    "cc": "cpp",
    "cpp": "cpp",
    "cxx": "cpp",
    "c++": "cpp",
    "hh": "cpp",
    "hpp": "cpp",
    "hxx": "cpp",
    "h++": "cpp",
    "ipp": "cpp",
    "cs": "c_sharp",
    "rb": "ruby",
    "rake": "ruby",
    "gemspec": "ruby",
    "php": "php",
    "phtml": "php",
    "kt": "kotlin",
    "kts": "kotlin",
    "swift": "swift",
    "scala": "scala",
    "sc": "scala",
    "sbt": "scala",
    "sh": "bash",
    "bash": "bash",
    "ksh": "bash",
    "lua": "lua",
    "sql": "sql",
}
_NAMES = {
    "Rakefile": "ruby",
    "Gemfile": "ruby",
    "Podfile": "ruby",
    "Vagrantfile": "ruby",
    ".bashrc": "bash",
    ".bash_profile": "bash",
    ".bash_aliases": "bash",
    ".profile": "bash",
    "PKGBUILD": "bash",
    "SConstruct": "python",
    "SConscript": "python",
}
_INTERPRETERS = {
    "python": "python",
    "pypy": "python",
    "node": "javascript",
    "bun": "typescript",
    "deno": "typescript",
    "ts-node": "typescript",
    "bash": "bash",
    "sh": "bash",
    "dash": "bash",
    "ksh": "bash",
    "zsh": "bash",
    "ruby": "ruby",
    "php": "php",
    "lua": "lua",
    "luajit": "lua",
}
_SHEBANG = re.compile(rb"#!\s*(?:\S*/)?([\w.+-]+)(?:[ \t]+(?:-\S+[ \t]+)*(?:\w+=\S*[ \t]+)*(\S+))?")
_CPP_SIGNS = re.compile(
    rb"^[^\S\n]*(?:class\s+\w+|namespace\b|template\s*<|using\s+\w+|public:|private:|protected:)"
    rb"|\bstd::|^[^\S\n]*#\s*include\s*<\w+>|\bconstexpr\b|\bvirtual\s|\b\w+::\w",
    re.MULTILINE,
)
_C_COMMENTS = re.compile(rb"/\*.*?(?:\*/|\Z)|//[^\n]*", re.DOTALL)


def language_of(path: str, head: bytes = b"") -> str | None:
    """The language of a file by its extension, its name, or the `#!` line in `head`; None when it is none of ours.

    `head` is the beginning of the file or all of it. A `.h` file is C++ when its text looks so, else C.
    """
    name = path.replace("\\", "/").rpartition("/")[2]
    found = _NAMES.get(name)
    if found is None and "." in name:
        found = _EXTENSIONS.get(name.rpartition(".")[2].lower())
    if found is None:
        return _by_interpreter(head)
    if found == "c" and name.lower().endswith(".h") and _CPP_SIGNS.search(_C_COMMENTS.sub(b"", head[:65536])):
        return "cpp"
    return found


def _by_interpreter(head: bytes) -> str | None:
    match = _SHEBANG.match(head)
    if match is None:
        return None
    name = match.group(1).decode()
    if name == "env":
        name = (match.group(2) or b"").decode("ascii", "replace")
    return _INTERPRETERS.get(name) or _INTERPRETERS.get(name.rstrip("0123456789."))


class Language:
    """One language ready to parse: its tables are indexed by kind number."""

    def __init__(self, spec: LanguageSpec) -> None:
        from tree_sitter import Language as Grammar

        grammar = Grammar(cast(object, getattr(import_module(spec.grammar), spec.function)()))
        self.name = spec.name
        self.spec = spec
        self.grammar = grammar
        self.fields: dict[str, int] = {}
        for number in range(1, grammar.field_count + 1):
            field = grammar.field_name_for_id(number)
            if field:
                self.fields[field] = number
        self.ops: dict[int, Op] = {_ERROR: Op.NODE}
        self.marks: dict[int, bytes] = {_ERROR: b"(ERROR"}
        self.ends: dict[int, bytes | None] = {_ERROR: END}
        self.leaves: dict[int, bytes] = {_ERROR: b"lERROR:"}
        self.hooks: dict[int, Hook] = {}
        self.words: set[int] = set()
        self.access = frozenset(f"k{kind}".encode() for kind in spec.access)
        for number in range(grammar.node_kind_count):
            kind = grammar.node_kind_for_id(number) or ""
            self._add(number, kind, named=grammar.node_kind_is_named(number))

    def trim(self, signature: str) -> str:
        """A folded signature without what only leads to the body."""
        return self.spec.trim(signature)

    def _add(self, number: int, kind: str, *, named: bool) -> None:
        spec = self.spec
        shown = spec.same.get(kind, kind)
        self.marks[number] = f"({shown}".encode() if named else f"k{shown}".encode()
        self.ends[number] = END_KEEPING if kind in spec.keeping else END
        self.leaves[number] = b"i" if kind in spec.identifiers else f"l{shown}:".encode()
        if kind in spec.words:
            self.words.add(number)
        hook = (spec.hooks if named else spec.anonymous).get(kind)
        if hook is not None:
            self.hooks[number] = hook
            self.ops[number] = Op.HOOK
        else:
            self.ops[number] = _named_op(spec, kind) if named else _anonymous_op(spec, kind)
        if self.ops[number] is Op.TEXT:
            self.marks[number] = self.leaves[number]
        elif self.ops[number] is Op.COMMA:
            self.marks[number] = COMMA


def _named_op(spec: LanguageSpec, kind: str) -> Op:
    if spec.constant_prefix and kind.startswith(spec.constant_prefix):
        return Op.CONST
    if kind in spec.comments:
        return Op.COMMENT
    if kind in spec.dropped:
        return Op.DROP
    if kind in spec.passed:
        return Op.PASS
    if kind in spec.verbatim:
        return Op.TEXT
    return Op.GAPS if kind in spec.gaps or kind in spec.words else Op.NODE


def _anonymous_op(spec: LanguageSpec, kind: str) -> Op:
    if kind in spec.comments:
        return Op.COMMENT
    if kind in spec.dropped:
        return Op.DROP
    if kind in spec.separators:
        return Op.SEPARATOR
    if kind in spec.commas:
        return Op.COMMA
    return _BRACKETS.get(kind, Op.CONST)


@cache
def load(name: str) -> Language:
    """The language of that name, its grammar loaded on first use.

    Raises KeyError for a name that is none of ours.
    """
    module = import_module(f"{__package__}.grammars.{SPECS[name]}")
    specs: tuple[LanguageSpec, ...] = module.SPECS
    return Language(next(spec for spec in specs if spec.name == name))
