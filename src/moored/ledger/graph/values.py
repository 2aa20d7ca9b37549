"""What an expression can stand for, as far as scopes and imports prove it."""

from __future__ import annotations

from typing import NamedTuple


class Symbol(NamedTuple):
    """A definition: a function, a class, a variable. `owner` is the instance or class that it was taken from."""

    path: str
    name: str
    owner: Instance | Symbol | None = None


class Instance(NamedTuple):
    """An object whose class is known."""

    path: str
    name: str


class File(NamedTuple):
    """A module that is one file."""

    path: str


class Folder(NamedTuple):
    """A folder of modules: a namespace package, a Go package, a Rust module without a file of its own."""

    path: str


class External(NamedTuple):
    """Something outside of the tree: built in, of the standard library, of a dependency."""

    name: str


class Opaque(NamedTuple):
    """A local name that stands for something which the syntax does not tell."""

    name: str


Value = Symbol | Instance | File | Folder | External | Opaque
