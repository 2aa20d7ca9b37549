"""What is found by meaning: the nearest vectors, and late interaction among the best of all."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from moored.errors import MooredError
from moored.model.recall import HitKind
from moored.model.terms import is_mostly_cjk
from moored.model.traits import FOLLOWS
from moored.recall import late, priors
from moored.recall.found import positions
from moored.recall.lexical import INDEX

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.embed.port import Embedder, Question
    from moored.model.projects import Project
    from moored.recall.found import Found
    from moored.recall.policy import Policy
    from moored.recall.vectors import VectorCache
    from moored.recall.weights import Weights
    from moored.store.port import View

DEPTH = 200
"""Texts of each kind that are found by their vectors."""

MOST_WAITING = 1_000
"""Texts without a vector that are counted for a question."""

LATE = 200
"""Texts at most of which the pieces are compared; a budget of pieces ends it sooner."""

ENGLISH = frozenset({"minilm-l6-384@1", "static-minilm-256@1"})
"""Models that know next to no word of Chinese, Japanese and Korean: to them such texts are all alike."""

PRIOR_SHARE = 0.5
"""What priors count against words and cosines where it is chosen of which texts the pieces are compared."""


class Meaning(NamedTuple):
    """What finds texts by meaning: the configured embedder, the one of the first pass, and their signs in memory."""

    embedder: Embedder | None
    first: Embedder | None
    cache: VectorCache


def nearest(
    view: View,
    project: Project,
    kinds: Sequence[HitKind],
    meaning: Meaning,
    policy: Policy,
    found: Found,
    unless: tuple[int, int] | None = None,
) -> Question | None:
    """Find the nearest texts by the configured model, and by the first pass while texts wait for it.

    What is `unless` (session, episode) is not found. The question in the form of the configured model is given back
    where that has anything to compare with.
    """
    text = found.asking.said
    if not kinds or not text.strip():
        return None
    if meaning.embedder is None and meaning.first is None:
        found.degraded.append("dense: there is no embedder, so nothing was found by meaning")
        return None
    model = meaning.embedder or meaning.first
    if model and model.model in ENGLISH and is_mostly_cjk(text):
        found.degraded.append(f"dense: {model.model} reads English, so this was looked for by its words alone")
        return None
    waiting = view.vectors.count_waiting(project, at_most=MOST_WAITING + 1)
    question = _by_model(view, project, kinds, meaning, policy, found, unless)
    if question is None or waiting:
        _by_first_pass(view, project, kinds, meaning, policy, found, unless)
    if waiting:
        number = f"more than {MOST_WAITING}" if waiting > MOST_WAITING else str(waiting)
        found.degraded.append(f"dense: {number} text{' waits' if waiting == 1 else 's wait'} for a vector")
    elif question is None and not found.first:
        found.degraded += _no_vectors(view, project, meaning)
    return question


def compare(
    view: View,
    project: Project,
    meaning: Meaning,
    question: Question,
    weights: Weights,
    found: Found,
) -> None:
    """Give all texts their cosines, and those that come first so far their late interaction."""
    if meaning.embedder is None:
        return
    model, vectors = meaning.embedder.model, meaning.cache.vectors
    rest = [text for text in found.texts if text not in found.cosines]
    for kind in (HitKind.NOTE, HitKind.EPISODE):
        rows = [row for its, row in rest if its is kind]
        known, cosines = vectors.cosines(view, project, model, INDEX[kind], rows, question.vector)
        found.cosines.update(((kind, row), cosine) for row, cosine in zip(known, cosines.tolist(), strict=True))
    words = positions({text: found.lexical.score(text) for text in found.texts})
    first = {
        text: (words[text] + at) / 2 + PRIOR_SHARE * priors.weighed(found.told(text), weights)
        for text, at in positions(found.cosines).items()
        if text in words
    }
    best = sorted(first, key=lambda text: (-first[text], text[0], -text[1]))[:LATE]
    answers = [window.place for window in found.windows.values() if window.traits & FOLLOWS]
    asked = {place - back for place in answers for back in (1, 2)}
    compared = [found.windows[row].place for kind, row in best if kind is HitKind.EPISODE]
    places = {window.place: row for row, window in found.windows.items()}
    beside = asked.union(*({place + step for place in compared} for step in late.SHARES)) - places.keys()
    if beside:
        places.update(meaning.cache.windows.at(view, project, sorted(beside)))
    rows = {places[place]: place for place in sorted(asked & places.keys())}
    known, cosines = vectors.cosines(view, project, model, INDEX[HitKind.EPISODE], list(rows), question.vector)
    found.asked = {rows[row]: cosine for row, cosine in zip(known, cosines.tolist(), strict=True)}
    shares = late.piece_weights(found.asking.said, question.spans, found.asking.asked.meta)
    found.late = late.by_pieces(view, project, model, question, shares, best, found.windows, places)


def _by_model(
    view: View,
    project: Project,
    kinds: Sequence[HitKind],
    meaning: Meaning,
    policy: Policy,
    found: Found,
    unless: tuple[int, int] | None = None,
) -> Question | None:
    embedder = meaning.embedder
    filled = [kind for kind in kinds if embedder and meaning.cache.holds(view, project, embedder.model, INDEX[kind])]
    if embedder is None or not filled:
        return None
    try:
        question = embedder.question(found.asking.said)
    except MooredError as error:
        found.degraded.append(f"dense: {embedder.model} cannot be asked: {error}")
        return None
    for kind in filled:
        near = meaning.cache.nearest(
            view, project, embedder.model, INDEX[kind], question.vector, DEPTH, policy.tags, unless
        )
        found.cosines.update(((kind, one.owner), one.cosine) for one in near)
        found.standout.update(((kind, one.owner), one.standout) for one in near)
    return question


def _by_first_pass(
    view: View,
    project: Project,
    kinds: Sequence[HitKind],
    meaning: Meaning,
    policy: Policy,
    found: Found,
    unless: tuple[int, int] | None = None,
) -> None:
    first = meaning.first
    filled = [kind for kind in kinds if first and meaning.cache.holds(view, project, first.model, INDEX[kind])]
    if first is None or not filled:
        return
    try:
        vector = first.encode([found.asking.said])[0]
    except MooredError as error:
        found.degraded.append(f"dense: {first.model} cannot be asked: {error}")
        return
    for kind in filled:
        near = meaning.cache.nearest(view, project, first.model, INDEX[kind], vector, DEPTH, policy.tags, unless)
        fresh = [one for one in near if (kind, one.owner) not in found.cosines]
        found.first.update(((kind, one.owner), one.cosine) for one in fresh)
        found.standout.update(((kind, one.owner), one.standout) for one in fresh)


def _no_vectors(view: View, project: Project, meaning: Meaning) -> list[str]:
    """What to say when there is nothing to scan: nothing of an empty project, nor of a model that failed."""
    others = view.vectors.models(project)
    model = meaning.embedder or meaning.first
    if not others or model is None or model.model in others:
        return []
    held = "".join(f", only {count} of {other}, which are not comparable" for other, count in others.items())
    return [f"dense: there are no vectors of {model.model} yet{held}"]
