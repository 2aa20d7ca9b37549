"""What is in a memory and nowhere else stays there: whatever upkeep, the gate, retries and other writers do."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from moored.embed.fake import HashingEmbedder
from moored.model.notes import State

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from conftest import Call, House

DAY = 86_400_000
ROUNDS = 1_000


def texts(house: House) -> dict[str, str]:
    return {one.judged.note.id: one.judged.note.head.text for one in house.memory.notes()}


@pytest.mark.invariant("I-08", "I-09")
def test_a_thousand_rounds_of_upkeep_lose_nothing_that_somebody_wrote(house: House) -> None:
    for number in range(30):
        house.remember(f"Crate {number} came in on the {number + 1}th lorry and holds glass.")
    kept = house.remember("Never send on a Sunday: the line is down then.", kind="decision", actor="person")
    house.memory.protect(kept, "agreed with the carrier")
    house.remember("The pool holds 8 connections.", "pool.size")
    house.memory.pin("Never send on Sundays.")
    house.memory.remind("Oil the gears", when="editing relay.py")
    house.memory.add_rule("damp", "age>90d")
    for number in range(4):
        house.say("I prefer pnpm over npm.", session=f"day {number}")
        house.clock.advance(DAY)
    house.edit("settings.toml", "size = 8", "size = 9")
    house.memory.upkeep()
    before = house.rows()
    for round_ in range(ROUNDS):
        if round_ % 50 == 0:
            house.memory.reviewed = None
        house.clock.advance(DAY // 3)
        house.memory.upkeep()
    assert house.rows() == before, "nothing was compressed, merged, replaced, learned again or taken away"
    assert house.memory.doctor(deep=True).healthy


@pytest.mark.invariant("I-09")
def test_everything_that_upkeep_did_can_be_undone_alone(house: House) -> None:
    house.remember("The pool holds 8 connections.", "pool.size")
    for number in range(3):
        house.say("I prefer pnpm over npm.", session=f"day {number}")
        house.clock.advance(DAY)
    house.edit("settings.toml", "size = 8", "size = 9")
    house.memory.upkeep()
    assert house.memory.profile()
    assert house.memory.review().proposals
    for operation in reversed(house.memory.operations()):
        if not operation.asked and operation.kind != "remember":
            house.memory.undo(operation.id)
    assert house.memory.profile() == ()
    assert list(texts(house).values()) == ["The pool holds 8 connections."]


PAIRS = (
    ("The database listens on port 5432.", "The database listens on port 5433."),
    ("The import took 12.4 seconds on the large set.", "The import took 14.2 seconds on the large set."),
    ("The relay is built with release 3.11 of the compiler.", "The relay is built with release 3.12 of the compiler."),
    ("Keys are kept in /etc/relay/keys.", "Keys are kept in /etc/relay2/keys."),
    ("Anna reviews the tariffs of the depot.", "Bertil reviews the tariffs of the depot."),
    ("Parcels above 30 kg are sent by ship.", "Parcels above 30 g are sent by ship."),
    ("The cache is shared between workers.", "The cache is not shared between workers."),
    ("Set RELAY_TIMEOUT before the first run.", "Set RELAY_TIMEOUTS before the first run."),
    ("On day 3 the relay lost 6 parcels.", "On day 6 the relay lost 9 parcels."),
    ("`send` is called by `carry` alone.", "`carry` is called by `send` alone."),
)


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_two_facts_that_differ_in_little_are_both_there(house: House, first: str, second: str) -> None:
    house.remember(first)
    house.clock.advance(DAY)
    house.remember(second)
    assert sorted(texts(house).values()) == sorted((first, second))
    house.memory.upkeep()
    for text in (first, second):
        assert text in [hit.text for hit in house.notes(text)]


def test_a_series_of_measurements_is_no_dispute(house: House) -> None:
    for day in range(12):
        done = house.memory.remember(f"On day {day} the relay lost {day + 3} parcels in the storm.")
        assert done.outcome == "new"
        house.clock.advance(DAY)
    assert house.memory.disputes() == ()
    assert len(texts(house)) == 12


def test_hundreds_of_notes_of_one_form_are_all_kept(house: House) -> None:
    said = [f"Benchmark run {number} took {number * 7 + 13} ms for {number % 9 + 2} workers." for number in range(334)]
    for text in said:
        house.remember(text)
    assert sorted(texts(house).values()) == sorted(said)


def test_a_merge_keeps_every_sentence_and_the_texts_of_before(house: House) -> None:
    first = "The relay retries three times because the line is flaky. It logs each attempt to the journal."
    second = "The relay retries three times because the line is flaky. After the third attempt it rings a bell."
    note = house.remember(first)
    done = house.memory.remember(second)
    everything = " ".join(texts(house).values())
    for sentence in (*first.split(". "), *second.split(". ")):
        assert sentence.rstrip(".") in everything
    assert first in [revision.text for revision in house.memory.history(note)]  # type: ignore[union-attr]
    assert (done.outcome, done.id) == ("merged", note)
    house.memory.undo(house.memory.operations()[-1].id)
    assert house.says(note) == first


PROTECTED = "Parcels are sent by ship and never by air, since the insurance excludes air."


@pytest.mark.invariant("I-08")
def test_a_protected_note_is_the_same_after_everything_that_happens_by_itself(house: House) -> None:
    note = house.remember(PROTECTED, "relay.py::Relay.send", kind="decision", actor="person")
    house.memory.protect(note, "the insurer asked for it")
    before = house.memory.note(note)
    house.remember(PROTECTED + " The insurer confirmed it.")
    house.remember("Parcels are sent by air now instead of by ship.")
    house.remember("Parcels are sent by ship and never by air.")
    house.say("From now on parcels are sent by air. I prefer air over ship.")
    house.write("README.md", f"# Depot\n\n{PROTECTED.replace('never', 'often')}\n")
    house.memory.seed()
    house.edit("relay.py", "attempts=3", "attempts=5")
    house.memory.review()
    for _ in range(10):
        house.clock.advance(40 * DAY)
        house.memory.upkeep()
    house.memory.recall("are parcels sent by ship or by air")
    assert house.memory.note(note) == before
    assert note in [hit.id for hit in house.notes("are parcels sent by ship or by air")]


@pytest.mark.invariant("I-06")
def test_a_note_is_not_taken_for_a_duplicate_of_one_that_is_protected_and_differs(house: House) -> None:
    note = house.remember("The pool holds 8 connections.", "pool.size")
    house.memory.protect(note, "measured")
    other = house.memory.remember("The pool holds 9 connections.", about=["pool.size"])
    assert other.id != note
    assert set(texts(house).values()) == {"The pool holds 8 connections.", "The pool holds 9 connections."}


class Interrupted(HashingEmbedder):
    """An embedder in the middle of whose work somebody else writes."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.go = threading.Event(), threading.Event()

    instant = False

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.begun.set()
        assert self.go.wait(30)
        return super().encode(texts)


