"""Status: what a project holds and where, from counts alone. Cheap enough to be asked at every prompt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from moored.hosts import log
from moored.record.inbox import Inbox
from moored.store.keys import keeping

if TYPE_CHECKING:
    from moored.model.projects import Project, Tree
    from moored.store.port import Store, View


@dataclass(frozen=True, slots=True)
class Counts:
    """How much a project holds. `files`, `partial` and `facts` are those of the tree that was asked from.

    `episodes` are the visible ones, `hidden` those of operations that were undone. `partial` counts files of which
    only a part could be parsed. `facts` has one entry for each kind that occurs; `edges` are those of the code
    graph, `resolved` those of them that scopes and imports prove. `commands` are the commands of the project whose
    outcome is known.
    """

    episodes: int
    hidden: int
    sessions: int
    notes: int
    revisions: int
    pins: int
    files: int
    partial: int
    facts: Mapping[str, int]
    edges: int
    resolved: int
    commands: int


@dataclass(frozen=True, slots=True)
class Status:
    """The state of a project in its store.

    `root` is the tree that was asked from, `trees` are the roots of all trees of the project. `store_size` is in
    bytes, the log beside the file included, or None when it cannot be told. `schema` is the last migration.
    `vectors` counts the vectors of each model, `waiting` the texts that have none yet. `other_projects` counts the
    other projects of the store and says nothing else about them. `captured` counts what hooks captured, in any project
    of the store, and the record does not hold yet; `not_kept` counts what they did not capture because it may not lie
    open and the key of the store was not to be had. `encrypted` says where that key is, empty for a plain store.
    `indexed_at` is when a file was last read, in milliseconds since the epoch, or None when none ever was.
    """

    project: str
    name: str
    key: str
    root: str
    trees: tuple[str, ...]
    store: str
    store_size: int | None
    read_only: bool
    schema: str
    sqlite: str
    counts: Counts
    vectors: Mapping[str, int]
    waiting: int
    other_projects: int
    captured: int
    not_kept: int
    encrypted: str
    indexed_at: int | None


def status(store: Store, view: View, tree: Tree) -> Status:
    """Describe the project of a tree, as the view sees it. No file of the tree is looked at."""
    project = tree.project
    counts, indexed_at = _counts(view, project, tree)
    return Status(
        project=project.id,
        name=project.name,
        key=project.key,
        root=tree.root,
        trees=tuple(other.root for other in view.projects.trees(project)),
        store=str(store.path),
        store_size=size_of(store.path),
        read_only=store.read_only,
        schema=schema(),
        sqlite=sqlite_version(),
        counts=counts,
        vectors=view.vectors.models(project),
        waiting=view.vectors.count_waiting(project),
        other_projects=len(view.projects.all()) - 1,
        captured=len(Inbox(store.path).waiting()),
        not_kept=log.not_kept(store.path),
        encrypted=kept.where if (kept := keeping(store.path).now) else "",
        indexed_at=indexed_at,
    )


def schema() -> str:
    """The last migration of every store that this program opens: it upgrades older ones and refuses newer ones."""
    from moored.store.sqlite.migrations import MIGRATIONS

    return MIGRATIONS[-1][0]


def sqlite_version() -> str:
    """The version of the SQLite library that is used."""
    import apsw

    return apsw.sqlite_lib_version()


def size_of(path: Path) -> int | None:
    """Bytes of the store's file and of the log beside it, None when the file cannot be looked at."""
    try:
        size = path.stat().st_size
    except OSError:
        return None
    log = path.with_name(path.name + "-wal")
    return size + (log.stat().st_size if log.exists() else 0)


def _counts(view: View, project: Project, tree: Tree) -> tuple[Counts, int | None]:
    files, partial, indexed_at_ns = view.facts.count_files(tree)
    edges, resolved = view.graph.count(tree)
    counts = Counts(
        episodes=view.episodes.count(project),
        hidden=view.episodes.count_hidden(project),
        sessions=view.projects.count_sessions(project),
        notes=view.notes.count(project),
        revisions=view.notes.count_revisions(project),
        pins=view.pins.count(project),
        files=files,
        partial=partial,
        facts=view.facts.counts(tree),
        edges=edges,
        resolved=resolved,
        commands=view.facts.count_commands(project),
    )
    return counts, None if indexed_at_ns is None else indexed_at_ns // 1_000_000
