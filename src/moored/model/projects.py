"""Projects, their trees and their sessions."""

from __future__ import annotations

from typing import NamedTuple

MAX_FILE_SIZE = 2_000_000
"""Bytes of the largest file that is read unless configured otherwise."""


class Project(NamedTuple):
    """One memory. Nothing crosses projects unless the other project is named by its id.

    `key` is what identifies it: `git:` and the git common directory, `dir:` and the folder, or `id:` and the
    id that `.moored.toml` gives. `row` is the store's own number for it.
    """

    row: int
    id: str
    key: str
    name: str


class Tree(NamedTuple):
    """One place on disk that holds a project's files: a work tree, a clone. `root` is absolute and real.

    `ignore` are patterns, in the syntax of `.gitignore`, of files that are not read, `max_file_size` the bytes of the
    largest that is: what the project's settings say of it now. The store does not keep them.
    """

    row: int
    id: str
    project: Project
    root: str
    ignore: tuple[str, ...] = ()
    max_file_size: int = MAX_FILE_SIZE


class Session(NamedTuple):
    """One run of a host in a project. `host` and `name` are as the host calls them."""

    row: int
    id: str
    host: str
    name: str
