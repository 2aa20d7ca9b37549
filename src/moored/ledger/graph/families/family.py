"""What the resolver has to know of a family of languages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from moored.ledger.graph.lookups import Lookups
from moored.ledger.graph.values import Value

Importer = Callable[[Lookups, str, str], Value | None]
"""What an import stands for: lookups, path of the importing file, the module as written."""

Siblings = Callable[[Lookups, str], Sequence[str]]
"""The files whose names a file sees without importing them, itself not counted."""


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


def nothing_imported(_lookups: Lookups, _path: str, _module: str) -> Value | None:
    """The importer of a language whose imports name no module that a path could prove."""
    return None


def no_siblings(_lookups: Lookups, _path: str) -> Sequence[str]:
    """The siblings where every name comes from the file itself or an import."""
    return ()


@dataclass(frozen=True, slots=True)
class Family:
    """Languages whose files can use each other's symbols.

    `own` are the names of the present object, `base` those of its base class. With `implicit_members` a bare name
    reaches the members of the enclosing class; with `open_types` members of a type may stand in other files than the
    type. With `namespaces` the qualified name of a symbol begins with its namespace. `builtins` are bare names, and
    `common` members of built-in types: neither proves a symbol of the project by its name alone. `constructors` are
    what a class calls when it is instantiated. With `bare_names` a bare name that no scope binds may still be a
    symbol elsewhere. `submodules` says that a package's file stands for its folder. `wrappers` are generic types that
    stand for their argument.
    """

    name: str
    languages: frozenset[str]
    imported: Importer = nothing_imported
    siblings: Siblings = no_siblings
    own: frozenset[str] = frozenset({"self", "this"})
    base: frozenset[str] = frozenset({"super"})
    implicit_members: bool = False
    open_types: bool = False
    namespaces: bool = False
    bare_names: bool = True
    submodules: bool = False
    builtins: frozenset[str] = frozenset()
    common: frozenset[str] = frozenset()
    constructors: tuple[str, ...] = ()
    wrappers: frozenset[str] = frozenset()
