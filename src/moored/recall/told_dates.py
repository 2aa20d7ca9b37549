"""The times that a text itself tells: "last week I signed up", said on 9 June, is about the week before.

A question that names a time is answered by what happened then, told later as well as at the time. So the times in the
words of the likeliest windows are read as from when they were said, and compared with those of the question.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.model.recall import HitKind
from moored.model.traits import TIMED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from moored.model.projects import Project
    from moored.recall.priors import Asking
    from moored.store.port import View
    from moored.store.rows import WindowRow

READ = 60
"""Windows whose words are read, some 0.2 ms each."""

SHARPNESS = {"moment": 1.0, "day": 1.0, "week": 1.0, "month": 0.7}
"""How much a time that is told counts by its grain; a season or a year tells too little."""


def told_dates(
    view: View,
    project: Project,
    asking: Asking,
    windows: Mapping[int, WindowRow],
    order: Mapping[tuple[HitKind, int], float],
) -> dict[int, float]:
    """How close the times that windows tell are to those that the question names, 0 to 1, by window.

    `order` says how likely each text is.
    """
    timed = [row for row, window in windows.items() if window.traits & TIMED]
    likely = sorted(timed, key=lambda row: (-order.get((HitKind.EPISODE, row), -1.0), row))[:READ]
    texts = view.episodes.by_seqs(project, sorted({windows[row].episode for row in likely})) if likely else {}
    found: dict[int, float] = {}
    for row in likely:
        window = windows[row]
        if window.episode in texts:
            said = texts[window.episode].text[window.start : window.end]
            found[row] = _fit(said, window.occurred_at, asking)
    return {row: fit for row, fit in found.items() if fit}


def _fit(text: str, said_at: int, asking: Asking) -> float:
    """The best fit of any time in a text to any in the question."""
    from moored.recall.when import closeness, periods

    return max(
        (
            SHARPNESS.get(told.grain.name, 0.0)
            * max(closeness(asked, told.start_ms), closeness(asked, told.end_ms - 1))
            for told in periods(text, said_at, asking.zone)
            for asked in asking.periods
        ),
        default=0.0,
    )
