"""SQL of the code graph: reading."""

from __future__ import annotations

from moored.store.sqlite.connection import Connection


class Graph:
    """Reads the edges between facts."""

    def __init__(self, connection: Connection) -> None:
        self._db = connection
