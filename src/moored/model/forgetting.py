"""Forgetting: what is to go, what goes with it, and the proof that it is gone."""

from __future__ import annotations

from typing import NamedTuple

REDACTED = "[redacted]"
"""What stands in place of a text that was taken out of an episode."""

FORGOTTEN = "forgotten"
"""The outcome of an event that a host hands in again after it was forgotten."""


class Selection(NamedTuple):
    """What is to be forgotten. What is given narrows the record down together; `ids` are added to it.

    `ids` name episodes, notes, pins and reminders. `since` and `until` are milliseconds since the epoch, the second one
    excluded. `source` is the name of a host, a channel, or the id of an operation. `everything` is the whole project.
    """

    ids: tuple[str, ...] = ()
    session: str = ""
    since: int | None = None
    until: int | None = None
    author: str = ""
    source: str = ""
    everything: bool = False

    @property
    def narrows(self) -> bool:
        """Whether anything but ids is asked for."""
        return bool(self.session or self.author or self.source or self.everything) or self.dated

    @property
    def dated(self) -> bool:
        return self.since is not None or self.until is not None


class Rebuilt(NamedTuple):
    """A note that stays without what is forgotten.

    `erased` are the ids of its revisions that held it. `text` is what its next revision says, empty when its newest one
    stays; `like` is the id of the revision that this text is of, empty when it is put together from `sources`, the ids
    of the episodes that it still rests on.
    """

    note: str
    erased: tuple[str, ...]
    text: str = ""
    like: str = ""
    sources: tuple[str, ...] = ()


class Plan(NamedTuple):
    """All that goes, by ids, with an account of it.

    `notes` go whole, `rebuilt` stay without the forgotten part. `also` counts what goes with them, by its name in the
    plural. `backups` and `entries` are files that hold some of it: backups of the store, and captured events that wait.
    `shown` are beginnings of the texts that go, by id, for whoever has to decide. `token` stands for exactly this plan.
    """

    episodes: tuple[str, ...]
    notes: tuple[str, ...]
    rebuilt: tuple[Rebuilt, ...]
    pins: tuple[str, ...]
    reminders: tuple[str, ...]
    also: tuple[tuple[str, int], ...]
    backups: tuple[str, ...]
    entries: tuple[str, ...]
    shown: tuple[tuple[str, str], ...]
    token: str

    @property
    def empty(self) -> bool:
        return not (self.episodes or self.notes or self.rebuilt or self.pins or self.reminders)


class Scanned(NamedTuple):
    """A file that was looked through, and its size in bytes."""

    file: str
    size: int


class Proof(NamedTuple):
    """What a scan of every file in our care found of what was forgotten.

    `fragments` says how many pieces of it were looked for, `common` how many of them also stand in what remains, so
    that they prove nothing. `found` says where there is residue, in words; it is empty where all is gone.
    """

    files: tuple[Scanned, ...]
    fragments: int
    common: int
    found: tuple[str, ...]

    @property
    def size(self) -> int:
        return sum(scanned.size for scanned in self.files)


class Forgotten(NamedTuple):
    """The account of one `forget`.

    `outcome` is `preview`, `hidden` (it can be restored), `erased` or `redacted`. `operation` is the operation that did
    it, empty for a preview. `restorable_until` is the time until which it is kept, None where nothing is. `proof` is
    None where nothing was erased. `receipt` says in words what was done.
    """

    outcome: str
    plan: Plan
    operation: str = ""
    restorable_until: int | None = None
    proof: Proof | None = None
    receipt: tuple[str, ...] = ()
