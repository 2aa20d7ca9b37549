"""What the store gives to who ranks above it: postings, places, rows, and windows by trait, time and author."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.author import Author
from moored.model.projects import Project, Session
from moored.model.traits import DIRECTIVE, FOLLOWS, PREFERENCE, QUESTION
from moored.store.rows import SESSION, Posting, WindowRow
from moored.store.sqlite.store import Store, Transaction

MANY = 1_000
LATE = 10**15


class Said:
    """Writes what is said in the sessions of one project, and remembers it as it should be found."""

    def __init__(self, tx: Transaction) -> None:
        self.tx, self.author = tx, Author()
        self.project, self.first, _ = self.author.begin(tx)
        self.second = tx.projects.add_session("se_second", self.project, "lab", "second", 1)
        self.rows: dict[int, WindowRow] = {}
        self.ids: dict[int, str] = {}
        self.next = {self.first.row: 0, self.second.row: 0}

    def say(self, *texts: str, session: Session | None = None, author: str = "", at: int = 1, traits: int = 0) -> int:
        """Write an episode of these windows; return the number of the first."""
        session = session or self.first
        new = self.author.episode(session, "".join(texts).encode())._replace(author=author, occurred_at=at)
        seq = self.tx.episodes.add(self.project, new)
        ends = [sum(map(len, texts[: n + 1])) for n in range(len(texts))]
        spans = [(end - len(text), end) for text, end in zip(texts, ends, strict=True)]
        rows = self.tx.episodes.add_windows(self.project, seq, spans, [traits] * len(spans))
        for row, text, (start, end) in zip(rows, texts, spans, strict=True):
            self.tx.search.put("window", row, text, "")
            place = session.row * SESSION + self.next[session.row]
            self.rows[row] = WindowRow(row, seq, session.row, place, start, end, "user", author, at, traits, len(texts))
            self.next[session.row] += 1
        self.tx.vectors.enqueue(self.project, "window", rows)
        self.ids[seq] = new.id
        return rows[0]

    def hide(self, row: int) -> None:
        """Take the episode of a window out of every answer."""
        seq = self.rows[row].episode
        operation = self.author.ids.new("op")
        self.tx.operations.begin(self.project, operation, "import", "", 1, actor="import")
        self.tx.operations.attribute(self.project, operation, [self.ids[seq]])
        assert self.tx.operations.hide(self.project, operation) == 1
        self.tx.operations.finish(self.project, operation)
        self.rows = {at: one for at, one in self.rows.items() if one.episode != seq}


_EPISODE = st.tuples(
    st.lists(st.sampled_from(["rope ", "tide ", "rope and tide "]), min_size=1, max_size=3),
    st.booleans(),
    st.sampled_from(["", "Ada", "Ben"]),
    st.integers(1, 9),
    st.integers(0, 7),
    st.booleans(),
)


@settings(max_examples=25, deadline=None)
@given(episodes=st.lists(_EPISODE, max_size=8), limit=st.integers(1, 6), unless=st.one_of(st.none(), st.integers(0, 8)))
def test_what_is_found_is_what_was_said_and_is_visible(
    episodes: list[tuple[list[str], bool, str, int, int, bool]], limit: int, unless: int | None
) -> None:
    with TemporaryDirectory() as folder:
        store = Store(Path(folder) / "moored.db")
        with store.write() as tx:
            said = Said(tx)
            hidden: list[int] = []
            for texts, second, author, at, traits, hide in episodes:
                session = said.second if second else said.first
                row = said.say(*texts, session=session, author=author, at=at, traits=traits)
                hidden += [row] if hide else []
            everything = dict(said.rows)
            for row in hidden:
                said.hide(row)
            _compare(tx, said, everything, limit, None if unless is None else (said.first.row, unless))
        assert store.check(deep=True) == []
        store.close()


def _compare(
    tx: Transaction, said: Said, everything: dict[int, WindowRow], limit: int, unless: tuple[int, int] | None
) -> None:
    project, search = said.project, tx.search
    visible = sorted(said.rows.values(), reverse=True)
    open_to = [row for row in visible if not unless or row.session != unless[0] or row.episode <= unless[1]]
    texts = {row: _text(tx, project, one) for row, one in said.rows.items()}
    with_rope = [_posting(row) for row in open_to if "rope" in texts[row.row]]
    assert search.postings("window", project, '"rope"', limit, unless=unless) == with_rope[:limit]
    found = with_rope[:limit]
    columns = [[getattr(row, name) for row in found] for name in ("row", "place", "length", "traits")]
    assert list(search.columns("window", project, '"rope"', limit, unless=unless)) == columns
    words = ['"rope"', '"tide"', '"nowhere"']
    held = [sum(word.strip('"') in texts[row.row] for row in open_to) for word in words]
    counted = search.frequencies("window", project, words, limit, unless=unless)
    assert counted == [min(count, limit) for count in held]
    assert search.window_rows(project, list(everything)) == said.rows
    places = [row.place for row in everything.values()]
    found = search.places(project, [*places, said.first.row * SESSION + MANY])
    assert found == [_posting(row) for row in said.rows.values()]
    told = [row.row for row in open_to if row.traits & (DIRECTIVE | PREFERENCE)]
    assert search.told(project, limit, unless=unless) == told[:limit]
    times = sorted(open_to, key=lambda row: (-row.occurred_at, -row.episode, row.start))
    assert (
        search.between(project, 3, 7, limit, unless=unless)
        == [row.row for row in times if 3 <= row.occurred_at < 7][:limit]
    )
    assert search.authors(project) == sorted({row.author for row in visible} - {""})


def _posting(row: WindowRow) -> Posting:
    return Posting(row.row, row.place, row.end - row.start, row.traits, row.episode)


def _text(tx: Transaction, project: Project, row: WindowRow) -> str:
    return tx.episodes.by_seqs(project, [row.episode])[row.episode].text[row.start : row.end]


def test_postings_of_notes_and_facts_have_the_length_of_what_they_say(store: Store) -> None:
    author = Author()
    with store.write() as tx:
        project, session, tree = author.begin(tx)
        new = author.episode(session, b"said")
        author.record(tx, project, new)
        note = author.remember(tx, project, "the bollard holds", episode=new.id)
        author.index(tx, tree, "quay.py", author.fact("bollard", doc="cast iron"))
        head = tx.search.postings("revision", project, '"bollard"', MANY)
        fact = tx.search.postings("fact", project, '"iron"', MANY, tree=tree.row)
    assert head == [Posting(note.head.row, 0, len("the bollard holds"), 0, 0)]
    assert [posting.length for posting in fact] == [len("bollard") + len("def bollard()") + len("cast iron")]


def test_an_answer_to_what_somebody_else_asked_is_known_as_one(store: Store) -> None:
    with store.write() as tx:
        said = Said(tx)
        rows = [
            said.say("who has the rope?", author="Ada", traits=QUESTION),
            said.say("and the bollard?", author="Ada", traits=QUESTION),
            said.say("I have it.", "Both.", author="Ben"),
            said.say("Good.", author="Ada"),
            said.say("who asked?", author="Ada", session=said.second, traits=QUESTION),
        ]
        found = tx.search.window_rows(said.project, [*rows, rows[2] + 1])
    assert {row for row, one in found.items() if one.traits & FOLLOWS} == {rows[2]}


@pytest.mark.invariant("I-06")
def test_the_windows_of_a_session_keep_the_order_in_which_they_were_recorded(store: Store) -> None:
    with store.write() as tx:
        said = Said(tx)
        rows = [said.say("one", "two"), said.say("other", session=said.second), said.say("three", at=-5)]
        found = tx.search.window_rows(said.project, rows)
        assert [(found[row].session == said.first.row, found[row].place % SESSION) for row in rows] == [
            (True, 0),
            (False, 0),
            (True, 2),
        ]
