"""The reminders that come beside an answer: those that words call up, as far as they have room."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.model.clock import local_zone

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.memory.core import Core
    from moored.model.notes import Remembered
    from moored.model.reminders import Due
    from moored.store.port import View

SAVED = 200
"""Tokens of the reminders and related notes that come back with a save; where there are both, reminders take half."""


def called_up(core: Core, view: View, text: str, speaks: str, *, without: str = "") -> tuple[Due, ...]:
    """The reminders that are to be told beside words: `speaks` says what these are, `without` is as in `Situation`."""
    if not view.reminders.standing(core.project):
        return ()
    from moored.atlas.reminders import Situation, due

    situation = Situation(
        core.clock.now(), local_zone(), text=text, speaks=speaks if text.strip() else "", without=without
    )
    return due(view, core.project, core.tree, situation)


def within(due: Sequence[Due], budget: int) -> tuple[Due, ...]:
    """The first of some reminders that fit so many tokens together."""
    kept: list[Due] = []
    for one in due:
        if one.tokens <= budget:
            kept.append(one)
            budget -= one.tokens
    return tuple(kept)


def with_reminders(core: Core, done: Remembered, text: str) -> Remembered:
    """The account of a save with the reminders that its words call up, which are counted as told."""
    with core.store.read() as view:
        due = called_up(core, view, text, "note", without=done.id)
    if not due:
        return done
    from moored.atlas.reminding import count_told
    from moored.model.tokens import count_tokens

    told = within(due, SAVED // 2 if done.related else SAVED)
    left, related = SAVED - sum(one.tokens for one in told), 0
    for one in done.related:
        left -= count_tokens(" ".join(one)) + 1
        related += left >= 0
    account = done.receipt
    if more := len(due) - len(told):
        account = (*account, f"{more} more reminder{'s' if more > 1 else ''} had no room")
    if more := len(done.related) - related:
        account = (*account, f"{more} more related note{'s' if more > 1 else ''} had no room")
    count_told(core.store, core.project, [one.id for one in told], at=core.clock.now())
    return done._replace(receipt=account, related=done.related[:related], reminders=told)
