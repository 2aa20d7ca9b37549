"""The selector: the one way from a question to an answer, for every surface (I-13).

Find candidates, fuse the signals, look up and judge the best against the disk as it is now, and pack what holds into
the budget. It only reads (I-11): which files were found changed is handed back, for the ledger to be told afterwards.
"""

from __future__ import annotations

import math
from datetime import UTC
from typing import TYPE_CHECKING, NamedTuple

from moored.ledger.sight import Sight
from moored.model.notes import State
from moored.model.recall import HitKind, Omitted, Recall, Receipt
from moored.recall.fusion import Candidate, fuse
from moored.recall.generate import generate
from moored.recall.lexical import INDEX
from moored.recall.policy import NOTHING, RECALL, InContext, Policy
from moored.recall.priors import read as read_asking
from moored.recall.priors import unread
from moored.recall.query import read
from moored.recall.select import Selection, select
from moored.recall.surroundings import with_surroundings
from moored.recall.threads import by_threads

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import tzinfo

    from moored.atlas.names import Mention
    from moored.model.projects import Project, Tree
    from moored.recall.meaning import Meaning
    from moored.recall.query import Query
    from moored.recall.rules import InForce
    from moored.store.port import View

LISTED = 50
"""Omitted matches that a receipt lists; all are counted."""


class Ranking(NamedTuple):
    """Every candidate, best first, before anything was looked up.

    `weights` are those of the question's terms. `newer` says of each episode in which a note was written, and since
    revised, which revision says it now. `degraded` is as in a receipt. `query` is the question as it was read.
    """

    candidates: tuple[Candidate, ...]
    weights: Mapping[str, float]
    newer: Mapping[int, int]
    degraded: tuple[str, ...]
    query: Query


def rank(
    view: View,
    project: Project,
    tree: Tree | None,
    question: str | Sequence[Mention],
    policy: Policy = RECALL,
    *,
    meaning: Meaning,
    now: int,
    zone: tzinfo = UTC,
    known: InContext = NOTHING,
) -> Ranking:
    """Find and order all candidates of one project. An episode in which a note was written is that note.

    It is asked at `now` (milliseconds since the epoch) in a zone, by which times such as "yesterday" are read.
    """
    query = read(question)
    asks = policy.asks and isinstance(question, str)
    asking = read_asking(view, project, query.text, now, zone) if asks else unread(query.text, zone)
    found = generate(view, project, tree, query, asking, policy, meaning, known.windows)
    candidates = by_threads(view, project, fuse(found, policy.weights), found.asking)
    newer: dict[int, int] = {}
    if HitKind.NOTE in policy.kinds:
        others = [one.row for one in candidates if one.kind is HitKind.EPISODE and one.window is None]
        said = {**found.said, **(view.search.said_in(project, others) if others else {})}
        candidates = _folded(candidates, {seq: head for seq, (head, newest) in said.items() if newest})
        newer = {seq: head for seq, (head, newest) in said.items() if not newest}
    return Ranking(tuple(candidates), found.lexical.weights, newer, tuple(found.degraded), query)


