"""What lets a revision be found: its entries in the indexes of words, and its place in the queue for a vector."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.model.terms import fragments, searchable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from moored.model.notes import Revision
    from moored.model.projects import Project
    from moored.store.port import Transaction


def put_in_index(transaction: Transaction, project: Project, row: int, revision: Revision) -> None:
    """Let a revision, by its number, be found by its words, and wait for a vector."""
    index_words(transaction, project, row, revision.text, revision.tags)


def index_words(transaction: Transaction, project: Project, row: int, text: str, tags: Iterable[str]) -> None:
    """Let a revision, by its number, be found by this text and these tags, and wait for a vector."""
    text = "\n".join((text, *tags))
    transaction.search.put("revision", row, searchable(text), fragments(text))
    transaction.vectors.enqueue(project, "revision", [row])


def take_from_index(transaction: Transaction, row: int) -> None:
    """Let a revision not be found any more."""
    transaction.search.remove("revision", row)
    transaction.vectors.remove("revision", row)
