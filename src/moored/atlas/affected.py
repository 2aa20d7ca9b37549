"""Which notes and pins a change puts at risk: the uncommitted one, or everything since a branch was left.

A target is compared as it was at the base with as it is on disk now, whenever the note about it was written: so a
note that was brought up to date already is listed too, with the verdict that it holds.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from moored.atlas.names import mentions
from moored.atlas.verdict import judge
from moored.errors import InvalidInput
from moored.ledger import git
from moored.ledger.extract import extract_file
from moored.ledger.git_changes import FileChange, changed_files, compared_with
from moored.model.facts import SYMBOL_KINDS, ExtractedFact, FactKind
from moored.model.notes import AnchorRole, Change, JudgedNote, Note, State

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from moored.ledger.sight import FactNow, Sight
    from moored.model.projects import Tree
    from moored.store.port import View


@dataclass(frozen=True, slots=True)
class TargetChange:
    """What a change did to one thing that a note is about. A value is empty on the side where it is not there.

    `path` is where it stands now, or stood. `change` is `Change.NONE` when it only came into being; when its file was
    renamed and nothing else, `before` and `now` are the paths.
    """

    address: str
    path: str
    change: Change
    before: str
    now: str


@dataclass(frozen=True, slots=True)
class AffectedNote:
    """A note whose targets a change touches, with the verdict on it now."""

    judged: JudgedNote
    changes: tuple[TargetChange, ...]


@dataclass(frozen=True, slots=True)
class Mentioned:
    """A note or a pin that is not about what changed but names it: `names` are paths and symbols."""

    id: str
    text: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Affected:
    """What a change puts at risk. `base` is the id of the commit compared with, or of the empty tree."""

    base: str
    files: tuple[FileChange, ...]
    notes: tuple[AffectedNote, ...]
    mentions: tuple[Mentioned, ...]


def affected(sight: Sight, view: View, tree: Tree, base: str | None = None) -> Affected:
    """Compare the tree with HEAD, or with where it left `base`, and find the notes and pins at risk.

    Raises `InvalidInput` outside git, and when there is no commit `base`.
    """
    repository = git.repository(Path(tree.root))
    if repository is None:
        raise InvalidInput(
            f"{tree.root} is not in a git work tree, so there is no difference to look at. Use `stale` to judge every "
            "note against the files as they are."
        )
    commit = compared_with(repository.root, base)
    prefix = _prefix(repository.root, tree)
    files = tuple(_inside(changed_files(repository.root, base), prefix))
    diff = _Diff(sight, repository.root, commit, prefix, files)
    found = [
        AffectedNote(judge(sight, view, tree.project, note), changes)
        for note in view.notes.about_paths(tree.project, diff.touched)
        if (changes := _changes_of(note, diff))
    ]
    notes = [one for one in found if not _only_new(one)]
    named = _mentioning(view, tree, diff, {one.judged.note.id for one in notes})
    return Affected(commit, files, tuple(notes), tuple(named))


class _Diff:
    """What the changed files held at the base and hold now, each read at most once."""

    def __init__(self, sight: Sight, root: Path, commit: str, prefix: str, files: Sequence[FileChange]) -> None:
        self._sight = sight
        self._root = root
        self._commit = commit
        self._prefix = prefix
        self._before: dict[str, tuple[ExtractedFact, ...]] = {}
        self._old_path = {change.path: change.old_path or change.path for change in files}
        self._new_path = {change.old_path: change.path for change in files if change.status == "renamed"}
        self.touched = sorted({path for pair in self._old_path.items() for path in pair})

    def before(self, path: str) -> tuple[ExtractedFact, ...]:
        """The facts of a file at the base, by the path that it had there."""
        if path not in self._before:
            self._before[path] = self._read(path)
        return self._before[path]

    def now(self, path: str) -> tuple[FactNow, ...]:
        """The facts now of the file that had this path at the base, or has it now."""
        return self._sight.file(path) or self._sight.file(self._new_path.get(path, path)) or ()

    def compare(self, path: str, name: str) -> list[TargetChange]:
        """How what is called `name` in a file differs, kind by kind of definition; a whole file by its path."""
        old_path = self._old_path.get(path, path)
        old_name, new_name = (old_path, self._new_path.get(path, path)) if name == path else (name, name)
        before = {_key(fact): fact for fact in self.before(old_path) if fact.name == old_name and _counts(fact)}
        now = {_key(fact): fact for fact in self.now(path) if fact.name == new_name and _counts(fact)}
        address = path if name == path else f"{path}::{name}"
        if before.keys() == now.keys():
            new_path = self._new_path.get(path)
            return [TargetChange(address, new_path, Change.MOVED, path, new_path)] if new_path and before else []
        lost = [fact for key, fact in before.items() if key not in now]
        fresh = [fact for key, fact in now.items() if key not in before]
        where = fresh[0].path if fresh else path
        was, change = lost[0].value if lost else "", _change(lost, fresh)
        return [TargetChange(address, where, change, was, fresh[0].value if fresh else "")]

    def names(self, path: str) -> set[str]:
        """Every name that a changed file holds now or held at the base."""
        return {fact.name for fact in (*self.before(self._old_path.get(path, path)), *self.now(path)) if _counts(fact)}

    def _read(self, path: str) -> tuple[ExtractedFact, ...]:
        done = git.call(self._root, ["cat-file", "blob", f"{self._commit}:{self._prefix}{path}"])
        return extract_file(path, done.stdout).facts if done.returncode == 0 else ()


def _changes_of(note: Note, diff: _Diff) -> tuple[TargetChange, ...]:
    touched = set(diff.touched)
    targets = dict.fromkeys(
        (anchor.path, anchor.name)
        for anchor in note.head.anchors
        if anchor.role is AnchorRole.ABOUT and anchor.path in touched
    )
    return tuple(change for path, name in targets for change in diff.compare(path, name))


def _only_new(one: AffectedNote) -> bool:
    """Whether a note is about things that the change brings, as they are: such a change puts it at no risk."""
    return one.judged.verdict.state is State.CURRENT and all(found.change is Change.NONE for found in one.changes)


def _mentioning(view: View, tree: Tree, diff: _Diff, listed: set[str]) -> Iterable[Mentioned]:
    """Notes and pins that name a changed file, or something in one that differs."""
    texts = [(pin.id, pin.text) for pin in view.pins.all(tree.project)]
    texts += [
        (note.id, note.head.text)
        for note in view.notes.all(tree.project)
        if note.id not in listed and not note.superseded_by
    ]
    wanted = {identity: _named_in(text) for identity, text in texts}
    every = {name for names in wanted.values() for name in names}
    changed: dict[str, str] = {}
    for path in diff.touched if every else ():
        changed[path] = changed[path.rpartition("/")[2]] = path
        for name in diff.names(path) - {path}:
            leaf = name.rpartition(".")[2]
            if (name in every or leaf in every) and diff.compare(path, name):
                changed[name] = changed[leaf] = f"{path}::{name}"
    for identity, text in texts:
        found = tuple(dict.fromkeys(changed[name] for name in wanted[identity] if name in changed))
        if found:
            yield Mentioned(identity, text, found)


def _named_in(text: str) -> tuple[str, ...]:
    names = [name for found in mentions(text) for name in (found.path, found.name, found.text) if name]
    return tuple(dict.fromkeys(names))


def _counts(fact: ExtractedFact | FactNow) -> bool:
    return fact.kind not in (FactKind.IMPORT, FactKind.EXPORT)


def _key(fact: ExtractedFact | FactNow) -> tuple[str, str, str]:
    return fact.kind, fact.signature_hash, fact.body_hash


def _change(lost: Sequence[ExtractedFact], fresh: Sequence[FactNow]) -> Change:
    if not fresh:
        return Change.GONE
    if not lost:
        return Change.NONE
    if fresh[0].kind not in SYMBOL_KINDS:
        return Change.BODY if fresh[0].kind is FactKind.FILE else Change.VALUE
    same_signature = (lost[0].kind, lost[0].signature_hash) == (fresh[0].kind, fresh[0].signature_hash)
    if lost[0].body_hash == fresh[0].body_hash:
        return Change.SIGNATURE
    return Change.BODY if same_signature else Change.SIGNATURE_AND_BODY


def _prefix(root: Path, tree: Tree) -> str:
    below = os.path.relpath(os.path.realpath(tree.root), os.path.realpath(root)).replace(os.sep, "/")
    return "" if below == "." else f"{below}/"


def _inside(changes: Iterable[FileChange], prefix: str) -> Iterable[FileChange]:
    """The changes below the root of the tree, with paths from there. A file that came from outside is a new one."""
    for change in changes:
        if change.path.startswith(prefix):
            old = change.old_path.removeprefix(prefix) if change.old_path.startswith(prefix) else ""
            yield replace(change, path=change.path.removeprefix(prefix), old_path=old)
