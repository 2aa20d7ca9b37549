"""Asking a memory neither adds to it, nor rewrites, shortens or ages what is in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from moored.model.notes import State

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Call, House
    from moored.memory import Memory

DAY = 86_400_000
USES = ("note_use", "sqlite_sequence")
"""Tables of which one counts what was told, and one is SQLite's own."""

FACTS = {
    "Parcels are weighed at the gate before the relay takes them.": "where are parcels weighed",
    "The winter tariff begins on the first of November.": "when does the winter tariff begin",
    "Anna signs every invoice above ninety florins.": "who signs the large invoices",
    "The backup of the ledger runs at two in the morning.": "at what hour does the backup of the ledger run",
    "Damaged crates go to the east shed and are photographed.": "what happens to damaged crates",
    "The tracking page is cached for forty seconds.": "for how long is the tracking page cached",
    "Drivers get their route by radio since the app lost data.": "why do drivers get their route by radio",
    "Customs papers are printed in two copies.": "how many copies of the customs papers are printed",
}
QUESTION = "where are parcels weighed"


def filled(house: House) -> dict[str, str]:
    """The facts noted two days apart; the ids of the notes by question."""
    notes = {}
    for text, question in FACTS.items():
        notes[question] = house.remember(text)
        house.clock.advance(2 * DAY)
    return notes


def test_a_second_question_finds_the_note_and_not_the_first_question(house: House) -> None:
    notes = filled(house)
    for _ in range(2):
        for question, note in notes.items():
            assert house.hits(question)[0].id == note
            assert house.hits(question, limit=3)[0].id == note
            house.clock.advance(DAY)
    assert len(house.memory.notes()) == len(FACTS)


def test_a_question_that_a_hook_captured_does_not_stand_before_its_answer(house: House) -> None:
    notes = filled(house)
    asked = [house.say(f"{question}?", session=f"day {day}") for day, question in enumerate(notes)]
    for (question, note), episode in zip(notes.items(), asked, strict=True):
        answer = house.memory.recall(question)
        assert answer.hits[0].id == note
        assert episode not in [hit.id for hit in answer.hits]
        assert (episode, "asks the same") in [(one.id, one.reason) for one in answer.receipt.omitted]
        told = house.memory.before_prompt(f"{question}?", host="lab", session="next").text
        assert note in told
        assert episode not in told


def test_what_was_asked_before_is_told_to_somebody_who_wants_to_know_that(house: House) -> None:
    asked = house.say("Where are parcels weighed?")
    assert [hit.id for hit in house.hits("did I ask where parcels are weighed")] == [asked]


@pytest.mark.parametrize("limit", [None, 3, 4, 5, 8, 10])
def test_a_question_about_what_happened_on_many_days_is_answered(house: House, limit: int | None) -> None:
    for day in range(12):
        house.remember(f"On day {day} the relay lost {day + 3} parcels in the storm.")
        house.clock.advance(2 * DAY)
    fields: dict[str, Any] = {} if limit is None else {"limit": limit}
    hits = house.hits("how many parcels did the relay lose in the storm", **fields)
    assert len(hits) >= min(limit or 12, 12)
    assert sum(hit.kind == "note" for hit in hits) >= min(limit or 12, 12) - 2, "beside the symbols of the relay"
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True), "the most relevant comes first however many are returned"


def test_the_command_and_the_tool_answer_with_more_than_four_notes(command: Call, tool: Call) -> None:
    for number in range(8):
        command("remember", f"Shed {number} of the depot holds crates of sort {number}.")
    assert len(command("recall", "what do the sheds of the depot hold")["hits"]) >= 5
    assert len(tool("recall", query="what do the sheds of the depot hold")["hits"]) >= 5


def test_a_long_note_is_as_long_after_a_hundred_questions(house: House) -> None:
    text = " ".join(f"To move crate {number}, carry it to shed {number} after noon, by hand." for number in range(100))
    assert len(text) > 5_500
    note = house.remember(text)
    for _ in range(100):
        assert [hit.text for hit in house.notes("carry crates by hand", budget=8_000)] == [text]
    assert house.says(note) == text
    assert len(house.memory.history(note)) == 1


