"""The atlas and the pins on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

SEND = "net/session.py::Session.send"


@pytest.fixture
def note(call) -> str:
    call("init")
    return call("remember", "Sending is tried three times", "--about", SEND, "--json").json["id"]


def test_a_note_tells_what_it_is_anchored_to(call) -> None:
    call("init")
    done = call("remember", "Sending is tried three times", "--about", SEND, "--kind", "lesson", "--json").json
    assert done["outcome"] == "new"
    assert {anchor["role"] for anchor in done["anchors"]} == {"source", "about"}
    assert SEND in {anchor["address"] for anchor in done["anchors"]}
    assert done["unresolved"] == []


def test_a_note_can_come_from_stdin(call) -> None:
    call("init")
    done = call("remember", "-", "--about", SEND, "--json", stdin="Tried three times\n").json
    assert call("show", done["id"], "--json").json["text"] == "Tried three times"


def test_a_note_is_shown_with_its_verdict(call, note: str, project: Path) -> None:
    assert call("show", note, "--json").json["verdict"]["state"] == "current"
    source = project / "net" / "session.py"
    source.write_text(source.read_text().replace("continue", "pass"))
    shown = call("show", note, "--json").json["verdict"]
    assert (shown["state"], shown["change"]) == ("stale", "body")
    assert "send" in shown["current"]
    assert "[stale: body]" in call("show", note).out


def test_a_revision_brings_a_note_up_to_date(call, note: str, project: Path) -> None:
    source = project / "net" / "session.py"
    source.write_text(source.read_text().replace("continue", "pass"))
    done = call("revise", note, "Sending is tried again silently", "--cause", "it passes now", "--json").json
    assert (done["id"], done["outcome"]) == (note, "revised")
    history = call("history", note, "--json").json["versions"]
    assert [one["number"] for one in history] == [1, 2]
    assert history[1]["cause"] == "it passes now"
    assert "+Sending is tried again silently" in call("history", note, "--diff").out
    assert "2. re_" in call("history", note).out


def test_the_history_of_a_function_is_shown(call, note: str, project: Path) -> None:
    source = project / "net" / "session.py"
    source.write_text(source.read_text().replace("continue", "pass"))
    call("index")
    versions = call("history", SEND, "--json").json["versions"]
    assert [one["type"] for one in versions] == ["version", "version"]
    assert versions[-1]["until"] is None
    assert "to now net/session.py::Session.send" in call("history", SEND).out


def test_what_does_not_hold_is_listed(call, note: str, project: Path) -> None:
    assert call("stale", "--json").json["rate"] == 0.0
    source = project / "net" / "session.py"
    source.write_text(source.read_text().replace("continue", "pass"))
    report = call("stale", "--json").json
    assert (report["total"], report["rate"]) == (1, 1.0)
    assert report["notes"][0]["id"] == note
    assert "100%" in call("stale").out


@pytest.mark.invariant("I-22")
def test_a_rate_that_nothing_is_known_of_is_unknown(call) -> None:
    call("init")
    assert call("stale", "--json").json["rate"] is None
    assert "unknown" in call("stale").out


def test_what_a_change_puts_at_risk_is_listed(call, repository: Path) -> None:
    call("init")
    note = call("remember", "Sending is tried three times", "--about", SEND, "--json").json["id"]
    source = repository / "net" / "session.py"
    source.write_text(source.read_text().replace("continue", "pass"))
    report = call("affected", "--json").json
    assert [one["path"] for one in report["files"]] == ["net/session.py"]
    assert report["notes"][0]["judged"]["id"] == note
    assert note in call("affected").out


def test_a_pin_is_kept_word_for_word_until_it_is_taken_out(call) -> None:
    pin = call("pin", "-", "--json", stdin="Never  change a released\nmigration\n").json
    assert pin["text"] == "Never  change a released\nmigration"
    assert [one["id"] for one in call("pins", "--json").json["pins"]] == [pin["id"]]
    assert "Never  change a released" in call("pins").out
    assert call("unpin", pin["id"], "--json").json == {"unpinned": pin["id"]}
    assert "no pins" in call("pins").out
    assert call("unpin", pin["id"]).code == 3
