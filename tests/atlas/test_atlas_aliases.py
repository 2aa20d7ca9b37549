"""Other names of things, given by a person or an agent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from moored.errors import InvalidInput, NotFound
from moored.memory import Memory, open_memory


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    (tmp_path / "shop").mkdir()
    with open_memory(tmp_path / "shop", store=tmp_path / "moored.db", dense=False) as opened:
        yield opened


def pairs(memory: Memory) -> list[tuple[str, str]]:
    return [(one.name, one.alias) for one in memory.aliases()]


def test_another_name_is_kept_with_who_gave_it(memory: Memory) -> None:
    given = memory.alias("Kubernetes", "k8s")
    assert (given.origin, given.episode) == ("person", "")
    assert memory.alias("kubernetes", "K8S") == given
    assert memory.aliases() == (given,)


def test_another_name_can_be_taken_away_and_given_anew(memory: Memory) -> None:
    memory.alias("Kubernetes", "k8s")
    memory.unalias("kubernetes", "K8s")
    assert memory.aliases() == ()
    with pytest.raises(NotFound, match="not known as another name"):
        memory.unalias("Kubernetes", "k8s")
    memory.alias("Kubernetes", "k8s")
    assert pairs(memory) == [("Kubernetes", "k8s")]


def test_an_unknown_pair_is_answered_with_the_names_that_are_known(memory: Memory) -> None:
    memory.alias("Kubernetes", "k8s")
    with pytest.raises(NotFound) as raised:
        memory.unalias("Kubernetes", "kube")
    assert raised.value.near == ("Kubernetes = k8s",)


@pytest.mark.parametrize(
    ("name", "other", "actor"),
    [("Kubernetes", " ", "person"), ("Redis", "redis", "person"), ("x" * 65, "y", "person"), ("a", "b", "some rule")],
)
def test_what_is_no_name_is_refused(memory: Memory, name: str, other: str, actor: str) -> None:
    with pytest.raises(InvalidInput):
        memory.alias(name, other, actor=actor)
    assert memory.aliases() == ()


def test_a_note_says_what_its_subject_is_called(memory: Memory) -> None:
    done = memory.remember("We deploy with Helm.", aliases=("Kubernetes", "k8s", "K8s", "kube"), actor="person")
    assert pairs(memory) == [("Kubernetes", "k8s"), ("Kubernetes", "kube")]
    shown = memory.show(done.id)
    assert shown.note.head.tags == ("kubernetes",)  # pyright: ignore[reportAttributeAccessIssue]
    assert {one.episode for one in memory.aliases()} == {shown.note.head.episode}  # pyright: ignore[reportAttributeAccessIssue]
    assert "k8s is another name of Kubernetes" in done.receipt


@pytest.mark.invariant("I-20")
def test_a_secret_is_no_name(memory: Memory) -> None:
    secret = "AKIA" + "IOSFODNN7EXAMPLQ"
    given = memory.alias("the key", secret)
    assert secret not in given.alias
