"""Choosing two functions of a repository, and edits of them whose effect is known before they are made.

An edit is tried in memory first: the extractor itself says whether it changed the body and nothing else, or the name
and nothing else. So the demo works in any language that moored reads.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from moored.errors import InvalidInput
from moored.ledger.extract import extract_file
from moored.model.facts import ExtractedFact, Extraction, Fact, FactKind
from moored.model.projects import Tree
from moored.store.port import View

PREFERRED = (("src/moored/model/text.py", "shorten"), ("src/moored/ledger/moves.py", "match_moves"))
"""The functions that are taken when they are there: the one whose body is edited, and the one that is renamed."""

SHORTEST, LONGEST = 5, 60
"""Lines of a function that is taken otherwise."""

_CALLABLE = (FactKind.FUNCTION, FactKind.METHOD)
_TESTS = re.compile(r"(^|/)(tests?|spec|__tests__)/|(^|[/_.])tests?[_.]", re.IGNORECASE)
_NUMBER = re.compile(rb"(?<![\w.])\d+(?![\w.])")
_SWAPS = ((b"==", b"!="), (b"<=", b"<"), (b">=", b">"), (b" + ", b" - "), (b"True", b"False"), (b"true", b"false"))


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of one line of a file, so that two of them in the same file do not get into each other's way."""

    path: str
    line: int
    before: bytes
    after: bytes

    @property
    def old(self) -> str:
        return self.before.decode("utf-8", "replace").strip()

    @property
    def new(self) -> str:
        return self.after.decode("utf-8", "replace").strip()

    def make(self, root: Path) -> None:
        self._put(root, self.after)

    def take_back(self, root: Path) -> None:
        self._put(root, self.before)

    def _put(self, root: Path, content: bytes) -> None:
        lines = (root / self.path).read_bytes().split(b"\n")
        lines[self.line - 1] = content
        (root / self.path).write_bytes(b"\n".join(lines))


@dataclass(frozen=True, slots=True)
class Cast:
    """The two functions and what will be done to them. `new_name` is what the second one will be called."""

    edited: Fact
    edit: Edit
    renamed: Fact
    rename: Edit
    new_name: str


def choose(view: View, tree: Tree) -> Cast:
    """Choose the two functions: the preferred ones, else the first that fit, by path and place.

    Raises `InvalidInput` when the repository has none that fit.
    """
    edited = next(_fitting(view, tree, PREFERRED[0], body_edit, set()), None)
    taken = {edited[0].id} if edited else set[str]()
    renamed = next(_fitting(view, tree, PREFERRED[1], rename_edit, taken), None)
    if edited is None or renamed is None:
        raise InvalidInput(
            f"The demo edits two functions of {SHORTEST} to {LONGEST} lines, and the repository has no two that fit. "
            "Name another one with --project."
        )
    leaf = edited_name(renamed[0].name)
    return Cast(*edited, *renamed, renamed[0].name.removesuffix(renamed[0].name.rpartition(".")[2]) + leaf)


def edited_name(name: str) -> str:
    """What a function is called after its renaming."""
    return name.rpartition(".")[2] + "_renamed"


def _fitting(
    view: View, tree: Tree, preferred: tuple[str, str], edit: Callable[[Path, Fact], Edit | None], taken: set[str]
) -> Iterator[tuple[Fact, Edit]]:
    root = Path(tree.root)
    for fact in _candidates(view, tree, preferred):
        if fact.id not in taken and (made := edit(root, fact)):
            yield fact, made


def _candidates(view: View, tree: Tree, preferred: tuple[str, str]) -> Iterator[Fact]:
    path, name = preferred
    yield from (fact for fact in view.facts.in_file(tree, path) if fact.name == name)
    for path in sorted(view.facts.files(tree)):
        if _TESTS.search(path):
            continue
        for fact in view.facts.in_file(tree, path):
            lines = fact.span.end_line - fact.span.line + 1
            if fact.kind in _CALLABLE and not fact.trivial and SHORTEST <= lines <= LONGEST:
                yield fact


def body_edit(root: Path, fact: Fact) -> Edit | None:
    """An edit that changes what a function does and nothing else; None when none is found."""
    source = (root / fact.path).read_bytes()
    known = extract_file(fact.path, source)
    for start, end, text in _changes(source, fact.span.start, fact.span.end):
        after = source[:start] + text + source[end:]
        now = extract_file(fact.path, after)
        same = _named(now, fact.name)
        if (
            same is not None
            and now.errors == known.errors
            and same.signature_hash == fact.signature_hash
            and same.body_hash != fact.body_hash
        ):
            return _edit(fact.path, source, after, start)
    return None


def _changes(source: bytes, start: int, end: int) -> Iterator[tuple[int, int, bytes]]:
    """Small changes between two places, as the bytes they replace: another number, another comparison.

    The last numbers come first, since what a function says of itself stands at its beginning.
    """
    for number in reversed(list(_NUMBER.finditer(source, start, end))):
        yield number.start(), number.end(), str(int(number[0]) + 1).encode()
    for old, new in _SWAPS:
        if (at := source.rfind(old, start, end)) >= 0:
            yield at, at + len(old), new


def rename_edit(root: Path, fact: Fact) -> Edit | None:
    """An edit that changes the name of a function where it is defined; None when that changes something else too."""
    source = (root / fact.path).read_bytes()
    leaf = fact.name.rpartition(".")[2]
    found = re.compile(rb"(?<!\w)" + re.escape(leaf.encode()) + rb"(?!\w)").search(
        source, fact.span.start, fact.span.end
    )
    if found is None:
        return None
    after = source[: found.start()] + edited_name(fact.name).encode() + source[found.end() :]
    now = extract_file(fact.path, after)
    new = _named(now, fact.name.removesuffix(leaf) + edited_name(fact.name))
    if new is None or new.body_hash != fact.body_hash or new.signature_hash != fact.signature_hash:
        return None
    return None if _named(now, fact.name) else _edit(fact.path, source, after, found.start())


def _named(extraction: Extraction, name: str) -> ExtractedFact | None:
    return next((fact for fact in extraction.facts if fact.name == name and fact.kind in _CALLABLE), None)


def _edit(path: str, before: bytes, after: bytes, at: int) -> Edit:
    number = before.count(b"\n", 0, at)
    return Edit(path, number + 1, before.split(b"\n")[number], after.split(b"\n")[number])
