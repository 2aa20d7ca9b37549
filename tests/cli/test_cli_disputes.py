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


def test_what_a_file_states_of_a_dispute_is_listed_with_it_and_proposed(repository, call) -> None:
    (repository / "settings.toml").write_text("[gate]\nport = 5432\n")
    call("init")
    older = call("remember", OLDER, "--json").json["id"]
    newer = call("remember", NEWER, "--json").json["id"]
    (one,) = call("disputes", "--json").json["disputes"]
    assert one["fact"] == {"address": "settings.toml::gate.port", "value": "5432", "holds": older}
    assert f"as {older} says: `review` proposes what follows" in call("disputes").out
    shown = call("review").out
    assert f"archive, since {older} stands, note {newer}" in shown
    assert "settings.toml::gate.port is 5432 since 20" in shown
    assert OLDER in shown
    proposal = call("review", "--json").json["proposals"][0]["id"]
    done = call("review", "--accept", proposal, "--json").json
    assert call("disputes", "--json").json["disputes"] == []
    call("undo", done["operation"])
    assert call("disputes", "--json").json["disputes"] == [one]
