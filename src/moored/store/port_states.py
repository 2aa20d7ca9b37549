"""The part of the store's port that keeps what was told of notes, and counts what stands beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from moored.model.projects import Project
    from moored.model.state import Counts, Rating, Use


class States(Protocol):
    """Reads and writes the use of notes and how they were rated. What was undone or hidden counts in nothing."""

    def uses(self, project: Project, notes: Sequence[str]) -> dict[str, Use]:
        """The use of those of these notes that were told."""
        ...

    def put_uses(self, project: Project, uses: Mapping[str, Use]) -> None:
        """Keep the use of notes of this project; others, and notes that are gone, are passed over."""
        ...

    def rate(self, project: Project, note_id: str, rating: Rating) -> None:
        """Write a rating under its operation."""
        ...

    def ratings(self, project: Project, note_id: str) -> list[Rating]:
        """The ratings of a note that stand, oldest first."""
        ...

    def counts(self, project: Project, notes: Sequence[str]) -> dict[str, Counts]:
        """What stands beside these notes."""
        ...
