"""The command `brief`: each moment of an agent's work, one at a time."""

from __future__ import annotations

SEND = "net/session.py::Session.send"
NOTE = "Sending is tried three times because the line drops."


def test_brief_shows_what_a_session_begins_with(call) -> None:
    call("init")
    assert call("brief").out == ""
    call("pin", "Never change a released migration")
    note = call("remember", NOTE, "--about", SEND, "--json").json["id"]
    shown = call("brief").out
    assert shown.startswith("<moored-memory project=")
    assert "- Never change a released migration" in shown
    assert f"- {note} [current] note: {NOTE}" in shown


def test_brief_shows_what_is_told_before_a_prompt_and_before_an_edit(call) -> None:
    call("init")
    call("index")
    note = call("remember", NOTE, "--about", SEND, "--json").json["id"]
    assert note in call("brief", "--prompt", "why is sending tried three times").out
    assert note in call("brief", "--edit", "net/session.py", "--name", "Session.send").out
    assert call("brief", "--prompt", "thanks").out == ""
    assert call("brief", "--edit", "setup.py").out == ""
    small = call("brief", "--edit", "net/session.py", "--budget", "1", "--json").json
    assert (small["text"], small["omitted"]) == ("", [note])


def test_brief_after_a_compaction_takes_the_latest_session(call) -> None:
    call("init")
    call("record", "Find out why sending fails.", "--host", "h", "--session", "s1")
    shown = call("brief", "--source", "compact").out
    assert 'moment="after compaction"' in shown
    assert "Find out why sending fails." in shown
    assert call("brief", "--source", "compact", "--host", "h", "--session", "s1").out == shown


def test_brief_is_of_one_moment(call) -> None:
    call("init")
    for arguments in (
        ("--prompt", "a", "--edit", "b"),
        ("--source", "compact", "--prompt", "a"),
        ("--name", "Session.send"),
    ):
        done = call("brief", *arguments)
        assert done.code == 2
        assert "Name one moment" in done.err
    assert call("brief", "--source", "never").code == 2
