"""Capture: which moments become episodes, and what is not kept of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moored.hosts.capture import CAPTURED, LATEST, PART, events
from moored.hosts.port import Happening, Moment
from moored.model.hashing import digest
from moored.record.capturing import is_own_tool
from moored.record.ignored import NOT_KEPT
from moored.record.inbox import Entry

NOW = 1_750_000_000_000
TOKEN = "ghp" + "_" + "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA1bC2"


def happened(moment: Moment, **told: object) -> Happening:
    return Happening(moment, "claude-code", "s1", cwd="/nowhere", **told)  # pyright: ignore[reportArgumentType]


def kept(moment: Moment, **told: object) -> Entry:
    (entry,) = events(happened(moment, **told), NOW)
    return entry


def test_a_prompt_of_the_users_is_the_users_word() -> None:
    entry = kept(Moment.PROMPT, text="Lift it.", event="p1", source="user")
    assert entry == Entry(b"Lift it.", "user", "user", "claude-code", "s1", "user:p1", occurred_at=NOW, cwd="/nowhere")


@pytest.mark.invariant("I-21")
@pytest.mark.parametrize("source", ["sdk", "system", "loop_wakeup", "schedule_wakeup", "poll_event"])
def test_a_prompt_of_an_automation_is_data(source: str) -> None:
    entry = kept(Moment.PROMPT, text="Always lift everything.", source=source)
    assert (entry.role, entry.channel) == ("user", "document")


@pytest.mark.parametrize(
    ("moment", "role", "channel"),
    [
        (Moment.TURN_END, "assistant", "assistant"),
        (Moment.SUBAGENT_END, "assistant", "assistant"),
        (Moment.COMPACTED, "system", "summary"),
    ],
)
def test_what_a_model_said_has_its_role_and_channel(moment: Moment, role: str, channel: str) -> None:
    entry = kept(moment, text="Lifted.")
    assert (entry.role, entry.channel, entry.content) == (role, channel, b"Lifted.")


def test_a_message_without_an_id_of_the_host_is_known_again_by_what_it_says() -> None:
    assert kept(Moment.TURN_END, text="Lifted.").host_event == f"assistant:{digest(b'Lifted.')}"


def test_a_call_is_kept_with_its_input_output_status_and_files() -> None:
    entry = kept(
        Moment.TOOL_DONE,
        tool="Edit",
        event="t1",
        tool_input='{"file_path": "a.py"}',
        tool_output="done",
        exit_status=0,
        paths=("a.py",),
        at=NOW - 5,
    )
    assert (entry.role, entry.channel, entry.host_event, entry.content) == ("tool", "tool", "tool:t1", b"done")
    assert (entry.tool_name, entry.tool_input, entry.exit_status) == ("Edit", '{"file_path": "a.py"}', 0)
    assert (entry.paths, entry.occurred_at) == (("a.py",), NOW - 5)


def test_a_call_that_failed_is_kept_as_well() -> None:
    entry = kept(Moment.TOOL_FAILED, tool="Bash", tool_input="make", tool_output="Exit code 2", exit_status=2)
    assert (entry.exit_status, entry.content) == (2, b"Exit code 2")


def test_a_call_without_an_id_gets_none_made_up() -> None:
    assert kept(Moment.TOOL_DONE, tool="run", tool_output="3 passed").host_event == ""


def test_a_sub_agent_has_a_session_of_its_own() -> None:
    assert kept(Moment.TOOL_DONE, tool="run", tool_output="x", agent="a7").session == "s1/a7"


@pytest.mark.parametrize("moment", sorted(set(Moment) - CAPTURED))
def test_nothing_is_kept_of_the_other_moments(moment: Moment) -> None:
    assert events(happened(moment, text="something", tool="x", tool_output="y"), NOW) == []


@pytest.mark.parametrize("moment", sorted(CAPTURED))
def test_nothing_is_kept_where_nothing_was_said(moment: Moment) -> None:
    assert events(happened(moment, text=" \n", tool="Bash"), NOW) == []


@pytest.mark.parametrize(
    "name",
    ["mcp__moored__recall", "mcp__plugin_moored_moored__remember", "moored_recall", "mcp_moored_fetch", "moored__pin"],
)
def test_calls_of_our_own_tools_are_not_kept(name: str) -> None:
    assert is_own_tool(name)
    assert events(happened(Moment.TOOL_DONE, tool=name, tool_output="recalled"), NOW) == []


@pytest.mark.parametrize("name", ["Bash", "mcp__harbour__recall", "mcp__mooredom__x", "unmoored_recall"])
def test_calls_of_other_tools_are_kept(name: str) -> None:
    assert len(events(happened(Moment.TOOL_DONE, tool=name, tool_output="x"), NOW)) == 1


def test_what_a_memory_handed_out_is_not_kept_again() -> None:
    framed = 'Lift it.\n<moored-memory project="quay" moment="prompt">\nold words\n</moored-memory>\nNow.'
    content = kept(Moment.PROMPT, text=framed).content
    assert b"old words" not in content
    assert content.startswith(b"Lift it.")
    assert content.endswith(b"Now.")


@pytest.mark.invariant("I-20")
@pytest.mark.parametrize("moment", sorted(CAPTURED))
def test_secrets_are_gone_before_anything_is_handed_on(moment: Moment) -> None:
    said = f"The token is {TOKEN}, keep it."
    entry = kept(moment, text=said, tool="Bash", tool_input=json.dumps({"command": f"curl {TOKEN}"}), tool_output=said)
    assert TOKEN not in repr(entry)
    assert b"[redacted: github token]" in entry.content


@pytest.mark.invariant("I-20")
def test_what_is_private_is_not_kept() -> None:
    assert kept(Moment.PROMPT, text="Lift <private>my secret</private> it.").content == b"Lift [private] it."
    assert events(happened(Moment.PROMPT, text="<private>all of it</private>"), NOW) == []


@pytest.mark.invariant("I-20")
@pytest.mark.parametrize(
    ("tool", "tool_input", "paths"),
    [
        ("Read", {"file_path": "/nowhere/.env"}, ()),
        ("Bash", {"command": "cat .env"}, ()),
        ("Write", {"file_path": "/nowhere/.env", "content": "HARBOUR=gulls"}, ("/nowhere/.env",)),
        ("apply_patch", "*** Begin Patch\n*** Update File: .env\n+HARBOUR=gulls\n*** End Patch", (".env",)),
    ],
)
def test_what_stands_in_an_ignored_path_is_not_kept_but_that_it_was_looked_at_is(
    tool: str, tool_input: object, paths: tuple[str, ...]
) -> None:
    text = tool_input if isinstance(tool_input, str) else json.dumps(tool_input)
    entry = kept(Moment.TOOL_DONE, tool=tool, tool_input=text, tool_output="HARBOUR=gulls", paths=paths)
    assert entry.content.decode() == NOT_KEPT
    assert "gulls" not in repr(entry)
    assert ".env" in entry.tool_input


def test_a_pattern_of_the_project_ignores_as_well(tmp_path: Path) -> None:
    (tmp_path / ".mooredignore").write_text("letters/\n")
    (tmp_path / "sub").mkdir()
    read = Happening(
        Moment.TOOL_DONE,
        "claude-code",
        "s1",
        cwd=str(tmp_path / "sub"),
        tool="Read",
        tool_input=json.dumps({"file_path": str(tmp_path / "letters" / "one.txt")}),
        tool_output="Dear diary",
    )
    (entry,) = events(read, NOW)
    assert entry.content.decode() == NOT_KEPT


def test_a_long_output_is_kept_in_parts() -> None:
    output = "x" * PART + "the end"
    first, second = events(happened(Moment.TOOL_DONE, tool="run", tool_output=output, event="t1"), NOW)
    assert first.content + second.content == output.encode()
    assert (first.host_event, second.host_event) == ("tool:t1", "tool:t1:part 2")


@pytest.mark.parametrize("at", [-1, 0, LATEST + 1])
def test_a_time_that_there_is_not_becomes_the_time_of_capture(at: int) -> None:
    assert kept(Moment.PROMPT, text="Lift.", at=at).occurred_at == NOW


@given(st.text(st.characters(), max_size=200), st.sampled_from(sorted(CAPTURED)))
def test_any_text_is_kept_without_an_error_and_in_the_same_way_each_time(text: str, moment: Moment) -> None:
    happening = happened(moment, text=text, tool="run", tool_input=text, tool_output=text)
    assert events(happening, NOW) == events(happening, NOW)
