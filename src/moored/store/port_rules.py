"""The part of the store's port that keeps rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from moored.model.projects import Project
    from moored.model.rules import Rule


class Rules(Protocol):
    """Reads and writes rules. One counts while the operation that made it stands."""

    def standing(self, project: Project) -> list[Rule]:
        """The rules of a project that hold, oldest first."""
        ...

    def add(self, project: Project, rule: Rule) -> None:
        """Write a rule under its operation, which is under way."""
        ...
