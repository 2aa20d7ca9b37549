"""The formats other than that of Claude Code. The counts were made by hand on the fixtures."""

from __future__ import annotations

import json
from hashlib import md5, sha256
from pathlib import Path

import apsw
import pytest

from lab.importing import Desk, counts, recorded
from moored.errors import InvalidInput
from moored.model.episodes import Channel, Role

ROLLOUT = ".codex/sessions/2026/05/04/rollout-2026-05-04T08-00-00-cx-1.jsonl"


def test_a_rollout_of_codex_gives_each_result_once_and_no_scaffolding(desk: Desk) -> None:
    desk.lay("codex.jsonl", ROLLOUT)
    done = desk.bring("codex")
    assert (counts(done), recorded(done), done.unknown) == ((2, 3, 3), 5, {"event_msg: weather_report": 1})
    assert [(one.role, one.text, one.channel) for one in desk.episodes() if one.role != Role.TOOL] == [
        ("user", "Count the parcels", Channel.IMPORT),
        ("assistant", "There are 12.", Channel.IMPORT),
        ("system", "Parcels were counted.", Channel.SUMMARY),
    ]
    assert desk.calls() == [
        ("exec_command", "12 parcels.txt\n", 0),
        ("apply_patch", "Success. Updated count.py\n", 0),
    ]
    assert {episode.session for episode in desk.episodes()} == {"cx-1"}
    assert done.skipped["user: written by the host"] == 1


def test_a_thread_that_codex_spawned_is_a_sub_agent(desk: Desk) -> None:
    source = {"subagent": {"thread_spawn": {"parent_thread_id": "cx-1", "depth": 1}}}
    content = [{"type": "input_text", "text": "look"}]
    desk.write(
        ".codex/sessions/rollout-x.jsonl",
        {"type": "session_meta", "payload": {"id": "cx-2", "cwd": str(desk.root), "source": source}},
        {"type": "session_meta", "payload": {"id": "cx-1", "cwd": "/elsewhere"}},
        {"type": "response_item", "payload": {"type": "message", "role": "user", "content": content}},
    )
    desk.bring("codex")
    assert [(one.session, one.text) for one in desk.episodes()] == [("cx-1/cx-2", "look")]


def test_the_first_rollouts_had_no_envelope(desk: Desk) -> None:
    file = desk.write(
        "old.jsonl",
        {"id": "cx-0", "timestamp": "2025-05-04T08:00:00Z", "instructions": None},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello"}]},
        {"type": "function_call", "name": "shell", "arguments": '{"command":["ls"]}', "call_id": "c"},
        {"type": "function_call_output", "call_id": "c", "output": '{"output":"a","metadata":{"exit_code":1}}'},
    )
    assert counts(desk.bring("codex", file)) == (1, 1, 1)
    assert desk.calls() == [("shell", "a", 1)]
    assert desk.episodes()[0].session == "cx-0"


def test_a_transcript_of_cursor_has_no_ids_and_mostly_no_results(desk: Desk) -> None:
    folder = "-".join(part for part in str(desk.root).replace("_", "-").split("/") if part)
    desk.lay("cursor.jsonl", f".cursor/projects/{folder}/agent-transcripts/cu-1/cu-1.jsonl")
    done = desk.bring("cursor")
    assert (counts(done), recorded(done)) == ((5, 3, 1), 8)
    assert [one.text for one in desk.episodes() if one.role == Role.USER] == ["list the crates", "go on", "go on"]
    assert desk.calls() == [("Shell", "", None), ("Shell", "", None), ("Read", "fn one() {}", None)]
    assert {one.session for one in desk.episodes()} == {"cu-1"}


