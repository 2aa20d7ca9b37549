"""Writing the events of transcripts into the record: each once, and each import as an operation that can be undone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from moored.errors import InvalidInput
from moored.importers.event import TranscriptEvent
from moored.importers.ignoring import without_ignored
from moored.importers.transcript import Format
from moored.model.clock import Clock
from moored.model.episodes import Channel, Event, Role
from moored.model.forgetting import FORGOTTEN
from moored.model.ids import IdSource
from moored.model.projects import Project
from moored.record.admission import TIMES, Admitted, admit, write_all
from moored.record.capturing import is_own_tool, session_of
from moored.record.ignored import real_path
from moored.record.operations import under_way
from moored.store.durability import Durability
from moored.store.port import Store, Transaction, View
from moored.store.rows import CapturedRow, KnownEvent


@dataclass(frozen=True, slots=True)
class _Ready:
    event: TranscriptEvent
    session: str
    admitted: Admitted


class Into:
    """One project that an import writes into. `operation` is empty as long as nothing was new.

    `left_out` counts, by reason, events that are not kept.
    """

    def __init__(self, store: Store, project: Project, detail: str, *, clock: Clock, ids: IdSource) -> None:
        self.project = project
        self.operation = ""
        self.recorded = self.known = 0
        self.left_out: Counter[str] = Counter()
        self._store = store
        self._detail = detail
        self._clock = clock
        self._ids = ids
        self._captured: dict[tuple[str, str], _Captured] = {}
        self._real = lru_cache(maxsize=4_096)(real_path)

    def write(self, form: Format, events: Sequence[TranscriptEvent]) -> None:
        """Write those of these events that are new, in one transaction."""
        with self._store.read() as view:
            before = _Known(view, self.project, form, [event.name for event in events])
        ready = [one for event in events if (one := self._ready(form, event, before)) is not None]
        if not ready:
            return
        with self._store.write(Durability.GROUP) as transaction:
            known = _Known(transaction, self.project, form, [one.event.name for one in ready])
            shown: dict[str, None] = {}
            found: list[tuple[str, str, str]] = []
            new: list[_Ready] = []
            for one in ready:
                if row := known.episode(one.event, one.session, one.admitted.content_hash):
                    if row.hidden:
                        shown[row.episode] = None
                    self.known += not row.hidden
                elif captured := self._capture(transaction, form, one):
                    self.known += 1
                    found.append((one.event.name, captured, one.event.parent))
                else:
                    new.append(one)
                    known.add(KnownEvent(one.event.name, one.session, "", one.admitted.content_hash, hidden=False))
            recorded = write_all(transaction, self.project, [one.admitted for one in new], self._clock, self._ids)
            for one, account in zip(new, recorded, strict=True):
                if account.outcome == FORGOTTEN:
                    self._leave("forgotten")
                    continue
                found.append((one.event.name, account.episode, one.event.parent))
                if account.outcome == "recorded" or transaction.episodes.is_hidden(self.project, account.episode):
                    shown[account.episode] = None
                else:
                    self.known += 1
            self._attribute(transaction, list(shown))
            transaction.transcripts.add(self.project, found)

    def _ready(self, form: Format, event: TranscriptEvent, known: _Known) -> _Ready | None:
        """What is to be written of an event; None when nothing is to be."""
        session = session_of(event.session, event.agent)
        if event.role is Role.TOOL and is_own_tool(event.tool):
            return self._leave("calls of moored's own tools")
        found = known.episode(event, session, "") if event.role is Role.TOOL else None
        if found and not found.hidden:
            self.known += 1
            return None
        if event.role is Role.TOOL:
            event = without_ignored(event, self._real)
        try:
            admitted = admit(_event_of(form, event, session))
        except InvalidInput as error:
            return self._leave(_REASONS.get(type(error).__name__, "refused"))
        return (
            self._leave("private, or recalled from memory") if admitted.withheld else _Ready(event, session, admitted)
        )

    def _leave(self, reason: str) -> None:
        self.left_out[reason] += 1

    def _attribute(self, transaction: Transaction, episodes: Sequence[str]) -> None:
        """Count episodes as brought in by this import, and show those that were hidden."""
        if not episodes:
            return
        if not self.operation:
            with under_way(
                transaction,
                self.project,
                "import",
                actor="import",
                clock=self._clock,
                ids=self._ids,
                detail=self._detail,
            ) as self.operation:
                transaction.operations.attribute(self.project, self.operation, episodes)
        else:
            transaction.operations.attribute(self.project, self.operation, episodes)
        self.recorded += len(episodes)

    def _capture(self, transaction: Transaction, form: Format, one: _Ready) -> str:
        """The episode that hooks captured of the same thing and that no other event was; empty when there is none."""
        key = (form.host, one.session)
        if key not in self._captured:
            self._captured[key] = _Captured(transaction.transcripts.captured(self.project, *key))
        return self._captured[key].take(one, by_input=not form.calls_have_ids)


class _Known:
    """Those of some events of a transcript that the record holds already."""

    def __init__(self, view: View, project: Project, form: Format, names: Sequence[str]) -> None:
        self._anywhere = form.ids_are_unique
        self._found: dict[str, list[KnownEvent]] = {}
        for row in view.transcripts.known(project, form.host, names):
            self.add(row)

    def add(self, row: KnownEvent) -> None:
        self._found.setdefault(row.event, []).append(row)

    def episode(self, event: TranscriptEvent, session: str, content_hash: str) -> KnownEvent | None:
        """The episode of an event. A tool call is known by its id alone, a message by what it says as well."""
        for row in self._found.get(event.name, ()):
            same = event.role is Role.TOOL or row.content_hash == content_hash
            if same and (self._anywhere or row.session == session):
                return row
        return None


class _Captured:
    """The episodes of a session that belong to no event of a transcript yet. Each is taken once, the oldest first."""

    def __init__(self, rows: Sequence[CapturedRow]) -> None:
        self._free: dict[tuple[str, ...], list[str]] = {}
        self._taken: set[str] = set()
        for row in rows:
            for key in _keys_of(row):
                self._free.setdefault(key, []).append(row.episode)

    def take(self, one: _Ready, *, by_input: bool) -> str:
        event = one.event
        if event.role is not Role.TOOL:
            kind = "summary" if event.summary else str(event.role)
            return self._next((kind, one.admitted.content_hash))
        return self._next(("event", event.name)) or (
            self._next(("call", event.tool, one.admitted.event.tool_input)) if by_input else ""
        )

    def _next(self, key: tuple[str, ...]) -> str:
        free = self._free.get(key, [])
        while free:
            episode = free.pop(0)
            if episode not in self._taken:
                self._taken.add(episode)
                return episode
        return ""


def _keys_of(row: CapturedRow) -> list[tuple[str, ...]]:
    if row.role != Role.TOOL:
        return [("summary" if row.channel == Channel.SUMMARY else row.role, row.content_hash)]
    return [("event", row.host_event), ("call", row.tool_name, row.tool_input)]


_REASONS = {"EmptyText": "without a text", "TooLarge": "too large for an episode"}


def _event_of(form: Format, event: TranscriptEvent, session: str) -> Event:
    """An event of a transcript, for admission."""
    at = event.at if event.at is not None and 0 < event.at <= TIMES[1] else None
    return Event(
        content=event.text.encode("utf-8", "surrogatepass"),
        role=event.role,
        channel=Channel.SUMMARY if event.summary else Channel.IMPORT,
        host=form.host,
        session=session,
        host_event=event.name,
        tool_name=event.tool,
        tool_input=event.tool_input,
        exit_status=event.exit_status,
        occurred_at=at,
    )
