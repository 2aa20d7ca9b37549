"""The atlas's part of `Memory`: notes, their history, other names of things."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from moored.memory.called_up import with_reminders
from moored.memory.core import FILLED_AT_ONCE, listed
from moored.memory.ledger import LedgerPart
from moored.model.ids import NOTE, REVISION

if TYPE_CHECKING:
    from moored.atlas.affected import Affected
    from moored.atlas.stale import StaleReport
    from moored.model.aliases import Alias
    from moored.model.facts import FactVersion
    from moored.model.notes import Remembered, Revision


class AtlasPart(LedgerPart):
    """What is said about the project, tied to its source."""

    def remember(
        self,
        text: str,
        *,
        about: Sequence[str] = (),
        kind: str = "note",
        tags: Sequence[str] = (),
        proof: str = "",
        actor: str = "agent",
        supersedes: str = "",
        aliases: Sequence[str] = (),
        insist: bool = False,
    ) -> Remembered:
        """Write a note about things that exist: symbols, paths, `path:line`, keys, `$ commands`, episodes.

        What the text itself names is found as well. `aliases` is what its subject is called, the proper name first:
        that becomes a tag, the others are aliases of it. What is known already becomes no note, and what says otherwise
        than a note revises or disputes it (see `Remembered.outcome`), unless the call is to `insist`. Reminders that
        the text calls up come with the account and count as told. Raises `EmptyText`, `TooLarge`, `InvalidInput`,
        `NotFound` and `Ambiguous` (`about`); then nothing was written.
        """
        from moored.atlas.drafts import Draft
        from moored.atlas.notes import remember

        self._absorb_first()
        draft = Draft(
            text,
            listed(about),
            kind,
            listed(tags),
            actor,
            proof=proof,
            supersedes=supersedes,
            names=listed(aliases),
            insist=insist,
        )

        def write() -> Remembered:
            return remember(self.store, self.tree, draft, clock=self.clock, ids=self.ids)

        remembered = self.keeper.by_name(write)
        self.filling.at_once(FILLED_AT_ONCE)
        return with_reminders(self, remembered, text)

    def revise(
        self,
        note_id: str,
        text: str | None = None,
        *,
        about: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        proof: str | None = None,
        cause: str = "revised",
        actor: str = "agent",
    ) -> Remembered:
        """Write the next revision of a note. What is None stays, with the hashes of its targets as they are now.

        Reminders come with the account as with that of `remember`. Raises `NotFound` for an unknown note, and what
        `remember` raises.
        """
        from moored.atlas.drafts import Amendment
        from moored.atlas.notes import revise

        self._absorb_first()
        named = None if about is None else listed(about)
        amendment = Amendment(text, named, None if tags is None else listed(tags), proof, cause, actor)

        def write() -> Remembered:
            return revise(self.store, self.tree, note_id, amendment, clock=self.clock, ids=self.ids)

        revised = self.keeper.by_name(write)
        self.filling.at_once(FILLED_AT_ONCE)
        return with_reminders(self, revised, text or "")

    def history(self, id_or_address: str) -> tuple[Revision, ...] | tuple[FactVersion, ...]:
        """Every revision of a note, or every version of a fact, oldest first. Raises `NotFound`."""
        from moored.atlas.history import history

        self._absorb_first()
        if id_or_address.startswith((f"{NOTE}_", f"{REVISION}_")):
            with self.store.read() as view:
                return history(view, self.project, id_or_address)
        fact = self._fact(id_or_address)
        with self.store.read() as view:
            return tuple(view.facts.history(self.project, fact.id))

    def difference(self, note_id: str, first: int | None = None, second: int | None = None) -> str:
        """What changed between two revisions of a note, by default the last two. Raises `NotFound`."""
        from moored.atlas.history import compared

        with self.store.read() as view:
            return compared(view, self.project, note_id, first, second)

    def alias(self, name: str, other: str, *, actor: str = "person") -> Alias:
        """Give a thing another name, by which questions find it too. Raises `InvalidInput`."""
        from moored.atlas.aliases import alias

        return alias(self.store, self.project, name, other, actor=actor, clock=self.clock)

    def aliases(self) -> tuple[Alias, ...]:
        """Every other name of a thing, oldest first: given by somebody, or read in what was said."""
        with self.store.read() as view:
            return tuple(view.aliases.all(self.project))

    def unalias(self, name: str, other: str) -> None:
        """Take another name from a thing. Raises `NotFound` with the names that it has."""
        from moored.atlas.aliases import unalias

        unalias(self.store, self.project, name, other)

    def stale(self) -> StaleReport:
        """Which notes do not hold any more, judged now against the disk."""
        from moored.atlas.stale import stale
        from moored.ledger.sight import Sight

        self._absorb_first()
        with self.store.read() as view:
            sight = Sight(view, self.tree)
            report = stale(sight, view, self.project)
        self.keeper.hand_over(sight.changed)
        return report

    def affected(self, base: str | None = None) -> Affected:
        """Which notes and pins the uncommitted changes, or those since `base`, put at risk."""
        from moored.atlas.affected import affected
        from moored.ledger.sight import Sight

        with self.store.read() as view:
            sight = Sight(view, self.tree)
            report = affected(sight, view, self.tree, base)
        self.keeper.hand_over(sight.changed)
        return report
