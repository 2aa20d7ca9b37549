"""Disputes on the command line, and insisting on a note."""

from __future__ import annotations

OLDER, NEWER = "The gate listens on port 5432.", "The gate listens on port 5433."


def test_a_dispute_is_listed_with_both_notes_and_settled(repository, call) -> None:  # the project
    call("init")
    older = call("remember", OLDER, "--json").json["id"]
    newer = call("remember", NEWER, "--json").json["id"]
    listed = call("disputes").out
    assert OLDER in listed
    assert listed.index(NEWER) < listed.index(OLDER)
    dispute = call("disputes", "--json").json["disputes"][0]["id"]
    assert f"{newer} holds, {older} is superseded" in call("resolve", dispute, newer).out
    assert "no note is disputed" in call("disputes").out


def test_a_repeated_note_is_written_only_when_it_is_insisted_on(repository, call) -> None:
    call("init")
    first = call("remember", OLDER, "--json").json["id"]
    assert f"reinforced {first}" in call("remember", "the gate listens on port 5432").out
    assert call("remember", "the gate listens on port 5432", "--insist").out.startswith("new ")
