"""The kin of a text: the notes of its project that may say the same, or the contrary, by their words.

Only the project is asked, and only so many notes are compared, however many there are.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from moored.model.terms import fts_query, query_terms

if TYPE_CHECKING:
    from moored.model.notes import Note
    from moored.model.projects import Project
    from moored.store.port import View

NEAREST = 24
"""Notes that a new one is compared with."""

POSTINGS = 100
"""The newest notes with a word that are counted. A word that more have says little; the rarer ones find the kin."""


def kin(view: View, project: Project, text: str, most: int = NEAREST) -> list[Note]:
    """The notes in force that share the most telling words with a text, the nearest first, at most `most`."""
    scores: dict[int, float] = {}
    for term in query_terms(text):
        found = view.search.postings("revision", project, fts_query([term]), POSTINGS)
        gain = 1 / (1 + math.log1p(len(found)))
        for posting in found:
            scores[posting.row] = scores.get(posting.row, 0.0) + gain
    best = sorted(scores, key=lambda row: (-scores[row], -row))[:most]
    notes = view.notes.by_heads(project, best)
    return [notes[row] for row in best if row in notes and not notes[row].superseded_by]
