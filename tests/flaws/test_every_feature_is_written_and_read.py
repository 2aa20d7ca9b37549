"""Every feature of the life of notes has an ordinary writer and an ordinary reader: none is there in name alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from conftest import Call


def ids(answer: Any) -> list[str]:
    return [hit["id"] for hit in answer["hits"]]


def settings_of(root: Path, old: str, new: str) -> None:
    file = root / "settings.toml"
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new), encoding="utf-8")


def test_proposals_come_from_a_changed_file_and_are_accepted_by_command(command: Call, tmp_path: Path) -> None:
    note = command("remember", "SSH is on port 22.", "--about", "ssh.port")["id"]
    settings_of(tmp_path / "depot", "port = 22", "port = 49222")
    (hit,) = command("recall", "which port is SSH on", "--kind", "note")["hits"]
    assert (hit["id"], hit["verdict"]["state"], hit["verdict"]["current"]) == (note, "stale", "49222")
    (proposed,) = command("review")["proposals"]
    assert (proposed["note"], proposed["text"]) == (note, "SSH is on port 49222.")
    command("review", "--accept", proposed["id"])
    (hit,) = command("recall", "which port is SSH on", "--kind", "note")["hits"]
    assert (hit["text"], hit["verdict"]["state"]) == ("SSH is on port 49222.", "current")
    assert command("review")["proposals"] == []
    command("undo", command("operations")["operations"][-1]["id"])
    assert command("recall", "which port is SSH on", "--kind", "note")["hits"][0]["text"] == "SSH is on port 22."


def test_proposals_come_from_a_changed_file_and_are_rejected_by_tool(tool: Call, tmp_path: Path) -> None:
    note = tool("remember", text="SSH is on port 22.", about=["ssh.port"])["id"]
    settings_of(tmp_path / "depot", "port = 22", "port = 49222")
    (proposed,) = tool("review")["proposals"]
    assert proposed["note"] == note
    tool("review", reject=proposed["id"], because="the file is wrong")
    assert tool("review")["proposals"] == []
    assert tool("recall", query="which port is SSH on", kinds=["note"])["hits"][0]["state"] == "stale"


def test_beliefs_come_from_what_a_user_says_on_several_days_and_are_read_with_their_evidence(command: Call) -> None:
    said = []
    for day in (1, 2, 3, 4):
        told = command(
            *("record", "I prefer pnpm over npm.", "--role", "user", "--host", "lab", "--session", f"day {day}"),
            *("--at", f"2026-01-0{day}T12:00:00Z"),
        )
        said.append(told["episode"])
    command("index")
    entries = command("profile")["profile"]
    assert "belief" in {entry["kind"] for entry in entries}
    for entry in entries:
        assert entry["key"] == "package manager"
        assert {piece["episode"] for piece in entry["evidence"]} <= set(said)
        assert command("show", entry["id"])["id"] == entry["id"], "each line is a note that can be shown"
        assert command("explain", entry["id"])["state"]["confidence"]["inputs"]


def test_the_profile_is_found_by_a_question_with_a_question_mark(command: Call, tool: Call) -> None:
    command("record", "I prefer pnpm over npm.", "--role", "user", "--host", "lab", "--session", "one")
    preference = command("profile")["profile"][0]["id"]
    for question in ("which package manager, pnpm or npm?", "pnpm?", "do I prefer pnpm over npm???", "npm (or pnpm)?"):
        told = [*command("recall", question)["hits"], *tool("recall", query=question)["hits"]]
        assert [hit["text"] for hit in told].count("I prefer pnpm over npm.") >= 2, "by the command and by the tool"
    assert preference in ids(command("recall", "which package manager, pnpm or npm?"))
    assert "pnpm" in tool("profile", about="package manager")["said"]


def test_disputes_come_from_two_notes_and_are_settled_by_command(command: Call) -> None:
    older = command("remember", "The pool holds 8 connections.")["id"]
    done = command("remember", "The pool holds 9 connections.")
    assert done["outcome"] == "disputed"
    hits = command("recall", "how many connections does the pool hold", "--kind", "note")["hits"]
    assert [hit["id"] for hit in hits] == [done["id"], older]
    assert {hit["verdict"]["state"] for hit in hits} == {"disputed"}
    (dispute,) = command("disputes")["disputes"]
    command("resolve", dispute["id"], done["id"])
    (hit,) = command("recall", "how many connections does the pool hold", "--kind", "note")["hits"]
    assert hit["text"] == "The pool holds 9 connections."
    assert command("disputes")["disputes"] == []


def test_disputes_come_from_two_notes_and_are_settled_by_tool(tool: Call) -> None:
    tool("remember", text="The pool holds 8 connections.")
    newer = tool("remember", text="The pool holds 9 connections.")["id"]
    (dispute,) = tool("disputes")["disputes"]
    tool("resolve", dispute=dispute["id"], holds=newer)
    assert ids(tool("recall", query="how many connections does the pool hold", kinds=["note"])) == [newer]


def test_rules_are_laid_down_and_act_on_a_question_before_anything_is_cut(command: Call) -> None:
    for colour in ("red", "green", "yellow"):
        command("remember", f"The {colour} shed of the depot is for crates.", "--tag", "draft")
    kept = command("remember", "The fireproof shed of the depot is where crates are dry.")["id"]
    command("remember", "A shed is painted every ten years.")
    question = ("recall", "which shed of the depot is for crates", "--kind", "note", "--limit", "1")
    assert ids(command(*question)) != [kept]
    command("rule", "add", "forbid", "tag=draft")
    assert ids(command(*question)) == [kept], "what is refused leaves its place to the next"
    (rule,) = command("rule", "list")["rules"]
    command("rule", "remove", rule["id"])
    command("rule", "add", "boost", "text~fireproof", "--factor", "10")
    assert ids(command(*question)) == [kept], "what is raised comes in from beyond the limit"


def test_reminders_are_made_told_and_ended(command: Call, tool: Call) -> None:
    made = command("remind", "Oil the gears first", "--when", "editing relay.py")["id"]
    assert "Oil the gears first" in command("brief", "--edit", "relay.py")["text"]
    assert made in [one["id"] for one in tool("reminders")["reminders"]]
    command("remind", "Ask Anna about the mast", "--when", "keyword: mast")
    assert "Ask Anna about the mast" in tool("recall", query="how high is the mast")["said"]
    tool("reminders", do="done", reminder=made)
    assert "Oil the gears" not in command("brief", "--edit", "relay.py")["text"]


def test_ratings_are_given_and_explained(command: Call, tool: Call) -> None:
    note = command("remember", "The winch slips in the rain.")["id"]
    command("rate", note, "useful", "--because", "it saved the afternoon")
    tool("rate", note=note, worth="useless", because="not in snow")
    told = command("explain", note)
    assert [(one["useful"], one["actor"]) for one in told["ratings"]] == [(True, "person"), (False, "agent")]
    assert "it saved the afternoon" in tool("explain", note=note)["said"]


def test_seeds_are_read_and_found(command: Call, tmp_path: Path) -> None:
    (tmp_path / "depot" / "README.md").write_text("# Depot\n\nThe depot keeps parcels dry between two ferries.\n")
    assert command("seed")["operation"]
    (hit, *_) = command("recall", "what does the depot keep dry between ferries", "--kind", "note")["hits"]
    assert "keeps parcels dry" in hit["text"]
    assert hit["evidence"][0]["trust"] == "data"


def test_what_is_forgotten_leaves_a_tombstone_that_stops_it_from_coming_in_again(command: Call) -> None:
    event = ("record", "The winch code is 7781.", "--role", "user", "--host", "lab", "--session", "s", "--event", "e1")
    first = command(*event)
    command("forget", first["episode"], "--hard", "--yes")
    command(*event)
    assert command("recall", "what is the winch code")["hits"] == []


def test_a_note_is_protected_and_says_so(command: Call, tool: Call) -> None:
    note = command("remember", "Parcels are sent by ship.", "--kind", "decision")["id"]
    command("protect", note, "--because", "the insurer asked")
    assert "the insurer asked" in str(command("show", note))
    tool("remember", text="Parcels are sent by air now instead of by ship.")
    assert command("show", note)["text"] == "Parcels are sent by ship."
    tool("protect", note=note, lift="yes")
    assert "the insurer asked" not in str(command("show", note))


def test_another_name_is_given_and_asked_by(command: Call, tool: Call) -> None:
    note = command("remember", "The Kingfisher rounds tariffs down.")["id"]
    command("alias", "add", "Kingfisher", "KF")
    assert note in ids(command("recall", "how does KF round tariffs"))
    assert note in ids(tool("recall", query="how does KF round tariffs"))


def test_what_was_done_is_listed_and_undone(command: Call, tool: Call) -> None:
    note = command("remember", "Parcels are sent by ship.")["id"]
    tool("revise", note=note, text="Parcels are sent by air.")
    told = tool("operations")["operations"]
    tool("undo", operation=told[-1]["id"])
    assert command("show", note)["text"] == "Parcels are sent by ship."
    assert len(command("history", note)["versions"]) == 2


def test_it_is_told_of_each_note_whether_a_person_an_agent_or_a_rule_wrote_it(
    command: Call, tool: Call, tmp_path: Path
) -> None:
    (tmp_path / "depot" / "README.md").write_text("# Depot\n\nThe depot keeps parcels dry between two ferries.\n")
    command("record", "I prefer pnpm over npm.", "--role", "user", "--host", "lab", "--session", "one")
    person = command("remember", "The winch slips in the rain.", "--actor", "person")["id"]
    agent = tool("remember", text="The ferry leaves at noon.")["id"]
    learned = command("profile")["profile"][0]["id"]
    seeded = command("seed")["notes"][0]["note"]
    wrote = {name: command("show", name)["actor"] for name in (person, agent, learned, seeded)}
    assert wrote == {person: "person", agent: "agent", learned: "profile", seeded: "seed"}
    trust = {hit["id"]: hit["evidence"][0]["trust"] for hit in command("recall", "when does the ferry leave")["hits"]}
    trust |= {hit["id"]: hit["evidence"][0]["trust"] for hit in command("recall", "when does the winch slip")["hits"]}
    assert (trust[person], trust[agent]) == ("user", "agent")
