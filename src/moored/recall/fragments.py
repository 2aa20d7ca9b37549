"""The signal of code fragments: the texts in which pieces of code from the question stand, however they go on there.

The score is that of `bm25`, each piece counted once. The index's own bm25() would weigh a piece by the rows of
all projects (I-06).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.model.text import fts_query
from moored.recall.bm25 import plain, rarity
from moored.recall.found import top
from moored.recall.lexical import COMMON, INDEX

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
    size: int,
    *,
    tree: int,
    unless: tuple[int, int] | None = None,
    tags: Sequence[str] = (),
) -> dict[Text, float]:
    """The best texts of a kind, of which there are so many, with their scores. The others are as in `by_words`."""
    found = {
        piece: view.search.trigrams(
            INDEX[kind], project, fts_query([piece]), COMMON, tree=tree, unless=unless, tags=tags
        )
        for piece in pieces
    }
    scores = plain(found, {piece: rarity(len(its.rows), size) for piece, its in found.items()})
    return {(kind, row): scores[row] for row in top(scores, DEPTH)}
