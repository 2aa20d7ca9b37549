"""The review in `Memory`: what is proposed for notes that may not hold, and deciding it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.memory.core import FILLED_AT_ONCE, Core

if TYPE_CHECKING:
    from moored.model.notes import Note
    from moored.model.proposals import Decided, Reviewed


class ReviewPart(Core):
    """Notes that do not hold any more are revised or archived, once somebody accepts it."""

    def review(self) -> Reviewed:
        """Look at the notes that something speaks against, and list what is proposed for them.

        Proposing changes no note. Where the store cannot be written, what is open already is listed.
        """
        from moored.atlas.proposals import proposals, propose
        from moored.ledger.sight import Sight
        from moored.model.proposals import Reviewed

        self._absorb_first()
        self.uses.keep()
        self.keeper.look_around(again=True)
        done = propose(self.store, self.tree, clock=self.clock, ids=self.ids)
        with self.store.read() as view:
            listed = proposals(view, Sight(view, self.tree))
        self.keeper.hand_over(done.changed)
        return Reviewed(listed, done.operation, done.made, done.outdated, done.unsaid, done.waiting)

    def accept(self, proposal_id: str, text: str | None = None, *, actor: str = "person") -> Decided:
        """Do what is proposed, or revise the note to say `text` instead; one operation, which can be undone.

        Raises `NotFound`, `InvalidInput`, and what `revise` raises; then nothing was changed.
        """
        from moored.atlas.deciding import accept

        self._absorb_first()

        def decide() -> Decided:
            return accept(self.store, self.tree, proposal_id, text=text, actor=actor, clock=self.clock, ids=self.ids)

        decided = self.keeper.by_name(decide)
        self.filling.at_once(FILLED_AT_ONCE)
        return decided

    def reject(self, proposal_id: str, because: str, *, actor: str = "person") -> Decided:
        """Leave the note as it is, for a reason; the same is not proposed again on the same evidence.

        Raises `NotFound`, `InvalidInput`.
        """
        from moored.atlas.deciding import reject

        return reject(self.store, self.project, proposal_id, because, actor=actor, clock=self.clock, ids=self.ids)

    def note(self, note_id: str) -> Note:
        """A note as it stands, without a verdict; one that was taken out of every answer as well. Raises `NotFound`."""
        from moored.atlas.notes_seen import get

        with self.store.read() as view:
            return get(view, self.project, note_id, withdrawn=True)
