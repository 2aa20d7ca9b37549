"""Who owns what: what CODEOWNERS says, and whose commits most of the recent ones of a component are."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from moored.model.text import shorten
from moored.seeding.commits import Past, month, of_component
from moored.seeding.found import Seed, Weight, seed
from moored.seeding.manifests import name_facts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from moored.seeding.components import Component
    from moored.seeding.ground import Ground

RULES = 20
"""Lines of CODEOWNERS that are told: the last, which count the most, first."""

AUTHORS = 3
FEWEST = 5
"""Commits from which it is told whose they are."""

_PLACES = ("CODEOWNERS", ".github/CODEOWNERS", ".gitlab/CODEOWNERS", "docs/CODEOWNERS")


def read(ground: Ground, parts: Sequence[Component], past: Past) -> Iterator[Seed]:
    """The seeds of ownership."""
    for path in _PLACES:
        if path in ground.files:
            yield from _owners(ground, path)
            break
    for folder, commits in of_component(past, parts).items():
        part = next(one for one in parts if one.folder == folder)
        authors = Counter(commit.author for commit in commits)
        if len(commits) >= FEWEST:
            # By number and then by name, so that the order is the same each time.
            most = sorted(authors, key=lambda author: (-authors[author], author))[:AUTHORS]
            named = ", ".join(shorten(author, 60) for author in most)
            more = f" and {len(authors) - AUTHORS} others" if len(authors) > AUTHORS else ""
            text = f"The latest commits to {part.inline} (up to {month(past.commits[0])}) are mostly by {named}{more}."
            weight = Weight.OWNERS - 5 * bool(folder)
            about = name_facts(ground, part)
            yield seed("authors", folder, text, about, weight, "owners", *part.tags, taken=())


def _owners(ground: Ground, path: str) -> Iterator[Seed]:
    lines = (line.partition("#")[0].split() for line in ground.text(path).split("\n"))
    rules = [words for words in lines if len(words) > 1 and not words[0].startswith(("[", "^["))]
    if rules:
        told = "\n".join(f"- `{words[0]}`: {shorten(' '.join(words[1:]), 120)}" for words in rules[::-1][:RULES])
        more = f"; {len(rules) - RULES} more stand above" if len(rules) > RULES else ""
        text = f"`{path}` names owners, a later line before an earlier one{more}:\n{told}"
        yield seed("owners", path, text, (ground.whole(path),), Weight.OWNERS + 1, "owners")
