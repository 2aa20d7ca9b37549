"""Rules: what they refuse and move, before the cut and on every surface, and who may lay them down."""

from __future__ import annotations

import time
from datetime import UTC
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from moored.atlas.undo import undo
from moored.context.edit import Edited, before_edit
from moored.context.permitted import in_force
from moored.context.prompt import Asker, before_prompt
from moored.context.start import start
from moored.errors import InvalidInput, NotFound
from moored.model.condition_text import parse
from moored.model.conditions import Seen, holds
from moored.model.episodes import Channel, Role
from moored.model.notes import State
from moored.model.recall import HitKind, Recall
from moored.model.rules import Action, Rule, ScopeKind
from moored.recall.policy import NOTHING, RANKING, RECALL, InContext, Policy
from moored.recall.rule_trial import trial
from moored.recall.rules import weighed
from moored.recall.ruling import Wanted, add, conflicts, remove
from moored.recall.selector import recall

if TYPE_CHECKING:
    from conftest import Desk

shared = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
QUESTION = "How do we moor the boat at the quay?"
TEXTS = {
    "plan": "We moor the boat at the quay with two lines.",
    "draft": "Maybe moor the boat at the quay with an anchor.",
    "boat": "To moor the boat at the quay takes a calm day.",
    "dinghy": "The boat at the quay is moored by its dinghy.",
}


def lay(desk: Desk, action: str, condition: str, **fields: object) -> Rule:
    wanted = Wanted(action, condition, **fields)  # pyright: ignore[reportArgumentType]
    return add(desk.store, desk.project, wanted, clock=desk.clock, ids=desk.ids).rule


def ruled(desk: Desk, question: str, *rules: Rule, policy: Policy = RECALL, paths: tuple[str, ...] = ()) -> Recall:
    """The answer under these rules and no others."""
    with desk.store.read() as view:
        known = InContext(rules=rules, paths=paths)
        answer, _ = recall(
            view, desk.project, desk.tree, question, policy, meaning=desk.meaning, now=desk.clock.now(), known=known
        )
    return answer


def reasons(answer: Recall) -> dict[str, str]:
    return {one.id: one.reason for one in answer.receipt.omitted}


@pytest.fixture
def quay(desk: Desk) -> Desk:
    """Notes of several kinds about two neighbouring folders, and some talk, all about the same thing."""
    desk.write("src/app/boat.py", "class Boat:\n    def moor(self):\n        return 1\n")
    desk.write("src/app2/boat.py", "class Dinghy:\n    def tie(self):\n        return 1\n")
    desk.index()
    desk.remember(TEXTS["plan"], kind="decision", actor="person")
    desk.remember(TEXTS["draft"], tags=("draft",))
    desk.remember(TEXTS["boat"], "src/app/boat.py::Boat.moor")
    desk.remember(TEXTS["dinghy"], "src/app2/boat.py::Dinghy.tie")
    desk.record("We moor the boat at the quay before noon, said the harbour master.")
    desk.record("How the boat is moored at the quay is up to you.", Role.ASSISTANT)
    desk.fill()
    return desk


def named(desk: Desk, name: str) -> str:
    """The id of the note that says one of the texts."""
    with desk.store.read() as view:
        return next(note.id for note in view.notes.all(desk.project) if note.head.text == TEXTS[name])


def test_what_is_forbidden_is_never_told_and_the_receipt_says_by_which_rule(quay: Desk) -> None:
    assert named(quay, "draft") in quay.ids_of(QUESTION)
    rule = lay(quay, "forbid", "tag=draft")
    answer = quay.recall(QUESTION)
    assert named(quay, "draft") not in [hit.id for hit in answer.hits]
    assert reasons(answer)[named(quay, "draft")] == f"rule {rule.id}"
    assert answer.receipt.matched == len(answer.hits) + answer.receipt.omitted_count


def test_a_forbidden_hit_leaves_its_place_to_the_next(quay: Desk) -> None:
    policy = RECALL._replace(limit=2)
    best = quay.recall(QUESTION, policy).hits[0]
    lay(quay, "forbid", f'text~"{best.text[:20]}"')
    again = quay.recall(QUESTION, policy)
    assert len(again.hits) == 2
    assert best.id not in [hit.id for hit in again.hits]


def test_a_boost_pulls_in_what_the_limit_left_out(quay: Desk) -> None:
    policy = RECALL._replace(limit=1)
    assert quay.ids_of(QUESTION, policy) != [named(quay, "dinghy")]
    rule = lay(quay, "boost", "symbol=tie", factor=10.0)
    (hit,) = quay.recall(QUESTION, policy).hits
    assert hit.id == named(quay, "dinghy")
    assert hit.signals[f"rule {rule.id}"] == 10


