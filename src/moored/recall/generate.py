"""Candidates: what each signal finds, with the raw number that it gives. Every search names the project (I-06)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.model.recall import HitKind
from moored.recall import meaning as by_meaning
from moored.recall.aliases import named, told_by_tags
from moored.recall.found import Found, positions, top
from moored.recall.fragments import by_fragments
from moored.recall.lexical import INDEX, MOST_COUNTED, Text, by_words
from moored.recall.mentions import EXACT, Key, mentioned
from moored.recall.priors import among
from moored.recall.relevance import KNOWN
from moored.recall.told_dates import told_dates

if TYPE_CHECKING:
    from collections.abc import Iterable

    from moored.model.projects import Project, Tree
    from moored.recall.meaning import Meaning
    from moored.recall.policy import Policy
    from moored.recall.priors import Asking
    from moored.recall.query import Query
    from moored.store.port import View

DEPTH = 200
"""Texts of each kind that are found by their words."""

TOLD = 50
"""Instructions and preferences that are looked at when advice is asked for, the newest first."""

IN_PERIOD = 100
"""Windows of each time that a question names that are looked at, the latest first."""


def generate(
    view: View,
    project: Project,
    tree: Tree | None,
    query: Query,
    asking: Asking,
    policy: Policy,
    meaning: Meaning,
    unless: tuple[int, int] | None = None,
) -> Found:
    """Ask every signal for its candidates of the policy's kinds. What is `unless` (session, episode) is no answer.

    Nor does it count how often a term occurs: what a session speaks of all the time is rare in what came before.
    """
    kinds = [kind for kind in policy.kinds if tree or kind is not HitKind.FACT]
    said = [kind for kind in kinds if kind is not HitKind.FACT]
    row = tree.row if tree else 0
    names = named(view, project, query.text, policy.tags)
    mention = _mentioned(view, project, tree, query, policy)
    terms = {term: (term, *names.alternatives.get(term.lower(), ())) for term in _terms(query, asking)}
    words = by_words(
        view,
        project,
        kinds,
        terms,
        tree=row,
        unheard=policy.unheard,
        unless=unless,
        tags=policy.tags,
        names=names.covered,
    )
    found = Found(words, asking, names, mention)
    if len(kinds) < len(policy.kinds):
        found.degraded.append("facts: no tree was named to take them from")
    if words.common:
        found.degraded.append(f"words: left out where they are too common to tell: {', '.join(words.common)}")
    facts_named = any(key[0] is HitKind.FACT and strength >= EXACT for key, strength in mention.items())
    for kind in kinds if query.fragments else ():
        if kind is not HitKind.FACT or not facts_named:
            size = words.sizes[kind] if kind in said else view.search.size(INDEX[kind], project, MOST_COUNTED)
            found.trigrams[kind] = by_fragments(
                view, project, kind, query.fragments, size, tree=row, unless=unless, tags=policy.tags
            )
    found.known_model = meaning.embedder is not None and meaning.embedder.model in KNOWN
    question = by_meaning.nearest(view, project, said, meaning, policy, found, unless)
    found.texts.update(((kind, row), None) for kind in said for row in top(words.scores[kind], DEPTH))
    found.texts.update((text, None) for kind in said for text in found.trigrams.get(kind, ()))
    found.texts.update(dict.fromkeys((*found.cosines, *found.first)))
    if HitKind.EPISODE in kinds:
        found.texts.update(((HitKind.EPISODE, row), None) for row in _suggested(view, project, asking, unless))
        rows = [row for kind, row in found.texts if kind is HitKind.EPISODE]
        found.windows = meaning.cache.windows.of(view, project, rows)
        found.asking = among(asking, found.windows.values())
        if HitKind.NOTE in kinds:
            _as_notes(view, project, found)
    heads = [row for kind, row in found.texts if kind is HitKind.NOTE]
    found.tags = told_by_tags(view, project, heads, words.weights)
    if found.asking.periods:
        found.dates = told_dates(view, project, found.asking, found.windows, _likely(found))
    if question:
        by_meaning.compare(view, project, meaning, question, policy.weights, found)
    return found


def _mentioned(view: View, project: Project, tree: Tree | None, query: Query, policy: Policy) -> dict[Key, float]:
    """What the question names of the policy's kinds, and of notes those with its tags."""
    mention = {key: s for key, s in mentioned(view, project, tree, query).items() if key[0] in policy.kinds}
    if not policy.tags:
        return mention
    heads = view.vectors.live(project, "revision", [row for _, row in mention], tags=policy.tags)
    return {key: s for key, s in mention.items() if key[1] in heads}


def _terms(query: Query, asking: Asking) -> tuple[str, ...]:
    """The terms of a question without the words about the conversation itself, unless it has no others."""
    telling = tuple(term for term in query.terms if term.lower() not in asking.asked.meta)
    return telling or query.terms


def _as_notes(view: View, project: Project, found: Found) -> None:
    """Put a note in the place of the windows in which it was said: its words are its own, whatever was said beside.

    What only a note says that was taken out of every answer is not told at all.
    """
    episodes = sorted({window.episode for window in found.windows.values()})
    found.said = view.search.said_in(project, episodes) if episodes else {}
    untold = view.search.untold(project, episodes) if episodes else frozenset[int]()
    heads = {episode: head for episode, (head, newest) in found.said.items() if newest}
    for row, window in list(found.windows.items()):
        if window.episode in heads or window.episode in untold:
            del found.texts[HitKind.EPISODE, row]
        if window.episode in heads:
            found.texts[HitKind.NOTE, heads[window.episode]] = None
    kept = {row: window for row, window in found.windows.items() if window.episode not in untold}
    found.windows = {row: window for row, window in kept.items() if window.episode not in heads}


def _likely(found: Found) -> dict[Text, float]:
    """How likely each text is by what is known before anything is compared with it."""
    words = positions(
        {(kind, row): score for kind, mine in found.lexical.scores.items() for row, score in mine.items()}
    )
    near = positions(found.cosines or found.first)
    return {text: words.get(text, 0.0) + near.get(text, 0.0) for text in found.texts}


def _suggested(view: View, project: Project, asking: Asking, unless: tuple[int, int] | None) -> Iterable[int]:
    """Windows that the kind of question points to, whatever their words."""
    if asking.asked.advice:
        yield from view.search.told(project, TOLD, unless=unless)
    for period in asking.periods:
        yield from view.search.between(project, period.start_ms, period.end_ms, IN_PERIOD, unless=unless)
