"""The part of the store's port that keeps other names of things."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.model.aliases import Alias
    from moored.model.projects import Project


class Aliases(Protocol):
    """Reads and writes the other names of things. What was learned from a hidden episode is in no answer."""

    def all(self, project: Project) -> list[Alias]:
        """The aliases of a project, oldest first."""
        ...

    def any(self, project: Project) -> bool:
        """Whether a project has an alias."""
        ...

    def of(self, project: Project, words: Sequence[str]) -> list[Alias]:
        """The aliases of which the name or the alias is, folded, one of these words or phrases, oldest first."""
        ...

    def add(self, project: Project, alias: Alias) -> bool:
        """Write an alias; False when the pair is known as surely already, by whatever case.

        Each episode that gives it is kept, so that it stays while one of them is left; of texts, which repeat names
        all the time, only the first.
        """
        ...

    def remove(self, project: Project, name: str, alias: str) -> bool:
        """Delete an alias; False when there is none."""
        ...
