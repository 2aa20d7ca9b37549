"""The part of the store's port that tells how far transcripts were read and which of their events are known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from moored.model.projects import Project
    from moored.store.rows import CapturedRow, KnownEvent, ReadTranscript


class Transcripts(Protocol):
    """Reads and writes what imports keep of the transcripts that they read."""

    def read(self, project: Project, source: str) -> ReadTranscript | None:
        """How far a transcript was read into a project, None when it never was."""
        ...

    def keep(self, project: Project, source: str, read: ReadTranscript) -> None:
        """Remember how far a transcript was read."""
        ...

    def known(self, project: Project, host: str, events: Sequence[str]) -> list[KnownEvent]:
        """Those of these events of a host that the record holds already, with their episodes."""
        ...

    def captured(self, project: Project, host: str, session: str) -> list[CapturedRow]:
        """The visible episodes of a session that belong to no event of a transcript, oldest first."""
        ...

    def add(self, project: Project, events: Iterable[tuple[str, str, str]]) -> None:
        """Say to which episodes events belong: the host's name of each, the episode's id, and the event's parent."""
        ...