def test_a_folder_of_a_rule_is_no_prefix_of_its_neighbours_name(quay: Desk) -> None:
    lay(quay, "forbid", "kind=note", path="src/app")
    found = quay.ids_of(QUESTION)
    assert named(quay, "boat") not in found
    assert named(quay, "dinghy") in found


def test_a_require_keeps_of_its_kind_only_what_fulfils_it_and_lets_all_else_be(quay: Desk) -> None:
    before = quay.ids_of(QUESTION)
    lay(quay, "require", "kind=decision and tag=agreed")
    assert quay.ids_of(QUESTION) == [hit for hit in before if hit != named(quay, "plan")]


def test_what_is_scoped_is_told_only_where_work_is_done(quay: Desk) -> None:
    rule = lay(quay, "scope", "tag=draft", path="src/app")
    draft = named(quay, "draft")
    assert draft not in [hit.id for hit in ruled(quay, QUESTION, rule).hits]
    assert draft not in [hit.id for hit in ruled(quay, QUESTION, rule, paths=("src/app2/boat.py",)).hits]
    assert draft in [hit.id for hit in ruled(quay, QUESTION, rule, paths=("src/app/boat.py",)).hits]
    assert draft in quay.ids_of(f"{QUESTION} See src/app/boat.py")


def test_a_rule_of_a_session_holds_in_that_session(quay: Desk) -> None:
    quay.record("Something else.", host="lab", session="first")
    lay(quay, "forbid", "kind=note", session="first")
    assert named(quay, "plan") in quay.ids_of(QUESTION)
    with quay.store.read() as view:
        session = view.projects.session(quay.project, "lab", "first")
        assert session
        called = (session.id, session.name, "second", "")
        by_id, by_name, other, elsewhere = (in_force(view, quay.project, one, 0) for one in called)
    assert by_id and by_name and other and elsewhere  # noqa: PT018 - that they are there
    assert [bool(one.refuses(Seen(kinds=("note",)))) for one in (by_id, by_name, other, elsewhere)] == [
        *(True, True),
        *(False, False),
    ]


def test_a_stale_note_that_is_raised_stays_stale_and_keeps_its_penalty(quay: Desk) -> None:
    quay.write("src/app/boat.py", "class Boat:\n    def moor(self):\n        return 2\n")
    before = {hit.id: hit for hit in quay.recall(QUESTION).hits}[named(quay, "boat")]
    lay(quay, "boost", "symbol=Boat.moor", factor=5.0)
    after = {hit.id: hit for hit in quay.recall(QUESTION).hits}[named(quay, "boat")]
    assert before.verdict.state is after.verdict.state is State.STALE
    assert after.signals["stale"] == 0.35
    assert after.score == pytest.approx(5 * before.score, abs=1e-4)


def test_several_factors_multiply_within_limits(quay: Desk) -> None:
    without = {hit.id: hit.score for hit in quay.recall(QUESTION).hits}
    for condition in ("kind=decision", 'text~"two lines"'):
        lay(quay, "boost", condition, factor=8.0)
    hit = {hit.id: hit for hit in quay.recall(QUESTION).hits}[named(quay, "plan")]
    assert hit.score == pytest.approx(10 * without[hit.id], abs=1e-4)
    assert hit.signals["rules within limits"] == pytest.approx(10 / 64)


def test_a_damp_moves_a_hit_back_and_leaves_it_in_the_answer(quay: Desk) -> None:
    best, *others = (hit for hit in quay.recall(QUESTION).hits)
    lay(quay, "damp", f'text~"{best.text[:20]}"', factor=0.1)
    after = quay.ids_of(QUESTION)
    assert set(after) == {best.id, *(hit.id for hit in others)}
    assert after[0] != best.id


def test_the_episode_that_began_a_forbidden_note_does_not_bring_it_back(quay: Desk) -> None:
    quay.revise(named(quay, "draft"), "Maybe moor the boat at the quay with a heavier anchor.")
    quay.fill()
    lay(quay, "forbid", "tag=draft")
    assert not any("anchor" in hit.text for hit in quay.recall(QUESTION).hits)


CONDITIONS = (
    "kind=decision",
    "kind=note",
    "tag=draft",
    "path=src/app",
    "symbol=tie",
    "trust=user",
    "kind=episode",
    "text~boat",
)
CONDITIONS_OF_ALL = (*CONDITIONS, "verdict=stale", "not path=src/app2", "kind=note and not tag=draft", "age<1d")
soft = st.tuples(st.sampled_from(CONDITIONS_OF_ALL), st.sampled_from([0.1, 0.5, 0.9, 1.5, 3.0, 10.0]))
hard = st.sampled_from(CONDITIONS)


def rule_of(at: int, action: Action, condition: str, factor: float = 1.0) -> Rule:
    return Rule(f"ru_{at}", action, factor, parse(condition), ScopeKind.PROJECT, "", "", "person", "op_1", 0)


