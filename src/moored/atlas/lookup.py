"""From a name to what it stands for: live facts of a tree, found in the ledger.

A target is everything of one name in one file: overloads, and a getter with its setter, are one target. Where a name
has definitions, its imports do not count.
"""

from __future__ import annotations

import heapq
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from moored.errors import Ambiguous, NotFound
from moored.model.facts import Fact, FactKind
from moored.model.terms import fts_query

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from moored.model.projects import Tree
    from moored.store.port import View

IMPORTS = frozenset({FactKind.IMPORT, FactKind.EXPORT})
LIMIT = 2_000
"""Facts of one last name that are looked at."""

COMPARED = 300
"""Paths that are compared with a name letter by letter."""

SHOWN = 8
"""Candidates and near names that are listed at most."""


class Target(NamedTuple):
    """What a name stands for: all facts of that name in one file."""

    path: str
    name: str
    facts: tuple[Fact, ...]

    @property
    def address(self) -> str:
        return self.facts[0].address

    @property
    def is_file(self) -> bool:
        return self.facts[0].kind is FactKind.FILE


def files_called(view: View, tree: Tree, path: str) -> list[str]:
    """Indexed paths that are `path` or end in it; an exact one stands alone. Absolute paths count from the root."""
    found = view.facts.files_named(tree, relative(tree, path))
    return [relative(tree, path)] if relative(tree, path) in found else found


def relative(tree: Tree, path: str) -> str:
    """A path as the ledger writes it: from the root of the tree, with forward slashes."""
    root = tree.root.replace("\\", "/").rstrip("/") + "/"
    return path.replace("\\", "/").removeprefix(root).removeprefix("./")


def exists(tree: Tree, path: str) -> bool:
    """Whether there is a file of this path inside the tree now."""
    inside = PurePosixPath(relative(tree, path))
    if inside.is_absolute() or ".." in inside.parts or "\0" in path:
        return False
    try:
        return Path(tree.root, inside).is_file()
    except OSError:
        return False


def file_target(view: View, tree: Tree, path: str) -> Target | None:
    """The target of a whole file."""
    facts = [fact for fact in view.facts.named(tree, path, path=path) if fact.kind is FactKind.FILE]
    return Target(path, path, tuple(facts)) if facts else None


def in_files(view: View, tree: Tree, paths: Sequence[str], name: str) -> list[Target]:
    """The targets in these files whose qualified name is `name`, else those whose name ends in it."""
    exact = targets(fact for path in paths for fact in view.facts.named(tree, name, path=path))
    ending = (f for path in paths for f in view.facts.in_file(tree, path) if f.name.endswith("." + name))
    return exact or targets(ending)


def named(view: View, tree: Tree, name: str, *, bare: bool = False) -> list[Target]:
    """The targets that a name may stand for, by the closest reading that fits anything.

    Read first as a qualified name, then as the end of one, then as a module and a name in it, then as a package and
    a name somewhere in it. With `bare`, a name without a dot must be the only one that ends so: a function of the
    module is not preferred to a method.
    """
    if not (bare and "." not in name) and (exact := targets(view.facts.named(tree, name))):
        return exact
    return targets(view.facts.ending(tree, name, LIMIT)) or _in_module(view, tree, name)


def targets(facts: Iterable[Fact]) -> list[Target]:
    """Group facts by file and name; without imports where there is a definition, and without whole files."""
    groups: dict[tuple[str, str], list[Fact]] = {}
    for fact in facts:
        if fact.kind is not FactKind.FILE:
            groups.setdefault((fact.path, fact.name), []).append(fact)
    found = [Target(path, name, _definitions(group)) for (path, name), group in groups.items()]
    defined = [target for target in found if target.facts[0].kind not in IMPORTS]
    return defined or found


def only(found: Sequence[Target], name: str) -> Target:
    """The one target there is. Raises `Ambiguous` when there are several."""
    if len(found) > 1:
        raise Ambiguous(f"'{name}' stands for {len(found)} things here.", candidates=addresses(found))
    return found[0]


def addresses(found: Sequence[Target]) -> tuple[str, ...]:
    """The addresses of the first targets, for a person to choose from."""
    shown = tuple(target.address for target in found[:SHOWN])
    return (*shown, f"and {len(found) - SHOWN} more") if len(found) > SHOWN else shown


def unknown(view: View, tree: Tree, name: str) -> NotFound:
    """The error for a name that stands for nothing, with the names that resemble it."""
    return NotFound(
        f"There is no symbol, key or file '{name}' in {tree.root}. Nothing was written.", near=near(view, tree, name)
    )


def near(view: View, tree: Tree, name: str) -> tuple[str, ...]:
    """Live names and indexed paths that resemble a name, best first."""
    import difflib

    trigrams = [name[at : at + 3] for at in range(len(name) - 2)][:60]
    found = view.facts.near(tree, fts_query(trigrams)) if trigrams else []
    paths = _alike(name, view.facts.files(tree)) if "/" in name or "." in name else ()
    leaf = name.rpartition(".")[2].lower()
    ratio = {
        other: max(
            difflib.SequenceMatcher(None, name.lower(), other.lower()).ratio(),
            difflib.SequenceMatcher(None, leaf, other.rpartition(".")[2].lower()).ratio(),
        )
        for other in dict.fromkeys([*found, *difflib.get_close_matches(name, paths, 3)])
    }
    ranked = sorted((other for other in ratio if ratio[other] > 0.5), key=lambda other: -ratio[other])
    return tuple(ranked[:SHOWN])


def _alike(name: str, paths: Iterable[str]) -> list[str]:
    """The paths whose last part has most pairs of characters in common with that of a name: few enough to compare."""
    wanted = _pairs(name)
    return heapq.nsmallest(COMPARED, paths, key=lambda path: (-len(wanted & _pairs(path)), path))


def _pairs(path: str) -> set[str]:
    last = path.rpartition("/")[2].lower()
    return {last[at : at + 2] for at in range(len(last) - 1)}


def _definitions(group: Sequence[Fact]) -> tuple[Fact, ...]:
    return tuple(fact for fact in group if fact.kind not in IMPORTS) or tuple(group)


def _in_module(view: View, tree: Tree, name: str) -> list[Target]:
    """Read a dotted name as a module or package (a file or folder, by its last parts) and a name in it."""
    if "." not in name:
        return []
    leaves = targets(view.facts.ending(tree, name.rpartition(".")[2], LIMIT))
    in_module = [target for target in leaves if f".{_module(target.path)}.{target.name}".endswith(f".{name}")]
    return in_module or [target for target in leaves if _in_package(target, name)]


def _module(path: str) -> str:
    whole = PurePosixPath(path).with_suffix("").as_posix().replace("/", ".")
    return whole.removesuffix(".__init__").removesuffix(".index").removesuffix(".mod")


def _in_package(target: Target, name: str) -> bool:
    package = name.removesuffix(f".{target.name}")
    folder = f"/{PurePosixPath(target.path).parent.as_posix()}/"
    return package != name and f"/{package.replace('.', '/')}/" in folder