def test_what_a_transcript_tells_no_time_of_has_that_of_the_file(desk: Desk) -> None:
    file = desk.lay("cursor.jsonl", "x/cu-1.jsonl")
    desk.bring("cursor", file)
    assert {one.occurred_at for one in desk.episodes()} == {file.stat().st_mtime_ns // 1_000_000}


def test_a_store_of_cursor_is_read_and_left_as_it_is(desk: Desk) -> None:
    name = md5(str(desk.root).encode(), usedforsecurity=False).hexdigest()
    file = desk.home / f".cursor/chats/{name}/cu-2/store.db"
    file.parent.mkdir(parents=True)
    call = {"type": "tool-call", "toolCallId": "k", "toolName": "Shell", "args": {"command": "ls"}}
    result = {"type": "tool-result", "toolCallId": "k", "toolName": "Shell", "result": "a.txt"}
    messages: list[object] = [
        {"role": "system", "content": "You are Cursor."},
        {"role": "user", "content": "<user_info>\nOS: linux\n</user_info>"},
        {"role": "user", "content": [{"type": "text", "text": "<user_query>\nlist\n</user_query>"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "I list."}, call], "createdAt": 1_780_000_000_000},
        {"role": "tool", "content": [result]},
    ]
    with apsw.Connection(str(file)) as db:
        db.execute("CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB); CREATE TABLE meta (key TEXT, value TEXT)")
        for number, message in enumerate(messages):
            db.execute("INSERT INTO blobs VALUES (?, ?)", (str(number), json.dumps(message).encode()))
        db.execute("INSERT INTO blobs VALUES ('graph', ?)", (b"\x0a\x20graph",))
    before = file.read_bytes()
    done = desk.bring("cursor")
    assert (counts(done), desk.calls()) == ((2, 1, 1), [("Shell", "a.txt", None)])
    assert desk.episodes()[1].occurred_at == 1_780_000_000_000
    assert file.read_bytes() == before
    assert [path.name for path in file.parent.iterdir()] == ["store.db"]


def test_a_session_of_gemini_comes_in_from_the_folder_named_by_its_hash(desk: Desk) -> None:
    name = sha256(str(desk.root).encode()).hexdigest()
    desk.lay("gemini.json", f".gemini/tmp/{name}/chats/session-1.json")
    done = desk.bring("gemini")
    assert (counts(done), done.skipped) == ((2, 1, 1), {"info": 1})
    assert desk.calls() == [("run_shell_command", "Output: high\nExit Code: 3", 3)]
    assert desk.texts()[-1] == "The tide is high."


def test_a_log_of_gemini_gives_each_message_once_and_what_was_taken_back_too(desk: Desk) -> None:
    desk.lay("gemini.jsonl", ".gemini/tmp/courier/chats/session-2.jsonl")
    done = desk.bring("gemini")
    assert (counts(done), done.skipped) == ((5, 1, 1), {"taken back by the user": 1})
    assert [one.text for one in desk.episodes() if one.role != Role.TOOL] == [
        "Rename the quay", "I rename it.", "No, not that one", "And the pier", "Done.",
    ]  # fmt: skip
    assert desk.calls() == [("replace", "--- quay.py\n+++ quay.py\n-a\n+b", None)]


@pytest.mark.parametrize("way", ["beside the chats", "in the registry"])
def test_the_project_of_gemini_is_told_by_what_it_wrote_down(desk: Desk, way: str) -> None:
    desk.lay("gemini.json", ".gemini/tmp/quay/chats/session-1.json")
    if way == "beside the chats":
        (desk.home / ".gemini/tmp/quay/.project_root").write_text(str(desk.root))
    else:
        (desk.home / ".gemini/projects.json").write_text(json.dumps({"projects": {str(desk.root): "quay"}}))
    assert counts(desk.bring("gemini")) == (2, 1, 1)


def _opencode(desk: Desk) -> Path:
    file = desk.home / ".local/share/opencode/opencode.db"
    file.parent.mkdir(parents=True)
    with apsw.Connection(str(file)) as db:
        db.execute("""
            CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT,
                time_created INTEGER, time_updated INTEGER);
            CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, data TEXT);
            CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, data TEXT)
        """)
        db.execute("INSERT INTO session VALUES ('ses_1', NULL, ?, 't', 1, 9)", (str(desk.root),))
        db.execute("INSERT INTO session VALUES ('ses_2', 'ses_1', ?, 't', 2, 9)", (str(desk.root),))
        db.execute("INSERT INTO session VALUES ('ses_4', 'ses_2', ?, 't', 4, 9)", (str(desk.root),))
        db.execute("INSERT INTO session VALUES ('ses_3', NULL, '/nowhere/at/all', 't', 3, 9)")
    _say(
        file,
        "ses_1",
        "msg_1",
        "user",
        {"type": "text", "text": "Rename it"},
        {"type": "text", "text": "x", "synthetic": True},
    )
    edit = {"status": "completed", "input": {"filePath": "a.rs"}, "output": "done", "time": {"end": 1_780_000_000_500}}
    test = {"status": "error", "input": {"command": "make"}, "error": "failed", "metadata": {"exit": 2}}
    _say(
        file, "ses_1", "msg_2", "assistant",
        {"type": "step-start"}, {"type": "reasoning", "text": "hm"}, {"type": "text", "text": "I rename."},
        {"type": "tool", "tool": "edit", "callID": "c1", "state": edit},
        {"type": "tool", "tool": "bash", "callID": "c2", "state": test},
        {"type": "tool", "tool": "bash", "callID": "c3", "state": {"status": "running", "input": {}}},
        {"type": "text", "text": "It failed."},
    )  # fmt: skip
    _say(file, "ses_2", "msg_3", "user", {"type": "text", "text": "Look around"})
    _say(file, "ses_4", "msg_5", "user", {"type": "text", "text": "Look deeper"})
    return file


def _say(file: Path, session: str, message: str, role: str, *parts: dict[str, object]) -> None:
    info = {"role": role, "time": {"created": 1_780_000_000_000}}
    with apsw.Connection(str(file)) as db:
        db.execute("INSERT INTO message VALUES (?, ?, 1, ?)", (message, session, json.dumps(info)))
        for number, part in enumerate(parts):
            db.execute(
                "INSERT INTO part VALUES (?, ?, ?, ?)", (f"{message}-{number}", message, session, json.dumps(part))
            )


def test_the_sessions_of_opencode_come_in_each_to_its_folder(desk: Desk) -> None:
    _opencode(desk)
    done = desk.bring("opencode")
    assert (counts(done), done.sessions) == ((5, 2, 2), 3)
    assert desk.calls() == [("edit", "done", None), ("bash", "failed", 2)]
    assert [(one.session, one.text) for one in desk.episodes() if one.role != Role.TOOL] == [
        ("ses_1", "Rename it"), ("ses_1", "I rename."), ("ses_1", "It failed."), ("ses_1/ses_2", "Look around"),
        ("ses_1/ses_4", "Look deeper"),
    ]  # fmt: skip
    assert [(left.folder, left.reason) for left in done.left] == [("/nowhere/at/all", "its folder is gone")]
    assert done.skipped["tool: running"] == 1


def test_a_session_of_opencode_is_read_again_when_it_has_changed(desk: Desk) -> None:
    file = _opencode(desk)
    desk.bring("opencode")
    assert (recorded(again := desk.bring("opencode")), again.unchanged) == (0, 3)
    _say(file, "ses_2", "msg_4", "assistant", {"type": "text", "text": "Nothing here"})
    with apsw.Connection(str(file)) as db:
        db.execute("UPDATE session SET time_updated = 10 WHERE id = 'ses_2'")
    assert (recorded(third := desk.bring("opencode")), third.transcripts) == (1, 1)


def test_a_database_that_is_none_keeps_the_others_from_nothing(desk: Desk) -> None:
    file = desk.home / ".local/share/opencode/opencode.db"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"SQLite format 3\0 and then nothing")
    desk.lay("codex.jsonl", ROLLOUT)
    done = desk.bring("auto")
    assert recorded(done) == 5
    assert [(left.path, "cannot be read" in left.reason) for left in done.left] == [(str(file), True)]