def test_what_is_written_during_upkeep_is_not_overwritten(house: House) -> None:
    note = house.remember("Sending is tried three times.", "relay.py::Relay.send")
    slow = Interrupted()
    with house.open(embedder=slow) as other:
        worker = threading.Thread(target=other.upkeep)
        with other.store.write() as transaction:
            transaction.vectors.requeue_missing("another model")
        worker.start()
        assert slow.begun.wait(30)
        house.memory.revise(note, "Sending is tried five times.")
        added = house.remember("The bell rings after the last attempt.")
        slow.go.set()
        worker.join(30)
        assert not worker.is_alive()
    assert house.says(note) == "Sending is tried five times."
    assert house.notes("how often is sending tried")[0].text == "Sending is tried five times."
    assert added in [hit.id for hit in house.notes("when does the bell ring")]
    house.memory.upkeep()
    assert house.memory.doctor(deep=True).healthy


@pytest.mark.invariant("I-17")
def test_an_event_that_is_sent_again_after_a_time_out_is_there_once(house: House, tool: Call) -> None:
    first = house.say("The relay is down since noon.", host_event="event 1")
    house.clock.advance(60_000)
    assert house.say("The relay is down since noon.", host_event="event 1") == first
    with house.open() as restarted:
        again = restarted.record("The relay is down since noon.", host="lab", session="first", host_event="event 1")
    assert (again.episode, again.outcome) == (first, "duplicate")
    sent = [tool("record", content="3 passed", session="s", event="call 7") for _ in range(3)]
    assert len({one["id"] for one in sent}) == 1
    notes = [tool("remember", text="The relay was restarted by hand.") for _ in range(3)]
    assert {one["id"] for one in notes} == {notes[0]["id"]}
    assert [one["outcome"] for one in notes] == ["new", "duplicate", "duplicate"]


