"""Forgetting in `Memory`: whole things, a part of them, and what is to be finished."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.memory.core import FILLED_AT_ONCE, Core

if TYPE_CHECKING:
    from moored.model.forgetting import Forgotten


class ForgettingPart(Core):
    """What is forgotten is gone everywhere, and a scan of the files proves it."""

    def forget(
        self,
        *ids: str,
        session: str = "",
        since: int | None = None,
        until: int | None = None,
        author: str = "",
        source: str = "",
        everything: bool = False,
        hard: bool = False,
        preview: bool = False,
        token: str = "",
        actor: str = "person",
    ) -> Forgotten:
        """Forget episodes, notes, pins and reminders by their ids, and what a session, a time or the like narrows down.

        With `preview` it only says what would go. Else it goes out of every answer, and `undo` of the operation
        restores it for 30 days; with `hard` it is erased for good, and the answer proves it. With the `token` of a
        preview nothing else goes than what that showed. See `moored.model.forgetting.Selection` for what narrows.

        Raises `InvalidInput`, `NotFound`, and `moored.forgetting.forget.NotProven` when the scan finds something left.
        """
        from moored.forgetting import forget as forgetting
        from moored.model.forgetting import Forgotten, Selection

        self._absorb_all()
        selection = Selection(ids, session, since, until, author, source, everything)
        if preview:
            plan = forgetting.preview(self.store, self.project, selection)
            return Forgotten("preview", plan, receipt=forgetting.said(plan, hard=hard))
        done = forgetting.forget(
            self.store, self.project, selection, hard=hard, token=token, actor=actor, clock=self.clock, ids=self.ids
        )
        self.filling.at_once(FILLED_AT_ONCE)
        return done

    def redact(
        self, text: str, *episodes: str, preview: bool = False, token: str = "", actor: str = "person"
    ) -> Forgotten:
        """Take a text out of everything that this project holds; `episodes`, if any are named, must hold it.

        Episodes keep their ids, and so does all else that repeats the text. It cannot be undone, and the answer proves
        it. Raises as `forget`.
        """
        from moored.forgetting.forget import redact

        self._absorb_all()
        done = redact(
            self.store,
            self.project,
            episodes,
            text,
            preview=preview,
            token=token,
            actor=actor,
            clock=self.clock,
            ids=self.ids,
        )
        self.filling.at_once(FILLED_AT_ONCE)
        return done

    def forget_expired(self) -> tuple[Forgotten, ...]:
        """Erase what was forgotten more than 30 days ago and was not restored; upkeep does it by itself."""
        from moored.forgetting.forget import forget_expired

        return tuple(forget_expired(self.store, self.project, actor="person", clock=self.clock, ids=self.ids))

    def finish_forgetting(self) -> bool:
        """Finish an erasure after which the process was killed or something was left; False when there is none."""
        from moored.forgetting.forget import finish

        return finish(self.store)

    def _absorb_all(self) -> None:
        """Take in what hooks captured, so that what is to be forgotten does not come in later."""
        from moored.absorb import absorb

        absorb(self.store, clock=self.clock, ids=self.ids, patience=1.0, ledger=False)
