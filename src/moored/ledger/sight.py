"""Sight: what a tree holds at this moment, whatever the ledger last heard of it (I-04)."""

from __future__ import annotations

from dataclasses import dataclass

from moored.model.facts import FactKind
from moored.model.projects import Tree
from moored.store.port import View


@dataclass(frozen=True, slots=True)
class Seen:
    """A fact of a file as it stands on disk now. `fact` is its id when the ledger knows it, else empty."""

    fact: str
    path: str
    kind: FactKind
    name: str
    ordinal: int
    value: str
    signature_hash: str
    body_hash: str
    line: int
    end_line: int
    trivial: bool


class Sight:
    """Looks at the files of a tree as they are now, each at most once."""

    def __init__(self, view: View, tree: Tree) -> None: ...

    @property
    def changed(self) -> frozenset[str]:
        """Paths that were found to differ from what the ledger holds: to be handed to its refresh."""
        ...

    @property
    def unreadable(self) -> frozenset[str]:
        """Paths that are there and cannot be read."""
        ...

    def file(self, path: str) -> tuple[Seen, ...] | None:
        """The facts that a file holds now, or None when there is no such file."""
        ...

    def find(self, path: str, name: str) -> tuple[Seen, ...]:
        """The facts of this name in a file now, in order of appearance."""
        ...

    def with_body(self, body_hash: str) -> tuple[Seen, ...]:
        """Everywhere in the tree that a body which is not trivial stands now.

        Looks for changed and new files in the whole tree, once.
        """
        ...
