"""The part of the store's port that keeps reminders."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.model.projects import Project
    from moored.model.reminders import Reminder


class Failing(NamedTuple):
    """A command whose last run failed, how it ended, and when (milliseconds since the epoch)."""

    command: str
    outcome: str
    at: int


class Reminders(Protocol):
    """Reads and writes reminders.

    One whose operation was undone is in no answer, nor is one that lost its source: its episode is hidden, or the note
    that it came with was withdrawn or replaced.
    """

    def standing(self, project: Project) -> list[Reminder]:
        """Those that may be told: neither proposed nor done, oldest first."""
        ...

    def proposed(self, project: Project) -> list[Reminder]:
        """Those that were read in what the user said and are neither accepted nor turned down, oldest first."""
        ...

    def all(self, project: Project) -> list[Reminder]:
        """Every one but the proposed, done ones too, oldest first."""
        ...

    def get(self, project: Project, reminder_id: str) -> Reminder | None: ...

    def add(self, project: Project, reminder: Reminder, operation_id: str) -> None:
        """Write a new reminder under an operation. Its episode and its note are in the project."""
        ...

    def fire(self, project: Project, reminder_ids: Sequence[str], at: int) -> None:
        """Count that these were told."""
        ...

    def snooze(self, project: Project, reminder_id: str, until: int) -> None: ...

    def finish(self, project: Project, reminder_id: str, at: int) -> None:
        """Say that one is done, or, where it was proposed, turned down."""
        ...

    def failing(self, project: Project, after: int, limit: int) -> list[Failing]:
        """The commands whose last run failed, after a moment, newest first."""
        ...
