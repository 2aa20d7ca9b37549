"""Reminders: what is to be told when work comes to something, a word falls, a time comes, or something happens."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

MOST = 3
"""How often a reminder is told at most, where nothing else was said."""

MOST_RECURRING = 52
"""The same of one at times that come again: a year of weeks."""

QUIET_MS = 30 * 60 * 1000
"""What was told is not told again for so long, however often the same file is edited meanwhile."""


class ReminderKind(StrEnum):
    """On what a reminder is told."""

    DIRECTORY = "directory"
    FILE = "file"
    SYMBOL = "symbol"
    KEYWORD = "keyword"
    ENTITY = "entity"
    TIME = "time"
    EVENT = "event"


class When(NamedTuple):
    """On what a reminder is to be told. `pattern` is in the form in which it is kept (see `atlas.reminders`)."""

    kind: ReminderKind
    pattern: str


class Reminder(NamedTuple):
    """A text that is told when what it is about comes up.

    `episode` is the id of the episode that holds its words, `note` that of the note that it came with, or empty: it
    ends with either. `actor` is `person` or `agent`. One that is `proposed` was read in what the user said and is told
    only once it is accepted. It is told `most` times, and was told `fired` times, last at `fired_at`; not before
    `snoozed_until`, not after `expires_at`, and not any more once it is done. Times are in milliseconds since the
    epoch, None where there is none.
    """

    id: str
    kind: ReminderKind
    pattern: str
    text: str
    episode: str
    note: str
    actor: str
    proposed: bool
    created_at: int
    expires_at: int | None
    most: int
    fired: int = 0
    fired_at: int | None = None
    snoozed_until: int | None = None
    done_at: int | None = None

    @property
    def on(self) -> str:
        """On what it is told, as a person writes it: of a symbol the address that it had when it was named."""
        return self.pattern.rpartition(" ")[2] if self.kind is ReminderKind.SYMBOL else self.pattern

    def state(self, now: int) -> str:
        """What stands in the way of its being told, in a word or two; `waiting` where nothing does."""
        if self.done_at is not None:
            return "done"
        if self.proposed:
            return "proposed"
        if self.expires_at is not None and self.expires_at <= now:
            return "expired"
        if self.fired >= self.most:
            return "limit reached"
        if self.snoozed_until is not None and self.snoozed_until > now:
            return "snoozed"
        return "waiting"


class Due(NamedTuple):
    """A reminder that is told now: `why` in words, and the how manieth time of `most` this is.

    `tokens` is what it costs with its reason, as `told` writes it.
    """

    id: str
    text: str
    why: str
    number: int
    most: int
    note: str
    tokens: int

    @property
    def is_last(self) -> bool:
        return self.number >= self.most


def told(due: Due) -> str:
    """A reminder as it is told. The last time says so: none ends silently."""
    again = f"; told {due.number} of {due.most} times, this was the last" if due.is_last and due.most > 1 else ""
    once = "; told once, as asked" if due.is_last and due.most == 1 else ""
    text = due.text.strip()
    body = f" {text}" if "\n" not in text else "\n" + "\n".join(f"  {line}" for line in text.splitlines())
    return f"- {due.id} ({due.why}{again}{once}):{body}"
