"""Scope: which project and tree of a store are meant."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from moored.errors import NotFound
from moored.model.ids import PROJECT, TREE, IdSource
from moored.settings import FILE_NAME, Place, Settings, read_settings

if TYPE_CHECKING:
    from moored.model.clock import Clock
    from moored.model.projects import Project, Tree
    from moored.store.port import Projects, Store, View


def belonging(
    store: Store, place: Place, clock: Clock, ids: IdSource, create: bool, *, patience_ms: int | None = None
) -> tuple[Project, Tree]:
    """The project and tree of a place; both are written when they are new and `create` says so.

    `patience_ms` is as for `Store.write`.

    Raises `NotFound` when the store does not know them and they are not to be, or cannot be, written.
    """
    root = str(place.root)
    if known := recognised(store, place):
        return known
    if not create or store.read_only:
        raise NotFound(
            f"The store {store.path} has no memory of {place.root} yet. Run `moored init` there to begin one.",
        )
    with store.write(patience_ms=patience_ms) as transaction:
        projects, now = transaction.projects, clock.now()
        project = _of_key(projects, place.key) or projects.add(ids.new(PROJECT), place.key, place.name, now)
        tree = projects.tree(project, root) or projects.add_tree(ids.new(TREE), project, root, now)
    return project, tree


def recognised(store: Store, place: Place) -> tuple[Project, Tree] | None:
    """The project and tree of a place if the store knows both."""
    with store.read() as view:
        project = _of_key(view.projects, place.key)
        tree = view.projects.tree(project, str(place.root)) if project else None
    return (project, tree) if project and tree else None


def _of_key(projects: Projects, key: str) -> Project | None:
    """The project of a key, or the known one by whose id a place calls itself: so a clone that was moved finds it."""
    return projects.by_key(key) or projects.by_id(key.removeprefix("id:"))


def other_project(view: View, project_id: str) -> tuple[Project, Tree | None]:
    """Another project that was named, and the first of its trees that is still there. Raises `NotFound`."""
    project = view.projects.by_id(project_id)
    if project is None:
        near = tuple(one.id for one in view.projects.all() if project_id in (one.name, one.key))
        raise NotFound(f"There is no project {project_id} in this store. A project is named by its id.", near=near)
    for tree in view.projects.trees(project):
        if Path(tree.root).is_dir():
            return project, as_set(tree, read_settings(Path(tree.root, FILE_NAME)))
    return project, None


def as_set(tree: Tree, settings: Settings) -> Tree:
    """A tree as its settings say that it is to be read."""
    return tree._replace(ignore=settings.ignore, max_file_size=settings.max_file_size)
