"""The queue for vectors: two passes, what a text is embedded with, and what goes with a vector (I-16)."""

from __future__ import annotations

import pytest

from lab.author import MODEL, Author
from moored.model.episodes import Channel, Role, Trust
from moored.model.projects import Project, Session
from moored.model.traits import FOLLOWS
from moored.store.rows import NewVector, QueuedText, Signs
from moored.store.sqlite.store import Store, Transaction

QUICK = "quick-4"
ANSWER = {"role": Role.ASSISTANT, "channel": Channel.ASSISTANT, "trust": Trust.AGENT}
PRINTED = {"role": Role.TOOL, "channel": Channel.TOOL, "trust": Trust.DATA, "tool_name": "Bash"}


def say(tx: Transaction, writer: Author, text: str, *, cut: int = 0, **fields: object) -> int:
    """Record an episode, in two windows when it is `cut`; return the number of its last window."""
    project, session, _ = writer.begin(tx)
    new = writer.episode(session, text.encode())._replace(**fields)  # type: ignore[arg-type] - fields of an episode
    seq = tx.episodes.add(project, new)
    rows = tx.episodes.add_windows(project, seq, [(0, cut), (cut, len(text))] if cut else [(0, len(text))])
    for row in rows:
        tx.search.put("window", row, text, "")
    tx.vectors.enqueue(project, "window", rows)
    return rows[-1]


def passage(tx: Transaction, row: int) -> QueuedText:
    """What a window is embedded with."""
    (queued,) = (text.queued for text in tx.vectors.waiting(1_000) if (text.owner_kind, text.owner) == ("window", row))
    return tx.vectors.passages([queued])[queued]


@pytest.fixture
def home(store: Store) -> tuple[Author, Project, Session]:
    author = Author()
    with store.write() as tx:
        project, session, _ = author.begin(tx)
    return author, project, session


def test_a_first_pass_leaves_the_text_in_the_queue_for_the_second(store: Store, home: tuple[Author, Project]) -> None:
    author, project, *_ = home
    with store.write() as tx:
        row = say(tx, author, "rope")
        assert len(author.embed_waiting(tx, model=QUICK, done=False)) == 1
        assert author.embed_waiting(tx, model=QUICK, done=False) == []
        assert (tx.vectors.count_waiting(project), tx.vectors.count_waiting(project, bare=True)) == (1, 0)
        assert tx.vectors.models(project) == {QUICK: 1}
        assert len(author.embed_waiting(tx)) == 1
        assert tx.vectors.count_waiting(project) == 0
        assert tx.vectors.models(project) == {MODEL: 1, QUICK: 1}
        assert tx.vectors.live(project, "window", [row]) == {row}
    assert store.check(deep=True) == []


def test_the_newest_and_the_texts_of_one_project_can_be_asked_for_first(store: Store) -> None:
    authors = Author("harbour"), Author("quay")
    with store.write() as tx:
        rows = [say(tx, author, text) for text in ("one", "two") for author in authors]
        project = authors[1].begin(tx)[0]
        owners = {
            (bare, newest): [text.owner for text in tx.vectors.waiting(9, bare=bare, newest=newest, project=project)]
            for bare in (True, False)
            for newest in (True, False)
        }
        assert owners == {
            (bare, newest): ([rows[3], rows[1]] if newest else [rows[1], rows[3]])
            for bare in (True, False)
            for newest in (True, False)
        }
        assert [text.owner for text in tx.vectors.waiting(1, newest=True)] == [rows[3]]


def test_a_second_vector_of_the_same_model_changes_nothing(store: Store, home: tuple[Author, Project]) -> None:
    author, project, *_ = home
    with store.write() as tx:
        row = say(tx, author, "rope")
        for number in (1, 2):
            entries = [NewVector(*text, MODEL, 1, 1.0, bytes([number])) for text in tx.vectors.waiting(9)]
            tx.vectors.put(entries, done=False)
        assert tx.vectors.exact(project, MODEL, "window", [row]) == {row: (1.0, b"\1")}


