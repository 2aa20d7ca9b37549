"""Rules that come and go beside notes: answers are those of the rules that hold, in their project alone."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from moored.atlas.undo import undo
from moored.model.clock import ManualClock
from moored.model.ids import SequentialIds
from moored.model.recall import Recall
from moored.model.rules import Rule
from moored.recall.policy import RANKING
from moored.recall.ruling import Wanted, add, remove
from moored.recall.vectors import VectorCache
from moored.store.sqlite.store import Store

if TYPE_CHECKING:
    from conftest import Desk

QUESTION = "rope winch quay"
TAGS = ("draft", "agreed", "old")
SUBJECTS = ("crane", "ferry", "tide", "buoy", "mast", "sail", "keel", "pier", "lock", "cargo")


class Life(RuleBasedStateMachine):
    """One project whose rules change, and a neighbour whose answer must never move."""

    make: type[Desk]

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        clock = ManualClock()
        self.store = Store(Path(self.folder.name) / "moored.db", clock=clock)
        self.desk = self.make("harbour", Path(self.folder.name) / "harbour", self.store, clock, SequentialIds())
        self.other = self.desk.beside("marina")
        self.notes: dict[str, str] = {}
        self.rules: dict[str, tuple[str, str, str]] = {}
        self.removals: dict[str, tuple[str, tuple[str, str, str]]] = {}
        self.other.remember("The rope of the winch lies on the quay.", tags=("draft",))
        self.neighbour = self.ask(self.other).hits

    def teardown(self) -> None:
        self.store.close()
        self.folder.cleanup()

    def ask(self, desk: Desk) -> Recall:
        return desk.recall(QUESTION, RANKING)

    @rule(subject=st.sampled_from(SUBJECTS), tag=st.sampled_from(TAGS))
    def note(self, subject: str, tag: str) -> None:
        if subject not in self.notes.values():
            text = f"{subject.title()} {len(self.notes)} needs a rope and a winch at quay {ord(subject[0]) * 7}."
            note = self.desk.remember(text, tags=(tag, subject))
            self.notes[note] = subject

    @rule(action=st.sampled_from(["forbid", "boost", "damp"]), tag=st.sampled_from((*TAGS, *SUBJECTS)))
    def lay(self, action: str, tag: str) -> None:
        if (action, tag) not in [(known, about) for known, about, _ in self.rules.values()]:
            wanted = Wanted(action, f"tag={tag}")
            made = add(self.store, self.desk.project, wanted, clock=self.desk.clock, ids=self.desk.ids).rule
            self.rules[made.id] = (action, tag, made.operation)

    @precondition(lambda self: self.rules)
    @rule(data=st.data())
    def take_back(self, data: st.DataObject) -> None:
        rule_id = data.draw(st.sampled_from(sorted(self.rules)))
        gone = remove(self.store, self.desk.project, rule_id, actor="person", clock=self.desk.clock, ids=self.desk.ids)
        self.removals[gone.operation] = (rule_id, self.rules.pop(rule_id))

    @precondition(lambda self: self.removals)
    @rule(data=st.data())
    def restore(self, data: st.DataObject) -> None:
        operation = data.draw(st.sampled_from(sorted(self.removals)))
        undo(self.store, self.desk.project, operation, actor="person", clock=self.desk.clock, ids=self.desk.ids)
        rule_id, known = self.removals.pop(operation)
        self.rules[rule_id] = known

    @invariant()
    def the_rules_that_hold_are_those_of_the_model(self) -> None:
        with self.store.read() as view:
            standing: list[Rule] = view.rules.standing(self.desk.project)
            assert {one.id for one in standing} == set(self.rules)
            assert view.rules.standing(self.other.project) == []

    @invariant()
    def nothing_forbidden_is_told_and_all_else_is(self) -> None:
        answer = self.ask(self.desk)
        forbidden = {tag for action, tag, _ in self.rules.values() if action == "forbid"}
        with self.store.read() as view:
            expected = {
                note for note in self.notes if (kept := view.notes.get(self.desk.project, note))
                and forbidden.isdisjoint(kept.head.tags)
            }  # fmt: skip
        assert {hit.id for hit in answer.hits} == expected
        assert [hit.score for hit in answer.hits] == sorted((hit.score for hit in answer.hits), reverse=True)

    @invariant()
    def the_same_question_has_the_same_answer_and_the_neighbour_never_another(self) -> None:
        first = self.ask(self.desk)
        self.desk.cache = VectorCache()
        assert self.ask(self.desk) == first
        assert self.ask(self.other).hits == self.neighbour


@pytest.mark.invariant("I-06")
@pytest.mark.invariant("I-09")
@pytest.mark.invariant("I-23")
def test_whatever_rules_come_and_go_answers_are_those_of_the_rules_that_hold(desk: Desk) -> None:
    Life.make = type(desk)
    few = settings(max_examples=8, stateful_step_count=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    run_state_machine_as_test(Life, settings=few)
