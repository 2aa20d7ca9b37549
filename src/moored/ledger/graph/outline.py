"""What the linker keeps of a code file: its references and bindings, packed.

The interface is what other files can see: what names stand for in the module and in its classes, what functions
return, what classes inherit. The uses are the rest: references, and names inside of functions.
"""

from __future__ import annotations

import json
import re
import zlib
from dataclasses import dataclass

from moored.model.facts import Binding, EdgeKind, Extraction, FactKind, Reference

_KINDS = {kind.value: kind for kind in EdgeKind}
_FUNCTIONS = (FactKind.FUNCTION, FactKind.METHOD)
_DEFAULT_EXPORT = re.compile(
    r"(?:export default|module\.exports\s*=)\s+(?:async\s+)?(?:function\*?\s+|class\s+)?([\w$]+)"
)
_LOCAL_EXPORT = re.compile(r"([\w$]+)\s+as\s+([\w$]+)")


@dataclass(frozen=True, slots=True)
class Interface:
    """What other files can see: bindings of the module and its classes, and the bases of each class."""

    bindings: tuple[Binding, ...]
    bases: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Uses:
    """What only the file itself needs: its references, and the bindings inside of its functions."""

    references: tuple[Reference, ...]
    bindings: tuple[Binding, ...]


def pack(extraction: Extraction) -> tuple[bytes, bytes]:
    """Interface and uses of a file as compressed JSON."""
    functions = {fact.name for fact in extraction.facts if fact.kind in _FUNCTIONS}
    seen: list[Binding] = []
    local: list[Binding] = []
    for binding in extraction.bindings:
        outside = binding.kind == "returns" or binding.scope not in functions
        (seen if outside else local).append(binding)
    seen += _renamed_exports(extraction)
    bases: list[list[str]] = [[ref.scope, ref.target] for ref in extraction.references if ref.kind is EdgeKind.INHERIT]
    return _pack([seen, bases]), _pack([extraction.references, local])


def unpack_interface(packed: bytes) -> Interface:
    """The inverse of the first part of `pack`."""
    bindings, bases = json.loads(zlib.decompress(packed))
    return Interface(tuple(Binding(*row) for row in bindings), tuple((row[0], row[1]) for row in bases))


def unpack_uses(packed: bytes) -> Uses:
    """The inverse of the second part of `pack`."""
    references, bindings = json.loads(zlib.decompress(packed))
    return Uses(
        tuple(Reference(_KINDS[kind], scope, target, line) for kind, scope, target, line in references),
        tuple(Binding(*row) for row in bindings),
    )


def _renamed_exports(extraction: Extraction) -> list[Binding]:
    """Names under which a module exports its own symbols, where they differ: `default`, `a as b`."""
    found: list[Binding] = []
    for fact in extraction.facts:
        if fact.kind is not FactKind.EXPORT:
            continue
        if fact.name == "default":
            pairs: list[tuple[str, str]] = [
                (match.group(1), "default") for match in _DEFAULT_EXPORT.finditer(fact.value)
            ]
        else:
            pairs = [pair for pair in _LOCAL_EXPORT.findall(fact.value) if pair[1] == fact.name]
        for own, name in pairs:
            if own != name:
                found.append(Binding("alias", "", name, own, fact.span.line))
    return found


def _pack(value: object) -> bytes:
    return zlib.compress(json.dumps(value, separators=(",", ":")).encode("utf-8", "surrogatepass"), 1)
