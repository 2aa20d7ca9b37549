"""Asks every check in its order, and says why a store cannot be opened."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from moored.doctor import contents, place, promises
from moored.doctor.check import Check, Diagnosis
from moored.doctor.machine import machine
from moored.errors import (
    MooredError,
    NotFound,
    StoreCorrupt,
    StoreEncrypted,
    StoreFull,
    StoreLocked,
    StoreReadOnly,
    StoreTooNew,
)

if TYPE_CHECKING:
    from moored.embed.port import Embedder
    from moored.model.projects import Tree
    from moored.store.port import Store


def diagnose(store: Store, tree: Tree, embedder: Embedder | None, *, deep: bool = False) -> Diagnosis:
    """Examine an open store and a project's tree in it. `embedder` is the one in use, None when there is none.

    `deep` also reads all that is in the store, of every project, and says of each promise that can be proved of a store
    whether it holds.
    """
    checks = [
        contents.opened(store),
        *place.around(store.path),
        contents.journal(store),
        *_attempt("integrity", lambda: promises.integrity(store, deep)),
        *machine(),
        contents.root(tree),
        *_attempt("parsing", lambda: [contents.parsing(store, tree)]),
        *_attempt("forgetting", lambda: [promises.forgetting(store)]),
        *_attempt("vectors", lambda: [contents.vectors(store, tree, embedder)]),
    ]
    return Diagnosis(tuple(checks), deep)


def explain(path: Path, error: MooredError) -> Diagnosis:
    """Say why the store at `path` could not be opened, or a project not be found in it."""
    name = "project" if isinstance(error, NotFound) else "store"
    cause = Check(name, "problem", str(error), _remedy(error, path))
    return Diagnosis((cause, *place.around(path), *machine()), deep=False)


def _remedy(error: MooredError, path: Path) -> str:
    match error:
        case StoreTooNew():
            return "Upgrade moored."
        case StoreCorrupt():
            return (
                f"Move {path} away together with its -wal and -shm files, and put a copy of it back or begin anew with "
                "`moored init`. The damaged file can still hold readable rows: keep it."
            )
        case StoreEncrypted():
            return "Give the store its key: docs/encryption.md says how for each case."
        case StoreLocked():
            return "Let the process that holds it finish, or end it."
        case StoreReadOnly():
            return "Give write permission to the file and its folder."
        case StoreFull():
            return "Free some space on the disk."
        case NotFound():
            return "Run `moored init`."
        case _:
            return f"See that {path} is a file, and its folder exists and is yours."


def _attempt(name: str, ask: Callable[[], Iterable[Check]]) -> Iterator[Check]:
    """The outcome of checks that read the store; an error of the store is an outcome as well."""
    try:
        yield from ask()
    except MooredError as error:
        yield Check(name, "problem", str(error), "See what is said of the store itself, and ask again.")
