"""The brief before a prompt: what is known that is plainly about it, and nothing when nothing is."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from moored.context.brief import Brief
from moored.context.entries import hit_entry
from moored.context.frame import FRAME_TOKENS
from moored.context.pack import Block, pack
from moored.context.wording import asks_for_nothing
from moored.model.characters import well_formed
from moored.model.episodes import Role
from moored.model.text import fold
from moored.recall.policy import PROMPT, InContext

if TYPE_CHECKING:
    from moored.embed.port import Embedder
    from moored.model.projects import Project, Session, Tree
    from moored.recall.vectors import VectorCache
    from moored.store.port import View

MOMENT = "prompt"
HEADING = "Known about this:"


class Asker(NamedTuple):
    """The session in which a prompt is about to be answered, and what there is to find by meaning with."""

    host: str
    session: str
    embedder: Embedder | None
    cache: VectorCache


def before_prompt(
    view: View,
    project: Project,
    tree: Tree,
    prompt: str,
    asker: Asker,
    budget: int,
) -> Brief:
    """Notes and turns that this prompt is about, with their verdicts.

    What the session has said since its last compaction is in the agent's context, and so are the pins.
    """
    from moored.recall.selector import recall

    if asks_for_nothing(prompt):
        return Brief("", 0, budget, 0, 0, 0, ())
    own = view.projects.session(project, well_formed(asker.host), well_formed(asker.session))
    since = _in_context_since(view, project, own) if own else 0
    known = InContext(own, since, frozenset(fold(pin.text) for pin in view.pins.all(project)))
    policy = PROMPT._replace(budget=max(budget - FRAME_TOKENS, 0))
    answer, _ = recall(view, project, tree, prompt, policy, embedder=asker.embedder, cache=asker.cache, known=known)
    block = Block(HEADING, "hit", [hit_entry(hit) for hit in answer.hits], "hits")
    return pack((), [block], project=project.name, moment=MOMENT, budget=budget, degraded=answer.receipt.degraded)


def _in_context_since(view: View, project: Project, session: Session) -> int:
    """The number of the episode after which what the session said is in its context: its last summary, or its begin."""
    if summary := view.sessions.summary(project, session):
        return summary[0]
    first = view.sessions.turns(project, session, Role.USER, 1, oldest=True)
    return first[0].seq - 1 if first else 0