def test_a_session_of_copilot_comes_in_with_its_sub_agents(desk: Desk) -> None:
    desk.lay("copilot.jsonl", ".copilot/session-state/cp-1/events.jsonl")
    done = desk.bring("copilot")
    assert (counts(done), done.sessions, done.unknown) == ((4, 2, 2), 2, {"session.eclipse": 1})
    assert desk.calls() == [("bash", "a.txt\n<exited with exit code 0>", 0), ("task", "gave up", None)]
    assert [one.text for one in desk.episodes() if one.session == "cp-1/c2"] == ["Looking."]
    assert [one.text for one in desk.episodes() if one.channel == Channel.SUMMARY] == ["Files were listed."]


def test_a_run_of_swe_agent_comes_in_without_its_demonstration(desk: Desk) -> None:
    file = desk.lay("swe_agent.traj", "runs/hull.traj")
    done = desk.bring("swe-agent", file)
    assert (counts(done), recorded(done)) == ((4, 3, 3), 7)
    assert desk.texts()[:3] == ["Fix the leak in the hull.", "I look at it.", "[File: hull.py]\n1:leak = True\n"]
    assert recorded(desk.bring("swe-agent", file)) == 0


def test_a_session_of_qwen_comes_in(desk: Desk) -> None:
    desk.lay("qwen.jsonl", ".qwen/projects/-courier/chats/qw-1.jsonl")
    done = desk.bring("qwen")
    assert (counts(done), done.skipped) == ((3, 1, 1), {"system: ui_telemetry": 1, "thought": 1})
    assert desk.calls() == [("run_shell_command", "Output: 40 kg\nExit Code: 0", 0)]
    assert desk.texts()[1] == "I weigh it."


