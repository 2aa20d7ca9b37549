"""What speaks for a text before its words are looked at: who said it, when, and what sort of statement it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from moored.model.traits import DIRECTIVE, PREFERENCE, TIMED
from moored.recall import asking, speakers
from moored.recall.when import Period, closeness, periods

if TYPE_CHECKING:
    from datetime import tzinfo

    from moored.model.episodes import Role
    from moored.model.projects import Project
    from moored.recall.asking import Asked
    from moored.recall.weights import Weights
    from moored.store.port import View
    from moored.store.rows import WindowRow


class Asking(NamedTuple):
    """How a question is read.

    `said` is the question as it is compared by meaning (see `speakers`). `author` is the person whom it is about and
    `role` whose words hold the answer, as far as it tells; `periods` are the times that it names.
    """

    asked: Asked
    said: str
    author: str | None
    role: Role | None
    periods: tuple[Period, ...]


def read(view: View, project: Project, text: str, now: int, zone: tzinfo) -> Asking:
    """Read what a question asks for, asked at `now` (milliseconds since the epoch) in a zone."""
    asked = asking.asked(text)
    people = speakers.named(text, view.search.authors(project)) if text else []
    author = speakers.subject(text, people)
    return Asking(
        asked=asked,
        said=speakers.as_said_by(text, author, people) if author else text,
        author=author,
        role=None if people else asked.speaker,
        periods=periods(text, now, zone),
    )


def of_window(window: WindowRow, asking: Asking) -> dict[str, float]:
    """The priors of a window by name, each 0 to 1; those of 0 are left out."""
    found = {
        "author": float(asking.author is not None and window.author == asking.author),
        "role": float(asking.role is not None and window.role == asking.role),
        "date": max((closeness(period, window.occurred_at) for period in asking.periods), default=0.0),
        "directive": float(asking.asked.advice and bool(window.traits & (DIRECTIVE | PREFERENCE))),
        "timed": float(asking.asked.when and bool(window.traits & TIMED)),
    }
    return {name: value for name, value in found.items() if value}


def weighed(priors: dict[str, float], weights: Weights) -> float:
    """What priors add to a score."""
    return sum(getattr(weights, name) * value for name, value in priors.items())
