"""Profiles from end to end: learned as things are recorded, read by every surface, put right as any note is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner

from moored.cli.main import cli
from moored.memory import Memory, open_memory
from moored.model.clock import ManualClock
from moored.model.episodes import Role
from moored.model.ids import SequentialIds
from moored.model.recall import HitKind
from moored.record.inbox import Entry, Inbox
from moored.server.tools_profile import PROFILE_TOOL

HOUR = 3_600_000


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def memory(tmp_path: Path, clock: ManualClock) -> Iterator[Memory]:
    root = tmp_path / "courier"
    root.mkdir()
    with open_memory(root, store=tmp_path / "moored.db", clock=clock, ids=SequentialIds(), dense=False) as opened:
        yield opened


def texts(memory: Memory) -> list[str]:
    return [entry.judged.note.head.text for entry in memory.profile()]


def test_a_turn_that_is_recorded_is_learned_from_at_once(memory: Memory) -> None:
    memory.record("I prefer pnpm over npm.", host="lab", session="one")
    assert texts(memory) == ["I prefer pnpm over npm."]


def test_recall_finds_a_preference_as_a_note_and_its_turn_as_what_was_said(memory: Memory) -> None:
    memory.record("Thanks! I prefer pnpm over npm. Now mend the build of the relay.", host="lab", session="one")
    hits = memory.recall("which package manager is preferred, pnpm or npm?").hits
    assert {hit.kind for hit in hits} == {HitKind.NOTE, HitKind.EPISODE}
    assert all(hit.verdict.state != "superseded" for hit in hits)


def test_a_turn_stays_what_was_said_when_the_preference_in_it_is_reworded(memory: Memory) -> None:
    memory.record("Thanks! I prefer pnpm over npm. Now mend the build of the relay.", host="lab", session="one")
    (entry,) = memory.profile()
    memory.revise(entry.judged.note.id, "I prefer yarn over npm.", actor="person")
    turn = next(hit for hit in memory.recall("mend the build of the relay").hits if hit.kind is HitKind.EPISODE)
    assert turn.verdict.state == "current"


def test_the_brief_at_the_start_shows_the_best_founded_lines_once_with_their_evidence(
    memory: Memory, clock: ManualClock
) -> None:
    for number in range(3):
        clock.advance(HOUR)
        memory.record("I prefer pnpm over npm.", host="lab", session=f"session {number}")
        memory.record("ok", role=Role.TOOL, tool_name="Bash", tool_input="make test", exit_status=0, host="lab",
                      session=f"session {number}")  # fmt: skip
    memory.upkeep()
    brief = memory.start(host="lab", session="next").text
    assert "Wanted here, the best founded first:" in brief
    assert "belief (3 pieces of evidence, 3 occasions): As package manager, the user wants pnpm." in brief
    assert "> Tests are run with `make test`." in brief
    assert brief.count("the user wants pnpm") == 1
    assert brief.count("I prefer pnpm over npm.") <= 3  # what was said in each session, and no note beside the belief


def test_what_hooks_captured_is_learned_when_it_is_absorbed(memory: Memory) -> None:
    inbox = Inbox(memory.store.path)
    for number in range(3):
        inbox.put(
            Entry(
                b"Always answer in German.",
                "user",
                "user",
                host="claude-code",
                session=f"s{number}",
                host_event=f"prompt:{number}",
                occurred_at=1_700_000_000_000 + number,
                cwd=str(memory.tree.root),
            )
        )
    memory.absorb()
    assert texts(memory) == ["As answer language, the user wants German.", "Always answer in German."]


def test_what_was_not_learned_when_it_was_recorded_is_learned_by_upkeep(memory: Memory) -> None:
    memory.record("I prefer tabs.", host="lab", session="one")
    with memory.store.write() as transaction:
        transaction.connection.execute("UPDATE profile SET read_to = 0")
    assert memory.learn().preferences == ()
    assert memory.learn().turns == 0
    assert texts(memory) == ["I prefer tabs."]


def test_undo_takes_back_what_one_reading_wrote(memory: Memory) -> None:
    memory.record("I prefer tabs.", host="lab", session="one")
    operation = memory.operations()[-1]
    assert (operation.kind, operation.actor, operation.asked) == ("learn", "profile", False)
    memory.undo(operation.id)
    assert memory.profile() == ()
    memory.upkeep()
    assert memory.profile() == ()


def test_a_store_that_cannot_be_written_shows_its_profile_all_the_same(
    memory: Memory, tmp_path: Path, clock: ManualClock
) -> None:
    memory.record("I prefer tabs.", host="lab", session="one")
    with open_memory(memory.tree.root, store=memory.store.path, read_only=True, clock=clock, dense=False) as reader:
        assert texts(reader) == ["I prefer tabs."]
        assert reader.learn().turns == 0


def test_the_command_shows_ids_meaning_evidence_and_what_was_replaced(memory: Memory, clock: ManualClock) -> None:
    memory.record("I prefer npm.", host="lab", session="one")
    clock.advance(HOUR)
    turn = memory.record("From now on, use pnpm instead of npm.", host="lab", session="two").episode
    (newer,) = memory.profile()

    def said(*arguments: str) -> str:
        base = ["--project", str(memory.tree.root), "--store", str(memory.store.path), "profile"]
        done = CliRunner().invoke(cli, [*base, *arguments])
        assert done.exit_code == 0, done.output
        return done.output

    assert f"{newer.judged.note.id} preference, package manager of the user: pnpm over npm" in said()
    assert f"1 of 1 pieces of evidence, last 2025-06-15: {turn}" in said()
    assert "I prefer npm." not in said()
    assert "[superseded]" in said("--all")
    assert "nothing is known yet" in said("--about", "tone")


def test_the_tool_tells_the_same_within_its_budget_and_quotes_what_is_data(memory: Memory, clock: ManualClock) -> None:
    for number in range(3):
        clock.advance(HOUR)
        memory.record(
            "ok", role=Role.TOOL, tool_name="Bash", tool_input="make test", exit_status=0, session=f"session {number}"
        )
    memory.record("I prefer pnpm over npm.", session="one")
    memory.upkeep()
    answer = PROFILE_TOOL.run(memory, about="", every="no", budget=1_500)
    jsonschema.validate(dict(answer.data), dict(PROFILE_TOOL.output))
    habit, preference = answer.data["profile"]
    assert (habit["key"], habit["by"], habit["occasions"]) == ("test command", "rule", 3)
    assert (preference["key"], preference["value"]) == ("package manager", "pnpm")
    assert "> Tests are run with `make test`." in answer.text
    assert "\nI prefer pnpm over npm." in answer.text
    assert f"1 of 1 pieces stand, last 2025-06-15: {preference['evidence'][0]}" in answer.text
    short = PROFILE_TOOL.run(memory, about="", every="no", budget=100)
    assert short.data["omitted_count"] == 1
    assert "(1 left out)" in short.text
