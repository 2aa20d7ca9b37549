"""What changed most lately: the folders that the latest commits touched, and what they said."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from moored.model.text import shorten
from moored.seeding.commits import Past, of_component
from moored.seeding.found import Seed, Weight, seed
from moored.seeding.manifests import name_facts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from moored.seeding.commits import Touched
    from moored.seeding.components import Component
    from moored.seeding.ground import Ground

RECENT = 50
"""Commits that count as lately."""

PLACES = 6
SUBJECTS = 3
BUSIEST = 3
"""Components of which it is told what they saw lately, beside the whole."""


def read(ground: Ground, parts: Sequence[Component], past: Past) -> Iterator[Seed]:
    """The seeds of recent history."""
    recent = Past(past.commits[:RECENT])
    touched = of_component(recent, parts)
    inside = sorted((one for one in touched if one), key=lambda one: (-len(touched[one]), one))[:BUSIEST]
    for folder in (*(one for one in touched if not one), *inside):
        part = next(one for one in parts if one.folder == folder)
        text = _told(touched[folder], folder)
        weight = Weight.RECENT - 5 * bool(folder)
        yield seed("recent", folder, text, name_facts(ground, part), weight, "recent", *part.tags, taken=())


def _told(commits: Sequence[Touched], folder: str) -> str:
    prefix = f"{folder}/" if folder else ""
    places = Counter(
        place
        for commit in commits
        for place in {_place(path, prefix) for path in commit.paths if path.startswith(prefix)}
    )
    most = sorted(places, key=lambda place: (-places[place], place))[:PLACES]
    told = ", ".join(f"`{place}` ({places[place]})" for place in most)
    said = "; ".join(shorten(commit.subject, 90) for commit in commits[:SUBJECTS] if commit.subject)
    first, last = _day(commits[-1]), _day(commits[0])
    days = last if first == last else f"{first} to {last}"
    where = f" to `{folder}`" if folder else ""
    last_ones = "commit" if len(commits) == 1 else f"{len(commits)} commits"
    return f"The last {last_ones}{where} ({days}) touched most often: {told}. The latest say: {said}."


def _place(path: str, prefix: str) -> str:
    """Where in a component a path is: at most three folders deep, or the file itself."""
    parts = path[len(prefix) :].split("/")
    return prefix + "/".join(parts[: min(3, max(1, len(parts) - 1))])


def _day(commit: Touched) -> str:
    return datetime.fromtimestamp(commit.at / 1000, UTC).strftime("%Y-%m-%d")
