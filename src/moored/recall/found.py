"""What the signals found, before it is weighed: raw numbers, by text and by hit."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from moored.model.recall import HitKind
from moored.recall.late import NOTHING
from moored.recall.priors import of_window

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from moored.recall.aliases import Named
    from moored.recall.late import Late
    from moored.recall.lexical import Lexical, Text
    from moored.recall.mentions import Key
    from moored.recall.priors import Asking
    from moored.store.rows import WindowRow

TOP = 130
"""A signal is measured from its best score down to that of the hit of this rank."""

Anything = TypeVar("Anything")


class Found:
    """What the signals found.

    `lexical` are the words' scores and `trigrams` those of code fragments by kind; `cosines`, `standout` and `late` are
    the numbers of meaning, by the configured model, and `first` the cosines of the first pass for texts that wait for
    that one; `asked` are the cosines of what windows follow and answer, by their places. `known_model` says whether
    they are of a model in `relevance.KNOWN`. `mention` says how strongly a hit is named, `named` what the question
    calls by a name, `tags` what notes' tags hold of it. `texts` are all that were found of what was said, `windows`
    describes the windows among them, `said` the notes in their episodes (see `Search.said_in`), `dates` how well the
    times that they tell fit, `asking` how the question was read; `degraded` says what could not play its full part.
    """

    def __init__(self, lexical: Lexical, asking: Asking, named: Named, mention: Mapping[Key, float]) -> None:
        self.lexical = lexical
        self.asking = asking
        self.named = named
        self.mention = mention
        self.texts: dict[Text, None] = {}
        self.windows: Mapping[int, WindowRow] = {}
        self.said: Mapping[int, tuple[int, bool]] = {}
        self.cosines: dict[Text, float] = {}
        self.standout: dict[Text, float] = {}
        self.first: dict[Text, float] = {}
        self.known_model = False
        self.asked: dict[int, float] = {}
        self.late: Late = NOTHING
        self.trigrams: dict[HitKind, dict[Text, float]] = {}
        self.tags: Mapping[Key, float] = {}
        self.degraded: list[str] = []
        self.dates: Mapping[int, float] = {}
        self._told: dict[int, dict[str, float]] = {}

    def told(self, text: Text) -> Mapping[str, float]:
        """The priors of a text (see `priors`), read once; those of what is no window are none."""
        if text[0] is not HitKind.EPISODE or text[1] not in self.windows:
            return {}
        if text[1] not in self._told:
            told = of_window(self.windows[text[1]], self.asking)
            if text[1] in self.dates:
                told["date"] = max(self.dates[text[1]], told.get("date", 0.0))
            self._told[text[1]] = told
        return self._told[text[1]]


def top(scores: Mapping[int, float], count: int) -> list[int]:
    """The best of these by their scores, at most so many, of equals the highest number first."""
    rows: Iterable[int] = scores
    if len(scores) > count:
        least = sorted(scores.values(), reverse=True)[count - 1]
        rows = [row for row, score in scores.items() if score >= least]
    return sorted(sorted(rows, reverse=True), key=scores.__getitem__, reverse=True)[:count]


def positions(scores: Mapping[Anything, float], best: Iterable[float] | None = None) -> dict[Anything, float]:
    """Each score as its position between that of rank `TOP` (0) and the best (1), not below -1.

    The ranks are those of `best`, the best score of each hit, where a hit has several.
    """
    ordered = sorted(scores.values() if best is None else best, reverse=True)
    if not ordered:
        return {}
    high, low = ordered[0], ordered[min(TOP, len(ordered)) - 1]
    if high <= low:
        return dict.fromkeys(scores, 1.0)
    span = high - low
    return {key: at if (at := (score - low) / span) > -1.0 else -1.0 for key, score in scores.items()}
