"""What a question names: facts, files, commands and ids, and the notes that are about them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.atlas import lookup
from moored.model.facts import SYMBOL_KINDS, Fact, FactKind
from moored.model.recall import HitKind
from moored.model.text import fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from moored.atlas.names import Mention
    from moored.model.projects import Project, Tree
    from moored.recall.query import Query
    from moored.store.port import View

Key = tuple[HitKind, int]
"""What a hit would be: its kind, and the store's number of the newest revision, the episode or the fact."""

BY_ID = 4.0
EXACT = 1.0
LOOSE = 0.5
"""Named by its id; named in full or by a name that stands for few things; by an ordinary word or one of many."""

FEW = 3
MOST_FACTS = 20
MOST_NOTES = 50


def mentioned(view: View, project: Project, tree: Tree | None, query: Query) -> dict[Key, float]:
    """How strongly the question names each thing: `BY_ID`, `EXACT` or `LOOSE`.

    A note is named when it is about a fact or a file that is named, less strongly where many are about the file.
    """
    found: dict[Key, float] = {}
    facts = _facts(view, project, tree, query)
    rows = view.facts.rows(project, [fact.id for fact, _ in facts])
    _raise(found, HitKind.FACT, ((rows[fact.id], strength) for fact, strength in facts if fact.id in rows))
    exact = [rows[fact.id] for fact, strength in facts if strength == EXACT]
    loose = [rows[fact.id] for fact, strength in facts if strength < EXACT]
    files = [fact.path for fact, _ in facts if fact.kind is FactKind.FILE]
    in_files = view.search.about_files(project, files, MOST_NOTES) if files else []
    for revisions, strength in (
        (view.search.about_facts(project, exact, MOST_NOTES) if exact else [], EXACT),
        (view.search.about_facts(project, loose, MOST_NOTES) if loose else [], LOOSE),
        (in_files, EXACT if len(in_files) <= FEW else LOOSE),
    ):
        _raise(found, HitKind.NOTE, ((row, strength) for row in revisions))
    _raise(found, None, _by_id(view, project, query.ids))
    return found


def _raise(found: dict[Key, float], kind: HitKind | None, more: Iterable[tuple[int | Key, float]]) -> None:
    for row, strength in more:
        key = row if isinstance(row, tuple) else (kind or HitKind.FACT, row)
        found[key] = max(strength, found.get(key, 0.0))


def _by_id(view: View, project: Project, ids: Sequence[str]) -> Iterable[tuple[Key, float]]:
    for named in ids:
        if named.startswith("no_"):
            note = view.notes.get(project, named)
            if note:
                yield (HitKind.NOTE, note.head.row), BY_ID
        elif named.startswith("ep_"):
            seq = view.episodes.seq(project, named)
            if seq is not None:
                yield (HitKind.EPISODE, seq), BY_ID
        else:
            for row in view.facts.rows(project, [named]).values():
                yield (HitKind.FACT, row), BY_ID


def _facts(view: View, project: Project, tree: Tree | None, query: Query) -> list[tuple[Fact, float]]:
    """The facts that are named, each once with its strength, in the order of the question."""
    found: dict[str, tuple[Fact, float]] = {}
    for line in (name.command or name.name for name in query.names if name.command or name.marked):
        ran = view.facts.command(project, fold(line))
        if ran:
            found[ran.id] = (ran, EXACT)
    ran = view.facts.command(project, fold(query.text[:500]))
    if ran:
        found[ran.id] = (ran, EXACT)
    if tree:
        for name in query.names:
            _add(found, _named(view, tree, name), EXACT)
        for word in query.plain:
            facts = [fact for fact in view.facts.ending(tree, word, MOST_FACTS) if fact.kind in _NAMEABLE]
            _add(found, facts if len(facts) <= FEW else [], LOOSE)
    return list(found.values())


_NAMEABLE = SYMBOL_KINDS | {FactKind.CONFIG_KEY}


def _add(found: dict[str, tuple[Fact, float]], facts: Sequence[Fact], strength: float) -> None:
    for fact in facts:
        found.setdefault(fact.id, (fact, strength if len(facts) <= FEW else LOOSE))


def _named(view: View, tree: Tree, mention: Mention) -> list[Fact]:
    """The live facts that a name stands for: a file, a place in one, a qualified name, or the end of one."""
    if mention.path:
        paths = lookup.files_called(view, tree, mention.path)[:FEW]
        if mention.name:
            return [fact for target in lookup.in_files(view, tree, paths, mention.name) for fact in target.facts]
        if mention.line:
            inner = [view.facts.at_line(tree, path, mention.line) for path in paths]
            if any(inner):
                return [fact for fact in inner if fact]
        return [f for path in paths for f in view.facts.named(tree, path, path=path) if f.kind is FactKind.FILE]
    if not mention.name:
        return []
    exact = view.facts.named(tree, mention.name) or view.facts.ending(tree, mention.name, MOST_FACTS)
    defined = [fact for target in lookup.targets(exact) for fact in target.facts]
    if defined or "." not in mention.name:
        return defined[:MOST_FACTS]
    paths = lookup.files_called(view, tree, mention.name)[:FEW]
    return [f for path in paths for f in view.facts.named(tree, path, path=path) if f.kind is FactKind.FILE]
