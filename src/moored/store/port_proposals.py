"""The part of the store's port that keeps proposals: what a rule would change of notes.

A proposal counts while the operation that made it stands; it is open while no operation that stands decided it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from moored.model.projects import Project
    from moored.model.proposals import Proposal


class Proposals(Protocol):
    """Reads and writes proposals."""

    def add(self, project: Project, proposal: Proposal) -> None:
        """Write a proposal under its operation."""
        ...

    def decide(self, project: Project, proposal_id: str, decision: str, operation: str, because: str = "") -> None:
        """Say what was decided of a proposal by an operation, and why."""
        ...

    def get(self, project: Project, proposal_id: str) -> Proposal | None:
        """The proposal of this id, whatever became of it or of its note."""
        ...

    def all(self, project: Project) -> list[Proposal]:
        """Every proposal that counts, whatever became of it or of its note, oldest first."""
        ...

    def standing(self, project: Project) -> list[Proposal]:
        """The proposals about what notes in force say now, open and decided, oldest first."""
        ...

    def doubted(self, project: Project) -> list[str]:
        """The notes in force of which it was said last, as they are now, that they were useless, and why."""
        ...