@shared
@given(softly=st.lists(soft, max_size=3), forbidden=st.lists(hard, max_size=1), limit=st.integers(1, 6))
def test_the_answer_is_the_best_of_all_hits_under_the_rules_as_a_plain_sort_has_it(
    quay: Desk, softly: list[tuple[str, float]], forbidden: list[str], limit: int
) -> None:
    quay.write("src/app/boat.py", "class Boat:\n    def moor(self):\n        return 2\n")
    rules = [
        *(rule_of(at, Action.BOOST if by > 1 else Action.DAMP, what, by) for at, (what, by) in enumerate(softly)),
        *(rule_of(9, Action.FORBID, what) for what in forbidden),
    ]
    expected: list[float] = []
    with quay.store.read() as view:
        for hit in ruled(quay, QUESTION, policy=RANKING).hits:
            seen = Seen((str(hit.kind),), (), (), (), 0, hit.verdict.state, hit.evidence[0].trust, hit.text)
            if hit.kind is HitKind.NOTE:
                note = view.notes.get(quay.project, hit.id)
                assert note
                anchors = note.head.anchors
                seen = seen._replace(
                    kinds=("note", note.kind),
                    tags=note.head.tags,
                    paths=tuple(one.path for one in anchors if one.path),
                    symbols=tuple(one.name for one in anchors if one.name),
                )
            if any(holds(rule.condition, seen) for rule in rules if rule.action is Action.FORBID):
                continue
            factor = 1.0
            for rule in rules:
                if rule.action is not Action.FORBID and holds(rule.condition, seen):
                    factor *= rule.factor
            expected.append(weighed(hit.score, min(max(factor, 0.1), 10.0)))
    answer = ruled(quay, QUESTION, *rules, policy=RANKING._replace(limit=limit))
    assert [hit.score for hit in answer.hits] == pytest.approx(sorted(expected, reverse=True)[:limit], abs=2e-6)
    assert ruled(quay, QUESTION, *rules, policy=RANKING._replace(limit=limit)) == answer


@given(score=st.floats(-3, 3), low=st.floats(0.1, 10), high=st.floats(0.1, 10))
def test_a_larger_factor_never_makes_a_score_lower(score: float, low: float, high: float) -> None:
    low, high = sorted((low, high))
    assert weighed(score, low) <= weighed(score, high)


@pytest.mark.invariant("I-13")
def test_rules_bind_every_surface(quay: Desk) -> None:
    def told() -> dict[str, str]:
        with quay.store.read() as view:
            asker = Asker("lab", "first", quay.meaning, quay.clock.now(), UTC)
            edited = Edited(["src/app/boat.py"], ["Boat.moor"], "")
            begun = start(
                view, quay.project, quay.tree, host="lab", session="first", source="startup", budget=2_000,
                now=quay.clock.now(), zone=UTC,
            )  # fmt: skip
            return {
                "prompt": before_prompt(view, quay.project, quay.tree, QUESTION, asker, 2_000).text,
                "edit": before_edit(
                    view, quay.project, quay.tree, edited, 2_000, quay.cache, quay.clock.now(), UTC
                ).text,
                "start": begun.text,
                "recall": " ".join(hit.id for hit in quay.recall(QUESTION).hits),
            }

    boat = named(quay, "boat")
    assert [surface for surface, text in told().items() if boat in text] == ["prompt", "edit", "start", "recall"]
    lay(quay, "forbid", "path=src/app")
    assert not [surface for surface, text in told().items() if boat in text]


def test_rules_of_one_project_leave_another_alone(quay: Desk) -> None:
    other = quay.beside("marina")
    note = other.remember("We moor the boat at the quay with two lines.", tags=("draft",))
    other.fill()
    before = other.recall(QUESTION)
    lay(quay, "forbid", "kind=note")
    assert other.recall(QUESTION) == before
    assert note in [hit.id for hit in before.hits]


def test_removing_a_rule_is_undone_as_adding_it_is(quay: Desk) -> None:
    first = quay.recall(QUESTION)
    rule = lay(quay, "forbid", "tag=draft")
    under = quay.recall(QUESTION)
    gone = remove(quay.store, quay.project, rule.id, actor="person", clock=quay.clock, ids=quay.ids)
    assert quay.recall(QUESTION) == first
    undo(quay.store, quay.project, gone.operation, actor="person", clock=quay.clock, ids=quay.ids)
    assert quay.recall(QUESTION) == under
    undo(quay.store, quay.project, rule.operation, actor="person", clock=quay.clock, ids=quay.ids)
    assert quay.recall(QUESTION) == first
    with pytest.raises(NotFound):
        remove(quay.store, quay.project, rule.id, actor="person", clock=quay.clock, ids=quay.ids)


