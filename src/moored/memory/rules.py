"""Rules in `Memory`: laying them down, seeing them, trying them, taking them back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.memory.core import Core, listed
from moored.model.clock import local_zone

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.model.rules import Added, Conflict, Removed, Rule, Tested


class RulesPart(Core):
    """What a person or an agent laid down about what is told. Pins, and what is asked for by id, are outside rules."""

    def add_rule(
        self,
        action: str,
        condition: str,
        *,
        factor: float | None = None,
        path: str = "",
        session: str = "",
        reason: str = "",
        actor: str = "person",
    ) -> Added:
        """Lay down a rule: `forbid`, `require`, `scope`, `boost` or `damp` what a condition is about.

        A condition is such as `kind=decision and age>90d` (docs/rules.md). `factor` is that of a boost (2) or damp
        (0.5), from 0.1 to 10. With `path` the rule is about hits in that path, with `session` it holds in that session;
        a `scope` needs one of them and tells its hits only while work is done there. Raises `InvalidInput`.
        """
        from moored.recall.ruling import Wanted, add

        wanted = Wanted(action, condition, factor, path, session, reason, actor)
        return add(self.store, self.project, wanted, clock=self.clock, ids=self.ids)

    def rules(self) -> tuple[Rule, ...]:
        """The rules that hold, oldest first."""
        with self.store.read() as view:
            return tuple(view.rules.standing(self.project))

    def rule_conflicts(self) -> tuple[Conflict, ...]:
        """What does not go together: rules with each other, and rules with the notes that are known."""
        from moored.recall.ruling import conflicts

        with self.store.read() as view:
            return conflicts(view, self.project, view.rules.standing(self.project), self.clock.now())

    def test_rules(self, query: str, *, at: Sequence[str] = (), session: str = "") -> Tested:
        """What the rules do to a question while work is done in the paths `at` and in a session: see `recall`.

        Each hit that they touch or move is told.
        """
        from moored.recall.requested import at_work
        from moored.recall.rule_trial import trial

        self._absorb_first()
        with self.store.read() as view:
            return trial(
                view,
                self.project,
                self.tree,
                query,
                rules=tuple(view.rules.standing(self.project)),
                known=at_work(self.tree, listed(at), session),
                meaning=self._meaning(),
                now=self.clock.now(),
                zone=local_zone(),
            )

    def remove_rule(self, rule_id: str, *, actor: str = "person") -> Removed:
        """Let a rule hold no more; undoing that operation restores it. Raises `NotFound`, `InvalidInput`."""
        from moored.recall.ruling import remove

        return remove(self.store, self.project, rule_id, actor=actor, clock=self.clock, ids=self.ids)
