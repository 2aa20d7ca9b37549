"""The signal of code fragments: the texts in which pieces of code from the question stand, however they go on there.

The score is the BM25 of `lexical`, each piece counted once. The index's own bm25() would weigh a piece by the rows of
all projects (I-06).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from moored.model.text import fts_query
from moored.recall.lexical import COMMON, INDEX, K1, LENGTH, SIZE, B

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.model.projects import Project
    from moored.model.recall import HitKind
    from moored.recall.lexical import Text
    from moored.store.port import View

DEPTH = 50
"""Texts of each kind that are found by code fragments."""


def by_fragments(
    view: View,
    project: Project,
    kind: HitKind,
    pieces: Sequence[str],
    *,
    tree: int,
    unless: tuple[int, int] | None = None,
    tags: Sequence[str] = (),
) -> dict[Text, float]:
    """The best texts of a kind with their scores. `tree`, `unless` and `tags` are as in `by_words`."""
    size = view.search.size(INDEX[kind], project, SIZE * COMMON)
    scores: dict[Text, float] = {}
    for piece in pieces:
        match = fts_query([piece])
        found = view.search.trigrams(INDEX[kind], project, match, COMMON, tree=tree, unless=unless, tags=tags)
        rows = len(found)
        rarity = math.log1p((max(size, rows) - rows + 0.5) / (rows + 0.5))
        for posting in found:
            text = (kind, posting.row)
            saturated = (K1 + 1) / (1 + K1 * (1 - B + B * posting.length / LENGTH))
            scores[text] = scores.get(text, 0.0) + rarity * saturated
    best = sorted(scores, key=lambda text: (-scores[text], -text[1]))[:DEPTH]
    return {text: scores[text] for text in best}
