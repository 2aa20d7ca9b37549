"""What became of every function and class of a Python tree, told by Python's own `ast` alone.

This is the yardstick that the product's verdicts on Python are held against, so it shares no code with it: no
tree-sitter, no token stream, no ledger. Two definitions are equal when `ast.dump` without positions says so; that a
string is written with the prefix `u`, which `ast` keeps and Python ignores, does not count.
"""

from __future__ import annotations

import ast
import copy
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from pathlib import Path

Definable = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
Key = tuple[str, str]
"""Path and qualified name. All definitions of one name in one file (overloads, a getter with its setter) share it."""

RECOGNISABLE_LEAVES = 12
"""A body with fewer names and constants than this says too little to be recognised elsewhere."""


class Fate(StrEnum):
    """What became of what stood under a key."""

    CURRENT = "current"
    CHANGED = "changed"
    MOVED = "moved"
    AMBIGUOUS = "ambiguous"
    GONE = "gone"


@dataclass(frozen=True)
class Definition:
    """One function or class: where it stands, and its syntax tree."""

    path: str
    name: str
    node: Definable

    @property
    def key(self) -> Key:
        return self.path, self.name

    @cached_property
    def signature(self) -> str:
        """All but the body and the name: decorators, parameters, result, bases, and whether it is async."""
        bare = copy.copy(self.node)
        bare.body, bare.name = [], ""
        return ast.dump(bare)

    @cached_property
    def body(self) -> str:
        return "\n".join(ast.dump(statement) for statement in self.node.body)

    @cached_property
    def anonymous_body(self) -> str:
        """The body with the definition's own name blanked, as a renamed recursive function has another one."""
        *_, owner, name = ("", *self.name.split("."))
        return "\n".join(ast.dump(_blanked(statement, name, owner)) for statement in self.node.body)

    @cached_property
    def trivial(self) -> bool:
        return sum(_leaves(statement) for statement in self.node.body) < RECOGNISABLE_LEAVES


@dataclass(frozen=True)
class Expected:
    """What a note about one key must be told.

    `signature` and `body` say what differs when the fate is `changed`; `places` where it went when it moved.
    """

    fate: Fate
    signature: bool = False
    body: bool = False
    places: frozenset[Key] = frozenset()


@dataclass
class Release:
    """All definitions of a tree by key, the other names it binds, and the files that this Python cannot parse."""

    definitions: dict[Key, list[Definition]] = field(default_factory=dict)
    bound: set[Key] = field(default_factory=set)
    unparsed: set[str] = field(default_factory=set)


def read(root: Path) -> Release:
    """Parse every Python file under a folder."""
    release = Release()
    for file in sorted(root.rglob("*.py")):
        path = file.relative_to(root).as_posix()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(file.read_bytes())
        except (SyntaxError, ValueError):
            release.unparsed.add(path)
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant):
                node.kind = None
        release.bound |= {(path, name) for name in _bound("", tree)}
        for definition in _definitions(path, "", tree):
            release.definitions.setdefault(definition.key, []).append(definition)
    return release


def compare(old: Release, new: Release) -> dict[Key, Expected]:
    """The fate of every key of the old release that this Python could parse in both."""
    arrivals = _arrivals(old, new)
    expected: dict[Key, Expected] = {}
    for key in sorted(old.definitions, key=lambda key: (key[0], key[1].count("."), key[1])):
        if key[0] in new.unparsed:
            continue
        here = new.definitions.get(key)
        group = old.definitions[key]
        if here:
            expected[key] = _difference(group, here)
        elif key in new.bound:
            expected[key] = Expected(Fate.CHANGED, signature=True, body=True)
        else:
            expected[key] = _whereabouts(group, new, arrivals, expected)
    return expected


def _definitions(path: str, scope: str, node: ast.AST) -> Iterator[Definition]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Definable):
            definition = Definition(path, f"{scope}{child.name}", child)
            yield definition
            yield from _definitions(path, f"{definition.name}.", child)
        else:
            yield from _definitions(path, scope, child)


def _bound(scope: str, node: ast.AST) -> Iterator[str]:
    """Names that are assigned to in a module or class: what was a class may have become an alias."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef):
            yield from _bound(f"{scope}{child.name}.", child)
        elif isinstance(child, ast.Assign | ast.AnnAssign):
            targets = child.targets if isinstance(child, ast.Assign) else [child.target]
            yield from (f"{scope}{target.id}" for target in targets if isinstance(target, ast.Name))
        elif isinstance(child, ast.stmt) and not isinstance(child, Definable):
            yield from _bound(scope, child)


def _arrivals(old: Release, new: Release) -> Mapping[str, list[Definition]]:
    """Bodies of the new release that are not trivial, with the definitions whose name had no such body before."""
    found: dict[str, list[Definition]] = defaultdict(list)
    for key, group in new.definitions.items():
        before = {definition.body for definition in old.definitions.get(key, ())}
        for definition in group:
            if not definition.trivial and definition.body not in before:
                found[definition.anonymous_body].append(definition)
    return found


def _difference(old: list[Definition], new: list[Definition]) -> Expected:
    """Compare definitions of one name: those that are as they were, then what differs from the nearest of the rest."""
    exact = {(one.signature, one.body) for one in new}
    changed = [one for one in old if (one.signature, one.body) not in exact]
    if not changed:
        return Expected(Fate.CURRENT)
    signatures, bodies = {one.signature for one in new}, {one.body for one in new}
    return Expected(
        Fate.CHANGED,
        signature=any(one.body in bodies or one.signature not in signatures for one in changed),
        body=any(one.body not in bodies for one in changed),
    )


def _whereabouts(
    group: list[Definition],
    new: Release,
    arrivals: Mapping[str, list[Definition]],
    known: Mapping[Key, Expected],
) -> Expected:
    """Where a name went that stands in its file no more: to the one new place of its body, or along with its owner."""
    places: set[Key] = set()
    for definition in group:
        found = {one.key for one in ([] if definition.trivial else arrivals.get(definition.anonymous_body, ()))}
        if len(found) > 1:
            return Expected(Fate.AMBIGUOUS, places=frozenset(found))
        places |= found
    if not places:
        places = _with_owner(group[0], new, known)
    return Expected(Fate.MOVED, places=frozenset(places)) if places else Expected(Fate.GONE)


def _with_owner(definition: Definition, new: Release, known: Mapping[Key, Expected]) -> set[Key]:
    owner, _, leaf = definition.name.rpartition(".")
    whole = known.get((definition.path, owner))
    if whole is None or whole.fate is not Fate.MOVED:
        return set()
    return {key for path, name in whole.places if (key := (path, f"{name}.{leaf}")) in new.definitions}


def _blanked(statement: ast.stmt, name: str, owner: str) -> ast.stmt:
    """A copy without the name, but where it is that of a member of anything but the owner."""
    renamed = copy.deepcopy(statement)
    for node in ast.walk(renamed):
        if isinstance(node, ast.Attribute):
            if node.attr == name and isinstance(node.value, ast.Name) and node.value.id in ("self", "cls", owner):
                node.attr = ""
            continue
        for attribute in ("id", "name", "arg"):
            if getattr(node, attribute, None) == name:
                setattr(node, attribute, "")
    return renamed


def _leaves(statement: ast.stmt) -> int:
    named = (ast.Name, ast.Constant, ast.Attribute, ast.arg, ast.alias, *_definable())
    return sum(
        isinstance(node, named) or (isinstance(node, ast.keyword) and node.arg is not None)
        for node in ast.walk(statement)
    )


def _definable() -> Iterable[type[ast.AST]]:
    return ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef
