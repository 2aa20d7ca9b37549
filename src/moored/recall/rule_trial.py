"""What rules do to a question: it is asked twice, without them and with them, and the answers are compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from moored.model.rules import Effect, Tested
from moored.model.text import shorten
from moored.recall.policy import RECALL

if TYPE_CHECKING:
    from datetime import tzinfo

    from moored.model.projects import Project, Tree
    from moored.model.recall import Hit
    from moored.model.rules import Rule
    from moored.recall.meaning import Meaning
    from moored.recall.policy import InContext
    from moored.store.port import View

SHOWN = 120
"""Characters that are shown of a hit."""

MARK = "rule "
"""How what a rule did is named among the signals of a hit and the reasons of what was left out."""


def trial(
    view: View,
    project: Project,
    tree: Tree | None,
    query: str,
    *,
    rules: tuple[Rule, ...],
    known: InContext,
    meaning: Meaning,
    now: int,
    zone: tzinfo,
) -> Tested:
    """Ask a question without rules and with these, while work is done where it is `known` to be; nothing is written."""
    from moored.recall.selector import recall

    def answer(rules: tuple[Rule, ...]) -> tuple[dict[str, Hit], dict[str, tuple[float, str]]]:
        under = known._replace(rules=rules)
        found, _ = recall(view, project, tree, query, RECALL, meaning=meaning, now=now, zone=zone, known=under)
        omitted = {one.id: (one.score, one.reason) for one in found.receipt.omitted}
        return {hit.id: hit for hit in found.hits}, omitted

    without, left_before = answer(())
    within, left_out = answer(rules)
    before, after = ({id_: at for at, id_ in enumerate(hits, 1)} for hits in (without, within))
    effects: list[Effect] = []
    refused = [id_ for id_, (_, reason) in left_out.items() if reason.startswith(MARK)]
    for id_ in dict.fromkeys([*within, *without, *refused]):
        hit = within.get(id_) or without.get(id_)
        factors = _factors(within[id_]) if id_ in within else ()
        reason = "" if id_ in within else left_out.get(id_, (0.0, "no room"))[1]
        if factors or reason.startswith(MARK) or before.get(id_) != after.get(id_):
            score = hit.score if hit else (left_out.get(id_) or left_before[id_])[0]
            text = shorten(hit.text, SHOWN) if hit else ""
            effects.append(Effect(id_, text, before.get(id_), after.get(id_), score, factors, reason))
    return Tested(query, len(without), len(within), tuple(effects))


def _factors(hit: Hit) -> tuple[tuple[str, float], ...]:
    """What rules had in the score of a hit."""
    return tuple((name.removeprefix(MARK), value) for name, value in hit.signals.items() if name.startswith(MARK))
