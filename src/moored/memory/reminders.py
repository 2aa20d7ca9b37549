"""Reminders in `Memory`: making them, seeing them, ending them, and counting that they were told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.memory.core import FILLED_AT_ONCE, Core
from moored.model.clock import local_zone

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.model.reminders import Reminder


class RemindersPart(Core):
    """What is to be told when work comes to something, a word falls, a time comes, or something happens."""

    def remind(
        self,
        text: str = "",
        *,
        when: str,
        note: str = "",
        most: int | None = None,
        expires: str = "",
        actor: str = "person",
    ) -> Reminder:
        """Make a reminder that is told when `when` comes up: "editing src/auth.py", "every Monday", "a test fails".

        `note` is the id of a note that it belongs to: it ends with the note, and tells its words where there is no
        text. It is told at most `most` times (3; 52 at times that come again), and not after `expires` ("in 2 weeks").
        Raises `EmptyText`, `TooLarge`, `InvalidInput`, `NotFound`, `Ambiguous`; then nothing was written.
        """
        from moored.atlas.reminding import Wanted, remind

        self._absorb_first()
        wanted = Wanted(text, when, note, most, expires, actor)

        def make() -> Reminder:
            return remind(self.store, self.tree, wanted, clock=self.clock, ids=self.ids, zone=local_zone())

        made = self.keeper.by_name(make)
        self.filling.at_once(FILLED_AT_ONCE)
        return made

    def reminders(self, *, proposed: bool = False) -> tuple[Reminder, ...]:
        """Every reminder, told and done ones too, oldest first; or those proposed from what the user said."""
        self._absorb_first()
        with self.store.read() as view:
            found = view.reminders.proposed(self.project) if proposed else view.reminders.all(self.project)
        return tuple(found)

    def accept_reminder(self, reminder_id: str, *, actor: str = "person") -> Reminder:
        """Make a reminder of a proposed one; it gets an id of its own. Raises `NotFound`, `InvalidInput`."""
        from moored.atlas.reminding import accept

        return accept(
            self.store, self.tree, reminder_id, actor=actor, clock=self.clock, ids=self.ids, zone=local_zone()
        )

    def snooze_reminder(self, reminder_id: str, until: str) -> Reminder:
        """Tell a reminder no more until a moment in words ("tomorrow at 9"). Raises `NotFound`, `InvalidInput`."""
        from moored.atlas.reminding import snooze

        return snooze(self.store, self.project, reminder_id, until, clock=self.clock, zone=local_zone())

    def finish_reminder(self, reminder_id: str) -> Reminder:
        """Tell a reminder never again, or turn a proposed one down. Raises `NotFound`."""
        from moored.atlas.reminding import finish

        return finish(self.store, self.project, reminder_id, clock=self.clock)

    def told(self, reminder_ids: Sequence[str]) -> None:
        """Count that these reminders of a brief were handed out. Where the store cannot be written, nothing fails."""
        if reminder_ids:
            from moored.atlas.reminding import count_told

            count_told(self.store, self.project, reminder_ids, at=self.clock.now())
