"""What an open store holds, and whether it is up to date with a tree."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from moored.doctor.check import Check, some
from moored.errors import MooredError

if TYPE_CHECKING:
    from moored.embed.port import Embedder
    from moored.model.projects import Tree
    from moored.store.port import Store

MANY_WAITING = 1_000
"""Texts without a vector above which recall by meaning is noticeably incomplete."""


def opened(store: Store) -> Check:
    if store.read_only:
        return Check(
            "store",
            "warning",
            f"{store.path} is open for reading only: nothing can be remembered.",
            "Give write permission to the file and its folder.",
        )
    return Check("store", "ok", f"{store.path} is open.")


def journal(store: Store) -> Check:
    """Tell by the log beside the file, which is there while anybody has the store open in that mode.

    The file's own header is not read: opening and closing it here would drop this process's locks on it.
    """
    try:
        with store.read() as view:
            view.projects.all()
            logged = store.path.with_name(store.path.name + "-wal").exists()
    except MooredError as error:
        return Check("journal", "problem", str(error), "See what is said of the store itself, and ask again.")
    if logged:
        return Check("journal", "ok", "Writing goes through a log, so that readers and a writer do not wait.")
    if store.read_only:
        return Check("journal", "ok", "The store is read at rest, without a log.")
    return Check(
        "journal",
        "warning",
        "The store is open and has no log beside it: readers and writers wait for each other.",
        "Keep the store on a local disk: set MOORED_STORE.",
    )


def root(tree: Tree) -> Check:
    if Path(tree.root).is_dir():
        return Check("tree", "ok", f"{tree.root} is there.")
    return Check(
        "tree",
        "problem",
        f"The folder {tree.root} is gone. Notes about its files are unverifiable.",
        "Put it back, or call moored in the folder where the files are now.",
    )


def parsing(store: Store, tree: Tree) -> Check:
    with store.read() as view:
        files = sorted(view.facts.files(tree).values(), key=lambda file: file.path)
    if not files:
        return Check("parsing", "warning", "No file was read yet.", "Run `moored index`.")
    partial = [file.path for file in files if file.errors]
    if partial:
        return Check(
            "parsing",
            "warning",
            f"{len(partial)} of {len(files)} files were read in part: {some(partial, ', ')}.",
            "See whether they are complete; what could be parsed is in the ledger.",
        )
    return Check("parsing", "ok", f"Every file was read whole, {len(files)} in number.")


def vectors(store: Store, tree: Tree, embedder: Embedder | None) -> Check:
    with store.read() as view:
        waiting = view.vectors.count_waiting(tree.project)
        bare = view.vectors.count_waiting(tree.project, bare=True)
        missing = view.vectors.count_missing(tree.project, embedder.model) if embedder else 0
        models = view.vectors.models(tree.project)
    detail = ", ".join(f"{count} of {model}" for model, count in models.items()) or "none yet"
    if embedder is None:
        return Check("vectors", "ok", f"{detail}; no embedder is in use, texts are found by words alone.")
    if missing:
        return Check(
            "vectors",
            "warning",
            f"{detail}; {_texts(missing, 'has', 'have')} none of {embedder.model} and no place in the queue.",
            "Run `moored index`: it gives every text a vector of the model in use.",
        )
    if bare >= MANY_WAITING:
        return Check(
            "vectors", "warning", f"{detail}; {bare} texts wait and are found by words alone.", "Run `moored index`."
        )
    if waiting:
        return Check("vectors", "ok", f"{detail}; {_texts(waiting, 'waits', 'wait')} for one of {embedder.model}.")
    return Check("vectors", "ok", f"{detail}; no text waits.")


def _texts(count: int, one: str, several: str) -> str:
    return f"1 text {one}" if count == 1 else f"{count} texts {several}"
