"""In which session each connection works: the one under which its client recorded last."""

from __future__ import annotations

MOST = 1_000
"""Connections that are remembered; of more, those that said so longest ago are not."""


class WorkedIn:
    """The sessions by connection. What belongs to no connection works in none."""

    def __init__(self) -> None:
        self._named: dict[object, str] = {}

    def session(self, connection: object) -> str:
        """The session, empty where none was named."""
        return self._named.get(connection, "")

    def note(self, connection: object, session: str) -> None:
        """Remember the session that a client named, if it did."""
        if session and connection is not None:
            self._named.pop(connection, None)
            self._named[connection] = session
            if len(self._named) > MOST:
                del self._named[next(iter(self._named))]