def recall(
    view: View,
    project: Project,
    tree: Tree | None,
    question: str | Sequence[Mention],
    policy: Policy = RECALL,
    *,
    meaning: Meaning,
    now: int,
    zone: tzinfo = UTC,
    known: InContext = NOTHING,
) -> tuple[Recall, frozenset[str]]:
    """Answer a question from one project, and say which paths of the tree were found changed.

    Nothing of another project is looked at. Any text is a valid question; one that matches nothing has no hits. Without
    a tree there are no facts of files and notes cannot be checked, without an embedder nothing is found by meaning: the
    receipt says so. `now` and `zone` are as in `rank`. What is `known` to the reader is left out.
    """
    ranking = rank(view, project, tree, question, policy, meaning=meaning, now=now, zone=zone, known=known)
    matches = [candidate for candidate in ranking.candidates if _is_match(candidate, policy)]
    sight = Sight(view, tree, reads=policy.reads) if tree else None
    selection = Selection(set(known.texts), ranking.query.terms)
    if known.session:
        matches = _unknown(view, project, matches, known, selection)
    rules = _rules(view, project, ranking.query, known, now)
    select(view, project, sight, matches, ranking.weights, ranking.newer, policy, selection, rules)
    if policy.asks and isinstance(question, str) and len(selection.turns) > 1:
        from moored.recall.since import marked

        selection.hits = marked(selection.hits, selection.turns, question)
    hits, tokens, unsaid = tuple(selection.hits), selection.tokens, 0
    if policy.context:
        hits, spent, unsaid = with_surroundings(view, project, hits, policy.context, policy.budget - tokens, rules)
        tokens += spent
    degraded = list(ranking.degraded)
    if sight and sight.unreadable:
        degraded.append(f"verdicts: could not read {', '.join(sorted(sight.unreadable))}")
    receipt = Receipt(
        query=question if isinstance(question, str) else "; ".join(name.text for name in question),
        project=project.id,
        matched=len(hits) + len(selection.omitted),
        returned=len(hits),
        omitted=_listed(view, project, selection),
        omitted_count=len(selection.omitted),
        stale=sum(hit.verdict.state is State.STALE for hit in hits),
        budget=policy.budget,
        tokens=tokens,
        degraded=tuple(degraded),
        other_projects=len(view.projects.all()) - 1,
        context_omitted=unsaid,
    )
    return Recall(hits, receipt), sight.changed if sight else frozenset()


def _rules(view: View, project: Project, query: Query, known: InContext, now: int) -> InForce | None:
    """The rules that hold for a question, None where there are none. Work is done in the paths that it names."""
    standing = view.rules.standing(project) if known.rules is None else known.rules
    if not standing:
        return None
    from moored.recall.rules import InForce, working

    paths = (*known.paths, *(name.path for name in query.names if name.path))
    return InForce(standing, working(view, project, paths, known.works_in), now)


def _folded(candidates: Sequence[Candidate], notes: Mapping[int, int]) -> list[Candidate]:
    """The candidates with each episode that is the source of a note as that note, at the better of their places."""
    kept: dict[tuple[HitKind, int], Candidate] = {}
    for candidate in candidates:
        head = notes.get(candidate.row) if candidate.kind is HitKind.EPISODE else None
        if head is None:
            kept.setdefault((candidate.kind, candidate.row), candidate)
        else:
            as_note = candidate._replace(kind=HitKind.NOTE, row=head, span=None)
            kept.setdefault((HitKind.NOTE, head), as_note)
    return sorted(kept.values(), key=lambda candidate: candidate.order)


def _unknown(
    view: View, project: Project, matches: Sequence[Candidate], known: InContext, selection: Selection
) -> list[Candidate]:
    """The matches without the episodes that the reader has in its context."""
    seqs = [candidate.row for candidate in matches if candidate.kind is HitKind.EPISODE]
    seen = view.sessions.within(project, known.session, known.after, seqs) if seqs and known.session else set[int]()
    new: list[Candidate] = []
    for candidate in matches:
        if candidate.kind is HitKind.EPISODE and candidate.row in seen:
            selection.omitted[candidate.kind, candidate.row] = (candidate, "in context")
        else:
            new.append(candidate)
    return new


def _is_match(candidate: Candidate, policy: Policy) -> bool:
    """Whether a signal found it: something is always nearest by meaning, so that alone has to be near, or stand out."""
    by_name = not candidate.signals.keys().isdisjoint(("share", "trigrams", "mention", "alias"))
    near = candidate.signals.get("relevance", -math.inf) >= policy.least
    return by_name or near or candidate.signals.get("standout", -math.inf) >= policy.floor_standout


def _listed(view: View, project: Project, selection: Selection) -> tuple[Omitted, ...]:
    """The best of what was left out, with ids."""
    best = sorted(selection.omitted.values(), key=lambda item: item[0].order)[:LISTED]
    ids: dict[tuple[HitKind, int], str] = {}
    for kind in HitKind:
        rows = [candidate.row for candidate, _ in best if candidate.kind is kind]
        table = "episode" if kind is HitKind.EPISODE else INDEX[kind]
        if rows:
            ids.update({(kind, row): found for row, found in view.search.ids(table, project, rows).items()})
    return tuple(
        Omitted(ids[candidate.kind, candidate.row], candidate.kind, candidate.score, reason)
        for candidate, reason in best
    )
