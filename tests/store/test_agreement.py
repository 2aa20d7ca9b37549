"""Rows, full text, vectors and the queue agree, and the check sees it when they do not (I-16)."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import apsw
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from lab.author import Author
from moored.model.facts import FactKind
from moored.model.ids import RandomIds
from moored.model.notes import Note
from moored.model.projects import Project
from moored.store.durability import Durability
from moored.store.rows import NewVector
from moored.store.sqlite.entries import APART
from moored.store.sqlite.store import Store

SPACE = "INSERT INTO vector_space VALUES (1, 'm', 1);"
SIGNED = f"""{SPACE} INSERT INTO vector VALUES (1, 1, 'window', 1, 1, 1.0, x'01');
    INSERT INTO vector_sign VALUES (1, 1, 'window', 1, 1, x'01');"""


class Agreement(RuleBasedStateMachine):
    """Random writes by two projects; the indexes agree with the rows after each."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.store = Store(Path(self.folder.name) / "moored.db")
        self.authors = (Author("harbour"), Author("quay"))
        with self.store.write() as tx:
            self.homes = [author.begin(tx) for author in self.authors]
        self.notes: list[tuple[int, str]] = []
        self.episodes: list[tuple[int, str]] = []

    @rule(who=st.integers(0, 1), content=st.binary(min_size=1, max_size=30), kept=st.booleans())
    def record(self, who: int, content: bytes, kept: bool) -> None:
        author, (project, session, _) = self.authors[who], self.homes[who]
        new = author.episode(session, content)
        with suppress(KeyError), self.store.write() as tx:
            author.record(tx, project, new)
            if not kept:
                raise KeyError
            self.episodes.append((who, new.id))

    @precondition(lambda self: self.episodes)
    @rule(data=st.data(), text=st.text(min_size=1, max_size=20).filter(lambda text: "\0" not in text))
    def remember(self, data: st.DataObject, text: str) -> None:
        who, episode = data.draw(st.sampled_from(self.episodes))
        with self.store.write() as tx:
            note = self.authors[who].remember(tx, self.homes[who][0], text, episode=episode)
        self.notes.append((who, note.id))

    @precondition(lambda self: self.notes)
    @rule(data=st.data())
    def revise(self, data: st.DataObject) -> None:
        who, note_id = data.draw(st.sampled_from(self.notes))
        with self.store.write() as tx:
            note = tx.notes.get(self.homes[who][0], note_id)
            assert note is not None
            self.authors[who].revise(tx, self.homes[who][0], note, "put otherwise")

    @rule(who=st.integers(0, 1), limit=st.integers(1, 3))
    def embed(self, who: int, limit: int) -> None:
        with self.store.write() as tx:
            self.authors[who].embed_waiting(tx, limit)

    @rule(who=st.integers(0, 1), limit=st.integers(1, 3))
    def embed_at_first(self, who: int, limit: int) -> None:
        with self.store.write() as tx:
            self.authors[who].embed_waiting(tx, limit, model="quick-8", done=False)

    @rule(change=st.sampled_from([("lab-4", ""), ("lab-4", "quick-8"), ("quick-8", "")]))
    def change_models(self, change: tuple[str, str]) -> None:
        model, first = change
        with self.store.write() as tx:
            tx.vectors.requeue_missing(model, first=first)
            assert [tx.vectors.count_missing(project, model) for project, _, _ in self.homes] == [0, 0]

    @rule(who=st.integers(0, 1), model=st.sampled_from(["lab-4", "quick-8"]), limit=st.integers(1, 3))
    def drop(self, who: int, model: str, limit: int) -> None:
        with self.store.write() as tx:
            tx.vectors.drop(self.homes[who][0], model, limit)

    @rule(who=st.integers(0, 1), name=st.sampled_from(["a", "b.c"]), kind=st.sampled_from(list(FactKind)))
    def index(self, who: int, name: str, kind: FactKind) -> None:
        author, (_, _, tree) = self.authors[who], self.homes[who]
        with self.store.write() as tx:
            known = [fact for fact in tx.facts.in_file(tree, "f.py", gone=True) if fact.name == name]
            new = author.fact(name, kind=kind)
            if not known:
                author.index(tx, tree, "f.py", new)
                return
            with tx.ledger_writer() as ledger:
                ledger.change(known[0], new.extracted, 0, "body", 1, path="f.py")

    @rule(who=st.integers(0, 1), doc=st.sampled_from(["", "words of the doc"]))
    def move(self, who: int, doc: str) -> None:
        tree = self.homes[who][2]
        with self.store.write() as tx, tx.ledger_writer() as ledger:
            facts = tx.facts.in_file(tree, "f.py", gone=True)
            ledger.move_position((f, self.authors[who].fact(f.name, kind=f.kind, doc=doc).extracted, 0) for f in facts)

    @rule(who=st.integers(0, 1))
    def close(self, who: int) -> None:
        with self.store.write() as tx, tx.ledger_writer() as ledger:
            ledger.close(tx.facts.in_file(self.homes[who][2], "f.py"), 9)

    @invariant()
    def everything_agrees(self) -> None:
        assert self.store.check(deep=True) == []

    def teardown(self) -> None:
        self.store.close()
        self.folder.cleanup()


