"""The signal of code fragments: the texts in which pieces of code from the question stand, however they go on there.

The score is the BM25 of `lexical`, each piece counted once. The index's own bm25() would weigh a piece by the rows of
all projects (I-06).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.model.text import fts_query
from moored.recall.lexical import COMMON, INDEX, SIZE, plain, rarity

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
    found = {
        piece: view.search.trigrams(
            INDEX[kind], project, fts_query([piece]), COMMON, tree=tree, unless=unless, tags=tags
        )
        for piece in pieces
    }
    size = view.search.size(INDEX[kind], project, SIZE * COMMON)
    scores = plain(kind, found, {piece: rarity(len(postings), size) for piece, postings in found.items()})
    best = sorted(scores, key=lambda text: (-scores[text], -text[1]))[:DEPTH]
    return {text: scores[text] for text in best}