def test_another_first_pass_makes_texts_wait_for_it_and_keeps_what_they_have(
    store: Store, home: tuple[Author, Project]
) -> None:
    author, project, *_ = home
    with store.write() as tx:
        say(tx, author, "rope")
        author.embed_waiting(tx)
        assert tx.vectors.requeue_missing(MODEL) == 0
        assert tx.vectors.requeue_missing(MODEL, first=QUICK) == 1
        assert tx.vectors.requeue_missing(MODEL, first=QUICK) == 0
        assert tx.vectors.count_waiting(project, bare=True) == 1
        author.embed_waiting(tx, model=QUICK, done=False)
        assert tx.vectors.requeue_missing(MODEL, first="other") == 0
        assert tx.vectors.count_waiting(project, bare=True) == 1


def test_what_is_missing_is_counted_by_model(store: Store, home: tuple[Author, Project]) -> None:
    author, project, *_ = home
    with store.write() as tx:
        say(tx, author, "rope")
        assert tx.vectors.count_missing(project, MODEL) == 0
        author.embed_waiting(tx)
        assert [tx.vectors.count_missing(project, model) for model in (MODEL, QUICK)] == [0, 1]


@pytest.mark.invariant("I-16")
def test_signs_and_codes_come_and_go_with_their_vector(store: Store, home: tuple[Author, Project]) -> None:
    author, project, *_ = home
    with store.write() as tx:
        first, second = say(tx, author, "rope"), say(tx, author, "tide")
        author.embed_waiting(tx)
        signs = tx.vectors.signs(project, MODEL, "window")
        assert signs == Signs(signs.seen, [], [first, second], b"\xa0\xa0")
        assert tx.vectors.signs(project, MODEL, "window", signs.seen) == Signs(signs.seen, [], [], b"")
        assert tx.vectors.codes(project, MODEL, "window", [first, second, 99]) == {
            first: b"\xa0\x50",
            second: b"\xa0\x50",
        }
        assert tx.vectors.codes(project, QUICK, "window", [first]) == {}
        tx.vectors.remove("window", first)
        assert tx.vectors.signs(project, MODEL, "window").owners == [second]
        tx.vectors.enqueue(project, "window", [first])
        assert tx.vectors.drop(project, MODEL, 9) == 1
        counts = [tx.connection.value(f"SELECT count(*) FROM {table}") for table in ("vector_sign", "token_code")]
        assert counts == [0, 0]


@pytest.mark.invariant("I-16")
def test_a_text_whose_last_vector_is_dropped_waits_again(store: Store, home: tuple[Author, Project]) -> None:
    author, project, *_ = home
    with store.write() as tx:
        say(tx, author, "rope")
        author.embed_waiting(tx, model=QUICK, done=False)
        author.embed_waiting(tx)
        assert (tx.vectors.drop(project, QUICK, 9), tx.vectors.count_waiting(project)) == (1, 0)
        assert (tx.vectors.drop(project, MODEL, 9), tx.vectors.count_waiting(project, bare=True)) == (1, 1)
    assert store.check(deep=True) == []


def test_what_was_said_right_before_comes_with_a_short_text(store: Store, home: tuple[Author, Project]) -> None:
    author, *_ = home
    with store.write() as tx:
        say(tx, author, "too far back")
        say(tx, author, "x" * 300, author="Ada")
        say(tx, author, "I did.", **ANSWER)
        row = say(tx, author, "Thanks!", author="Ben")
        assert passage(tx, row) == QueuedText("Thanks!", "Ben", (("Ada", "x" * 200), ("", "I did.")))


