"""What a project is asked takes about as many steps however much other projects hold, and finds only its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from lab.author import Author
from moored.model.projects import Project
from moored.store.sqlite.store import Store, Transaction

MANY = 150
WORD = "mooring"

ASKED: dict[str, Callable[[Transaction, Project], Sequence[object]]] = {
    "notes": lambda tx, project: [one.row for one in tx.search.postings("revision", project, WORD, 20)],
    "windows": lambda tx, project: [one.row for one in tx.search.postings("window", project, WORD, 20)],
    "a fragment": lambda tx, project: [tx.search.trigrams("window", project, f'"{WORD}"', 20)],
    "what waits": lambda tx, project: [one.owner for one in tx.vectors.waiting(5, newest=True, project=project)],
    "texts that wait": lambda tx, project: list(
        tx.vectors.passages([one.queued for one in tx.vectors.waiting(5, newest=True, project=project)])
    ),
    "bare texts of any project": lambda tx, _: [one.owner for one in tx.vectors.waiting(5, bare=True)],
}


def say(tx: Transaction, author: Author, count: int) -> Project:
    """Write so many notes, each in an episode that says the same."""
    project, session, _ = author.begin(tx)
    for number in range(count):
        said = author.episode(session, f"the {WORD} of ship {number}".encode())
        author.record(tx, project, said)
        author.remember(tx, project, f"the {WORD} of ship {number}", episode=said.id)
    return project


def steps(tx: Transaction, ask: Callable[[], object]) -> int:
    """The steps that SQLite takes, beside those within its indexes."""
    tx.search.flush()
    taken = 0

    def count() -> bool:
        nonlocal taken
        taken += 1
        return False

    tx.connection._db.set_progress_handler(count, 1)  # pyright: ignore[reportPrivateUsage]
    ask()
    tx.connection._db.set_progress_handler(None)  # pyright: ignore[reportPrivateUsage]
    return taken


@pytest.mark.invariant("I-06")
@pytest.mark.parametrize("asked", ASKED)
def test_what_others_hold_costs_a_question_next_to_nothing(store: Store, asked: str) -> None:
    before, mine, after = Author("before"), Author("mine"), Author("after")
    with store.write() as tx:
        before.begin(tx)
        project = say(tx, mine, 10)
        mine.embed_waiting(tx, model="quick-4", done=False)
        say(tx, mine, 5)
        alone, found = steps(tx, lambda: ASKED[asked](tx, project)), ASKED[asked](tx, project)
        for other in (before, after):
            say(tx, other, MANY)
            other.embed_waiting(tx, model="quick-4", done=False)
        crowded = steps(tx, lambda: ASKED[asked](tx, project))
        if asked != "bare texts of any project":
            assert ASKED[asked](tx, project) == found
    # Within its indexes, of which there is more, SQLite takes some steps as well.
    assert 0 < crowded < 2 * alone


def test_a_project_finds_its_own_the_newest_first_whoever_wrote_between(store: Store) -> None:
    authors = [Author(name) for name in ("left", "mine", "right")]
    with store.write() as tx:
        for _ in range(3):
            for author in authors:
                say(tx, author, 2)
        projects = [say(tx, author, 2) for author in authors]
        found = [[one.row for one in tx.search.postings("revision", project, WORD, 5)] for project in projects]
    assert found == [[20, 19, 14, 13, 8], [22, 21, 16, 15, 10], [24, 23, 18, 17, 12]]
