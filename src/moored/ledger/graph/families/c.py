"""C and C++: the names of a file and of what it includes; a declaration's body may stand beside its header."""

from __future__ import annotations

from posixpath import dirname, join, normpath
from typing import TYPE_CHECKING

from moored.ledger.graph.families.family import Family, words
from moored.ledger.graph.values import External, File, Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.ledger.graph.lookups import Lookups

MAX_INCLUDED = 300
_BODIES = (".c", ".cc", ".cpp", ".cxx", ".m", ".mm")


def _imported(lookups: Lookups, path: str, module: str) -> Value | None:
    beside = normpath(join(dirname(path), module))
    if lookups.is_file(beside):
        return File(beside)
    for root in ("", "include/", "src/"):
        if lookups.is_file(root + module):
            return File(root + module)
    return External(module)


def _siblings(lookups: Lookups, path: str) -> Sequence[str]:
    """All that a file includes, directly or not, and the files that hold the bodies of what headers declare."""
    found: dict[str, None] = {}
    pending = [path]
    while pending and len(found) < MAX_INCLUDED:
        source = lookups.source(pending.pop(0))
        if source is None:
            continue
        for included in lookups.imports(source):
            target = _imported(lookups, source.path, included)
            if isinstance(target, File) and target.path not in found and target.path != path:
                found[target.path] = None
                pending.append(target.path)
    bodies: list[str] = []
    for header in found:
        body = lookups.first_file(header.rpartition(".")[0], _BODIES)
        if body is not None and body != path and body not in found:
            bodies.append(body)
    return [*bodies, *found]


C = Family(
    name="c",
    languages=frozenset({"c", "cpp"}),
    imported=_imported,
    siblings=_siblings,
    own=frozenset({"this"}),
    base=frozenset(),
    implicit_members=True,
    open_types=True,
    builtins=words("""sizeof printf malloc free memcpy memset strlen strcmp assert fprintf snprintf"""),
    common=words("""begin end size push_back empty c_str find insert erase clear data get reset"""),
)
