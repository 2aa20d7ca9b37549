"""The part of the store's port that tells what happened session by session, newest first and within bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from moored.model.episodes import Episode, Role
    from moored.model.projects import Project, Session
    from moored.store.rows import Call, Neighbour, SessionSpan


class Sessions(Protocol):
    """Reads what happened in the sessions of a project. Hidden episodes count in none."""

    def latest(self, project: Project, limit: int) -> list[SessionSpan]:
        """The sessions in which a user said something last, newest first, without those of sub-agents."""
        ...

    def span(self, project: Project, session: Session) -> SessionSpan | None:
        """When the first and the last event of a session happened; None when it holds none."""
        ...

    def agents(self, project: Project, session: Session) -> list[SessionSpan]:
        """The sessions of the sub-agents of a session (`<session>/<agent>`), in the order in which they began."""
        ...

    def turns(
        self, project: Project, session: Session, role: Role, limit: int, *, oldest: bool = False, after: int = 0
    ) -> list[Episode]:
        """What was said in a session by one role, newest first, or, with `oldest`, from its beginning.

        Only what a person or an assistant said themselves, live or in an imported transcript: no automation, no
        summary. With `after`, only episodes with a number above it.
        """
        ...

    def calls(self, project: Project, session: Session, limit: int, *, tools: Collection[str] = ()) -> list[Call]:
        """The newest tool calls of a session, newest first, of these tools or of any, without more of their output."""
        ...

    def count(self, project: Project, session: Session) -> int:
        """How many episodes a session has."""
        ...

    def summary(self, project: Project, session: Session) -> tuple[int, str] | None:
        """Number and id of the last summary that the host wrote in place of the conversation, or None."""
        ...

    def within(self, project: Project, session: Session, after: int, seqs: Sequence[int]) -> set[int]:
        """Those of these episodes that are of the session and have a number above `after`."""
        ...

    def around(self, project: Project, episodes: Sequence[str], most: int) -> list[Neighbour]:
        """The `most` turns right before and right after each of these episodes in its session, in their order.

        Turns are what users, assistants and tools said and did: no automation, no summary of the host's, and not what
        a person or an agent wrote down as a note. An episode that belongs to no named session has none.
        """
        ...
