"""Rules as JSON and as lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from moored.model.clock import iso
from moored.model.condition_text import written
from moored.model.rules import Action
from moored.model.text import fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from moored.model.rules import Added, Conflict, Effect, Rule, Tested


def rule(one: Rule) -> dict[str, Any]:
    """A rule."""
    return {
        "id": one.id,
        "action": one.action.value,
        "factor": one.factor if one.action in (Action.BOOST, Action.DAMP) else None,
        "condition": written(one.condition),
        "scope_kind": one.scope_kind.value,
        "scope": one.scope,
        "reason": one.reason,
        "actor": one.actor,
        "operation": one.operation,
        "created_at": iso(one.created_at),
    }


def added(one: Added) -> dict[str, Any]:
    """A new rule with its conflicts."""
    return {**rule(one.rule), "conflicts": [conflict(other) for other in one.conflicts]}


def conflict(one: Conflict) -> dict[str, Any]:
    return {"rule": one.rule, "other": one.other, "why": one.why}


def rules(found: Sequence[Rule], conflicts: Sequence[Conflict]) -> dict[str, Any]:
    """The rules that hold and what does not go together."""
    return {"rules": [rule(one) for one in found], "conflicts": [conflict(one) for one in conflicts]}


def tested(one: Tested) -> dict[str, Any]:
    """What rules did to a question."""
    return {
        "query": one.query,
        "without": one.without,
        "with_rules": one.with_rules,
        "effects": [
            {
                "id": effect.id,
                "text": effect.text,
                "before": effect.before,
                "after": effect.after,
                "score": effect.score,
                "rules": dict(effect.rules),
                "reason": effect.reason,
            }
            for effect in one.effects
        ],
    }


def rule_line(one: Rule) -> str:
    """A rule on one line."""
    by = f" x{one.factor:g}" if one.action in (Action.BOOST, Action.DAMP) else ""
    where = f" in {one.scope_kind} {fold(one.scope)}" if one.scope else ""
    why = f": {fold(one.reason)}" if one.reason else ""
    return f"{one.id} {one.action}{by} {written(one.condition)}{where} (by {one.actor}){why}"


def lines(found: Iterable[Rule], conflicts: Iterable[Conflict]) -> Iterator[str]:
    """Rules as text, then their conflicts."""
    told = [rule_line(one) for one in found]
    yield from told or ["no rules"]
    yield from (f"conflict: {one.why}" + (f" ({one.rule})" if not one.other else "") for one in conflicts)


def effect_lines(one: Tested) -> Iterator[str]:
    """What rules did to a question, as text."""
    yield f"{one.without} hits without rules, {one.with_rules} with them"
    yield from map(effect_line, one.effects)
    if not one.effects:
        yield "no rule changes this answer"


def effect_line(effect: Effect) -> str:
    """What rules did to one hit, on one line."""
    before, after = (str(place) if place else "none" for place in (effect.before, effect.after))
    by = "".join(f", {name} x{factor:g}" for name, factor in effect.rules)
    why = f", {effect.reason}" if effect.reason else ""
    said = f": {fold(effect.text)}" if effect.text else ""
    return f"{effect.id} place {before} -> {after}{by}{why}{said}"
