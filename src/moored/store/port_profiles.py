"""The part of the store's port from which profiles are learned, and in which they are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.model.notes import Note
    from moored.model.profiles import Piece, Run, Turn
    from moored.model.projects import Project


class Profiles(Protocol):
    """Reads what users said and ran, and the notes and the evidence that make a profile."""

    def read_to(self, project: Project) -> int:
        """The number of the last episode that was read for preferences, 0 when none was."""
        ...

    def set_read(self, project: Project, seq: int) -> None:
        """Say up to which episode the record was read."""
        ...

    def compared_to(self, project: Project) -> int:
        """The number of the last episode that was compared with what notes say, 0 when none was."""
        ...

    def set_compared(self, project: Project, seq: int) -> None:
        """Say up to which episode the record was compared with what notes say."""
        ...

    def turns(self, project: Project, after: int, limit: int) -> list[Turn]:
        """What a user said themselves, live, after an episode (its number), oldest first.

        Not the words of notes, nothing imported, hidden or corrected, and nothing where the host tells several people
        apart.
        """
        ...

    def turns_in(self, project: Project, seqs: Sequence[int]) -> list[Turn]:
        """Those of these episodes that are such turns, oldest first."""
        ...

    def told(self, project: Project, seqs: Sequence[int]) -> list[tuple[bool, str]]:
        """The texts of those of these episodes that are visible, oldest first, each with whether a user said it."""
        ...

    def commands(self, project: Project, least: int, limit: int) -> list[str]:
        """The commands that ran at least so often, those that ran the most first."""
        ...

    def runs(self, project: Project, command: str, limit: int) -> list[Run]:
        """The newest visible runs of a command, newest first."""
        ...

    def notes(self, project: Project, *, withdrawn: bool = False) -> list[Note]:
        """The preferences and beliefs, oldest first, those that were replaced too; with `withdrawn`, only withdrawn."""
        ...

    def pieces(self, project: Project, note_ids: Sequence[str]) -> dict[str, list[Piece]]:
        """What these notes rest on, oldest first: the sources of their newest revision, and the evidence in force."""
        ...