def test_the_agents_of_a_session_of_kimi_come_in_to_the_folder_of_its_state(desk: Desk) -> None:
    session = ".kimi-code/sessions/wd_courier_1/session_k"
    for agent in ("main", "agent-0"):
        desk.lay("kimi.jsonl", f"{session}/agents/{agent}/wire.jsonl")
    (desk.home / session / "state.json").write_text(json.dumps({"id": "k", "cwd": str(desk.root)}))
    done = desk.bring("kimi")
    assert (counts(done), done.sessions, done.unknown) == ((4, 2, 2), 2, {"bell.rust": 2})
    assert {one.session for one in desk.episodes()} == {"session_k", "session_k/agent-0"}
    assert [one.text for one in desk.episodes() if one.session == "session_k"] == [
        "Ring the bell", "I ring it.", "ding", "The bell was rung.",
    ]  # fmt: skip
    assert done.skipped["user: written by the host"] == 2


def test_auto_tells_by_what_stands_in_a_file_of_which_host_it_is(desk: Desk) -> None:
    names = ("claude_code", "codex", "cursor", "gemini", "copilot", "qwen", "kimi")
    for name in (*(f"{name}.jsonl" for name in names), "gemini.json"):
        desk.lay(name, f"mixed/{name}")
    desk.lay("swe_agent.traj", "mixed/hull.traj")
    (desk.home / "mixed/notes.jsonl").write_text('{"note": 1}\n')
    done = desk.bring("auto", desk.home / "mixed")
    assert (done.transcripts, done.unknown) == (
        9, {"bell.rust": 1, "event_msg: weather_report": 1, "moon-phase": 1, "session.eclipse": 1},
    )  # fmt: skip
    assert [(Path(left.path).name, left.reason) for left in done.left] == [("notes.jsonl", "of no known format")]
    hosts = {episode.host for episode in desk.episodes()}
    assert hosts == {"claude-code", "codex", "cursor", "gemini", "copilot", "qwen", "kimi", "swe-agent"}


def test_a_host_that_is_none_is_refused(desk: Desk) -> None:
    with pytest.raises(InvalidInput, match="Name one of claude-code, codex"):
        desk.bring("netscape")
