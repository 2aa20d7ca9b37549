"""The part of the store's port that keeps operations: what was done, what it changed, and taking it back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.model.operations import Change, Operation
    from moored.model.projects import Project


class Operations(Protocol):
    """Reads and writes operations. A note changes only under one that is under way."""

    def begin(
        self,
        project: Project,
        operation_id: str,
        kind: str,
        detail: str,
        at: int,
        *,
        actor: str,
        asked: bool = False,
        undoes: str = "",
        lasting: bool = False,
    ) -> None:
        """Begin an operation. `asked` says that a person or an agent asked for just this, `lasting` that it stays."""
        ...

    def finish(self, project: Project, operation_id: str) -> None:
        """Say that nothing more is changed under an operation; one that did nothing leaves no trace."""
        ...

    def latest(self, project: Project) -> str:
        """The id of the newest operation of a project; empty where there is none."""
        ...

    def all(self, project: Project) -> list[Operation]:
        """The operations of a project, oldest first."""
        ...

    def get(self, project: Project, operation_id: str) -> Operation | None: ...

    def changes(self, project: Project, operation_id: str) -> list[Change]:
        """What an operation changed of notes, in order."""
        ...

    def of_note(self, project: Project, note_id: str) -> list[Operation]:
        """The operations that changed a note, oldest first."""
        ...

    def later(self, project: Project, operation_id: str, note_id: str) -> list[str]:
        """The operations that stand and changed a note after this one was done, newest first."""
        ...

    def attribute(self, project: Project, operation_id: str, episodes: Sequence[str]) -> None:
        """Count episodes among those that an operation brought in, and show them again if they were hidden."""
        ...

    def hide(self, project: Project, operation_id: str, episodes: Sequence[str] | None = None) -> int:
        """Hide these episodes by an operation, or those that only it brought in; return how many that hid.

        Transcripts are read from their beginning again, so that another import shows them again.
        """
        ...

    def show(self, project: Project, operation_id: str) -> int:
        """Show the episodes again that an operation hid, or that undoing those hid which brought them in as it did.

        Returns how many. What another operation forgot as well stays hidden by that one.
        """
        ...

    def set_undone(self, project: Project, operation_id: str, at: int | None) -> None:
        """Say that an operation was undone, or, with None, that it stands again."""
        ...
