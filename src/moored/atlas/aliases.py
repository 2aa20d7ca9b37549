"""Other names of things, as a person or an agent gives them; what texts teach is read at admission (A-17)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.atlas.drafts import PERSON
from moored.errors import InvalidInput, NotFound
from moored.model.aliases import Alias, folded
from moored.model.text import fold, well_formed
from moored.record.cleaning import cleaned_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.model.clock import Clock
    from moored.model.projects import Project
    from moored.store.port import Store, Transaction

MAX_NAME = 64
"""Characters of the longest name."""

NEAR = 5
"""Aliases that an error names."""

ACTORS = (PERSON, "agent")


def checked_name(name: str) -> str:
    """A name on one line, without secrets. Raises `InvalidInput` when nothing is left of it or it is too long."""
    kept = cleaned_text(fold(well_formed(name))).text
    if not folded(kept) or len(kept) > MAX_NAME:
        raise InvalidInput(
            f"A name has 1 to {MAX_NAME} characters, not {len(kept)}. Nothing was written: give the name alone."
        )
    return kept


def checked_names(names: Sequence[str]) -> tuple[str, ...]:
    """What a note's subject is called, the proper name first, each once. Raises `InvalidInput`."""
    kept: dict[str, str] = {}
    for name in map(checked_name, names):
        kept.setdefault(folded(name), name)
    return tuple(kept.values())


def alias(store: Store, project: Project, name: str, other: str, *, actor: str, clock: Clock) -> Alias:
    """Give a thing another name; when it is known by it already, that is answered and nothing is written.

    Raises `InvalidInput` for a name that is none, the same as the other, or given by neither a person nor an agent.
    """
    if actor not in ACTORS:
        raise InvalidInput(f"Only a person or an agent gives a name, not '{actor}'. Nothing was written.")
    given = Alias(checked_name(name), checked_name(other), "", actor, clock.now())
    if folded(given.name) == folded(given.alias):
        raise InvalidInput(f"'{given.alias}' is the name itself. Nothing was written: give another one for it.")
    with store.write() as transaction:
        transaction.aliases.add(project, given)
        pair = (folded(given.name), folded(given.alias))
        known = transaction.aliases.of(project, [given.alias])
        return next(one for one in known if (folded(one.name), folded(one.alias)) == pair)


def call(
    transaction: Transaction, project: Project, names: Sequence[str], *, episode: str, actor: str, at: int
) -> list[str]:
    """Write what the subject of a note is called, the proper name first; return those that are new."""
    origin = PERSON if actor == PERSON else "agent"
    given = [Alias(names[0], other, episode, origin, at) for other in names[1:]]
    return [one.alias for one in given if transaction.aliases.add(project, one)]


def unalias(store: Store, project: Project, name: str, other: str) -> None:
    """Take another name from a thing. Raises `NotFound` with the names that it has."""
    with store.write() as transaction:
        if transaction.aliases.remove(project, name, other):
            return
        known = transaction.aliases.of(project, [name, other]) or transaction.aliases.all(project)
    near = tuple(f"{one.name} = {one.alias}" for one in known[:NEAR])
    raise NotFound(f"'{other}' is not known as another name of '{name}', so nothing was removed.", near=near)
