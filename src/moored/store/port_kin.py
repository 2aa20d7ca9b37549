"""The part of the store's port that keeps what notes have to do with each other: links, evidence, disputes.

A row counts while the operation that made it stands; a dispute is open while no operation that stands settles it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.model.kin import Dispute, Opponent
    from moored.model.projects import Project


class Kin(Protocol):
    """Reads and writes links between notes, evidence for them, and disputes."""

    def link(
        self, project: Project, note_id: str, other_id: str, kind: str, reason: str, operation: str, at: int
    ) -> None:
        """Say that a note is related to another, or derived from it, and why."""
        ...

    def links(self, project: Project, note_id: str) -> list[tuple[str, str, str]]:
        """The notes that a note is linked with, either way: id, kind, reason; oldest first."""
        ...

    def reinforce(self, project: Project, note_id: str, episode_id: str, kind: str, operation: str, at: int) -> None:
        """Count an episode as evidence for a note (`same`, `for`) or `against` it."""
        ...

    def evidence(self, project: Project, note_id: str) -> list[tuple[str, str]]:
        """The episodes that are evidence for or against a note: id and kind, oldest first."""
        ...

    def dispute(
        self, project: Project, dispute_id: str, note_id: str, other_id: str, reason: str, operation: str, at: int
    ) -> None:
        """Record that two notes cannot both hold; `note_id` is the newer."""
        ...

    def disputes(self, project: Project, *, settled: bool = False) -> list[Dispute]:
        """The open disputes between notes that are answered, oldest first; with `settled` all that were recorded."""
        ...

    def opponents(self, project: Project, note_ids: Sequence[str]) -> dict[str, list[Opponent]]:
        """For those of these notes that are disputed: the other sides of the open disputes, newest first."""
        ...

    def settle(self, project: Project, dispute_id: str, outcome: str, operation: str) -> None:
        """Say which note of a dispute holds, or that both do."""
        ...
