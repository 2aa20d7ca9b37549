"""Asking: recall, briefs, one thing whole, pins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from moored.errors import NotFound
from moored.memory.atlas import AtlasPart
from moored.memory.called_up import called_up, within
from moored.memory.core import listed
from moored.model.clock import local_zone
from moored.model.ids import EPISODE, NOTE, REVISION
from moored.model.recall import HitKind
from moored.scope import other_project

if TYPE_CHECKING:
    from moored.context.brief import Brief
    from moored.model.episodes import Episode
    from moored.model.facts import Fact
    from moored.model.notes import JudgedNote, Pin
    from moored.model.recall import Recall
    from moored.recall.policy import InContext, Policy


class RecallPart(AtlasPart):
    """What this memory tells, with a verdict for each thing, computed now."""

    def recall(
        self,
        query: str,
        *,
        budget: int = 1_500,
        kinds: Sequence[HitKind | str] | None = None,
        limit: int | None = None,
        tags: Sequence[str] = (),
        context: int = 0,
        paths: Sequence[str] = (),
        session: str = "",
        project: str | None = None,
    ) -> Recall:
        """What this memory knows about a question, with a verdict for each hit, computed now.

        With `tags`, only notes that have one of them are asked. `context` is how many turns before and after each
        episode come with it, from its session and within the budget, when every hit is chosen. `paths` and `session`
        (name or id) say where work is done, for the rules that ask for it. `project` is the id of another project to
        ask instead; its verdicts are for its first tree that still exists. Raises `NotFound` for an unknown project,
        `InvalidInput` for a kind that is none, for numbers below 0 and for a context of more than 5.
        """
        from moored.recall.requested import at_work, requested

        policy = requested(budget, kinds if kinds is None else listed(kinds), limit, listed(tags), context)
        answer = self._ask(query, policy, project, at_work(self.tree, listed(paths), session))
        if answer.reminders:
            from moored.atlas.reminding import count_told

            told = [one.id for one in answer.reminders]
            count_told(self.store, self.project, told, at=self.clock.now())
        return answer

    def brief(self, query: str = "", *, budget: int = 1_200) -> Brief:
        """The pins whole, the notes that need attention, and what is known about `query`, within `budget` tokens.

        Raises `PinOverflow` when the pins alone do not fit.
        """
        from moored.context.asked import asked
        from moored.recall.policy import BRIEF

        attention = self.stale().notes
        recalled = self._ask(query, BRIEF._replace(budget=budget)) if query.strip() else None
        with self.store.read() as view:
            due = recalled.reminders if recalled else called_up(self, view, "", "")
            return asked(view, self.project, attention, recalled, budget, due, now=self.clock.now())

    def start(self, *, host: str, session: str, source: str = "startup", budget: int = 1_200) -> Brief:
        """What a session is to know: when it begins (`startup`, `clear`, `fork`), at `resume`, and after `compact`.

        `resume` and `compact` tell the working state of the session, or, without a session, of the latest. Pins stand
        whole even where they are more than the budget.
        """
        from moored.context.start import start

        self._absorb_first()
        with self.store.read() as view:
            return start(
                view,
                self.project,
                self.tree,
                host=host,
                session=session,
                source=source,
                budget=budget,
                now=self.clock.now(),
                zone=local_zone(),
            )

    def before_prompt(self, prompt: str, *, host: str, session: str, budget: int = 600) -> Brief:
        """What is known that is plainly about a prompt and not in the session's context; empty when nothing is."""
        from moored.context.prompt import Asker, before_prompt

        asker = Asker(host, session, self._meaning(), self.clock.now(), local_zone())
        with self.store.read() as view:
            return before_prompt(view, self.project, self.tree, prompt, asker, budget)

    def before_edit(
        self, paths: Sequence[str], *, names: Sequence[str] = (), text: str = "", session: str = "", budget: int = 400
    ) -> Brief:
        """What was noted about files, first about the symbols named or touched by `text`, the input of the tool.

        `session` is the one in which they are edited, for the rules that hold in it.
        """
        from moored.context.edit import Edited, before_edit

        edited = Edited(listed(paths), listed(names), text, session)
        now, zone = self.clock.now(), local_zone()
        with self.store.read() as view:
            return before_edit(view, self.project, self.tree, edited, budget, self.vectors, now, zone)

    def show(self, id_or_address: str) -> Episode | JudgedNote | Fact:
        """One thing whole: an episode, a note with its verdict, or a fact. Raises `NotFound` with near ids."""
        from moored.atlas.contested import contested
        from moored.atlas.notes import get
        from moored.atlas.verdict import judge
        from moored.ledger.sight import Sight

        self._absorb_first()
        if id_or_address.startswith((f"{NOTE}_", f"{REVISION}_")):
            with self.store.read() as view:
                sight = Sight(view, self.tree)
                note = get(view, self.project, id_or_address)
                (judged,) = contested(view, self.project, [judge(sight, view, self.project, note)])
            self.keeper.hand_over(sight.changed)
            return judged
        if id_or_address.startswith(f"{EPISODE}_"):
            with self.store.read() as view:
                episode = view.episodes.get(self.project, id_or_address)
                near = view.episodes.near(self.project, id_or_address)
            if episode is None:
                raise NotFound(f"There is no episode {id_or_address} in this project.", near=near)
            return episode
        return self._fact(id_or_address)

    def pin(self, text: str, *, actor: str = "person") -> Pin:
        """Keep a constraint that every brief shows verbatim. Raises `EmptyText`, `TooLarge`, `InvalidInput`."""
        from moored.context.pins import pin

        return pin(self.store, self.project, text, actor=actor, clock=self.clock, ids=self.ids)

    def pins(self) -> tuple[Pin, ...]:
        """The pins that stand, oldest first."""
        with self.store.read() as view:
            return tuple(view.pins.all(self.project))

    def unpin(self, pin_id: str) -> None:
        """Take a pin out of every brief. Raises `NotFound`."""
        from moored.context.pins import unpin

        unpin(self.store, self.project, pin_id, clock=self.clock)

    def _ask(self, query: str, policy: Policy, project: str | None = None, known: InContext | None = None) -> Recall:
        from moored.recall.policy import NOTHING
        from moored.recall.selector import recall

        self._absorb_first()
        with self.store.read() as view:
            asked, tree = self.project, self.tree
            if project is not None and project != self.project.id:
                asked, tree = other_project(view, project)
            now, zone = self.clock.now(), local_zone()
            wanted = called_up(self, view, query, "question") if asked == self.project else ()
            due = within(wanted, policy.budget // 2)
            spent = sum(one.tokens for one in due)
            left = policy._replace(budget=policy.budget - spent)
            answer, changed = recall(
                view, asked, tree, query, left, meaning=self._meaning(), now=now, zone=zone, known=known or NOTHING
            )
        if tree == self.tree:
            self.keeper.hand_over(changed)
            self.uses.add((hit.id for hit in answer.hits if hit.kind is HitKind.NOTE), now)
        receipt = answer.receipt._replace(budget=policy.budget, tokens=answer.receipt.tokens + spent)
        if left_out := len(wanted) - len(due):
            receipt = receipt._replace(degraded=(*receipt.degraded, f"reminders: {left_out} more had no room"))
        return answer._replace(receipt=receipt, reminders=due)
