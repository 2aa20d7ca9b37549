"""Forgetting on the command line: shown first, done when it is agreed to, proven."""

from __future__ import annotations

from pathlib import Path

import pytest

TEXT = "the gate of the harbour is opened by xylophonequartz"
KEY = "Zr7-parrot/9481"

pytestmark = pytest.mark.invariant("I-10")


def test_nothing_goes_without_a_yes(call) -> None:
    note = call("remember", TEXT, "--json").json["id"]
    shown = call("forget", note, "--hard", "--preview")
    assert shown.out.startswith("would go: 1 episode, 1 note")
    assert TEXT in shown.out
    refused = call("forget", note, "--hard")
    assert refused.code == 2
    assert "--yes" in refused.err
    assert call("show", note).code == 0


def test_what_is_erased_is_proven_to_be_gone(call) -> None:
    note = call("remember", TEXT, "--json").json["id"]
    done = call("forget", note, "--hard", "--yes", "--json").json
    assert done["outcome"] == "erased"
    assert done["proof"]["found"] == []
    assert done["proof"]["fragments"] > 0
    assert done["proof"]["bytes"] == sum(one["bytes"] for one in done["proof"]["files"]) > 0
    assert call("show", note).code == 3
    again = call("remember", TEXT, "--json").json["id"]
    said = call("forget", again, "--hard", "--yes").out
    assert "erased: 1 episode, 1 note\n" in said
    assert ", none is left in" in said
    assert "moored.db" in said


def test_what_is_hidden_comes_back_by_undo(call) -> None:
    note = call("remember", TEXT, "--json").json["id"]
    done = call("forget", note, "--yes", "--json").json
    assert (done["outcome"], done["proof"]) == ("hidden", None)
    assert done["restorable_until"]
    assert call("show", note).code == 3
    assert call("undo", done["operation"]).code == 0
    assert call("show", note).code == 0


def test_a_question_shows_what_can_be_forgotten_by_its_id(call) -> None:
    note = call("remember", TEXT, "--json").json["id"]
    found = call("forget", "--query", "what opens the gate", "--json").json["found"]
    assert note in [one["id"] for one in found]
    assert note in call("forget", "--query", "what opens the gate").out
    assert call("show", note).code == 0


def test_a_secret_comes_from_a_file_or_stdin_and_goes_everywhere(call, tmp_path: Path) -> None:
    episode = call("record", f"the gate opens with {KEY}", "--json").json["episode"]
    file = tmp_path / "key.txt"
    file.write_text(KEY + "\n")
    shown = call("forget", "--text-from", str(file), "--preview")
    assert KEY not in shown.out
    assert episode in shown.out
    assert shown.out.startswith("would go: this text, out of 1 episode and of what repeats it\n")
    done = call("forget", episode, "--text-from", "-", "--yes", "--json", stdin=KEY).json
    assert done["outcome"] == "redacted"
    assert call("show", episode, "--json").json["text"] == "the gate opens with [redacted]"
    assert call("forget", "--text-from", str(file), "--session", "s", "--yes").code == 2


def test_a_session_and_a_time_narrow_down(call) -> None:
    for number in range(3):
        told = ["--host", "shell", "--session", "s1", "--event", f"e{number}", "--at", f"2026-01-0{number + 1}"]
        call("record", f"turn {number} of this session", *told)
    shown = call("forget", "--session", "s1", "--since", "2026-01-02", "--preview", "--json").json
    assert len(shown["episodes"]) == 2
    assert call("forget", "--since", "yesterday", "--preview").code == 2
    assert call("forget", "--preview").code == 2
    assert call("forget", "--session", "none of these", "--hard").out == "there is nothing to forget\n"


def test_what_has_expired_or_was_interrupted_is_seen_to(call) -> None:
    call("remember", TEXT)
    assert call("forget", "--expired").out == "nothing has expired\n"
    assert call("forget", "--finish", "--json").json == {"finished": False}
