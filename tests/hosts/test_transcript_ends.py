"""The assistant's last message from the end of a transcript, where the event does not hold it."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from moored.hosts import claude_code, codex, cursor, vscode
from moored.hosts.fields import TAIL_BYTES, last_assistant_text


def written(folder: Path, *records: Any) -> str:
    path = folder / "transcript.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return str(path)


def said(role: str, *texts: str, **more: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": text} for text in texts]
    return {"type": role, "message": {"role": role, "content": content}, **more}


CALL = {
    "type": "assistant",
    "message": {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "Bash"}]},
}
RESULT = {"type": "user", "message": {"role": "user", "content": [{"type": "tool_result", "content": "ok"}]}}


def test_the_last_text_of_the_turn_is_taken_over_calls_and_results(tmp_path: Path) -> None:
    path = written(tmp_path, said("user", "go"), said("assistant", "first"), said("assistant", "last"), CALL, RESULT)
    assert last_assistant_text(path) == "last"


def test_what_was_said_before_the_last_prompt_is_not_taken(tmp_path: Path) -> None:
    path = written(tmp_path, said("assistant", "earlier"), said("user", "and now?"), CALL, RESULT)
    assert last_assistant_text(path) == ""


def test_the_blocks_of_one_message_are_put_under_each_other(tmp_path: Path) -> None:
    assert last_assistant_text(written(tmp_path, said("assistant", "one", "two"))) == "one\ntwo"


def test_a_message_about_an_error_of_the_service_is_no_answer(tmp_path: Path) -> None:
    path = written(
        tmp_path, said("assistant", "done"), said("assistant", "API Error: overloaded", isApiErrorMessage=True)
    )
    assert last_assistant_text(path) == "done"


def test_lines_of_sub_agents_are_passed_over_in_the_sessions_transcript(tmp_path: Path) -> None:
    path = written(tmp_path, said("assistant", "main"), said("assistant", "aside", isSidechain=True))
    assert last_assistant_text(path) == "main"
    assert last_assistant_text(path, sidechain=True) == "aside"


def test_a_line_that_is_still_being_written_is_passed_over(tmp_path: Path) -> None:
    path = written(tmp_path, said("assistant", "whole"))
    with Path(path).open("ab") as file:
        file.write(b'{"type": "assistant", "message": {"role": "assist')
    assert last_assistant_text(path) == "whole"


def test_only_the_end_of_a_long_transcript_is_searched(tmp_path: Path) -> None:
    filler = {"type": "system", "content": "x" * 1_000}
    near = written(tmp_path, said("assistant", "near"), *[filler] * (TAIL_BYTES // 1_100))
    assert last_assistant_text(near) == "near"
    far = written(tmp_path, said("assistant", "far"), *[filler] * (TAIL_BYTES // 1_000))
    assert last_assistant_text(far) == ""


@pytest.mark.parametrize("name", ["missing.jsonl", ".", "\x00", "a" * 5_000, ""])
def test_a_transcript_that_cannot_be_read_says_nothing(tmp_path: Path, name: str) -> None:
    assert last_assistant_text(str(tmp_path) + "/" + name) == ""


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_in_place_of_a_transcript_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert last_assistant_text(str(tmp_path / "pipe")) == ""


def test_claude_code_without_a_last_message_is_read_from_its_transcript(tmp_path: Path) -> None:
    path = written(tmp_path, said("user", "go"), said("assistant", "The table starts at midnight."))
    happening = claude_code.read("Stop", {"session_id": "s", "transcript_path": path})
    assert happening is not None
    assert happening.text == "The table starts at midnight."


def test_a_sub_agent_of_claude_code_is_read_from_its_own_transcript(tmp_path: Path) -> None:
    path = written(tmp_path, said("assistant", "Two files.", isSidechain=True))
    sent = {"session_id": "s", "agent_id": "a", "transcript_path": "/nowhere", "agent_transcript_path": path}
    happening = claude_code.read("SubagentStop", sent)
    assert happening is not None
    assert (happening.text, happening.agent, happening.transcript) == ("Two files.", "a", path)


def test_codex_without_a_last_message_is_read_from_its_rollout(tmp_path: Path) -> None:
    payload = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Renamed."}]}
    path = written(tmp_path, {"type": "response_item", "payload": payload}, {"type": "event_msg", "payload": {}})
    happening = codex.read("Stop", {"session_id": "s", "transcript_path": path, "last_assistant_message": None})
    assert happening is not None
    assert happening.text == "Renamed."


def test_cursor_behind_a_hook_of_claude_code_is_read_from_its_transcript(tmp_path: Path) -> None:
    content = [{"type": "text", "text": "The moon is late."}]
    path = written(tmp_path, {"role": "assistant", "message": {"content": content}})
    sent = {"conversation_id": "c", "generation_id": "g", "cursor_version": "3.7", "transcript_path": path}
    by_claude = claude_code.read("Stop", sent)
    by_cursor = cursor.read("afterAgentResponse", {**sent, "text": "The moon is late."})
    assert by_claude == by_cursor
    assert by_claude is not None


def test_copilot_and_vs_code_are_read_from_their_transcripts(tmp_path: Path) -> None:
    asked = {"type": "user.message", "data": {"content": "List the files"}}
    answered = {
        "type": "assistant.message",
        "data": {"messageId": "m", "content": "There are two.", "toolRequests": []},
    }
    path = written(tmp_path, asked, answered, {"type": "assistant.turn_end", "data": {"turnId": "0"}})
    happening = vscode.read("Stop", {"session_id": "s", "timestamp": "2026-10-02T09:15:30Z", "transcript_path": path})
    assert happening is not None
    assert (happening.text, happening.host) == ("There are two.", "copilot")
    assert vscode.read("SubagentStop", {"sessionId": "s", "transcript_path": path}) is None
