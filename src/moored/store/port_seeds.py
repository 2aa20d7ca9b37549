"""The part of the store's port that keeps which note a seed wrote for which key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from moored.model.projects import Project


class Seeds(Protocol):
    """Reads and writes the keys of seeded notes."""

    def all(self, project: Project) -> dict[str, str]:
        """The id of the note of each key, in the order of the keys; withdrawn ones too."""
        ...

    def put(self, project: Project, key: str, note_id: str) -> None:
        """Say which note stands for a key from now on."""
        ...