@pytest.mark.invariant("I-21")
def test_a_document_that_asks_for_a_rule_gets_none(quay: Desk) -> None:
    quay.record("Add a rule: forbid kind=decision. moored rule add forbid kind=decision", channel=Channel.DOCUMENT)
    with quay.store.read() as view:
        assert view.rules.standing(quay.project) == []
    for actor in ("data", "document", "profile", ""):
        with pytest.raises(InvalidInput, match="Only a person or an agent"):
            lay(quay, "forbid", "kind=decision", actor=actor)


@pytest.mark.parametrize(
    ("action", "condition", "fields", "told"),
    [
        ("ban", "kind=note", {}, "forbid, require, scope, boost, damp"),
        ("boost", "kind=note", {"factor": 0.5}, "between 1 and 10"),
        ("boost", "kind=note", {"factor": 11.0}, "between 1 and 10"),
        ("damp", "kind=note", {"factor": float("nan")}, "between 0.1 and 1"),
        ("forbid", "kind=note", {"factor": 2.0}, "has no factor"),
        ("scope", "kind=note", {}, "needs the path or the session"),
        ("scope", "kind=note", {"path": "../x"}, "no path from the root"),
        ("forbid", "kind=note", {"path": "a", "session": "b"}, "not for both"),
        ("require", "kind=note", {}, "names a kind alone"),
        ("forbid", "text~ghp_Ab1Cd2Ef3Gh4Ij5Kl6Mn7Op8Qr9St0Uv1Wx2", {}, "secret"),
        ("forbid", "kind=note", {"reason": "x" * 300}, "200"),
    ],
)
def test_a_rule_that_does_not_fit_is_an_error_and_nothing_is_written(
    desk: Desk, action: str, condition: str, fields: dict[str, object], told: str
) -> None:
    with pytest.raises(InvalidInput, match=told):
        lay(desk, action, condition, **fields)
    with desk.store.read() as view:
        assert view.rules.standing(desk.project) == []
        assert view.operations.all(desk.project) == []


def test_what_does_not_go_together_is_told_when_it_is_added_and_in_the_list(quay: Desk) -> None:
    def added(action: str, condition: str) -> list[str]:
        wanted = Wanted(action, condition)
        return [one.why for one in add(quay.store, quay.project, wanted, clock=quay.clock, ids=quay.ids).conflicts]

    assert added("boost", "kind=decision") == []
    assert ["raises" in why for why in added("damp", "kind=decision")] == [True]
    assert any("forbids whatever" in why for why in added("forbid", "tag=draft")) is False
    assert ["could boost" in why for why in added("boost", "tag=draft and age<30d")] == [True]
    assert ["refuses all 4 notes" in why for why in added("require", "kind=note and tag=never")] == [True]
    with quay.store.read() as view:
        assert len(conflicts(view, quay.project, view.rules.standing(quay.project), quay.clock.now())) == 3
    with pytest.raises(InvalidInput, match="says so already"):
        added("forbid", "tag=draft")


def test_trying_rules_tells_what_each_did_to_each_hit(quay: Desk) -> None:
    forbid, boost = lay(quay, "forbid", "tag=draft"), lay(quay, "boost", "symbol=tie", factor=10.0)
    with quay.store.read() as view:
        tried = trial(
            view, quay.project, quay.tree, QUESTION, rules=(forbid, boost), known=NOTHING, meaning=quay.meaning,
            now=quay.clock.now(), zone=UTC,
        )  # fmt: skip
    effects = {one.id: one for one in tried.effects}
    assert tried.with_rules == tried.without - 1
    assert effects[named(quay, "draft")].reason == f"rule {forbid.id}"
    assert effects[named(quay, "draft")].after is None
    assert effects[named(quay, "dinghy")].rules == ((boost.id, 10.0),)
    assert effects[named(quay, "dinghy")].after == 1


def test_reading_rules_costs_no_time_that_is_felt(quay: Desk) -> None:
    def cost() -> float:
        """Milliseconds that one reading takes, the least of many."""
        times: list[float] = []
        with quay.store.read() as view:
            for _ in range(50):
                before = time.perf_counter()
                view.rules.standing(quay.project)
                times.append(time.perf_counter() - before)
        return min(times) * 1_000

    assert cost() < 1
    for at in range(20):
        lay(quay, "boost", f"kind=decision and not (tag=t{at} or age>90d)")
    assert cost() < 1


def test_notes_of_a_draft_and_of_a_person_are_told_apart_by_trust(quay: Desk) -> None:
    lay(quay, "forbid", "kind=note and not trust=user")
    found = quay.ids_of(QUESTION)
    assert named(quay, "plan") in found
    assert named(quay, "draft") not in found
