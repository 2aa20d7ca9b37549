"""The policy of an explicit question, and where work is done, from what the caller says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.atlas.drafts import checked_tags
from moored.atlas.lookup import relative
from moored.errors import InvalidInput
from moored.model.characters import well_formed
from moored.model.choices import chosen
from moored.model.recall import HitKind
from moored.recall.policy import MOST_CONTEXT, RECALL, InContext

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.model.projects import Tree
    from moored.recall.policy import Policy


def requested(
    budget: int, kinds: Sequence[HitKind | str] | None, limit: int | None, tags: Sequence[str], context: int = 0
) -> Policy:
    """The usual policy with this budget, these kinds and this limit, where they are given; tags ask for notes alone.

    `context` is how many turns around each episode are told. Raises `InvalidInput` for a kind that is none, for no kind
    at all, for numbers below 0, for more context than there may be, and for a tag that is none.
    """
    if budget < 0 or (limit is not None and limit < 0):
        raise InvalidInput("A budget and a limit are numbers from 0 on. Leave them out for the usual ones.")
    if not 0 <= context <= MOST_CONTEXT:
        raise InvalidInput(f"The context is from 0 to {MOST_CONTEXT} turns before and after a hit, not {context:,}.")
    policy = RECALL._replace(budget=budget, context=context)
    if kinds is not None:
        wanted = {chosen(HitKind, kind, "kind of hit") for kind in kinds}
        if not wanted:
            raise InvalidInput("No kind of hit was asked for. Name some, or leave the kinds out for all.")
        policy = policy._replace(kinds=tuple(kind for kind in HitKind if kind in wanted))
    if limit is not None:
        policy = policy._replace(limit=limit)
    return policy._replace(tags=checked_tags(tags), kinds=(HitKind.NOTE,)) if tags else policy


def at_work(tree: Tree, paths: Sequence[str], session: str) -> InContext:
    """Where the caller says that it works: in files of the tree, and in a session, by name or id."""
    return InContext(paths=tuple(relative(tree, well_formed(path)) for path in paths), works_in=well_formed(session))
