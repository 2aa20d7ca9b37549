"""Java, Kotlin, Scala, C# and PHP: types by their qualified names; a folder is a package."""

from __future__ import annotations

import re
from posixpath import dirname
from typing import TYPE_CHECKING

from moored.ledger.graph import keys
from moored.ledger.graph.families.family import Family, words
from moored.ledger.graph.sources import CLASSES, FUNCTIONS
from moored.ledger.graph.values import External, Folder, Symbol, Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.ledger.graph.lookups import Lookups

_ENDINGS = {".java": "jvm", ".kt": "jvm", ".kts": "jvm", ".scala": "jvm", ".sc": "jvm", ".cs": "csharp", ".php": "php"}
_SEPARATOR = re.compile(r"[.\\/]+|::")
_COMMON = """add clear close contains equals get getClass hashCode isEmpty iterator length next println
put remove set size substring toString trim valueOf values Add Contains Equals GetHashCode
GetType ToString Remove Count Clear"""


def _kin(path: str) -> str:
    return _ENDINGS.get(path[path.rfind(".") :], "")


def _imported(lookups: Lookups, path: str, module: str) -> Value | None:
    """The type or function whose file's folder ends like the package; else the folder of a whole package."""
    parts = [part for part in _SEPARATOR.split(module) if part]
    if not parts:
        return None
    for depth in (1, 2):
        found = _declared(lookups, path, parts[:-depth], parts[-depth:]) if len(parts) > depth else None
        if found is not None:
            return found
    folder = _package(lookups, parts)
    return Folder(folder) if folder is not None else External(".".join(parts))


def _declared(lookups: Lookups, path: str, package: list[str], names: list[str]) -> Symbol | None:
    if not package:
        return None
    wanted = ".".join(names)
    best: list[tuple[int, str, str]] = []
    for other, symbol in lookups.named(names[-1]):
        if _kin(other) != _kin(path) or symbol.kind not in CLASSES | FUNCTIONS or not _is_at(symbol.name, wanted):
            continue
        shared = _shared(dirname(other).split("/"), package)
        if shared:
            best.append((shared, other, symbol.name))
    if not best:
        return None
    longest = max(best)[0]
    fitting = [item for item in best if item[0] == longest]
    return Symbol(fitting[0][1], fitting[0][2]) if len(fitting) == 1 else None


def _is_at(name: str, wanted: str) -> bool:
    return name == wanted or name.endswith(f".{wanted}")


def _shared(folder: list[str], package: list[str]) -> int:
    """How many parts the end of a folder has in common with the end of a package's name."""
    count = 0
    for mine, theirs in zip(reversed(folder), reversed(package), strict=False):
        if mine.lower() != theirs.lower():
            break
        count += 1
    return count


def _package(lookups: Lookups, parts: list[str]) -> str | None:
    wanted = "/".join(parts)
    lookups.keys.add(keys.module(wanted))
    found = [folder for folder in lookups.sources.folders if folder == wanted or folder.endswith(f"/{wanted}")]
    return found[0] if len(found) == 1 else None


def _siblings(lookups: Lookups, path: str) -> Sequence[str]:
    return [file for file in lookups.files_of(dirname(path)) if file != path and _kin(file) == _kin(path)]


JVM = Family(
    name="jvm",
    languages=frozenset({"java", "kotlin", "scala"}),
    imported=_imported,
    siblings=_siblings,
    own=frozenset({"this"}),
    implicit_members=True,
    bare_names=False,
    common=words(_COMMON),
    builtins=frozenset({"println", "print", "require", "check", "error", "listOf", "mapOf", "setOf", "super", "this"}),
    constructors=("<init>", "constructor"),
)
CSHARP = Family(
    name="csharp",
    languages=frozenset({"c_sharp"}),
    imported=_imported,
    siblings=_siblings,
    own=frozenset({"this"}),
    base=frozenset({"base"}),
    implicit_members=True,
    open_types=True,
    namespaces=True,
    builtins=frozenset({"nameof", "typeof"}),
    common=words(_COMMON),
    wrappers=frozenset({"Task", "ValueTask", "Nullable"}),
)
PHP = Family(
    name="php",
    languages=frozenset({"php"}),
    imported=_imported,
    siblings=_siblings,
    namespaces=True,
    own=frozenset({"$this", "this", "self", "static"}),
    base=frozenset({"parent"}),
    common=words(_COMMON),
    constructors=("__construct",),
)
