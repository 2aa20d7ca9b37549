"""The counts were made by hand on the fixtures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lab.importing import Desk, counts, known, recorded
from moored.hosts.claude_code import ADAPTER
from moored.model.episodes import Channel, Role, Trust

AT = ".claude/projects/-courier/s-1.jsonl"


def test_a_session_comes_in_with_its_turns_calls_and_results(desk: Desk) -> None:
    desk.lay("claude_code.jsonl", AT)
    done = desk.bring("claude-code")
    assert counts(done) == (7, 5, 4)
    assert (done.sessions, recorded(done), known(done)) == (1, 12, 0)
    assert [episode.text for episode in desk.episodes() if episode.role == Role.USER] == [
        "Why does the courier give up after one try?",
        "Keep the limit at 3",
        "This is what I see.",
        "/deploy staging",
        "Stop, not now.",
    ]
    first = desk.episodes()[0]
    assert (first.session, first.host, first.channel, first.trust) == (
        "s-1", "claude-code", Channel.IMPORT, Trust.DATA,
    )  # fmt: skip
    assert first.occurred_at == 1_772_442_000_000


def test_what_is_left_out_is_counted_by_kind_and_a_bad_line_is_named(desk: Desk) -> None:
    path = desk.lay("claude_code.jsonl", AT)
    done = desk.bring("claude-code")
    assert done.unknown == {"moon-phase": 1}
    assert done.skipped == {
        "assistant: an error of the service": 1,
        "attachment: hook_additional_context": 1,
        "calls of moored's own tools": 1,
        "file-history-snapshot": 1,
        "image": 1,
        "summary": 1,
        "system: compact_boundary": 1,
        "thinking": 1,
        "user: written by the host": 1,
    }
    assert [(bad.path, bad.count, bad.first) for bad in done.bad] == [(str(path), 1, ("line 16: no JSON",))]


def test_a_call_is_kept_with_its_result_and_its_status(desk: Desk) -> None:
    desk.lay("claude_code.jsonl", AT)
    desk.bring("claude-code")
    diff = (
        f"--- {desk.root}/send.py\n+++ {desk.root}/send.py\n@@ -2,1 +2,1 @@\n-    return put()\n+    return again(put)"
    )
    assert desk.calls() == [
        ("Read", "def send():\n    return put()", None),
        ("Bash", "Exit code 2\nFAILED test_send.py::test_retry", 2),
        ("Edit", diff, None),
        ("Bash", "", None),
    ]


def test_a_summary_of_the_host_is_no_turn(desk: Desk) -> None:
    desk.lay("claude_code.jsonl", AT)
    desk.bring("claude-code")
    summaries = [episode for episode in desk.episodes() if episode.channel == Channel.SUMMARY]
    assert [(one.text, one.role) for one in summaries] == [
        ("The courier was made to try again, three times at most.", Role.SYSTEM)
    ]


def test_a_sub_agent_has_a_session_of_its_own_wherever_its_file_lies(desk: Desk) -> None:
    desk.lay("claude_code.jsonl", AT)
    desk.lay("claude_code_agent.jsonl", ".claude/projects/-courier/s-1/subagents/agent-scout.jsonl")
    deeper = desk.lay("claude_code_agent.jsonl", ".claude/projects/-courier/s-2/subagents/agent-scout.jsonl")
    deeper.write_text(deeper.read_text().replace("s-1", "s-2").replace("a9000000", "b9000000").replace("_a1", "_b1"))
    done = desk.bring("claude-code")
    assert (done.sessions, counts(done)) == (3, (11, 7, 6))
    sessions = {episode.session for episode in desk.episodes()}
    assert sessions == {"s-1", "s-1/scout", "s-2/scout"}


def test_a_side_chain_among_the_lines_of_a_session_is_kept_apart(desk: Desk) -> None:
    def line(uuid: str, parent: str | None, kind: str, text: str, *, side: bool) -> Mapping[str, Any]:
        message = {"role": kind, "content": [{"type": "text", "text": text}]}
        envelope = {"sessionId": "s-3", "cwd": str(desk.root), "uuid": uuid, "parentUuid": parent, "isSidechain": side}
        return {"type": kind, "message": message, "timestamp": "2026-03-02T09:00:00Z", **envelope}

    desk.write(
        ".claude/projects/-courier/s-3.jsonl",
        line("m1", None, "user", "begin", side=False),
        line("x1", None, "user", "look here", side=True),
        line("y1", None, "user", "look there", side=True),
        line("x2", "x1", "assistant", "here is nothing", side=True),
        line("y2", "y1", "assistant", "there is something", side=True),
        line("m2", "m1", "assistant", "done", side=False),
    )
    desk.bring("claude-code")
    assert [(episode.session, episode.text) for episode in desk.episodes()] == [
        ("s-3", "begin"),
        ("s-3/x1", "look here"),
        ("s-3/y1", "look there"),
        ("s-3/x1", "here is nothing"),
        ("s-3/y1", "there is something"),
        ("s-3", "done"),
    ]


def test_what_a_resumed_session_repeats_is_kept_once(desk: Desk) -> None:
    path = desk.lay("claude_code.jsonl", AT)
    first = desk.bring("claude-code")
    more = path.read_text().replace('"sessionId":"s-1"', '"sessionId":"s-9"')
    new = '{"type":"user","uuid":"new","sessionId":"s-9","cwd":"%s","message":{"role":"user","content":"And now?"}}\n'
    (path.parent / "s-9.jsonl").write_text(more + new % desk.root)
    again = desk.bring("claude-code")
    assert (recorded(first), recorded(again), known(again)) == (12, 1, 12)
    assert [episode.session for episode in desk.episodes()][-1] == "s-9"


def test_two_things_under_one_id_are_both_kept(desk: Desk) -> None:
    def line(text: str) -> Mapping[str, Any]:
        envelope = {"sessionId": "s", "cwd": str(desk.root), "uuid": "same", "timestamp": "2026-03-02T09:00:00Z"}
        return {"type": "user", "message": {"role": "user", "content": text}, **envelope}

    desk.write(".claude/projects/x/s.jsonl", line("port 5432"), line("port 5433"), line("port 5432"))
    done = desk.bring("claude-code")
    assert (desk.texts(), recorded(done), known(done)) == (["port 5432", "port 5433"], 2, 1)


def test_an_export_of_the_web_comes_in(desk: Desk) -> None:
    file = desk.home / "export.json"
    file.write_text(
        '{"loglines": [{"type": "user", "timestamp": "2026-03-02T09:00:00Z", "message": {"role": "user",'
        ' "content": "Add two numbers"}}, {"type": "assistant", "timestamp": "2026-03-02T09:00:01Z", "message":'
        ' {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "Write", "input": {"file_path":'
        ' "a.py", "content": "x"}}]}}, {"type": "user", "timestamp": "2026-03-02T09:00:02Z", "message": {"role":'
        ' "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "written"}]}}]}'
    )
    assert counts(desk.bring("claude-code", file)) == (1, 1, 1)
    assert recorded(desk.bring("claude-code", file)) == 0


def test_the_text_kept_of_a_call_is_that_which_a_hook_keeps(desk: Desk) -> None:
    results: list[tuple[str, object]] = [
        ("Bash", {"stdout": "one\n", "stderr": "two", "interrupted": False, "isImage": False}),
        ("Read", {"type": "text", "file": {"filePath": "a.py", "content": "x = 1\n"}}),
        ("Glob", {"filenames": ["a.py", "b.py"], "numFiles": 2}),
        ("TodoWrite", {"oldTodos": [], "newTodos": [{"content": "sail", "status": "pending"}]}),
        ("WebSearch", "three pages"),
        ("Task", {"content": [{"type": "text", "text": "found it"}], "totalTokens": 9}),
    ]
    lines: list[Mapping[str, Any]] = []
    for number, (tool, result) in enumerate(results):
        envelope = {"sessionId": "s", "cwd": str(desk.root), "timestamp": "2026-03-02T09:00:00Z"}
        use = {"type": "tool_use", "id": f"t{number}", "name": tool, "input": {"b": 2, "a": "ü"}}
        given = {"type": "tool_result", "tool_use_id": f"t{number}", "content": "what the model saw"}
        lines += [
            {"type": "assistant", "uuid": f"a{number}", "message": {"role": "assistant", "content": [use]}, **envelope},
            {"type": "user", "uuid": f"u{number}", "message": {"role": "user", "content": [given]}, **envelope},
        ]
        lines[-1] = {**lines[-1], "toolUseResult": result}
    desk.write(".claude/projects/x/s.jsonl", *lines)
    desk.bring("claude-code")
    kept = [(one.tool_name, one.tool_input, one.text, one.exit_status) for one in desk.episodes()]
    captured = [
        ADAPTER.read("PostToolUse", {"tool_name": tool, "tool_input": {"b": 2, "a": "ü"}, "tool_response": result})
        for tool, result in results
    ]
    assert kept == [(one.tool, one.tool_input, one.tool_output, one.exit_status) for one in captured if one]
