from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from moored.importers.git_history import Imported, import_git_history
from moored.model.clock import ManualClock
from moored.model.episodes import Channel, Trust
from moored.model.ids import SequentialIds
from moored.store.sqlite.store import Store


class Repository:
    def __init__(self, folder: Path) -> None:
        self.root = folder / "repo"
        self.root.mkdir()
        self.git("init", "-q", "-b", "main")
        self.clock, self.ids = ManualClock(), SequentialIds()
        self.store = Store(folder / "moored.db", clock=self.clock)
        with self.store.write() as transaction:
            self.project = transaction.projects.add("pr_1", "dir:x", "x", 1)

    def git(self, *arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=self.root, check=True, capture_output=True)

    def commit(self, path: str, message: str) -> None:
        (self.root / path).write_text(message, encoding="utf-8")
        self.git("add", "-A")
        self.git("commit", "-qm", message)

    def bring_in(self, **options: int) -> Imported:
        return import_git_history(self.store, self.project, self.root, clock=self.clock, ids=self.ids, **options)

    def texts(self) -> list[str]:
        with self.store.read() as view:
            return [episode.text for episode in reversed(view.episodes.recent(self.project, 100))]


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[Repository]:
    made = Repository(tmp_path)
    yield made
    made.store.close()


def test_every_commit_becomes_an_episode_with_its_message_and_files(repository: Repository) -> None:
    repository.commit("a.txt", "begin")
    repository.commit("b.txt", "go on\n\nbecause we must")
    assert (repository.bring_in().recorded, len(repository.texts())) == (2, 2)
    assert "because we must" in repository.texts()[1]
    assert "added b.txt (+3 -0)" in repository.texts()[1]
    with repository.store.read() as view:
        (first, _) = view.episodes.recent(repository.project, 2)
        authors = view.search.authors(repository.project)
    assert (first.channel, first.trust, first.host) == (Channel.IMPORT, Trust.DATA, "git")
    assert authors == [first.author]
    assert f"Author: {first.author}" in first.text


@pytest.mark.invariant("I-17")
def test_importing_again_brings_in_only_what_is_new(repository: Repository) -> None:
    repository.commit("a.txt", "one")
    repository.bring_in()
    assert repository.bring_in() == Imported("", 0, 1)
    repository.commit("a.txt", "two")
    again = repository.bring_in()
    assert (again.recorded, again.known) == (1, 1)


@pytest.mark.invariant("I-09")
def test_an_undone_import_is_in_no_answer_and_comes_back_when_imported_again(repository: Repository) -> None:
    repository.commit("a.txt", "one")
    first = repository.bring_in()
    repository.commit("a.txt", "two")
    second = repository.bring_in()
    with repository.store.write() as transaction:
        assert transaction.operations.hide(repository.project, first.operation) == 1
    assert [text.splitlines()[4] for text in repository.texts()] == ["two"]
    third = repository.bring_in()
    assert (third.recorded, third.known) == (1, 1)
    assert len(repository.texts()) == 2
    with repository.store.write() as transaction:
        assert transaction.operations.hide(repository.project, second.operation) == 1
    assert [text.splitlines()[4] for text in repository.texts()] == ["one"]


def test_the_limit_keeps_the_newest(repository: Repository) -> None:
    for message in ("one", "two", "three"):
        repository.commit("a.txt", message)
    assert repository.bring_in(limit=1).recorded == 1
    assert "three" in repository.texts()[0]


def test_a_repository_without_commits_brings_in_nothing(repository: Repository) -> None:
    assert repository.bring_in() == Imported("", 0, 0)