@pytest.mark.parametrize("between", ["a long text", "what a tool printed", "nothing visible", "another session"])
def test_anything_else_ends_the_walk_back(store: Store, home: tuple[Author, Project], between: str) -> None:
    author, project, *_ = home
    with store.write() as tx:
        say(tx, author, "before")
        if between == "a long text":
            say(tx, author, "one two", cut=4)
        elif between == "what a tool printed":
            say(tx, author, "ok", **PRINTED)
        elif between == "nothing visible":
            _hide(tx, author, project, say(tx, author, "gone"))
        else:
            tx.projects.add_session("se_other", project, "lab", "other", 1)
            other = tx.projects.session(project, "lab", "other")
            assert passage(tx, say(tx, author, "alone", session=other)).before == ()
        row = say(tx, author, "after")
        assert passage(tx, row).before == ((("", "before"),) if between == "another session" else ())


def test_a_long_text_and_what_a_tool_printed_stand_alone(store: Store, home: tuple[Author, Project]) -> None:
    author, *_ = home
    with store.write() as tx:
        say(tx, author, "before")
        assert passage(tx, say(tx, author, "one two", cut=4)) == QueuedText("two")
        say(tx, author, "before")
        assert passage(tx, say(tx, author, "ok", **PRINTED)) == QueuedText("ok")


def test_what_a_tool_gave_back_comes_with_the_beginning_of_what_it_was_asked(
    store: Store, home: tuple[Author, Project]
) -> None:
    author, *_ = home
    with store.write() as tx:
        row = say(tx, author, "ok", **PRINTED, tool_input='{"command": "make lint\\n"}')
        assert passage(tx, row) == QueuedText("Bash: command : make lint\nok")
        assert passage(tx, say(tx, author, "one two", cut=4, **PRINTED, tool_input="make")) == QueuedText("two")
        assert passage(tx, say(tx, author, "ok", **PRINTED, tool_input="x" * 900)).text == f"Bash: {'x' * 200}\nok"


def test_what_a_tool_gave_back_follows_the_turn_of_the_agent_before_it(
    store: Store, home: tuple[Author, Project]
) -> None:
    author, project, *_ = home
    with store.write() as tx:
        say(tx, author, "I will run it.", **ANSWER)
        rows = [say(tx, author, "ok", **PRINTED), say(tx, author, "ok", **PRINTED)]
        say(tx, author, "Go on.")
        rows.append(say(tx, author, "ok", **PRINTED))
        found = tx.search.window_rows(project, rows)
        assert [bool(found[row].traits & FOLLOWS) for row in rows] == [True, False, False]


def test_a_note_is_embedded_with_its_words_alone(store: Store, home: tuple[Author, Project, Session]) -> None:
    author, project, session = home
    with store.write() as tx:
        new = author.episode(session, b"said")
        author.record(tx, project, new)
        author.remember(tx, project, "the bollard holds", episode=new.id)
        (queued,) = (text.queued for text in tx.vectors.waiting(9) if text.owner_kind == "revision")
        assert tx.vectors.passages([queued, 99]) == {queued: QueuedText("the bollard holds")}


def _hide(tx: Transaction, author: Author, project: Project, row: int) -> None:
    (episode,) = tx.connection.rows(
        "SELECT e.id FROM window w JOIN episode e ON e.seq = w.episode WHERE w.row = ?", row
    )
    operation = author.ids.new("op")
    tx.operations.begin(project, operation, "import", "", 1, actor="import")
    tx.operations.attribute(project, operation, [episode[0]])
    assert tx.operations.hide(project, operation) == 1
    tx.operations.finish(project, operation)


@pytest.mark.invariant("I-09")
def test_what_stood_after_an_undone_episode_is_embedded_again_without_it(
    store: Store, home: tuple[Author, Project]
) -> None:
    author, project, *_ = home
    with store.write() as tx:
        rows = [say(tx, author, text) for text in ("kept", "brought in", "one", "two", "three")]
        author.embed_waiting(tx)
        _hide(tx, author, project, rows[1])
        assert [text.owner for text in tx.vectors.waiting(9)] == rows[2:4]
        assert set(tx.vectors.exact(project, MODEL, "window", rows)) == {rows[0], rows[1], rows[4]}
        assert [passage(tx, row).before for row in rows[2:4]] == [(), (("", "one"),)]
    assert store.check(deep=True) == []
