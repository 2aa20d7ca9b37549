"""Other names of things in questions, and notes that are asked by their tags."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from moored.atlas.aliases import alias, unalias
from moored.model.episodes import Role
from moored.model.recall import HitKind
from moored.recall.aliases import alternatives, named, one_slip
from moored.recall.policy import RECALL

if TYPE_CHECKING:
    from conftest import Desk

NOTES = RECALL._replace(kinds=(HitKind.NOTE,))
shared = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def call(desk: Desk, name: str, *others: str) -> None:
    for other in others:
        alias(desk.store, desk.project, name, other, actor="person", clock=desk.clock)


def ids_of(desk: Desk, question: str, *tags: str) -> list[str]:
    return desk.ids_of(question, NOTES._replace(tags=tags))


def test_a_question_by_one_name_finds_what_another_name_says(desk: Desk) -> None:
    note = desk.remember("We deploy to Kubernetes with Helm charts.")
    assert ids_of(desk, "where do we run k8s?") == []
    call(desk, "Kubernetes", "k8s", "kube")
    assert ids_of(desk, "where do we run k8s?") == [note]
    assert ids_of(desk, "KUBE?") == [note]
    unalias(desk.store, desk.project, "Kubernetes", "k8s")
    assert ids_of(desk, "where do we run k8s?") == []


def test_a_name_of_several_words_is_met_as_a_whole(desk: Desk) -> None:
    note = desk.remember("Messages that cannot be handled wait in the DLQ until somebody replays them.")
    call(desk, "DLQ", "dead letter queue")
    assert ids_of(desk, "what is in the dead letter queue?") == [note]
    assert ids_of(desk, "what is in the dead letter?") == []


def test_only_whole_words_are_names(desk: Desk) -> None:
    desk.remember("We deploy to Kubernetes with Helm charts.")
    call(desk, "Kubernetes", "kube")
    assert ids_of(desk, "kubectl") == []


@pytest.mark.parametrize("question", ["base class", "Base classes?", "the BASE CLASS!"])
def test_a_name_is_met_in_any_case_and_number(desk: Desk, question: str) -> None:
    note = desk.remember("Factories return plain objects.", names=("inheritance", "base class"))
    assert ids_of(desk, question) == [note]


@pytest.mark.parametrize(
    ("other", "question"), [("C#", "what about C#?"), ("react.js", "in react.js?"), ("@a/b", "@a/b")]
)
def test_marks_may_belong_to_a_name(desk: Desk, other: str, question: str) -> None:
    note = desk.remember("It is used for the tools.", names=("the thing", other))
    assert ids_of(desk, question) == [note]


def test_a_single_letter_is_no_short_form_of_a_name(desk: Desk) -> None:
    desk.remember("Strict mode everywhere.", names=("TypeScript", "TS"))
    assert ids_of(desk, "I don't know") == []


def test_what_a_note_is_about_is_told_by_a_number(desk: Desk) -> None:
    about = desk.remember("It is single-node, as a cache.", names=("redis cache", "Redis"))
    (hit,) = desk.recall("what is Redis for?", NOTES).hits
    assert (hit.id, hit.signals["alias"]) == (about, 1.0)


def test_a_note_that_only_mentions_a_thing_stands_back_where_there_is_one_about_it(desk: Desk) -> None:
    mentions = desk.remember("Sign-in depends on Redis, so check Redis first when sign-in fails.")
    assert ids_of(desk, "what is Redis for?") == [mentions]
    about = desk.remember("It is single-node, as a cache.", names=("redis cache", "Redis"))
    assert ids_of(desk, "what is Redis for?") == [about]
    assert set(ids_of(desk, "does sign-in fail without Redis?")) == {about, mentions}


def test_one_name_of_two_things_finds_both_and_a_tag_tells_them_apart(desk: Desk) -> None:
    cache = desk.remember("A cache, single-node.", tags=("code",), names=("redis cache", "Redis"))
    pianist = desk.remember("A pianist in Lisbon.", tags=("novel",), names=("redis character", "Redis"))
    assert set(ids_of(desk, "what does Redis do?")) == {cache, pianist}
    assert ids_of(desk, "what does Redis do?", "novel") == [pianist]


@pytest.mark.parametrize("slip", ["mongod", "mogno", "mngo", "monggo", "Monga"])
def test_a_slip_of_the_keyboard_is_forgiven_in_a_name(desk: Desk, slip: str) -> None:
    note = desk.remember("The raw driver only.", names=("database driver", "mongo"))
    assert (ids_of(desk, slip) == [note]) == (slip[:2].lower() == "mo")


def test_a_word_that_is_known_is_no_slip(desk: Desk) -> None:
    desk.remember("The raw driver only.", names=("database driver", "mongo"))
    fruit = desk.remember("The month of the mangos is May.")
    desk.record("The mongol empire came up.")
    assert ids_of(desk, "mongol") == []
    assert ids_of(desk, "month") == [fruit]


def test_what_is_said_teaches_a_name_and_what_a_tool_prints_does_not(desk: Desk) -> None:
    note = desk.remember("We deploy to Kubernetes with Helm charts.")
    desk.record("Kubernetes (k8s) is up", Role.TOOL, tool_name="Bash", tool_input="status")
    assert ids_of(desk, "k8s") == []
    desk.record("Let us move the runners to Kubernetes (k8s).")
    assert ids_of(desk, "k8s") == [note]


def test_the_other_names_of_terms_are_given_by_term(desk: Desk) -> None:
    call(desk, "Kubernetes", "k8s", "kube")
    with desk.store.read() as view:
        assert alternatives(view, desk.project, ("what", "k8s", "pods")) == {"k8s": ("Kubernetes", "kube")}
        assert named(view, desk.project, "pods in Kube").covered == {"kube"}


@pytest.mark.invariant("I-06")
def test_names_and_tags_of_another_project_change_nothing(desk: Desk) -> None:
    note = desk.remember("We deploy to Kubernetes.", tags=("run",))
    other = desk.beside("marina")
    call(other, "Kubernetes", "k8s")
    other.remember("They deploy to Kubernetes.", tags=("run",), names=("Kubernetes", "kube"))
    assert ids_of(desk, "k8s") == []
    assert ids_of(desk, "kube") == []
    assert ids_of(desk, "Kubernetes", "run") == [note]


@pytest.mark.invariant("I-06")
def test_a_tag_is_asked_before_any_limit(desk: Desk) -> None:
    wanted = desk.remember("The pump is checked daily.", tags=("Pump",))
    for number in range(60):
        desk.remember(f"The pump {number} is checked.", tags=("other",))
    desk.fill()
    assert ids_of(desk, "pump checked", "pump") == [wanted]
    assert ids_of(desk, "pump checked", "no such tag") == []


@given(st.text(max_size=60))
@shared
def test_any_text_is_a_question_of_names(desk: Desk, question: str) -> None:
    call(desk, "Kubernetes", "k8s")
    with desk.store.read() as view:
        found = named(view, desk.project, question)
    assert all(others for others in found.alternatives.values())


@given(st.text("abc", max_size=6), st.text("abc", max_size=6))
@shared
def test_one_slip_is_mutual_and_never_none(word: str, other: str) -> None:
    assert one_slip(word, other) == one_slip(other, word)
    assert not one_slip(word, word)
