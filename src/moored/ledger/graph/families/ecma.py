"""TypeScript and JavaScript: modules by path, with the endings and index files that bundlers and Node try."""

from __future__ import annotations

from posixpath import dirname, join, normpath
from typing import TYPE_CHECKING

from moored.ledger.graph.families.family import Family, words
from moored.ledger.graph.values import External, File, Value

if TYPE_CHECKING:
    from moored.ledger.graph.lookups import Lookups

_ENDINGS = ("", ".ts", ".tsx", ".mts", ".cts", ".d.ts", ".js", ".jsx", ".mjs", ".cjs")
_INDEX = tuple(f"/index{ending}" for ending in _ENDINGS[1:])
_COMPILED = (".js", ".jsx", ".mjs", ".cjs")
_ROOTED = ("@/", "~/")


def _file(lookups: Lookups, stem: str) -> File | None:
    stem = "" if stem == "." else stem
    found = lookups.first_file(stem, _ENDINGS) if stem else None
    if found is None:
        for ending in _COMPILED:
            if stem.endswith(ending):
                found = lookups.first_file(stem.removesuffix(ending), _ENDINGS[1:])
                break
    if found is None:
        found = lookups.first_file(stem, _INDEX) if stem else lookups.first_file("index", _ENDINGS[1:])
    return File(found) if found is not None else None


def _imported(lookups: Lookups, path: str, module: str) -> Value | None:
    if module.startswith("."):
        return _file(lookups, normpath(join(dirname(path), module)))
    for prefix in _ROOTED:
        if module.startswith(prefix):
            rest = module.removeprefix(prefix)
            return _file(lookups, f"src/{rest}") or _file(lookups, rest)
    return External(module)


_GLOBALS = """Array ArrayBuffer BigInt Boolean Buffer DataView Date Error EvalError Float32Array
Float64Array Function Int16Array Int32Array Int8Array Intl JSON Map Math Number Object
Promise Proxy RangeError ReferenceError Reflect RegExp Set String Symbol SyntaxError
TypeError URIError URL URLSearchParams Uint16Array Uint32Array Uint8Array WeakMap WeakRef
WeakSet clearInterval clearTimeout console decodeURIComponent document encodeURIComponent
eval fetch globalThis import isFinite isNaN parseFloat parseInt process queueMicrotask
require setImmediate setInterval setTimeout structuredClone window describe it test expect
beforeEach afterEach beforeAll afterAll"""
_MEMBERS = """add all apply assign bind call catch charAt charCodeAt clear concat create delete entries
every fill filter find findIndex finally flat flatMap forEach from get has hasOwnProperty
includes indexOf isArray join keys lastIndexOf length log map match max min next of parse
pop push reduce replace replaceAll resolve reject reverse round search set shift slice
some sort splice split startsWith endsWith stringify substring test then toFixed
toLowerCase toString toUpperCase trim unshift values warn error info"""

ECMA = Family(
    name="ecma",
    languages=frozenset({"javascript", "typescript", "tsx", "jsx"}),
    imported=_imported,
    own=frozenset({"this"}),
    bare_names=False,
    builtins=words(_GLOBALS),
    common=words(_MEMBERS),
    constructors=("constructor",),
    wrappers=frozenset({"Promise", "Readonly", "Partial", "Required", "NonNullable"}),
)
