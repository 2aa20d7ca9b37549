"""What memory itself handed out is not stored again as something that was said, learned or noted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from lab import hooks
from moored.memory import open_memory
from moored.record.inbox import Inbox

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from conftest import House

DAY = 86_400_000
LESSON = "The winch slips in the rain, so the depot lifts by hand then."


@pytest.fixture
def quiet(house: House) -> Iterator[House]:
    """A house in which no absorber starts by itself."""
    with Inbox(house.store).attending():
        yield house


def briefs(house: House) -> list[str]:
    """What is handed to an agent at each of its moments; each holds something."""
    house.memory.pin("I always want tabs. Never send on Sundays.")
    house.remember(LESSON, "relay.py::Relay.send", kind="lesson")
    house.memory.remind("Oil the gears", when="editing relay.py")
    told = [
        house.memory.start(host="lab", session="s").text,
        house.memory.before_prompt("why does the winch slip in the rain", host="lab", session="s").text,
        house.memory.before_edit(["relay.py"]).text,
        house.memory.brief("why does the winch slip in the rain").text,
    ]
    assert all(told)
    return told


def test_a_prompt_that_holds_an_injected_brief_keeps_only_what_the_user_said(quiet: House) -> None:
    told = briefs(quiet)
    before = {one.judged.note.id for one in quiet.memory.notes()}
    for number, text in enumerate(told):
        prompt = hooks.prompt(quiet.root, f"{text}\nMend the gate.", prompt_id=f"p{number}", session_id=f"s{number}")
        hooks.ask(quiet.store, "UserPromptSubmit", prompt)
    quiet.memory.absorb()
    quiet.memory.upkeep()
    with quiet.memory.store.read() as view:
        said = [one.text for one in view.episodes.all(quiet.memory.project) if one.host == "claude-code"]
    assert len(said) == len(told)
    assert {text.strip() for text in said} == {"Mend the gate."}
    assert {one.judged.note.id for one in quiet.memory.notes()} == before
    assert quiet.memory.profile() == ()
    assert quiet.memory.reminders(proposed=True) == ()


def test_a_transcript_that_holds_injected_briefs_adds_none_of_them(house: House, tmp_path: Path) -> None:
    told = briefs(house)
    before = {one.judged.note.id for one in house.memory.notes()}
    file = tmp_path / "transcripts" / "4f2c.jsonl"
    file.parent.mkdir()
    lines = [
        {
            "type": "user",
            "uuid": f"u{number}",
            "parentUuid": f"u{number - 1}" if number else None,
            "sessionId": "4f2c",
            "cwd": house.memory.tree.root,
            "timestamp": f"2025-06-15T12:00:0{number}.000Z",
            "message": {"role": "user", "content": [{"type": "text", "text": f"{text}\nMend gate {number}."}]},
        }
        for number, text in enumerate(told)
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    house.memory.import_transcripts("claude-code", file.parent)
    house.memory.upkeep()
    with house.memory.store.read() as view:
        said = [one.text for one in view.episodes.all(house.memory.project) if one.session == "4f2c"]
    assert len(said) == len(told)
    assert not any("winch" in text or "Sundays" in text or "gears" in text for text in said)
    assert {one.judged.note.id for one in house.memory.notes()} == before
    assert house.memory.profile() == ()


def test_calls_of_the_memory_itself_are_not_recorded(quiet: House) -> None:
    briefs(quiet)
    answer = hooks.bash(quiet.root, LESSON) | {"tool_name": "mcp__moored__recall", "tool_input": {"query": "winch"}}
    hooks.ask(quiet.store, "PostToolUse", answer)
    assert quiet.memory.absorb().recorded == 0


def test_an_agent_that_notes_what_it_recalled_adds_no_second_note(house: House) -> None:
    note = house.remember(LESSON, kind="lesson")
    before = house.memory.explain(note).state.confidence
    for _ in range(5):
        told = house.notes("why does the winch slip in the rain")[0]
        again = house.memory.remember(told.text, kind="lesson")
        assert (again.id, again.outcome) == (note, "duplicate")
        house.clock.advance(DAY)
    assert [one.judged.note.id for one in house.memory.notes()] == [note]
    assert house.memory.explain(note).state.confidence == before, "saying it back is no evidence for it"
    assert len(house.memory.history(note)) == 1


def test_an_agent_that_repeats_a_preference_makes_it_no_better_founded(house: House) -> None:
    house.say("I prefer pnpm over npm.", session="one")
    (before,) = house.memory.profile()
    for day in range(4):
        house.say("I prefer pnpm over npm.", session=f"day {day}", role="assistant")
        house.memory.remember("The user prefers pnpm over npm.")
        house.clock.advance(DAY)
    house.memory.upkeep()
    (after,) = [entry for entry in house.memory.profile() if entry.judged.note.id == before.judged.note.id]
    assert after.pieces == before.pieces
    assert all(entry.judged.note.kind != "belief" for entry in house.memory.profile())


def test_a_restated_system_prompt_makes_no_memory(house: House) -> None:
    prompt = "You are a careful assistant. Always use npm. Remember that I prefer tabs. When editing relay.py, stop."
    for day in range(4):
        house.say(prompt, session=f"day {day}")
        house.say(prompt, session=f"day {day}", role="system")
        house.clock.advance(DAY)
    house.memory.upkeep()
    assert house.memory.notes() == ()
    assert house.memory.profile() == ()


def test_what_a_hook_captured_is_found_by_a_command_that_was_told_nothing(
    house: House, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from moored.settings import default_store

    store = default_store()
    assert store != house.store
    with Inbox(store).attending():
        hooks.ask(store, "UserPromptSubmit", hooks.prompt(house.root, "The ferry leaves at noon."), env={})
    with open_memory(house.root, dense=False) as memory:
        assert [hit.text for hit in memory.recall("when does the ferry leave").hits] == ["The ferry leaves at noon."]
