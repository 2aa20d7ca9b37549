"""Pairing of tool calls with their results, by the host's id of the call or, where it gives none, in their order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from moored.model.hashing import digest

if TYPE_CHECKING:
    from moored.importers.event import TranscriptEvent

MOST_OPEN = 1_000
"""Calls that wait for their results at a time; older ones are given up."""

MOST_ANSWERED = 10_000
"""Answered calls that are remembered, so that a second copy of a result is known as one."""


@dataclass(frozen=True, slots=True)
class _Open:
    event: TranscriptEvent
    mark: tuple[int, int]
    named: bool


class Calls:
    """The calls of one transcript. `mark` is the place of the record that is read: its byte, the lines before it."""

    def __init__(self) -> None:
        self.mark: tuple[int, int] = (0, 0)
        self._open: dict[str, _Open] = {}
        self._answered: dict[str, None] = {}
        self._copies: Counter[str] = Counter()
        self._timeless = False

    def begin(self, call_id: str, event: TranscriptEvent) -> Iterator[TranscriptEvent]:
        """A call. It becomes an event when its result comes, or when it is clear that none will."""
        key = call_id or self._name(event)
        if key in self._open or key in self._answered:
            return
        self._open[key] = _Open(event, self.mark, bool(call_id))
        if len(self._open) > MOST_OPEN:
            yield self._given_up(next(iter(self._open)))

    def end(self, call_id: str, result: TranscriptEvent) -> Iterator[TranscriptEvent]:
        """A result. Gives the call with it, or the result alone if no call waits for it; nothing for a second copy."""
        if call_id in self._answered:
            return
        key = call_id if call_id in self._open else self._first(unnamed=bool(call_id))
        opened = self._open.pop(key, None)
        if call_id or opened:
            self._remember(call_id or key)
        if opened is None:
            yield result._replace(name=f"tool:{call_id or self._name(result)}")
            return
        called = opened.event
        yield called._replace(
            name=f"tool:{call_id or key}",
            text=result.text,
            at=result.at if result.at is not None else called.at,
            exit_status=result.exit_status,
        )

    def waiting(self, call_id: str) -> TranscriptEvent | None:
        """The call that a result with this id would be of."""
        opened = self._open.get(call_id) or self._open.get(self._first(unnamed=bool(call_id)))
        return opened.event if opened else None

    @property
    def counted(self) -> bool:
        """Whether there were calls without an id and a time, which only their number tells from their copies."""
        return self._timeless

    def give_up(self, session: str, agent: str) -> Iterator[TranscriptEvent]:
        """The calls of a session or one of its sub-agents that stay without a result, because it went on."""
        here = (session, agent)
        for key in [key for key, call in self._open.items() if (call.event.session, call.event.agent) == here]:
            yield self._given_up(key)

    def give_up_all(self) -> Iterator[TranscriptEvent]:
        """All calls that stay without a result."""
        for key in list(self._open):
            yield self._given_up(key)

    @property
    def first_mark(self) -> tuple[int, int] | None:
        """The place of the oldest call that still waits, None when none does."""
        return min((opened.mark for opened in self._open.values()), default=None)

    def _given_up(self, key: str) -> TranscriptEvent:
        return self._open.pop(key).event._replace(name=f"call:{key}")

    def _first(self, *, unnamed: bool) -> str:
        """The oldest call that waits, or the oldest that has no id; empty when there is none."""
        return next((key for key, opened in self._open.items() if not (unnamed and opened.named)), "")

    def _remember(self, call_id: str) -> None:
        self._answered[call_id] = None
        if len(self._answered) > MOST_ANSWERED:
            del self._answered[next(iter(self._answered))]

    def _name(self, event: TranscriptEvent) -> str:
        """A name for what has no id: its digest, and for a copy its number as well."""
        key = digest(f"{event.at}\0{event.tool}\0{event.tool_input}\0{event.text}")
        self._copies[key] += 1
        self._timeless = self._timeless or event.at is None
        return key if self._copies[key] == 1 else f"{key}.{self._copies[key]}"
