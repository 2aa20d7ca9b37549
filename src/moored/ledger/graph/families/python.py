"""Python: modules by their dotted names, packages, relative imports."""

from __future__ import annotations

import builtins
import sys
from posixpath import basename, dirname, join
from typing import TYPE_CHECKING

from moored.ledger.graph import keys
from moored.ledger.graph.families.family import Family
from moored.ledger.graph.values import External, File, Folder, Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.ledger.graph.lookups import Lookups
    from moored.ledger.graph.sources import Sources

_ENDINGS = (".py", "/__init__.py", ".pyi", "/__init__.pyi")
_BUILTIN_TYPES: tuple[type, ...] = (str, bytes, list, dict, set, tuple, int, float, BaseException)
_HANDLES = {"open", "close", "read", "write", "readline", "readlines", "flush", "seek", "tell", "group", "groups"}


class ModuleNames:
    """Which files could be meant by an absolute dotted name in a tree."""

    def __init__(self, sources: Sources) -> None:
        self.files: dict[str, list[str]] = {}
        self.folders: dict[str, list[str]] = {}
        paths = {path for path, language in sources.languages.items() if language == "python"}
        packages = {dirname(path) for path in paths if basename(path).startswith("__init__.py")}
        for path in sorted(paths):
            for name in _names(path, packages, sources.root):
                self.files.setdefault(name, []).append(path)
                self._add_folders(name, path)

    def _add_folders(self, name: str, path: str) -> None:
        folder = dirname(path)
        if basename(path).startswith("__init__.py"):
            folder = dirname(folder)
        parent = name.rpartition(".")[0]
        while parent:
            known = self.folders.setdefault(parent, [])
            if folder not in known:
                known.append(folder)
            parent, folder = parent.rpartition(".")[0], dirname(folder)


def _names(path: str, packages: set[str], root: str) -> list[str]:
    """The dotted names of a file: from the folder that holds its outermost package, and from the tree's root."""
    stem = path.rpartition(".")[0]
    folder = dirname(path)
    if basename(stem) == "__init__":
        stem = folder
    top = folder
    while top in packages and top:
        top = dirname(top)
    if "" in packages and top == "":
        inside = f"{root}/{stem}" if stem else root
        return [inside.replace("/", ".")]
    names = [stem.removeprefix(f"{top}/") if top else stem, stem]
    return list(dict.fromkeys(name.replace("/", ".") for name in names if name))


def _absolute(lookups: Lookups, path: str, name: str) -> Value | None:
    lookups.keys.add(keys.module(name.replace(".", "/")))
    beside = dirname(path)
    top = name.partition(".")[0]
    if not lookups.is_file(f"{beside}/__init__.py" if beside else "__init__.py"):
        stem = f"{beside}/{name.replace('.', '/')}" if beside else name.replace(".", "/")
        found = lookups.first_file(stem, _ENDINGS)
        if found is not None and found != path:
            return File(found)
    if top in sys.stdlib_module_names:
        return External(name)
    modules = _modules(lookups.sources)
    found = _nearest(modules.files.get(name, ()), path)
    if found is not None:
        return File(found)
    folder = _nearest(modules.folders.get(name, ()), path)
    return Folder(folder) if folder is not None else External(name)


_names_of: list[tuple[Sources, ModuleNames]] = []


def _modules(sources: Sources) -> ModuleNames:
    if not _names_of or _names_of[0][0] is not sources:
        _names_of[:] = [(sources, ModuleNames(sources))]
    return _names_of[0][1]


def _nearest(paths: Sequence[str], path: str) -> str | None:
    """The candidate that shares the longest beginning with `path`; None when two are equally near."""
    if len(paths) < 2:
        return paths[0] if paths else None
    parts = path.split("/")

    def shared(other: str) -> int:
        count = 0
        for mine, theirs in zip(parts, other.split("/"), strict=False):
            if mine != theirs:
                break
            count += 1
        return count

    ranked = sorted(paths, key=lambda other: (-shared(other), other.endswith(".pyi"), other))
    best = [other for other in ranked if shared(other) == shared(ranked[0])]
    sources = [other for other in best if not other.endswith(".pyi")] or best
    return sources[0] if len(sources) == 1 else None


def _imported(lookups: Lookups, path: str, module: str) -> Value | None:
    name = module.lstrip(".")
    dots = len(module) - len(name)
    if not dots:
        return _absolute(lookups, path, name)
    folder: str = dirname(path)
    for _ in range(dots - 1):
        if not folder:
            return None
        folder = dirname(folder)
    stem = join(folder, name.replace(".", "/")).rstrip("/")
    found = lookups.first_file(stem, _ENDINGS if name else _ENDINGS[1::2]) if stem else None
    if not stem and lookups.is_file("__init__.py"):
        found = "__init__.py"
    if found is not None:
        return File(found)
    return Folder(stem) if lookups.is_folder(stem) else None


PYTHON = Family(
    name="python",
    languages=frozenset({"python"}),
    imported=_imported,
    own=frozenset({"self", "cls", "mcs"}),
    bare_names=False,
    submodules=True,
    builtins=frozenset(dir(builtins)) | {"__file__", "__path__", "__all__", "reveal_type"},
    common=frozenset(name for kind in _BUILTIN_TYPES for name in dir(kind)) | _HANDLES,
    constructors=("__init__", "__new__"),
    wrappers=frozenset(
        {"Optional", "Annotated", "ClassVar", "Final", "Required", "NotRequired", "Union", "InitVar", "ReadOnly"}
        | {"Awaitable", "Coroutine"}
    ),
)
