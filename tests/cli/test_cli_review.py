"""Reviewing and protecting notes on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def stale(repository: Path, call) -> str:
    """The id of a note whose source has changed since."""
    call("init")
    note = call("remember", "Sending is tried 3 times.", "--about", "LIMIT", "--json").json["id"]
    source = repository / "net" / "session.py"
    source.write_text(source.read_text().replace("LIMIT = 3", "LIMIT = 5"))
    return note


def test_a_proposal_is_listed_with_its_evidence_and_what_it_would_change_and_accepted(stale: str, call) -> None:
    listed = call("review").out
    assert f"revise note {stale} [stale: body]" in listed
    assert "> net/session.py::LIMIT: was LIMIT = 3, now LIMIT = 5" in listed
    assert "    -Sending is tried 3 times.\n    +Sending is tried 5 times." in listed
    assert "1 open proposal" in listed
    proposal = call("review", "--json").json["proposals"][0]["id"]
    done = call("review", "--accept", proposal).out
    assert done.startswith(f"accepted {proposal} (op_")
    assert "Sending is tried 5 times." in call("show", stale).out
    assert call("review").out == "0 open proposals\n"
    assert call("review", "--accept", proposal).code != 0


def test_a_text_of_ones_own_and_a_rejection_come_from_the_command_line_too(stale: str, call) -> None:
    proposal = call("review", "--json").json["proposals"][0]["id"]
    operation = call("review", "--accept", proposal, "--text", "-", "--json", stdin="It is tried often.\n").json[
        "operation"
    ]
    assert "It is tried often." in call("show", stale).out
    call("undo", operation)
    assert call("review", "--reject", proposal).code != 0
    assert call("review", "--reject", proposal, "--because", "as before").out.startswith("rejected")
    assert "Sending is tried 3 times." in call("show", stale).out


@pytest.mark.parametrize(
    "options", [("--accept", "po_1", "--reject", "po_1"), ("--text", "x"), ("--accept", "po_1", "--because", "x")]
)
def test_options_that_do_not_go_together_are_refused(stale: str, call, options: tuple[str, ...]) -> None:
    done = call("review", *options)
    assert done.code != 0
    assert "--accept" in done.err or "--reject" in done.err


def test_a_note_is_protected_shown_as_such_and_freed(stale: str, call) -> None:
    assert "is protected: agreed with all" in call("protect", stale, "--because", "agreed with all").out
    assert "as it was" in call("protect", stale, "--because", "agreed with all").out
    for shown in (call("show", stale), call("notes"), call("history", stale), call("review")):
        assert "protected: agreed with all" in shown.out
    assert "protected no more" in call("unprotect", stale).out
    assert "was not protected" in call("unprotect", stale).out
    assert "protected" not in call("show", stale).out


def test_the_history_of_an_archived_note_says_what_took_it_out(stale: str, call) -> None:
    call("rate", stale, "useless", "--because", "it misled")
    for one in call("review", "--json").json["proposals"]:
        call("review", "--reject", one["id"], "--because", "not so")
    (proposal,) = call("review", "--json").json["proposals"]
    assert proposal["action"] == "archive"
    operation = call("review", "--accept", proposal["id"], "--json").json["operation"]
    assert f"taken out of every answer by {operation}" in call("history", stale).out
    assert call("history", stale, "--json").json["withdrawn"] == operation
    assert operation in call("show", stale).err


def test_a_note_that_was_told_when_it_was_stale_already_comes_first_and_says_when(stale: str, call) -> None:
    call("index")
    call("recall", "how often is sending tried")
    (one,) = call("review", "--json").json["proposals"]
    assert (one["note"], one["told_at"] is not None) == (stale, True)
    assert f"told {one['told_at']}, when it was so already" in call("review").out


def test_what_a_user_says_otherwise_is_up_for_review(repository: Path, call) -> None:
    call("init")
    note = call("remember", "Sessions expire after 30 minutes.", "--json").json["id"]
    said = call("record", "--role", "user", "--json", stdin="Sessions expire after 60 minutes.").json["episode"]
    (one,) = call("review", "--json").json["proposals"]
    assert (one["note"], one["text"]) == (note, "Sessions expire after 60 minutes.")
    assert said in one["evidence"][0]


def test_a_note_that_is_rated_wrong_is_up_for_review(repository: Path, call) -> None:
    call("init")
    note = call("remember", "Sessions expire after 30 minutes.", "--json").json["id"]
    assert "found useless" in call("rate", note, "wrong").out
    (one,) = call("review", "--json").json["proposals"]
    assert (one["note"], one["action"]) == (note, "archive")
    assert one["reason"] == "found useless by person: it is wrong"
