"""Aliases in the store."""

from __future__ import annotations

import pytest

from lab.author import Author
from moored.errors import StoreError
from moored.model.aliases import Alias, folded
from moored.model.projects import Project
from moored.store.sqlite.store import Store


@pytest.fixture
def home(store: Store) -> tuple[Author, Project, str]:
    """A project and an episode in it."""
    author = Author()
    with store.write() as tx:
        project, session, _ = author.begin(tx)
        new = author.episode(session, b"Kubernetes (k8s)")
        author.record(tx, project, new)
    return author, project, new.id


def test_names_are_compared_by_what_they_look_like() -> None:
    assert folded("  \uff2bubernetes\n on  AWS ") == "kubernetes on aws"
    assert folded("STRASSE") == folded("stra\u00dfe")


def test_an_alias_is_found_by_either_name_whatever_the_case(store: Store, home: tuple[Author, Project, str]) -> None:
    _, project, episode = home
    learned, given = Alias("Kubernetes", "k8s", episode, "text", 5), Alias("Kubernetes", "Kube", "", "person", 6)
    with store.write() as tx:
        assert tx.aliases.add(project, learned)
        assert tx.aliases.add(project, given)
        assert tx.aliases.all(project) == [learned, given]
        assert tx.aliases.of(project, ["KUBERNETES"]) == [learned, given]
        assert tx.aliases.of(project, ["kube", "nothing"]) == [given]
        assert tx.aliases.of(project, []) == []


def test_a_pair_is_kept_once_and_a_person_has_the_last_word(store: Store, home: tuple[Author, Project, str]) -> None:
    _, project, episode = home
    learned, given = Alias("Kubernetes", "k8s", episode, "text", 5), Alias("kubernetes", "K8S", "", "person", 6)
    with store.write() as tx:
        assert tx.aliases.add(project, learned)
        assert not tx.aliases.add(project, learned._replace(name="KUBERNETES"))
        assert tx.aliases.add(project, given)
        assert not tx.aliases.add(project, learned)
        assert tx.aliases.all(project) == [given]
        assert tx.aliases.remove(project, "KUBERNETES", "k8s")
        assert not tx.aliases.remove(project, "KUBERNETES", "k8s")
        assert tx.aliases.all(project) == []


@pytest.mark.invariant("I-09")
def test_what_an_undone_episode_taught_is_in_no_answer(store: Store, home: tuple[Author, Project, str]) -> None:
    author, project, episode = home
    learned = Alias("Kubernetes", "k8s", episode, "text", 5)
    with store.write() as tx:
        session = author.begin(tx)[1]
        later = author.episode(session, b"k8s is Kubernetes")
        author.record(tx, project, later)
        tx.aliases.add(project, learned)
        tx.operations.begin(project, "op_1", "import", "", 1, actor="import")
        tx.operations.attribute(project, "op_1", [episode])
        tx.operations.hide(project, "op_1")
        assert (tx.aliases.all(project), tx.aliases.of(project, ["k8s"])) == ([], [])
        again = learned._replace(episode=later.id)
        assert tx.aliases.add(project, again)
        assert tx.aliases.all(project) == [again]


@pytest.mark.parametrize(
    "alias",
    [Alias("K8s", "k8S", "", "person", 1), Alias(" ", "k8s", "", "person", 1), Alias("a", "b", "ep_no", "text", 1)],
    ids=["itself", "nothing", "from nowhere"],
)
def test_an_alias_that_says_nothing_is_refused(store: Store, home: tuple[Author, Project, str], alias: Alias) -> None:
    _, project, _ = home

    def add() -> None:
        with store.write() as tx:
            tx.aliases.add(project, alias)

    with pytest.raises(StoreError):
        add()