TestAgreement = pytest.mark.invariant("I-16")(Agreement.TestCase)
TestAgreement.settings = settings(max_examples=25, stateful_step_count=20, deadline=None)


@pytest.fixture
def home(store: Store) -> tuple[Project, Note]:
    """A project with an episode, a fact and a note."""
    author = Author()
    with store.write() as tx:
        project, session, tree = author.begin(tx)
        new = author.episode(session, b"a bollard on the quay")
        author.record(tx, project, new)
        author.index(tx, tree, "quay.py", author.fact("bollard"))
        note = author.remember(tx, project, "the bollard holds", episode=new.id)
    return project, note


@pytest.mark.invariant("I-16")
@pytest.mark.parametrize(
    ("damage", "finding"),
    [
        ("DELETE FROM window_fts", "window 1 has no full-text entry"),
        ("DELETE FROM revision_fts", "revision 1, the newest of its note, has no full-text entry"),
        ("DELETE FROM fact_fts", "fact 1 has no full-text entry"),
        ("DELETE FROM vector_queue WHERE owner_kind = 'window'", "window 1 has neither a vector nor a place"),
        ("DELETE FROM vector_queue WHERE owner_kind = 'revision'", "revision 1, the newest of its note, has neither"),
        (
            "UPDATE vector_queue SET owner = 99 WHERE owner_kind = 'window'",
            "vector_queue is of window 99, which is not",
        ),
        (
            f"INSERT INTO window_trigram (rowid, text) VALUES ({2 * APART - 7}, 'abc')",
            "window_trigram is of window 7, which is not",
        ),
        ("INSERT INTO fact_fts (rowid, text) VALUES (7, 'abc')", "fact_fts is of fact 7, which is not there"),
        ("DELETE FROM window", "episode 1 has no window"),
        (
            f"{SPACE} INSERT INTO vector VALUES (1, 1, 'window', 7, 1, 1.0, x'01')",
            "vector is of window 7, which is not",
        ),
        (
            f"{SPACE} INSERT INTO vector VALUES (1, 1, 'window', 1, 1, 1, x'01'), (2, 1, 'revision', 1, 1, 1, x'0102')",
            "vector 2 has another dimension than its model",
        ),
        (f"{SIGNED} INSERT INTO vector VALUES (2, 1, 'revision', 1, 1, 1, x'01')", "vector 2 has no signs"),
        (f"{SIGNED} UPDATE vector_sign SET bits = x'0102'", "signs of vector 1 are of another length"),
        (f"{SIGNED} UPDATE vector_sign SET owner = 2", "signs of vector 1 are not those of its owner"),
        (f"{SIGNED} PRAGMA foreign_keys = 0; UPDATE vector_sign SET vector = 9", "signs of vector 9 are not those"),
        ("INSERT INTO session VALUES (8, 'se_8', 1, 'h', 'n', 1); UPDATE window SET session = 8", "project or session"),
        ("UPDATE fact SET gone_at = 5", "fact 1 has gone, and its full-text entry has not"),
        (
            "INSERT INTO project VALUES (8, 'pr_8', 'k', 'n', 1); UPDATE window SET project = 8",
            "another project or session than",
        ),
        ("PRAGMA foreign_keys = 0; UPDATE window SET episode = 5", "row 1 of window names a row of episode that is"),
        ("DELETE FROM window_fts_data WHERE id > 10", "window_fts"),
    ],
)
def test_the_deep_check_says_what_does_not_agree(
    store: Store, home: tuple[Project, Note], damage: str, finding: str
) -> None:
    assert store.check(deep=True) == []
    connection = store._connect()
    connection._db.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
    with connection.ledger_writer():
        connection.execute(damage)
    connection.close()
    found = store.check(deep=True)
    assert any(finding in one.words for one in found), found


@pytest.mark.invariant("I-16")
def test_what_others_wrote_since_a_search_is_not_taken_for_damage(store: Store) -> None:
    author = Author()
    with store.write() as tx:
        project, session, _ = author.begin(tx)
        author.record(tx, project, author.episode(session, b"first"))
    other = Store(store.path)
    for number in range(70):
        if number < 40:
            with store.read() as view:
                assert view.search.postings("window", project, '"first"', 5)
        with other.write(Durability.GROUP) as tx:
            author.record(tx, project, author.episode(session, f"later {number}".encode()))
    other.close()
    assert store.check(deep=True) == []


