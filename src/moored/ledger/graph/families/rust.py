"""Rust: paths from the crate, the module and its parent; methods belong to the type of their `impl`."""

from __future__ import annotations

import re
from posixpath import basename, dirname
from typing import TYPE_CHECKING

from moored.ledger.graph.families.family import Family, words
from moored.ledger.graph.values import External, File, Symbol, Value

if TYPE_CHECKING:
    from moored.ledger.graph.lookups import Lookups

_SEPARATOR = re.compile(r"::|\.")
_ROOTS = ("lib.rs", "main.rs")
_MODULE_FILES = ("mod.rs", *_ROOTS)


def _crate_root(lookups: Lookups, path: str) -> str | None:
    folder = dirname(path)
    while True:
        for name in _ROOTS:
            candidate = f"{folder}/{name}" if folder else name
            if lookups.is_file(candidate):
                return candidate
        if not folder:
            return None
        folder = dirname(folder)


def _children(path: str) -> str:
    """The folder in which the modules of a module's file stand."""
    return dirname(path) if basename(path) in _MODULE_FILES else path.removesuffix(".rs")


def _parent(lookups: Lookups, path: str) -> str | None:
    folder = dirname(path)
    if basename(path) in _MODULE_FILES:
        folder = dirname(folder)
    for candidate in (f"{folder}/mod.rs", f"{folder}/lib.rs", f"{folder}/main.rs", f"{folder}.rs"):
        if lookups.is_file(candidate.lstrip("/")):
            return candidate.lstrip("/")
    return None


def _imported(lookups: Lookups, path: str, module: str) -> Value | None:
    parts = [part for part in _SEPARATOR.split(module) if part]
    at: str | None = path
    if parts[:1] == ["crate"]:
        at, parts = _crate_root(lookups, path), parts[1:]
    elif parts[:1] == ["self"]:
        parts = parts[1:]
    elif parts[:1] == ["super"]:
        while at is not None and parts[:1] == ["super"]:
            at, parts = _parent(lookups, at), parts[1:]
    elif not _is_module(lookups, path, parts[:1]):
        return External("::".join(parts))
    return _descend(lookups, at, parts) if at is not None else None


def _is_module(lookups: Lookups, path: str, parts: list[str]) -> bool:
    source = lookups.source(path)
    if source is None or not parts:
        return False
    folder = _children(path)
    stem = f"{folder}/{parts[0]}" if folder else parts[0]
    return parts[0] in source.symbols or lookups.first_file(stem, (".rs", "/mod.rs")) is not None


def _descend(lookups: Lookups, path: str, parts: list[str]) -> Value | None:
    while parts:
        folder = _children(path)
        stem = f"{folder}/{parts[0]}" if folder else parts[0]
        found = lookups.first_file(stem, (".rs", "/mod.rs"))
        if found is None:
            break
        path, parts = found, parts[1:]
    if not parts:
        return File(path)
    source = lookups.source(path)
    name = ".".join(parts)
    if source is None:
        return None
    scope, _, last = name.rpartition(".")
    if lookups.symbol(source, scope, last) is not None:
        return Symbol(path, name)
    bound = lookups.bound(source, "", parts[0])
    for binding in bound:
        if binding.kind == "import" and len(parts) == 1 and binding.target != name:
            return _imported(lookups, path, binding.target)
    return None


RUST = Family(
    name="rust",
    languages=frozenset({"rust"}),
    imported=_imported,
    own=frozenset({"self", "Self"}),
    base=frozenset(),
    open_types=True,
    bare_names=False,
    builtins=words("""println print eprintln eprint format vec panic assert assert_eq assert_ne write writeln
Some None Ok Err todo matches unreachable unimplemented dbg Box Vec String"""),
    common=words("""new clone into from iter map collect unwrap expect push len get insert is_empty to_string
as_str as_ref ok err and_then unwrap_or unwrap_or_else default next filter contains
into_iter to_owned borrow lock join"""),
    wrappers=frozenset({"Box", "Rc", "Arc", "Option", "Result", "RefCell", "Cell", "Mutex", "RwLock", "Cow"}),
)
