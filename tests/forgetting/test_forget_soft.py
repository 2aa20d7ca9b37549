"""What is forgotten softly is in no answer, and is there again when that is undone."""

from __future__ import annotations

import pytest

from forgetting.conftest import RARE, SAID, head, rows, say
from moored.errors import InvalidInput, NotFound
from moored.forgetting.forget import counted
from moored.forgetting.hiding import WINDOW
from moored.memory import Memory

pytestmark = pytest.mark.invariant("I-10")


def _answers(memory: Memory) -> list[object]:
    """What is answered, without the scores of hits, which count what is in the index."""
    found = [[hit.id for hit in memory.recall(query).hits] for query in ("xylophonequartz", "ropes", "winch house")]
    with memory.store.read() as view:
        run = view.facts.command(memory.project, "make moor")
    return [found, memory.aliases(), run and (run.value, run.episode), sorted(n.id for n in _notes(memory))]


def _notes(memory: Memory) -> list[object]:
    with memory.store.read() as view:
        return [note.head for note in view.notes.all(memory.project)]  # type: ignore[return-value] - looked at by id


def test_what_is_forgotten_softly_is_in_no_answer_and_undo_gives_every_answer_back(memory: Memory) -> None:
    run = '{"command": "make moor"}'
    say(memory, "4 boats moored", "e0", role="tool", tool_name="Bash", tool_input=run, exit_status=0)
    turn = say(memory, SAID, "e1")
    output = f'{{"winch": "{SAID}"}}'
    failed = say(memory, output, "e2", role="tool", tool_name="Bash", tool_input=run, exit_status=1)
    note = memory.remember(SAID, about=[turn])
    stays = memory.remember("Ask the harbour master for ropes", about=[turn])
    memory.revise(stays.id, f"Ask the harbour master for ropes: {SAID}")
    before = _answers(memory)
    done = memory.forget(note.id, turn, failed)
    assert done.outcome == "hidden"
    assert done.restorable_until
    assert 0 < memory.clock.now() + WINDOW - done.restorable_until < 1_000
    assert not memory.recall("xylophonequartz").hits
    with pytest.raises(NotFound):
        memory.show(turn)
    assert head(memory, stays.id).text == "Ask the harbour master for ropes"
    with memory.store.read() as view:
        command = view.facts.command(memory.project, "make moor")
        assert command is not None
        assert command.value == "exit 0"
        assert view.facts.of_episode(memory.project, failed) == []
    memory.undo(done.operation)
    assert _answers(memory) == before
    assert memory.store.check(deep=True) == []


def test_importing_again_does_not_show_what_was_forgotten(memory: Memory) -> None:
    turn = say(memory, SAID, "e1")
    at = memory.clock.now()
    done = memory.forget(turn)
    assert memory.record(SAID, host="lab", session="first", host_event="e1").outcome == "duplicate"
    again = memory.record(SAID, host="lab", session="first", host_event="transcript:1", occurred_at=at)
    assert again.outcome == "forgotten"
    assert not memory.recall("xylophonequartz").hits
    memory.undo(done.operation)
    # What was restored is no longer kept out.
    other = memory.record(SAID, host="lab", session="first", host_event="transcript:1", occurred_at=at)
    assert other.outcome == "recorded"


def test_a_new_run_of_a_command_of_which_all_runs_are_hidden_is_its_outcome(memory: Memory) -> None:
    run = '{"command": "make moor"}'
    first = say(memory, "one", "e1", role="tool", tool_name="Bash", tool_input=run, exit_status=1)
    memory.forget(first)
    with memory.store.read() as view:
        assert view.facts.command(memory.project, "make moor") is None
    say(memory, "two", "e2", role="tool", tool_name="Bash", tool_input=run, exit_status=0)
    with memory.store.read() as view:
        known = view.facts.command(memory.project, "make moor")
        assert known is not None
        assert known.value == "exit 0"


def test_what_was_forgotten_is_erased_when_its_time_is_over(memory: Memory) -> None:
    note = memory.remember(SAID)
    memory.forget(note.id)
    assert memory.forget_expired() == ()
    assert RARE[1] in rows(memory)
    memory.clock.advance(WINDOW)  # type: ignore[attr-defined] - a clock that is set by hand
    (done,) = memory.forget_expired()
    assert done.proof is not None
    assert done.proof.found == ()
    assert RARE[1] not in rows(memory)
    assert memory.forget_expired() == ()
    assert memory.store.check(deep=True) == []


def test_upkeep_erases_what_has_expired(memory: Memory) -> None:
    note = memory.remember(SAID)
    memory.forget(note.id)
    memory.clock.advance(WINDOW)  # type: ignore[attr-defined] - a clock that is set by hand
    memory.upkeep()
    assert RARE[1] not in rows(memory)


def test_a_pin_is_not_forgotten_softly(memory: Memory) -> None:
    pin = memory.pin("Never cut a rope")
    with pytest.raises(InvalidInput, match="unpin"):
        memory.forget(pin.id)
    memory.forget(pin.id, hard=True)
    assert memory.pins() == ()


@pytest.mark.parametrize(
    ("number", "name", "said"),
    [
        (1, "episodes", "1 episode"),
        (2, "episodes", "2 episodes"),
        (0, "notes", "0 notes"),
        (1_000, "windows", "1,000 windows"),
        (1, "aliases", "1 alias"),
        (1, "pieces of evidence", "1 piece of evidence"),
        (1, "positions in transcripts", "1 position in transcripts"),
        (1, "waiting texts", "1 waiting text"),
    ],
)
def test_what_is_counted_is_named_in_the_number_it_has(number: int, name: str, said: str) -> None:
    assert counted(number, name) == said
