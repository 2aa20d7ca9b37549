"""What holds for every import: each thing once, each import undoable, each transcript where it belongs."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import pytest

from lab.importing import Desk, counts, known, recorded
from moored.errors import NotFound
from moored.importers.account import TranscriptImport
from moored.importers.reading import NAMED
from moored.memory import open_memory
from moored.model.episodes import Channel, Role

AT = ".claude/projects/-courier/s-1.jsonl"


def user(desk: Desk, uuid: str, text: str, **more: object) -> Mapping[str, Any]:
    """A prompt as Claude Code writes it."""
    envelope = {"type": "user", "uuid": uuid, "sessionId": "s", "cwd": str(desk.root)}
    return {**envelope, "timestamp": "2026-03-02T09:00:00Z", "message": {"role": "user", "content": text}, **more}


@pytest.mark.invariant("I-17")
def test_importing_again_changes_nothing(desk: Desk) -> None:
    desk.lay("claude_code.jsonl", AT)
    first = desk.bring("claude-code")
    before = desk.episodes()
    again = desk.bring("claude-code")
    assert (recorded(first), again.projects, again.unchanged, desk.episodes()) == (12, (), 1, before)


@pytest.mark.invariant("I-17")
def test_a_transcript_that_was_touched_is_read_from_where_it_was_read_to(desk: Desk) -> None:
    path = desk.lay("claude_code.jsonl", AT)
    desk.bring("claude-code")
    os.utime(path, ns=(1, 1))
    again = desk.bring("claude-code")
    assert (again.transcripts, again.turns, recorded(again), known(again)) == (1, 0, 0, 0)


@pytest.mark.invariant("I-17")
def test_a_transcript_whose_beginning_changed_is_read_from_the_beginning(desk: Desk) -> None:
    path = desk.lay("claude_code.jsonl", AT)
    desk.bring("claude-code")
    path.write_text(path.read_text().replace("Retry of the courier", "Retry of a courier."))
    again = desk.bring("claude-code")
    assert (again.turns, recorded(again), known(again)) == (7, 0, 12)


@pytest.mark.invariant("I-17")
@pytest.mark.parametrize(
    ("host", "name", "at"),
    [
        ("codex", "codex.jsonl", ".codex/sessions/rollout-1.jsonl"),
        ("gemini", "gemini.jsonl", ".gemini/tmp/x/chats/session-2.jsonl"),
        ("copilot", "copilot.jsonl", ".copilot/session-state/cp-1.jsonl"),
    ],
)
def test_a_transcript_that_grows_line_by_line_gives_in_the_end_what_it_gives_at_once(
    desk: Desk, host: str, name: str, at: str
) -> None:
    path = desk.lay(name, at)
    lines = path.read_text().splitlines(keepends=True)
    for number in range(1, len(lines) + 1):
        path.write_text("".join(lines[:number]))
        desk.bring(host)
    grown = sorted((one.session, one.role, one.text, one.tool_input) for one in desk.episodes())
    with open_memory(desk.root, store=desk.home / "other.db", dense=False) as memory:
        memory.import_transcripts(host)
        other = Desk(memory, desk.root, desk.home)
        assert grown == sorted((one.session, one.role, one.text, one.tool_input) for one in other.episodes())


def test_a_result_that_comes_later_finds_its_call(desk: Desk) -> None:
    path = desk.lay("claude_code.jsonl", AT)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:4]))
    assert counts(desk.bring("claude-code")) == (2, 0, 0)
    path.write_text("".join(lines[:7]))
    again = desk.bring("claude-code")
    assert [(tool, status) for tool, _, status in desk.calls()] == [("Read", None), ("Bash", 2)]
    assert (recorded(again), len(desk.episodes())) == (2, 4)


def test_a_half_written_last_line_is_read_when_it_is_whole(desk: Desk) -> None:
    path = desk.write("x/s.jsonl", user(desk, "a", "first"))
    whole, second = path.read_text(), json.dumps(user(desk, "b", "second"))
    path.write_text(whole + second[:40])
    first = desk.bring("claude-code", path)
    assert (recorded(first), first.bad) == (1, ())
    path.write_text(whole + second)
    assert recorded(desk.bring("claude-code", path)) == 1
    path.write_text(whole + second + "\n")
    assert recorded(desk.bring("claude-code", path)) == 0
    assert desk.texts() == ["first", "second"]


@pytest.mark.invariant("I-17")
def test_equal_things_without_ids_and_times_are_all_kept_however_the_transcript_grows(desk: Desk) -> None:
    content = [{"type": "input_text", "text": "go on"}]
    call = {"type": "function_call", "name": "shell", "arguments": '{"command":["ls"]}'}
    rounds = [
        {"type": "message", "role": "user", "content": content},
        call,
        {"type": "function_call_output", "output": "a.txt"},
    ]
    head = {"id": "cx-0", "timestamp": "2025-05-04T08:00:00Z"}
    for number in (1, 2, 3):
        path = desk.write("x/old.jsonl", head, *(rounds * number))
        assert recorded(desk.bring("codex", path)) == 2
    assert desk.texts() == ["go on", "a.txt"] * 3


def test_bad_lines_are_counted_and_the_first_are_named(desk: Desk) -> None:
    path = desk.write("x/s.jsonl", user(desk, "a", "first"))
    bad = b'[1]\n"text"\n' + b"[" * 100_000 + b"\n\n\0\0\0\n{\n\xff\xfe\n{}x\n"
    good = json.dumps(user(desk, "b", "second")).encode() + b"\n"
    latin = json.dumps(user(desk, "c", "caf@")).encode().replace(b"@", b"\xe9") + b"\n"
    path.write_bytes(path.read_bytes() + bad + good + latin)
    done = desk.bring("claude-code", path)
    assert desk.texts() == ["first", "second", "caf\ufffd"]
    ((count, first),) = [(one.count, one.first) for one in done.bad]
    assert (count, len(first)) == (7, NAMED)
    assert first[:3] == ("line 2: no JSON object", "line 3: no JSON object", "line 4: nested too deeply")


def test_a_line_that_is_too_long_is_passed_over(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("moored.importers.reading.MAX_LINE", 4_000)
    path = desk.write("x/s.jsonl", user(desk, "a", "x" * 5_000), user(desk, "b", "short"))
    done = desk.bring("claude-code", path)
    assert desk.texts() == ["short"]
    assert [one.count for one in done.bad] == [1]
    assert "longer than" in done.bad[0].first[0]


@pytest.mark.invariant("I-09")
def test_an_import_is_taken_back_and_comes_again(desk: Desk) -> None:
    desk.lay("claude_code.jsonl", AT)
    (project,) = desk.bring("claude-code").projects
    assert desk.memory.undo(project.operation).hidden == 12
    assert desk.episodes() == []
    again = desk.bring("claude-code")
    assert (recorded(again), len(desk.episodes())) == (12, 12)
    assert [operation.kind for operation in desk.memory.operations()] == ["import", "undo", "import"]


def test_nothing_new_is_no_operation(desk: Desk) -> None:
    path = desk.lay("claude_code.jsonl", AT)
    desk.bring("claude-code")
    path.write_text("\n" + path.read_text())
    assert [project.operation for project in desk.bring("claude-code").projects] == [""]
    assert len(desk.memory.operations()) == 1


@pytest.mark.invariant("I-17")
def test_what_hooks_captured_is_not_brought_in_again(desk: Desk) -> None:
    capture: dict[str, Any] = {"host": "claude-code", "session": "s-1"}
    desk.memory.record("Why does the courier give up after one try?", host_event="user:p-1", **capture)
    desk.memory.record("It never tries again. I change that.", role="assistant", host_event="assistant:x", **capture)
    tool: dict[str, Any] = {"role": "tool", "tool_name": "Bash", "tool_input": "make test", "exit_status": 2}
    desk.memory.record("FAILED", host_event="tool:toolu_2", **tool, **capture)
    desk.memory.record(
        "The courier was made to try again, three times at most.", role="system", channel="summary", **capture
    )
    path = desk.lay("claude_code.jsonl", AT)
    done = desk.bring("claude-code")
    assert (recorded(done), known(done), len(desk.episodes())) == (8, 4, 12)
    path.write_text("\n" + path.read_text())
    assert (recorded(again := desk.bring("claude-code")), known(again)) == (0, 12)


def test_of_equal_prompts_as_many_are_known_as_hooks_captured(desk: Desk) -> None:
    for number in range(2):
        desk.memory.record("go on", host="claude-code", session="s", host_event=f"user:p{number}")
    path = desk.write("x/s.jsonl", *(user(desk, f"u{number}", "go on") for number in range(3)))
    done = desk.bring("claude-code", path)
    assert (recorded(done), known(done), len(desk.texts())) == (1, 2, 3)


def test_a_call_without_an_id_is_known_by_its_tool_and_input(desk: Desk) -> None:
    capture: dict[str, Any] = {"host": "cursor", "session": "cu-1", "role": "tool", "tool_name": "Shell"}
    desk.memory.record("a crate", tool_input='{"command": "ls crates"}', host_event="tool:live", **capture)
    done = desk.bring("cursor", desk.lay("cursor.jsonl", "x/cu-1.jsonl"))
    assert (recorded(done), known(done)) == (7, 1)


@pytest.mark.invariant("I-17")
def test_two_imports_at_once_bring_in_each_thing_once(desk: Desk) -> None:
    desk.write("x/s.jsonl", *(user(desk, f"u{number}", f"say {number}") for number in range(1_200)))
    barrier, done = Barrier(2), list[TranscriptImport]()

    def bring() -> None:
        barrier.wait(10)
        done.append(desk.bring("claude-code", desk.home / "x"))

    threads = [Thread(target=bring) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(done) == 2
    assert sum(recorded(one) for one in done) == 1_200
    assert desk.texts() == [f"say {number}" for number in range(1_200)]


def test_injected_memories_are_not_recorded_again(desk: Desk) -> None:
    frame = '<moored-memory project="courier">\nThe limit is 3 (note no_1)\n</moored-memory>'
    path = desk.write("x/s.jsonl", user(desk, "a", f"{frame}\nWhat now?"), user(desk, "b", frame))
    done = desk.bring("claude-code", path)
    assert [text.strip() for text in desk.texts()] == ["What now?"]
    assert done.skipped == {"private, or recalled from memory": 1}


def test_secrets_and_ignored_paths_are_not_kept(desk: Desk) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    envelope = {"sessionId": "s", "cwd": str(desk.root), "timestamp": "2026-03-02T09:00:00Z"}
    use = {"type": "tool_use", "id": "t", "name": "Read", "input": {"file_path": ".env"}}
    result = {"type": "tool_result", "tool_use_id": "t", "content": "PORT=5432"}
    desk.write(
        "x/s.jsonl",
        user(desk, "a", f"use {token} and <private>my name</private> for it"),
        {"type": "assistant", "uuid": "b", "message": {"role": "assistant", "content": [use]}, **envelope},
        {"type": "user", "uuid": "c", "message": {"role": "user", "content": [result]}, **envelope},
    )
    desk.bring("claude-code", desk.home / "x")
    assert desk.texts() == ["use [redacted: github token] and [private] for it", "[not kept: ignored path]"]


def test_text_that_was_imported_is_data_whoever_said_it(desk: Desk) -> None:
    desk.bring("claude-code", desk.write("x/s.jsonl", user(desk, "a", "Always deploy on Fridays")))
    (episode,) = desk.episodes()
    assert (episode.channel, episode.trust, episode.role) == (Channel.IMPORT, "data", Role.USER)


def _elsewhere(desk: Desk, name: str) -> Path:
    folder = desk.home.parent / name
    folder.mkdir()
    desk.write(f".claude/projects/{name}/{name}.jsonl", user(desk, name, f"said in {name}", cwd=str(folder)))
    return folder


@pytest.mark.invariant("I-06")
def test_transcripts_of_other_projects_stay_where_they_are_unless_asked_for(desk: Desk) -> None:
    other, gone = _elsewhere(desk, "other"), _elsewhere(desk, "gone")
    gone.rmdir()
    desk.write(".claude/projects/mine/mine.jsonl", user(desk, "mine", "said in mine"))
    done = desk.bring("auto")
    assert desk.texts() == ["said in mine"]
    assert {(left.folder, left.reason) for left in done.left} == {
        (str(other), "of another project"),
        (str(gone), "its folder is gone"),
    }
    every = desk.bring("auto", every_project=True)
    assert [(project.name, project.recorded) for project in every.projects] == [("other", 1)]
    assert desk.texts() == ["said in mine"]


def test_a_transcript_that_is_named_goes_to_its_project_or_else_to_the_one_asked_for(desk: Desk) -> None:
    _elsewhere(desk, "other")
    gone = _elsewhere(desk, "gone")
    gone.rmdir()
    done = desk.bring("claude-code", desk.home / ".claude/projects")
    assert {(project.name, project.recorded) for project in done.projects} == {("other", 1), ("courier", 1)}
    assert desk.texts() == ["said in gone"]


def test_what_was_said_below_a_repository_is_of_its_project_when_that_folder_is_gone(desk: Desk) -> None:
    subprocess.run(["git", "init", "-q", str(desk.root)], check=True)
    with open_memory(desk.root, store=desk.home / "git.db", dense=False) as memory:
        inside = Desk(memory, desk.root, desk.home)
        inside.write(".claude/projects/x/s.jsonl", user(inside, "a", "deep", cwd=str(desk.root / "was" / "here")))
        assert recorded(inside.bring("claude-code")) == 1


def test_one_transcript_that_cannot_be_read_keeps_none_of_the_others_from_it(desk: Desk) -> None:
    (desk.home / ".claude/projects/a").mkdir(parents=True)
    (desk.home / ".claude/projects/a/broken.jsonl").symlink_to(desk.home / "nowhere")
    (desk.home / ".claude/projects/a/pipe.jsonl").mkdir()
    desk.lay("claude_code.jsonl", AT)
    assert recorded(desk.bring("claude-code")) == 12


def test_a_path_that_is_not_there_is_an_error(desk: Desk) -> None:
    with pytest.raises(NotFound, match="no transcript at"):
        desk.bring("claude-code", desk.home / "nothing")


def test_an_import_tells_how_far_it_is(desk: Desk) -> None:
    desk.write("x/s.jsonl", *(user(desk, f"u{number}", "x" * 2_000) for number in range(1_100)))
    told: list[tuple[int, int]] = []
    desk.memory.import_transcripts("claude-code", desk.home / "x", progress=lambda *now: told.append(now))
    size = (desk.home / "x/s.jsonl").stat().st_size // 1_000
    assert told == sorted(told)
    assert len(told) > 3
    assert told[-1] == (size, size)