def test_the_new_value_comes_before_an_old_one_whose_words_are_those_of_the_question(house: House) -> None:
    old = house.remember("The SSH port of the jump host is 22.")
    house.clock.advance(30 * DAY)
    new = house.remember("SSH to the jump host goes over 49222 now, since the move of the depot in May.")
    hits = house.notes("what is the SSH port of the jump host")
    assert hits[0].id == new
    assert "49222" in hits[0].text
    assert all(hit.verdict.state in (State.SUPERSEDED, State.DISPUTED) for hit in hits[1:] if hit.id == old)


def test_an_old_value_that_a_file_contradicts_says_so_where_it_is_told(house: House) -> None:
    house.remember("SSH to the jump host is on port 22.", "ssh.port")
    house.edit("settings.toml", "port = 22", "port = 49222")
    (hit,) = house.notes("which port is SSH to the jump host on, is it port 22")
    assert (hit.verdict.state, hit.verdict.current) == (State.STALE, "49222")


FILLER = " ".join(f"The lorry number {number} was washed, fuelled and parked behind the shed." for number in range(300))
FACT = "The spare key of the archive hangs behind the barometer."
ASKED = "where does the spare key of the archive hang"


@pytest.mark.parametrize("as_note", [False, True])
def test_a_fact_at_the_end_of_three_thousand_tokens_is_found(house: House, as_note: bool) -> None:
    text = f"{FILLER} {FACT}"
    written = house.remember(text) if as_note else house.say(text)
    house.memory.upkeep()
    answer = house.memory.recall(ASKED, budget=8_000)
    assert answer.hits[0].id == written
    assert FACT in answer.hits[0].text
    small = house.memory.recall(ASKED)
    assert written in [*(hit.id for hit in small.hits), *(one.id for one in small.receipt.omitted)], (
        "and never silently"
    )


def test_parts_of_a_name_find_a_note_whatever_was_done_to_it_since(house: House) -> None:
    note = house.remember("`parseWinterTariff` rounds down, the auditors insisted.")
    for change in (
        lambda: house.memory.recall("winter tariff"),
        lambda: house.memory.rate(note, useful=True),
        lambda: house.memory.protect(note, "agreed"),
        lambda: house.memory.revise(note, tags=["tariffs"], actor="person"),
        lambda: house.memory.unprotect(note),
        house.memory.upkeep,
    ):
        change()
        assert house.notes("winter tariff rounding")[0].id == note


def test_what_a_note_says_now_is_found_and_what_it_said_before_finds_no_phantom(house: House) -> None:
    note = house.remember("The depot is painted in colour 0.")
    for number in range(1, 100):
        house.memory.revise(note, f"The depot is painted in colour {number}.", tags=[f"round-{number}"])
    house.memory.upkeep()
    assert [hit.text for hit in house.notes("how is the depot painted")] == ["The depot is painted in colour 99."]
    assert len(house.memory.history(note)) == 100
    for number in range(100):
        house.write("docs/list.md", f"# List {number}\n")
        (house.root / "docs" / "list.md").rename(house.root / "docs" / f"list{number % 3}.md")
    house.memory.index()
    with house.memory.store.read() as view:
        known = {path for (path,) in view.connection.rows("SELECT DISTINCT path FROM fact WHERE gone_at IS NULL")}
    assert {path for path in known if path.startswith("docs/")} == {f"docs/list{number}.md" for number in range(3)}
    assert house.memory.doctor(deep=True).healthy


def test_many_small_steps_do_not_push_out_what_the_user_asked_for(house: House) -> None:
    house.say("Build the gate for the lorries. Next: order the hinges at the smithy, before Friday.")
    for number in range(80):
        asked = {"tool_name": "Bash", "tool_input": f"make part{number}", "exit_status": 0}
        house.say(f"part {number} is made", role="tool", **asked)
        house.clock.advance(60_000)
    told = house.memory.start(host="lab", session="first", source="compact").text
    assert "order the hinges at the smithy" in told
