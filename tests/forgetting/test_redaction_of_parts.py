"""A secret that was recorded is taken out, and what it stood in stays."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from forgetting.conftest import begin, episode, head, raw, rows, say
from moored.errors import InvalidInput, NotFound
from moored.forgetting.forget import NotProven
from moored.memory import Memory

pytestmark = pytest.mark.invariant("I-10", "I-20")

KEY = "Zr7-parrot/9481=quay"


def _held(memory: Memory) -> list[str]:
    found = ["row"] if KEY in rows(memory) else []
    return found + [file for file, data in raw(memory).items() if KEY.encode() in data]


def test_a_secret_is_taken_out_of_a_turn_under_the_same_id_and_found_nowhere(memory: Memory) -> None:
    before = say(memory, "how do we get in?", "e0")
    turn = say(memory, f"the gate of the harbour opens with {KEY} at night", "e1")
    after = say(memory, "thank you, noted", "e2", role="assistant")
    memory.upkeep()
    assert _held(memory)
    shown = memory.redact(KEY, turn, preview=True)
    assert shown.plan.episodes == (turn,)
    assert KEY not in str(shown)
    assert episode(memory, turn).text.endswith(f"{KEY} at night")
    done = memory.redact(KEY, turn, token=shown.plan.token)
    assert done.outcome == "redacted"
    assert done.proof is not None
    assert done.proof.found == ()
    assert episode(memory, turn).text == "the gate of the harbour opens with [redacted] at night"
    assert _held(memory) == []
    assert memory.recall("what opens the gate of the harbour").hits[0].id == turn
    assert [one.id for one in _recent(memory)] == [after, turn, before]
    assert memory.store.check(deep=True) == []


def _recent(memory: Memory) -> list[object]:
    with memory.store.read() as view:
        return list(view.episodes.recent(memory.project, 9))


def test_the_same_event_stays_known_and_a_transcript_does_not_bring_the_secret_back(memory: Memory) -> None:
    text = f"the gate opens with {KEY}"
    turn, at = say(memory, text, "e1"), memory.clock.now()
    memory.redact(KEY)
    again = memory.record(text, host="lab", session="first", host_event="e1", occurred_at=at)
    assert (again.outcome, again.episode) == ("duplicate", turn)
    renamed = memory.record(text, host="lab", session="first", host_event="user:7", occurred_at=at)
    assert renamed.outcome == "forgotten"
    assert _held(memory) == []


def test_notes_pins_aliases_facts_and_anchors_that_repeat_it_are_redacted_too(memory: Memory) -> None:
    asked = json.dumps({"command": f"curl -H 'X-Gate: {KEY}' harbour"})
    answer = json.dumps({"gate": {"key": KEY, "open": True}})
    call = say(memory, answer, "e1", role="tool", tool_name="Bash", tool_input=asked, exit_status=0)
    note = memory.remember(f"The gate opens with {KEY}", about=[call], tags=["gate"])
    memory.revise(note.id, f"The gate opens with {KEY} and a smile")
    memory.pin(f"Always greet with {KEY}")
    memory.alias("gate key", KEY)
    done = memory.redact(KEY)
    assert dict(done.plan.also) == {"revisions": 2, "anchors": 2, "pins": 1, "aliases": 1}
    assert head(memory, note.id).text == "The gate opens with [redacted] and a smile"
    assert [pin.text for pin in memory.pins()] == ["Always greet with [redacted]"]
    assert memory.aliases() == ()
    with memory.store.read() as view:
        values = {fact.name: fact.value for fact in view.facts.of_episode(memory.project, call)}
        command = view.facts.command(memory.project, "curl -H 'X-Gate: [redacted]' harbour")
        assert command is not None
        assert command.value == "exit 0"
    assert values["gate.key"] == "[redacted]"
    assert _held(memory) == []
    assert memory.store.check(deep=True) == []
    assert memory.recall("gate smile").hits[0].id == note.id


def test_a_secret_with_quotes_is_found_inside_json_as_well(memory: Memory) -> None:
    quoted = 'a "quoted\\key" of the gate'
    asked = json.dumps({"command": f"open {quoted}"})
    say(memory, "opened", "e1", role="tool", tool_name="Bash", tool_input=asked, exit_status=0)
    memory.redact(quoted)
    assert "quoted" not in rows(memory)


def test_a_long_turn_keeps_its_place_in_the_session(memory: Memory) -> None:
    long = "\n".join(f"line {number} of what the harbour master told" for number in range(200))
    first = say(memory, f"{long}\n{KEY * 60}\n{long}", "e1")
    second = say(memory, "and then?", "e2")
    memory.redact(KEY)
    with memory.store.read() as view:
        placed = view.connection.rows(
            "SELECT e.id, w.ordinal FROM window w JOIN episode e ON e.seq = w.episode ORDER BY w.ordinal"
        )
    assert [ordinal for _, ordinal in placed] == list(range(len(placed)))
    assert [id_ for id_, _ in placed] == [first] * (len(placed) - 1) + [second]
    assert memory.store.check(deep=True) == []


def test_a_secret_that_another_project_holds_stays_there_and_is_told(memory: Memory, tmp_path: Path) -> None:
    other = begin(tmp_path / "quay", memory.store.path)
    theirs = say(other, f"their gate opens with {KEY} as well", "e1")
    ours = say(memory, f"the gate opens with {KEY}", "e1")
    with pytest.raises(NotProven, match="something of it is left") as failure:
        memory.redact(KEY)
    assert KEY not in str(failure.value)
    assert episode(memory, ours).text == "the gate opens with [redacted]"
    assert episode(other, theirs).text == f"their gate opens with {KEY} as well"
    other.redact(KEY)
    assert _held(memory) == []
    other.close()


def test_what_cannot_be_taken_out_is_said(memory: Memory) -> None:
    with pytest.raises(InvalidInput, match="at least 4"):
        memory.redact("abc")
    turn = say(memory, "nothing in it", "e1")
    with pytest.raises(NotFound, match="does not hold"):
        memory.redact(KEY, turn)
    with pytest.raises(NotFound, match="no episode"):
        memory.redact(KEY, "ep_none")


def test_what_the_ledger_shows_of_a_file_is_redacted_now_and_in_its_history(memory: Memory) -> None:
    file = Path(memory.tree.root, "harbour.toml")
    file.write_text(f'greeting = "hail {KEY}"\nother = 1\n', encoding="utf-8")
    memory.index()
    file.write_text(f'greeting = "hello {KEY}"\nother = 1\n', encoding="utf-8")
    memory.index()
    note = memory.remember("We greet every ship", about=["harbour.toml::greeting"])
    say(memory, f"we greet with {KEY}", "e1")
    done = memory.redact(KEY)
    assert dict(done.plan.also)["facts"] == 2
    assert "[redacted]" in memory.symbol("harbour.toml::greeting").fact.value
    assert _held(memory) == []
    assert memory.store.check(deep=True) == []
    assert memory.recall("which ship do we greet").hits[0].id == note.id
    assert memory.recall("which ship do we greet").hits[0].verdict.state == "current"
