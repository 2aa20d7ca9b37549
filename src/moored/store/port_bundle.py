"""The port of bundles: the rows of a project that cannot be derived again, read and taken in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from moored.model.projects import Project

Row = dict[str, Any]
"""A row by its columns: texts, numbers or None. Whatever it names is named by its id, and contents are bytes."""

PARTS = (
    *("project", "tree", "session", "operation", "episode", "operation_episode", "hidden_episode"),
    *("fact", "fact_version", "note", "revision", "anchor", "change", "link", "evidence", "dispute", "settlement"),
    *("proposal", "decision", "note_use", "rating", "rule", "reminder", "seeded", "profile", "alias", "pin"),
    *("transcript", "transcript_event", "tombstone"),
)
"""What is kept in rows of its own and cannot be derived again, each after what it names."""


class Bundle(Protocol):
    """Reads what a bundle holds of a project."""

    def rows(self, part: str, project: Project) -> Iterator[Row]:
        """The rows of one of `PARTS` of a project, hidden ones too, in the order in which they were written."""
        ...


class Taking(Protocol):
    """Takes rows of a bundle into the store, in the order of `PARTS`.

    What is there already is never changed.
    """

    def put(self, part: str, row: Mapping[str, Any]) -> str:
        """Write a row, unless it is there.

        `new`, `known` (the same is there), `other` (something else is there under its id, and stays), or `left out`
        (it belongs to something that was not taken). Raises `InvalidInput` for a row that is none of this part.
        """
        ...

    def there(self, part: str, row: Mapping[str, Any]) -> str:
        """`known` or `other` when something is there under the id or the name of a row, else empty."""
        ...

    def number(self, part: str, id_: str) -> int | None:
        """The store's number of what has an id in the bundle, None when it was not taken."""
        ...

    def stands_for(self, part: str, id_: str, number: int) -> None:
        """Let an id of the bundle name a row that was there already, or was written by somebody else."""
        ...

    def flush(self) -> None:
        """Write out what waits for the indexes, so that it does not gather in memory."""
        ...

    def end(self) -> tuple[list[tuple[int, int, str, tuple[str, ...]]], int]:
        """Finish the notes, leaving out those of which something is missing; every guard stands again.

        Return project, number, text and tags of the newest revision of each new note that is to be found, and how
        many notes were left out.
        """
        ...
