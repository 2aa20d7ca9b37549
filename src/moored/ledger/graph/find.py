"""From a name to the symbols of a tree. Nothing is guessed: a name that fits nothing finds nothing."""

from __future__ import annotations

import difflib
from posixpath import basename
from typing import TYPE_CHECKING

from moored.errors import Ambiguous, NotFound
from moored.model.facts import SYMBOL_KINDS, Fact, FactKind
from moored.model.terms import fts_query

if TYPE_CHECKING:
    from moored.model.projects import Tree
    from moored.store.port import View

_SHOWN = 8
_NEAR_ENOUGH = 0.6
_SHORT = 8
_LINE_DIGITS = 7
_KINDS = SYMBOL_KINDS | {FactKind.FILE}
_FILES = frozenset({FactKind.FILE})
_KEYS = frozenset({FactKind.CONFIG_KEY})


def find(view: View, tree: Tree, name: str) -> list[Fact]:
    """The symbols and files that a name can mean, by path and place; overloads of one symbol count as one.

    A name is `path::Qualified.name`, a path, `path:line` (the innermost symbol there), a qualified name
    (`Session.send`), one qualified by its module as well (`requests.sessions.Session.send`) or a last name (`send`).
    The first of these readings that fits is taken; `::`, `#` and `->` may stand for the dots of a qualified name,
    and the last parts of a path for the whole of it. A configuration key is meant by its name when no symbol is.
    """
    path, separator, rest = name.partition("::")
    if separator and ("/" in path or "." in path):
        return [
            fact for one in _paths(view, tree, path) for fact in _known(view.facts.named(tree, _dotted(rest), path=one))
        ]
    if files := [fact for one in _paths(view, tree, name) for fact in view.facts.named(tree, one, path=one)]:
        return _symbols(files)
    path, separator, line = name.rpartition(":")
    if separator and line.isdecimal() and len(line) <= _LINE_DIGITS:
        places = [view.facts.at_line(tree, one, int(line)) for one in _paths(view, tree, path)]
        return [fact for fact in places if fact is not None]
    dotted = _dotted(name)
    if not dotted:
        return []
    whole = view.facts.named(tree, dotted)
    found = _symbols(whole) or _in_module(view, tree, dotted)
    if found:
        return found
    ending = view.facts.ending(tree, dotted, limit=2_000)
    return _symbols(ending) or _known(whole) or _known(ending)


def find_one(view: View, tree: Tree, name: str) -> Fact:
    """The one symbol or file that a name means.

    Raises `NotFound` with near names when there is none, `Ambiguous` with the addresses when there are several.
    """
    found = find(view, tree, name)
    if len(found) == 1:
        return found[0]
    if found:
        addresses = [fact.address for fact in found]
        shown = (*addresses[:_SHOWN], *((f"and {len(found) - _SHOWN} more",) if len(found) > _SHOWN else ()))
        raise Ambiguous(f"The name {name!r} fits {len(found)} symbols.", candidates=shown)
    raise NotFound(f"No symbol, key or file of this tree is called {name!r}.", near=near(view, tree, name))


def near(view: View, tree: Tree, name: str) -> tuple[str, ...]:
    """Names of the tree that resemble a name, best first."""
    last = _dotted(name).rpartition(".")[2] or name
    whole = _dotted(name)
    pieces = dict.fromkeys(whole[at : at + 3] for at in range(len(whole) - 2))
    if not pieces:
        return ()
    candidates = [*view.facts.near(tree, fts_query(tuple(pieces)), limit=100), *_alike(view, tree, last)]

    def likeness(other: str) -> float:
        ours = whole if "." in whole else last
        theirs = other if "." in whole else other.rpartition(".")[2]
        return difflib.SequenceMatcher(None, ours.lower(), theirs.lower()).ratio()

    scored = sorted(((likeness(other), other) for other in set(candidates)), key=lambda item: (-item[0], item[1]))
    return tuple(other for score, other in scored if score >= _NEAR_ENOUGH)[:_SHOWN]


def _alike(view: View, tree: Tree, last: str) -> list[str]:
    """Names whose last part resembles a short one, which one wrong letter can leave without a trigram in common."""
    if len(last) > _SHORT:
        return []
    names = {
        name.rpartition(".")[2]: name for _, _, kind, name, _ in view.graph.map_symbols(tree) if kind not in _FILES
    }
    return [names[one] for one in difflib.get_close_matches(last, names, _SHOWN, _NEAR_ENOUGH)]


def _dotted(name: str) -> str:
    for separator in ("::", "#", "->"):
        name = name.replace(separator, ".")
    return name.strip(".")


def _paths(view: View, tree: Tree, path: str) -> list[str]:
    """The indexed paths that are `path`, from the root of the tree or of the disk, else those that end in it."""
    root = tree.root.replace("\\", "/").rstrip("/") + "/"
    inside = path.replace("\\", "/").removeprefix(root).removeprefix("./")
    found = view.facts.files_named(tree, inside) if inside else []
    return [inside] if inside in found else found


def _symbols(facts: list[Fact], kinds: frozenset[FactKind] = _KINDS) -> list[Fact]:
    """The symbols among facts; of overloads the last."""
    kept = {(fact.path, fact.name): fact for fact in facts if fact.kind in kinds}
    return list(kept.values())


def _known(facts: list[Fact]) -> list[Fact]:
    """The symbols among facts, else the configuration keys."""
    return _symbols(facts) or _symbols(facts, _KEYS)


def _in_module(view: View, tree: Tree, dotted: str) -> list[Fact]:
    """Symbols whose file is the module that the first parts of a dotted name say."""
    parts = dotted.split(".")
    root = basename(tree.root)
    for at in range(1, len(parts)):
        module, rest = "/".join(parts[:at]), ".".join(parts[at:])
        found = [fact for fact in view.facts.named(tree, rest) if _is_module(fact.path, module, root)]
        if found:
            return _symbols(found)
    whole = "/".join(parts)
    files = [
        fact
        for stem in (parts[-1], f"{parts[-1]}/__init__")
        for path in view.facts.files_named(tree, f"{stem}.py")
        if _is_module(path, whole, root)
        for fact in view.facts.named(tree, path, path=path)
    ]
    return _symbols(files) if len(parts) > 1 else []


def _is_module(path: str, module: str, root: str) -> bool:
    stem = path.rpartition(".")[0].removesuffix("/__init__").removesuffix("/index").removesuffix("/mod")
    stem = f"{root}/{'' if stem == '__init__' else stem}".rstrip("/")
    return stem.endswith(f"/{module}") or stem == module
