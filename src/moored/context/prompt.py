"""The brief before a prompt: what is known that is plainly about it, and nothing when nothing is."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from moored.context.brief import Brief
from moored.context.entries import NOTE, hit_entry
from moored.context.frame import FRAME_TOKENS
from moored.context.pack import Block, Entry, pack
from moored.context.reminders import due_now, reminder_block
from moored.context.wording import asks_for_nothing, decisions
from moored.model.characters import well_formed
from moored.model.episodes import Role, Trust
from moored.model.recall import HitKind
from moored.model.text import fold, shorten
from moored.recall.policy import PROMPT, InContext

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import tzinfo

    from moored.model.projects import Project, Session, Tree
    from moored.model.recall import Hit
    from moored.recall.meaning import Meaning
    from moored.store.port import View

MOMENT = "prompt"
HEADING = "Known about this:"


class Asker(NamedTuple):
    """The session in which a prompt is about to be answered, and what there is to find by meaning with."""

    host: str
    session: str
    meaning: Meaning
    now: int
    zone: tzinfo


def before_prompt(
    view: View,
    project: Project,
    tree: Tree,
    prompt: str,
    asker: Asker,
    budget: int,
) -> Brief:
    """The reminders that it calls up, and notes and turns that it is about, with their verdicts.

    What the session has said since its last compaction is in the agent's context, and so are the pins.
    """
    from moored.recall.selector import recall

    due = due_now(view, project, tree, now=asker.now, zone=asker.zone, prompt=prompt)
    reminders = reminder_block(due)
    if asks_for_nothing(prompt):
        return (
            pack((), [reminders], project=project.name, moment=MOMENT, budget=budget)
            if due
            else Brief("", 0, budget, 0, 0, 0, ())
        )
    own = view.projects.session(project, well_formed(asker.host), well_formed(asker.session))
    since = _in_context_since(view, project, own) if own else 0
    pinned = frozenset(fold(pin.text) for pin in view.pins.all(project))
    known = InContext(own, since, pinned, works_in=own.id if own else well_formed(asker.session))
    spent = FRAME_TOKENS + sum(one.tokens for one in due)
    policy = PROMPT._replace(budget=max(budget - spent, 0))
    answer, _ = recall(
        view, project, tree, prompt, policy, meaning=asker.meaning, now=asker.now, zone=asker.zone, known=known
    )
    # What was noted is checked and was meant to be found: it comes before what was once said.
    hits = sorted(answer.hits, key=lambda hit: hit.kind is not HitKind.NOTE)
    told = {hit.id for hit in hits}
    block = Block(HEADING, "hit", [_with_reply(view, project, hit, told) for hit in hits], "hits")
    degraded = answer.receipt.degraded
    return pack((), [reminders, block], project=project.name, moment=MOMENT, budget=budget, degraded=degraded)


def _with_reply(view: View, project: Project, hit: Hit, told: Collection[str]) -> Entry:
    """A hit, and below what an assistant said how the user decided or corrected it in the next turn, unless `told`."""
    entry = hit_entry(hit)
    said = view.episodes.get(project, hit.id) if hit.kind is HitKind.EPISODE else None
    if said is None or said.role is not Role.ASSISTANT:
        return entry
    session = view.projects.session(project, said.host, said.session)
    replies = view.sessions.turns(project, session, Role.USER, 1, oldest=True, after=said.seq) if session else []
    decided = " ".join(decisions(replies[0].text)) if replies and replies[0].id not in told else ""
    if not decided:
        return entry
    mark = "\n  > " if replies[0].trust is Trust.DATA else " "
    return Entry(entry.id, f"{entry.text}\n  the user then ({replies[0].id}):{mark}{shorten(decided, NOTE)}")


def _in_context_since(view: View, project: Project, session: Session) -> int:
    """The number of the episode after which what the session said is in its context: its last summary, or its begin."""
    if summary := view.sessions.summary(project, session):
        return summary[0]
    first = view.sessions.turns(project, session, Role.USER, 1, oldest=True)
    return first[0].seq - 1 if first else 0
