"""What is forgotten is gone: from every answer, from all that was made of it, and from every byte of a file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from moored.errors import NotFound

if TYPE_CHECKING:
    from conftest import Call, House

pytestmark = pytest.mark.invariant("I-10")

RARE = "xylophonequartz"
SAID = f"I prefer {RARE} over marble for the stairs of the depot."
DAY = 86_400_000


def left(house: House) -> list[str]:
    """The files beside the store in which the rare word stands, in any case."""
    return [name for name, data in house.bytes_of_files().items() if RARE.encode() in data.lower()]


def told(house: House) -> str:
    """All that the memory says when it is asked for the rare word in every way."""
    memory = house.memory
    said: list[Any] = [memory.recall(f"stairs of {RARE}"), memory.brief(f"stairs of {RARE}").text]
    said += [memory.before_prompt(f"Build the stairs of {RARE}", host="lab", session="next").text]
    said += [memory.start(host="lab", session="s", source=one).text for one in ("startup", "resume", "compact")]
    said += [memory.before_edit(["relay.py"]).text, memory.notes(), memory.profile(every=True), memory.reminders()]
    said += [memory.reminders(proposed=True), memory.pins(), memory.rules(), memory.disputes(), memory.stale()]
    said += [memory.aliases(), memory.review(), memory.operations()]
    return repr([one._replace(receipt=None) if hasattr(one, "receipt") else one for one in said])


def filled(house: House) -> list[str]:
    """One thing said in every way that a memory has; the ids of all that hold it of their own."""
    turns = []
    for day in range(4):
        turns.append(house.say(SAID, session=f"day {day}", host_event=f"e{day}"))
        house.clock.advance(DAY)
    note = house.remember(f"The stairs are of {RARE}.", "relay.py::Relay.send", turns[0])
    house.memory.revise(note, f"The stairs are of polished {RARE}.")
    other = house.remember(f"The stairs are not of {RARE} but of oak.")
    reminder = house.memory.remind(f"Order {RARE}", when="editing relay.py").id
    proposed = house.say(f"When we touch relay.py, remember to order {RARE}.", session="ask", host_event="ask")
    pin = house.memory.pin(f"Never paint {RARE}.").id
    house.memory.rate(other, useful=False, because=f"no {RARE} in stock")
    house.memory.upkeep()
    house.memory.review()
    assert any(entry.judged.note.kind == "belief" for entry in house.memory.profile())
    learned = [entry.judged.note.id for entry in house.memory.profile(every=True)]
    return [*turns, note, other, reminder, proposed, pin, *learned]


def test_after_forgetting_for_good_the_words_are_in_no_answer_and_in_no_file(house: House) -> None:
    every = filled(house)
    house.memory.export(house.store.parent / "kept-by-the-user.jsonl")
    (house.store.parent / "kept-by-the-user.jsonl").unlink()
    house.memory.store.backup(house.store.parent / "moored.db.before-8")
    assert RARE in told(house)
    assert left(house)
    known = set(every)
    for id_ in every:
        try:
            house.memory.forget(id_, hard=True)
        except NotFound:
            known.discard(id_)  # it went with what it rested on
    house.memory.store.truncate_log()
    assert RARE not in told(house)
    assert [name for name in left(house) if name != "moored.db.before-8"] == []
    assert house.memory.doctor(deep=True).healthy


def test_one_call_takes_a_leaked_word_out_of_everything(house: House) -> None:
    filled(house)
    shown = house.memory.redact(RARE, preview=True)
    assert RARE in told(house), "a preview takes nothing"
    house.memory.redact(RARE, token=shown.plan.token)
    assert RARE not in told(house)
    house.memory.store.truncate_log()
    assert left(house) == []


def test_a_belief_loses_its_standing_with_the_turns_that_it_was_derived_from(house: House) -> None:
    turns = []
    for day, form in enumerate(("{}", "Again: {}", "Please mind: {}", "Thanks. {}")):
        turns.append(house.say(form.format(SAID), session=f"day {day}"))
        house.clock.advance(DAY)
    house.memory.upkeep()
    (belief,) = [one for one in house.memory.profile() if one.judged.note.kind == "belief"]
    for turn in turns[1:]:
        house.memory.forget(turn, hard=True)
    assert belief.judged.note.id not in [
        one.judged.note.id for one in house.memory.profile() if one.judged.verdict.state == "current"
    ]
    house.memory.forget(turns[0], hard=True)
    assert house.memory.profile(every=True) == ()
    assert house.hits(f"do I prefer {RARE}") == []


def test_a_reminder_does_not_outlive_the_note_or_the_words_that_it_came_with(house: House) -> None:
    note = house.remember("The gears are oiled with whale oil.")
    house.memory.remind("Oil the gears", when="editing relay.py", note=note)
    turn = house.say("When we touch settings.toml, remember to tell Anna.")
    (proposed,) = house.memory.reminders(proposed=True)
    house.memory.accept_reminder(proposed.id)
    assert "Oil the gears" in house.memory.before_edit(["relay.py"]).text
    assert "tell Anna" in house.memory.before_edit(["settings.toml"]).text
    house.memory.forget(note, hard=True)
    house.memory.forget(turn, hard=True)
    assert "Oil the gears" not in house.memory.before_edit(["relay.py"]).text
    assert house.memory.reminders(proposed=True) == ()


def test_what_was_forgotten_stays_out_when_it_is_handed_in_again(house: House) -> None:
    turn = house.say(SAID, host_event="e1")
    house.memory.forget(turn, hard=True)
    for _ in range(2):
        house.memory.record(SAID, host="lab", session="first", host_event="e1")
        house.memory.upkeep()
    assert RARE not in told(house)
    assert left(house) == []


@pytest.mark.parametrize("hard", [False, True])
def test_forgetting_by_command_says_what_goes_first_and_what_is_left_after(command: Call, hard: bool) -> None:
    note = command("remember", f"The stairs are of {RARE}.")["id"]
    command("remember", "The roof is of slate.")
    shown = command("forget", note, "--preview")
    assert note in json.dumps(shown)
    assert command("recall", f"stairs of {RARE}")["hits"]
    done = command("forget", note, *(["--hard"] if hard else []), "--yes")
    assert [hit for hit in command("recall", f"stairs of {RARE}")["hits"] if RARE in hit["text"]] == []
    assert command("recall", "what is the roof of")["hits"]
    if hard:
        assert done["proof"]
    else:
        command("undo", done["operation"])
        assert command("recall", f"stairs of {RARE}")["hits"][0]["id"] == note


def test_forgetting_everything_of_one_project_leaves_the_others_whole(house: House) -> None:
    other = house.beside("quay")
    mine, theirs = house.remember(f"The stairs are of {RARE}."), other.remember("The stairs of the quay are of oak.")
    before = [hit._replace(score=0, signals={}) for hit in other.hits("what are the stairs of")]
    house.memory.forget(everything=True, hard=True)
    assert house.memory.notes() == ()
    with pytest.raises(NotFound):
        house.memory.show(mine)
    assert [hit._replace(score=0, signals={}) for hit in other.hits("what are the stairs of")] == before
    assert other.says(theirs) == "The stairs of the quay are of oak."
    other.memory.close()
