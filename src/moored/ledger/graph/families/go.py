"""Go: a package is a folder; its files see each other's names."""

from __future__ import annotations

from posixpath import dirname
from typing import TYPE_CHECKING

from moored.ledger.graph.families.family import Family, words
from moored.ledger.graph.values import External, Folder, Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.ledger.graph.lookups import Lookups

_STANDARD = words("""archive bufio bytes cmp compress container context crypto database debug embed encoding
errors expvar flag fmt go hash html image index io iter log maps math mime net os path
plugin reflect regexp runtime slices sort strconv strings structs sync syscall testing
text time unicode unique unsafe weak""")
_BUILTINS = """append bool byte cap clear close complex copy delete error false float32 float64 imag int
int16 int32 int64 int8 len make max min new nil panic print println real recover rune
string true uint uint16 uint32 uint64 uint8 uintptr any"""


def _imported(lookups: Lookups, _path: str, module: str) -> Value | None:
    parts = module.split("/")
    if parts[0] in _STANDARD:
        return External(module)
    for start in range(len(parts)):
        folder = "/".join(parts[start:])
        if any(file.endswith(".go") for file in lookups.files_of(folder)):
            return Folder(folder)
    return External(module)


def _siblings(lookups: Lookups, path: str) -> Sequence[str]:
    return [file for file in lookups.files_of(dirname(path)) if file.endswith(".go") and file != path]


GO = Family(
    name="go",
    languages=frozenset({"go"}),
    imported=_imported,
    siblings=_siblings,
    own=frozenset(),
    base=frozenset(),
    open_types=True,
    bare_names=False,
    builtins=words(_BUILTINS),
    common=frozenset({"Error", "String"}),
)
