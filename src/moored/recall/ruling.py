"""Laying down rules, taking them back, and saying where they do not go together (A-10).

Only a person or an agent lays down a rule: what came in as data can ask for one in any words and gets none (I-21). A
rule is made under an operation, so that undoing that removes it and undoing the removal restores it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from moored.atlas.undo import undo
from moored.errors import InvalidInput, NotFound
from moored.model.choices import chosen
from moored.model.condition_text import parse, path_inside, written
from moored.model.conditions import Every, holds
from moored.model.ids import RULE
from moored.model.rules import LEAST_FACTOR, MOST_FACTOR, Action, Added, Conflict, Removed, Rule, ScopeKind
from moored.model.text import fold, shorten, well_formed
from moored.recall.rules import InForce, Work, required_of, seen_stored
from moored.record.cleaning import cleaned_text
from moored.record.operations import under_way

if TYPE_CHECKING:
    from collections.abc import Sequence

    from moored.model.clock import Clock
    from moored.model.conditions import Condition
    from moored.model.ids import IdSource
    from moored.model.projects import Project
    from moored.store.port import Store, View

MAKE = "rule"
"""The kind of the operation."""

MAX_RULES = 100
MAX_REASON = 200
MAX_SCOPE = 400
ACTORS = ("person", "agent")

USUAL = {Action.BOOST: 2.0, Action.DAMP: 0.5}
"""The factors where none is given."""

KNOWN = 500
"""Notes, the newest, of which it is asked whether a rule leaves any of them."""

SOFT = (Action.BOOST, Action.DAMP)


class Wanted(NamedTuple):
    """A rule as it is handed in. At most one of `path` and `session` is given; without, it is for the project."""

    action: str
    condition: str
    factor: float | None = None
    path: str = ""
    session: str = ""
    reason: str = ""
    actor: str = "person"


def add(store: Store, project: Project, wanted: Wanted, *, clock: Clock, ids: IdSource) -> Added:
    """Lay down a rule, and say what it does not go together with.

    Raises `InvalidInput` for whatever does not read or fit, and for one that holds already; then nothing was written.
    """
    _require_actor(wanted.actor)
    action = chosen(Action, wanted.action, "kind of rule")
    condition = _condition(action, wanted.condition)
    kind, scope = _scope(action, wanted)
    factor, reason = _factor(action, wanted.factor), _reason(wanted.reason)
    with store.write() as transaction:
        standing = transaction.rules.standing(project)
        same = [one for one in standing if (one.action, one.condition, one.scope) == (action, condition, scope)]
        if same:
            raise InvalidInput(f"The rule {same[0].id} says so already. Nothing was changed: remove it to change it.")
        if len(standing) >= MAX_RULES:
            raise InvalidInput(f"A project has at most {MAX_RULES} rules. Nothing was changed: remove one first.")
        with under_way(transaction, project, MAKE, actor=wanted.actor, asked=True, clock=clock, ids=ids) as operation:
            rule = Rule(
                ids.new(RULE), action, factor, condition, kind, scope, reason, wanted.actor, operation, clock.now()
            )
            transaction.rules.add(project, rule)
        found = conflicts(transaction, project, [*standing, rule], clock.now())
    return Added(rule, tuple(one for one in found if rule.id in (one.rule, one.other)))


def remove(store: Store, project: Project, rule_id: str, *, actor: str, clock: Clock, ids: IdSource) -> Removed:
    """Let a rule hold no more. Raises `NotFound` with the rules there are, `InvalidInput` for an actor that is none."""
    _require_actor(actor)
    with store.read() as view:
        standing = view.rules.standing(project)
    rule = next((one for one in standing if one.id == rule_id), None)
    if rule is None:
        near = tuple(one.id for one in standing)[-3:]
        raise NotFound(f"No rule {shorten(rule_id, 40)} holds in this project.", near=near)
    return Removed(rule.id, undo(store, project, rule.operation, actor=actor, clock=clock, ids=ids).operation)


def conflicts(view: View, project: Project, rules: Sequence[Rule], now: int) -> tuple[Conflict, ...]:
    """What does not go together: rules with each other, in pairs, and rules with all notes that are known."""
    found = [
        Conflict(later.id, earlier.id, why)
        for at, later in enumerate(rules)
        for earlier in rules[:at]
        if (why := _against(earlier, later) or _against(later, earlier))
    ]
    hard = [rule for rule in rules if rule.action in (Action.FORBID, Action.REQUIRE)]
    notes = view.notes.newest(project, KNOWN) if hard else []
    seen = [seen_stored(note, now) for note in notes]
    for rule in hard:
        concerned = [hit for hit in seen if holds(Every(required_of(rule.condition)[0]), hit) is not False]
        alone = InForce([rule], Work(), now)
        if concerned and all(alone.refuses(hit) for hit in concerned):
            many = f"all {len(concerned)} notes" if len(concerned) > 1 else "the one note"
            found.append(Conflict(rule.id, "", f"it refuses {many} that it could be about"))
    return tuple(found)


def _against(one: Rule, other: Rule) -> str:
    """Why two rules do not go together as seen from the first, in words; empty where they do."""
    if one.scope_kind is not ScopeKind.PROJECT and one.scope != other.scope:
        return ""
    if one.action is Action.FORBID:
        if other.action in (*SOFT, Action.SCOPE) and _implies(other.condition, one.condition):
            return f"{one.id} forbids whatever {other.id} could {other.action}"
        if other.action is Action.REQUIRE and _implies(other.condition, one.condition):
            return f"{one.id} forbids whatever {other.id} leaves of what it is about"
    if (one.action, other.action) == (Action.BOOST, Action.DAMP) and one.condition == other.condition:
        return f"{one.id} raises and {other.id} lowers the same hits"
    return ""


def _implies(one: Condition, other: Condition) -> bool:
    """Whether all that the other asks is among what the one asks."""
    return _parts(other) <= _parts(one)


def _parts(condition: Condition) -> set[Condition]:
    return set(condition.parts) if isinstance(condition, Every) else {condition}


def _require_actor(actor: str) -> None:
    if actor not in ACTORS:
        raise InvalidInput(
            f"Only a person or an agent lays down rules, not '{shorten(actor, 40)}'. Nothing was changed."
        )


def _condition(action: Action, text: str) -> Condition:
    if cleaned_text(well_formed(text)).text != well_formed(text):
        raise InvalidInput("The condition holds a secret or what is private. Nothing was changed: name it otherwise.")
    condition = parse(text)
    if action is Action.REQUIRE and not required_of(condition)[1]:
        raise InvalidInput(
            f"'{written(condition)}' names a kind alone. A require says beside it what such hits must be, as "
            "'kind=decision and trust=user' does. Nothing was changed: to leave kinds out, forbid them."
        )
    return condition


def _factor(action: Action, factor: float | None) -> float:
    if action not in SOFT:
        if factor is not None:
            raise InvalidInput(f"A {action} has no factor: that is of boost and damp. Nothing was changed.")
        return 1.0
    given = USUAL[action] if factor is None else factor
    low, high = (1.0, MOST_FACTOR) if action is Action.BOOST else (LEAST_FACTOR, 1.0)
    if not low <= given <= high or given == 1:
        raise InvalidInput(
            f"The factor of a {action} is between {low:g} and {high:g}, and not 1; {given:g} is not. Nothing was "
            "changed."
        )
    return given


def _scope(action: Action, wanted: Wanted) -> tuple[ScopeKind, str]:
    path, session = wanted.path.strip(), fold(well_formed(wanted.session))
    if path and session:
        raise InvalidInput("A rule is for a path or for a session, not for both. Nothing was changed: add two.")
    if action is Action.SCOPE and not path and not session:
        raise InvalidInput("A scope needs the path or the session in which its hits are told. Nothing was changed.")
    if len(path) > MAX_SCOPE or len(session) > MAX_SCOPE:
        raise InvalidInput(f"A path or session has at most {MAX_SCOPE} characters. Nothing was changed.")
    if not path:
        return (ScopeKind.SESSION, session) if session else (ScopeKind.PROJECT, "")
    inside = path_inside(path)
    if not inside:
        raise InvalidInput(
            f"'{shorten(path, 80)}' is no path from the root of the project. Nothing was changed: name one such as "
            "src/api."
        )
    return ScopeKind.PATH, inside


def _reason(reason: str) -> str:
    said = cleaned_text(fold(well_formed(reason))).text
    if len(said) > MAX_REASON:
        raise InvalidInput(f"The reason has {len(said):,} characters; it may have {MAX_REASON}. Nothing was changed.")
    return said
