"""The record's part of `Memory`: what happened, and bringing it in from elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from moored.errors import MooredError
from moored.memory.core import ABSORB_PATIENCE, FILLED_AT_ONCE, Core
from moored.model.choices import chosen
from moored.model.episodes import Channel, Event, Recorded, Role, Trust
from moored.scope import belonging
from moored.store.durability import Durability

if TYPE_CHECKING:
    from moored.importers.account import TranscriptImport
    from moored.importers.git_history import Imported


class RecordPart(Core):
    """What happened, verbatim."""

    def record(
        self,
        content: str | bytes,
        *,
        role: Role | str = Role.USER,
        channel: Channel | str | None = None,
        trust: Trust | str | None = None,
        host: str = "",
        session: str = "",
        host_event: str = "",
        tool_name: str = "",
        tool_input: str = "",
        exit_status: int | None = None,
        corrects: str = "",
        occurred_at: int | None = None,
        durability: Durability = Durability.FULL,
    ) -> Recorded:
        """Keep one thing that happened, verbatim. See `Event` for the parameters.

        Raises `EmptyText`, `TooLarge`, `InvalidInput`, `NotFound` (`corrects`), and the errors of the store; then
        nothing was recorded.
        """
        from moored.atlas.profile.learning import learn
        from moored.record.admission import admit, write
        from moored.record.preferences import preferences

        event = Event(
            content=content if isinstance(content, bytes) else content.encode("utf-8", "surrogatepass"),
            role=chosen(Role, role, "role"),
            channel=chosen(Channel, channel, "channel") if channel else None,
            trust=chosen(Trust, trust, "trust") if trust else None,
            host=host,
            session=session,
            host_event=host_event,
            tool_name=tool_name,
            tool_input=tool_input,
            exit_status=exit_status,
            corrects=corrects,
            occurred_at=occurred_at,
        )
        self._absorb_first()
        admitted = admit(event)
        with self.store.write(durability) as transaction:
            recorded = write(transaction, self.project, admitted, self.clock, self.ids)
        if admitted.trust is Trust.USER and preferences(admitted.event.content.decode("utf-8", "replace")):
            # What was recorded stands whatever becomes of this; what is not learned now is learned by upkeep.
            with suppress(MooredError):
                learn(self.store, self.project, clock=self.clock, ids=self.ids, runs=False)
        self.filling.at_once(FILLED_AT_ONCE)
        return recorded

    def import_git(
        self, *, since: str | None = None, limit: int | None = None, progress: Callable[[int], None] | None = None
    ) -> Imported:
        """Bring the history of the tree's repository into the record, as an operation that can be undone."""
        from moored.importers.git_history import import_git_history

        self._absorb_first()
        imported = import_git_history(
            self.store,
            self.project,
            Path(self.tree.root),
            clock=self.clock,
            ids=self.ids,
            since=since,
            limit=limit,
            progress=progress,
        )
        self.filling.at_once()
        return imported

    def import_transcripts(
        self,
        host: str = "auto",
        path: Path | None = None,
        *,
        every_project: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> TranscriptImport:
        """Bring the transcripts of a host, or of all, into the record: those at `path`, else those on this machine.

        Each goes to the project of the folder that it names; without `path`, those of other projects are left where
        they are unless `every_project` asks for them. Raises as `moored.importers.importing.import_transcripts`.
        """
        from moored.absorb import absorb, place_of
        from moored.importers.importing import Router, import_transcripts

        store, clock, ids = self.store, self.clock, self.ids
        absorb(store, clock=clock, ids=ids, patience=ABSORB_PATIENCE)
        found = partial(belonging, store, clock=clock, ids=ids, create=True)
        router = Router(self.project, place_of, found, every=every_project, named=path is not None)
        return import_transcripts(store, router, host, path, clock=clock, ids=ids, progress=progress)