READS: dict[str, Callable[[Memory], object]] = {
    "recall": lambda m: m.recall(QUESTION, context=3),
    "brief": lambda m: m.brief(QUESTION),
    "start": lambda m: [m.start(host="lab", session="first", source=one) for one in ("startup", "resume", "compact")],
    "before a prompt": lambda m: m.before_prompt(f"{QUESTION}?", host="lab", session="next"),
    "before an edit": lambda m: m.before_edit(["relay.py"]),
    "show": lambda m: [m.show(note.judged.note.id) for note in m.notes()],
    "history": lambda m: [m.history(note.judged.note.id) for note in m.notes()],
    "explain": lambda m: [m.explain(note.judged.note.id) for note in m.notes()],
    "stale": lambda m: m.stale(),
    "lists": lambda m: (m.notes(by="heat"), m.profile(every=True), m.disputes(), m.rules(), m.reminders(), m.pins()),
    "accounts": lambda m: (m.operations(), m.status(), m.doctor(deep=True), m.projects(), m.aliases()),
    "code": lambda m: (m.symbol("Relay.send"), m.impact("Relay.send"), m.map()),
    "trying rules": lambda m: m.test_rules(QUESTION),
}


@pytest.mark.invariant("I-11")
@pytest.mark.parametrize("read", sorted(READS))
def test_nothing_is_written_by_asking_but_that_a_note_was_told(house: House, read: str) -> None:
    filled(house)
    house.remember("Sending is tried three times.", "relay.py::Relay.send")
    house.remember("SSH is on port 22.", "ssh.port")
    house.remember("SSH is on port 2222.", "ssh.port")
    house.say("I prefer pnpm over npm.")
    house.memory.upkeep()
    before = house.rows(without=(*USES, "file"))
    for _ in range(3):
        READS[read](house.memory)
        house.clock.advance(DAY)
    house.memory.uses.keep()
    assert house.rows(without=(*USES, "file")) == before, "that a file was looked at may be noted, and nothing else"


def test_a_question_is_no_evidence_that_a_note_is_wrong(house: House) -> None:
    note = house.remember("The pool holds 8 connections.", "pool.size")
    for question in ("is the pool not of 9 connections now", "the pool holds 9 connections, right?"):
        assert house.notes(question)[0].verdict.state is State.CURRENT
        house.clock.advance(DAY)
    assert house.memory.review().proposals == ()
    assert house.memory.disputes() == ()
    assert house.says(note) == "The pool holds 8 connections."


def test_editing_one_file_neither_hides_nor_cools_notes_about_others(house: House) -> None:
    notes = [house.remember(f"Crate {number} goes to shed {number}.", "settings.toml") for number in range(5)]
    notes.append(house.remember("Sending is tried three times.", "relay.py::Relay.send"))
    house.memory.pin("Never send on Sundays.")
    before = [(one.judged.note.id, one.state.heat.value) for one in house.memory.notes()]
    for number in range(5):
        house.write("CHANGELOG.md", f"# Changes\n\n- change {number}\n")
        house.memory.index()
    assert [(one.judged.note.id, one.state.heat.value) for one in house.memory.notes()] == before
    assert {house.memory.show(note).verdict.state for note in notes} == {State.CURRENT}  # type: ignore[union-attr]
    assert "Never send on Sundays." in house.memory.start(host="lab", session="next").text
    house.edit("relay.py", "attempts=3", "attempts=5")
    stale = house.notes("how often is sending tried")[0]
    assert (stale.id, stale.verdict.state) == (notes[-1], State.STALE), "it is marked, and told all the same"
    house.edit("relay.py", "attempts=5", "attempts=3")
    assert house.notes("how often is sending tried")[0].verdict.state is State.CURRENT, "and that is not for ever"
