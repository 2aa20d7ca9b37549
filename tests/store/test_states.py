"""What stands beside a note is counted as far as it is in force: nothing that was undone, hidden or withdrawn."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lab.author import Author
from moored.model.hashing import digest
from moored.model.notes import Anchor, AnchorRole, Note
from moored.model.projects import Project, Session
from moored.model.state import Counts, Use
from moored.record.operations import under_way
from moored.store.sqlite.store import Store, Transaction


class Bench:
    """A project with notes, and rows beside them written as their own writers write them."""

    def __init__(self, tx: Transaction) -> None:
        self.tx, self.author = tx, Author("quay")
        self.project, self.session, _ = self.author.begin(tx)
        self.notes = [self.note(f"note {number}") for number in range(3)]

    def note(self, text: str) -> Note:
        said = self.said(self.session, text)
        anchor = Anchor(AnchorRole.SOURCE, episode=said, body_hash=digest(text), value=text)
        return self.author.remember(self.tx, self.project, text, anchor, episode=said)

    def said(self, session: Session, text: str) -> str:
        new = self.author.episode(session, text.encode())
        self.author.record(self.tx, self.project, new)
        return new.id

    def add(self, table: str, **values: object) -> str:
        """Write a row of a table under an operation of its own; return the operation."""
        with under_way(
            self.tx, self.project, "curate", actor="agent", clock=self.author.clock, ids=self.author.ids
        ) as operation:
            columns = {"project": self.project.row, "created_at": 1, **values}
            names, marks = ", ".join(columns), ", ".join("?" * len(columns))
            self.tx.connection.execute(
                f"INSERT INTO {table} ({names}, operation) VALUES ({marks}, (SELECT row FROM operation WHERE id = ?))",
                (*columns.values(), operation),
            )
        return operation

    def row(self, table: str, id_: str) -> int:
        return self.tx.connection.value(f"SELECT row FROM {table} WHERE id = ?", id_)

    def evidence(self, kind: str, session: Session) -> str:
        said = self.said(session, f"{kind} in {session.name}")
        seq = self.tx.connection.value("SELECT seq FROM episode WHERE id = ?", said)
        self.add("evidence", note=self.row("note", self.notes[0].id), episode=seq, kind=kind)
        return said

    def other_session(self, name: str) -> Session:
        return self.tx.projects.add_session(self.author.ids.new("se"), self.project, "lab", name, 1)

    @property
    def counts(self) -> Counts:
        note = self.notes[0].id
        return self.tx.states.counts(self.project, [note])[note]

    def undo(self, operation: str) -> None:
        self.tx.operations.set_undone(self.project, operation, 9)


@pytest.fixture
def bench(store: Store) -> Iterator[Bench]:
    with store.write() as tx:
        yield Bench(tx)


def test_a_note_with_nothing_beside_it_counts_nothing(bench: Bench) -> None:
    assert bench.counts == Counts()


def test_evidence_is_counted_by_session_and_not_by_how_often_it_was_said(bench: Bench) -> None:
    for session in (bench.session, bench.session, bench.other_session("b")):
        bench.evidence("same", session)
    bench.evidence("for", bench.session)
    bench.evidence("against", bench.session)
    assert (bench.counts.restated, bench.counts.supporting, bench.counts.opposing) == (2, 1, 1)


def test_evidence_that_is_hidden_counts_no_more(bench: Bench) -> None:
    said = bench.evidence("same", bench.session)
    bench.tx.operations.begin(bench.project, "op_hide", "forget", "", 1, actor="person")
    assert bench.tx.operations.hide(bench.project, "op_hide", [said]) == 1
    assert bench.counts.restated == 0


def test_what_was_undone_counts_no_more(bench: Bench) -> None:
    first, second = (bench.row("note", note.id) for note in bench.notes[:2])
    made = [
        bench.add("link", note=second, other=first, kind="related", reason="near"),
        bench.add("dispute", id="di_1", note=first, other=second, reason="values differ"),
        bench.add("rating", note=first, useful=1, reason="", actor="agent"),
    ]
    assert bench.counts == Counts(disputes=1, links=1, useful=1)
    for operation in made:
        bench.undo(operation)
    assert bench.counts == Counts()


def test_a_settled_dispute_counts_for_the_note_that_holds_and_is_open_again_when_that_is_undone(bench: Bench) -> None:
    first, second = (bench.row("note", note.id) for note in bench.notes[:2])
    bench.add("dispute", id="di_1", note=second, other=first, reason="values differ")
    outcomes = {bench.notes[0].id: Counts(won=1), bench.notes[1].id: Counts(lost=1), "both": Counts()}
    for outcome, expected in outcomes.items():
        settling = bench.add("settlement", dispute=1, outcome=outcome)
        assert bench.counts == expected
        bench.undo(settling)
        assert bench.counts == Counts(disputes=1)


def test_proposals_that_were_decided_are_counted_by_their_decision(bench: Bench) -> None:
    first = bench.row("note", bench.notes[0].id)
    for id_, outcome in (("pp_1", "accepted"), ("pp_2", "rejected"), ("pp_3", "")):
        bench.add("proposal", id=id_, note=first, head=1, action="revise", text="t", reason="r", evidence="[]")
        if outcome:
            bench.add("decision", proposal=bench.row("proposal", id_), outcome=outcome, because="")
    assert bench.counts == Counts(upheld=1, overturned=1)


def test_a_link_with_a_note_that_was_withdrawn_counts_no_more(bench: Bench) -> None:
    first, second = (bench.row("note", note.id) for note in bench.notes[:2])
    bench.add("link", note=first, other=second, kind="derived", reason="from it")
    assert bench.counts.links == 1
    with under_way(
        bench.tx, bench.project, "withdraw", actor="agent", asked=True, clock=bench.author.clock, ids=bench.author.ids
    ) as operation:
        bench.tx.notes.withdraw(bench.project, bench.notes[1].id, operation)
    assert bench.counts.links == 0


def test_the_use_of_a_note_that_is_not_there_is_passed_over(bench: Bench) -> None:
    project: Project = bench.project
    bench.tx.states.put_uses(project, {bench.notes[0].id: Use(1, 2, 0.5), "no_gone": Use(1, 2, 0.5)})
    assert bench.tx.states.uses(project, [bench.notes[0].id, "no_gone"]) == {bench.notes[0].id: Use(1, 2, 0.5)}