def test_a_check_names_the_first_of_many_and_counts_the_rest(store: Store) -> None:
    author = Author()
    with store.write() as tx:
        project, session, _ = author.begin(tx)
        for number in range(30):
            author.record(tx, project, author.episode(session, b"%d" % number))
        tx.search.flush()
        tx.connection.execute("DELETE FROM window_fts")
    found = store.check(deep=True)
    assert len(found) == 21
    assert found[-1].words == "and 10 more: window ... has no full-text entry"
    assert store.check() == []


@pytest.mark.invariant("I-16")
def test_a_text_waits_for_one_vector_however_often_it_is_queued(store: Store, home: tuple[Project, Note]) -> None:
    project, note = home
    with store.write() as tx:
        tx.vectors.enqueue(project, "revision", [note.head.row])
        tx.vectors.enqueue(project, "window", [1, 1])
        assert tx.vectors.count_waiting(project) == 2


@pytest.mark.invariant("I-16")
def test_a_vector_that_comes_after_its_text_was_removed_is_dropped(store: Store, home: tuple[Project, Note]) -> None:
    project, note = home
    with store.read() as view:
        waiting = view.vectors.waiting(10)
    with store.write() as tx:
        tx.vectors.remove("revision", note.head.row)
    with store.write() as tx:
        tx.vectors.put(NewVector(*text, "m", 1, 1.0, b"\1") for text in waiting)
        assert tx.vectors.exact(project, "m", "window", [1]) == {1: (1.0, b"\1")}
        assert tx.vectors.exact(project, "m", "revision", [note.head.row]) == {}


@pytest.mark.invariant("I-16")
def test_the_number_of_a_removed_vector_is_not_given_to_a_newer_one(store: Store, home: tuple[Project, Note]) -> None:
    project, note = home
    author = Author()
    author.ids = RandomIds()
    with store.write() as tx:
        author.embed_waiting(tx)
        seen = max(tx.vectors.signs(project, "lab-4", kind).seen for kind in ("window", "revision"))
        author.revise(tx, project, note, "put otherwise")
        author.embed_waiting(tx)
    with store.read() as view:
        assert len(view.vectors.signs(project, "lab-4", "revision", seen).owners) == 1


@pytest.mark.invariant("I-16")
def test_a_change_of_model_queues_what_has_no_vector_of_it_and_mixes_nothing(
    store: Store, home: tuple[Project, Note]
) -> None:
    project, _ = home
    with store.write() as tx:
        Author().embed_waiting(tx)
        assert tx.vectors.requeue_missing("lab-4") == 0
        assert tx.vectors.requeue_missing("lab-8") == 2
        waiting = tx.vectors.waiting(10)
        tx.vectors.put(NewVector(*text, "lab-8", 8, 1.0, bytes(8)) for text in waiting)
        assert tx.vectors.models(project) == {"lab-4": 2, "lab-8": 2}
        assert {len(data) for _, data in tx.vectors.exact(project, "lab-8", "window", [1]).values()} == {8}
    assert store.check(deep=True) == []


@pytest.mark.invariant("I-16")
def test_a_window_found_by_its_words_alone_is_not_asked_for_a_vector(store: Store) -> None:
    author = Author()
    with store.write() as tx:
        project, session, _ = author.begin(tx)
        seq = tx.episodes.add(project, author.episode(session, b"ab"))
        first, second = tx.episodes.add_windows(project, seq, [(0, 1), (1, 2)])
        for row in (first, second):
            tx.search.put("window", row, "word", "")
        tx.vectors.enqueue(project, "window", [first])
        assert tx.vectors.requeue_missing("lab-4") == 0
    assert store.check(deep=True) == []


@pytest.mark.invariant("I-16")
def test_words_that_a_fact_took_on_without_a_new_version_are_found(store: Store, home: tuple[Project, Note]) -> None:
    project, _ = home
    author = Author("quay")
    with store.write() as tx:
        tree = tx.projects.trees(project)[0]
        (fact,) = tx.facts.in_file(tree, "quay.py")
        with tx.ledger_writer() as ledger:
            ledger.move_position([(fact, author.fact("bollard", doc="cast iron").extracted, 0)])
    with store.read() as view:
        assert view.search.postings("fact", project, "iron", 5, tree=tree.row) != []


@pytest.mark.invariant("I-16")
def test_what_was_indexed_is_found_within_the_same_transaction_and_not_after_it_was_taken_back(store: Store) -> None:
    author = Author()
    with store.write() as tx:
        project, session, _ = author.begin(tx)

    def record_and_fail() -> None:
        with store.write() as tx:
            author.record(tx, project, author.episode(session, b"lost"))
            assert len(tx.search.postings("window", project, '"lost"', 5)) == 1
            author.record(tx, project, author.episode(session, b"lost as well"))
            raise KeyError

    with pytest.raises(KeyError):
        record_and_fail()
    with store.write() as tx:
        author.record(tx, project, author.episode(session, b"kept"))
    with store.read() as view:
        assert view.search.postings("window", project, '"lost"', 5) == []
        assert len(view.search.postings("window", project, '"kept"', 5)) == 1
    assert store.check(deep=True) == []
