"""The life of notes in `Memory`: operations and undo, protection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.memory.core import FILLED_AT_ONCE, Core

if TYPE_CHECKING:
    from moored.atlas.disputes import Disputed, Resolved
    from moored.ledger.refresh import Progress
    from moored.model.operations import Operation, Undone
    from moored.model.profiles import Entry, Learned
    from moored.model.seeding import Seeded
    from moored.model.state import Explained, Rated, Stated


class LifePart(Core):
    """What becomes of notes: every change is an operation, can be explained and can be undone."""

    def operations(self) -> tuple[Operation, ...]:
        """What was done in this project that can be undone, oldest first."""
        with self.store.read() as view:
            return tuple(view.operations.all(self.project))

    def undo(self, operation_id: str, *, actor: str = "person") -> Undone:
        """Take one operation back, alone: every question has the answer again that it had before it.

        The undo is an operation too. What was brought in stays in the record, out of every answer; importing it again
        shows it again. Raises `NotFound`, and `InvalidInput` for an operation that was undone already, that cannot be
        undone, or whose notes were changed since; then nothing was changed.
        """
        from moored.atlas.undo import undo

        undone = undo(self.store, self.project, operation_id, actor=actor, clock=self.clock, ids=self.ids)
        self.filling.at_once(FILLED_AT_ONCE)
        return undone

    def protect(self, note_id: str, reason: str, *, actor: str = "person") -> str:
        """Protect a note, so that nothing but an explicit request changes it; return the operation.

        It is empty when the note was protected for the same reason already. Raises `NotFound`, `InvalidInput`.
        """
        from moored.atlas.protection import protect

        return protect(self.store, self.project, note_id, reason, actor=actor, clock=self.clock, ids=self.ids)

    def unprotect(self, note_id: str, *, actor: str = "person") -> str:
        """Protect a note no more; return the operation, empty when it was not protected. Raises `NotFound`."""
        from moored.atlas.protection import unprotect

        return unprotect(self.store, self.project, note_id, actor=actor, clock=self.clock, ids=self.ids)

    def disputes(self) -> tuple[Disputed, ...]:
        """The pairs of notes that cannot both hold and were not settled yet, oldest first, with what a file states."""
        from moored.atlas.disputes import disputes
        from moored.ledger.sight import Sight

        with self.store.read() as view:
            sight = Sight(view, self.tree)
            found = disputes(view, sight)
        self.keeper.hand_over(sight.changed)
        return found

    def resolve(self, dispute_id: str, holds: str, *, actor: str = "person") -> Resolved:
        """Settle a dispute: `holds` is the note that holds, by which the other is superseded, or `both`.

        Raises `NotFound`, `InvalidInput`.
        """
        from moored.atlas.disputes import resolve

        return resolve(self.store, self.project, dispute_id, holds, actor=actor, clock=self.clock, ids=self.ids)

    def rate(self, note_id: str, *, useful: bool, because: str = "", actor: str = "person") -> Rated:
        """Say that a note was useful, or that it was not, and why. Its confidence moves a little, and no answer.

        Raises `NotFound`, `InvalidInput`.
        """
        from moored.atlas.rating import rate

        return rate(
            self.store,
            self.project,
            note_id,
            useful=useful,
            reason=because,
            actor=actor,
            clock=self.clock,
            ids=self.ids,
        )

    def explain(self, note_id: str) -> Explained:
        """What stands behind a note: its verdict, each of its numbers with what made it, and what was done to it.

        Raises `NotFound`.
        """
        from moored.atlas.explaining import explain
        from moored.ledger.sight import Sight

        self._absorb_first()
        self.uses.keep()
        with self.store.read() as view:
            sight = Sight(view, self.tree)
            explained = explain(sight, view, self.project, note_id, self.clock.now())
        self.keeper.hand_over(sight.changed)
        return explained

    def notes(self, *, by: str = "newest") -> tuple[Stated, ...]:
        """The notes that were not replaced, with verdict and state, the highest first by one of the numbers.

        `by` is `heat`, `confidence`, `importance`, `stability` or `newest`. Raises `InvalidInput` for another.
        """
        from moored.atlas.explaining import listing
        from moored.ledger.sight import Sight

        self._absorb_first()
        self.uses.keep()
        with self.store.read() as view:
            sight = Sight(view, self.tree)
            listed = listing(sight, view, self.project, by, self.clock.now())
        self.keeper.hand_over(sight.changed)
        return tuple(listed)

    def profile(self, *, about: str = "", every: bool = False) -> tuple[Entry, ...]:
        """What is known of how the user and the project want things done, the best founded first, with its evidence.

        `about` limits it to a key such as `package manager`. With `every` what was replaced, or lost what it rested on,
        follows.
        """
        from moored.atlas.profile.reading import profile
        from moored.ledger.sight import Sight

        self._absorb_first()
        with self.store.read() as view:
            return profile(view, Sight(view, self.tree), self.project, about=about, every=every)

    def learn(self) -> Learned:
        """Read the turns and runs that were not read yet for preferences and beliefs, as one operation.

        Recording, absorbing and upkeep do it by themselves; doing it again adds nothing.
        """
        from moored.atlas.profile.learning import learn

        learned = learn(self.store, self.project, clock=self.clock, ids=self.ids)
        if learned.operation:
            self.filling.at_once(FILLED_AT_ONCE)
        return learned

    def seed(
        self,
        *,
        most: int | None = None,
        tokens: int | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Seeded:
        """Read the tree (documents, configuration, entry points, owners, history) into the first notes, as data.

        At most `most` notes of `tokens` tokens together, by default `MOST` and `TOKENS` of `seeding.seed`. Doing it
        again brings them up to date; what somebody made their own is left alone. One operation, which can be undone.
        With `dry_run` no note is written, and the account says what would be. Raises `InvalidInput`.
        """
        from moored.errors import InvalidInput
        from moored.seeding.seed import MOST, TOKENS, seed

        most, tokens = MOST if most is None else most, TOKENS if tokens is None else tokens
        if most < 1 or tokens < 1:
            raise InvalidInput("A seed has at least 1 note and 1 token. Nothing was written: ask for more.")
        self._absorb_first()
        self.keeper.index(None, progress)
        seeded = seed(self.store, self.tree, most=most, tokens=tokens, dry_run=dry_run, clock=self.clock, ids=self.ids)
        if seeded.operation:
            self.filling.at_once(FILLED_AT_ONCE)
        return seeded
