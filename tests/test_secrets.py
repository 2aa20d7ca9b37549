"""Canaries of every kind go in by every entry; afterwards nothing on the disk holds one (I-20)."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from lab import hooks
from lab.canaries import Canary, canaries
from moored.cli.main import cli
from moored.errors import EmptyText
from moored.memory import Memory, open_memory
from moored.model.clock import ManualClock
from moored.model.episodes import Episode
from moored.model.ids import SequentialIds
from moored.model.notes import Change, State

CANARIES = canaries()
MANY = "\n\n".join(canary.text for canary in CANARIES)
"""Every canary in one text, as a tool may print a whole configuration."""


@dataclass(frozen=True)
class House:
    """A project under git, and the folder of its store."""

    root: Path
    folder: Path
    memory: Memory

    @property
    def store(self) -> Path:
        return self.folder / "moored.db"

    @property
    def wal(self) -> Path:
        return self.folder / "moored.db-wal"

    def leaks(self, *, log: bool = True) -> dict[str, list[str]]:
        """Which canaries stand in which files beside the store, as they are or in lower case, as an index has them."""
        found: dict[str, list[str]] = {}
        files = [file for file in self.folder.rglob("*") if file.is_file()]
        assert self.wal in files or not log, "the write-ahead log is to be scanned as well"
        for file in files:
            try:
                kept = file.read_bytes()
            except FileNotFoundError:
                continue  # an absorber took it in meanwhile
            lowered = kept.lower()
            for canary in CANARIES:
                secret = canary.secret.encode()
                if secret in kept or (len(secret) > 12 and secret.lower() in lowered):
                    found.setdefault(file.name, []).append(canary.name)
        return found


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    root, folder = tmp_path / "project", tmp_path / "data"
    root.mkdir()
    subprocess.run(["git", "-C", str(root), "init", "-q", "-b", "main"], check=True)
    (root / "app.py").write_text("def start():\n    return 'started'\n")
    clock = ManualClock()
    memory = open_memory(root, store=folder / "moored.db", clock=clock, ids=SequentialIds(), dense=False)
    yield House(root, folder, memory)
    memory.close()


def commit(root: Path, message: str) -> None:
    subprocess.run(["git", "-C", str(root), "add", "-A"], check=True)
    command = ["git", "-C", str(root), "commit", "-q", "--allow-empty", "-F", "-"]
    subprocess.run(command, input=message.encode(), check=True)


def shaped() -> list[Canary]:
    """Those that are known wherever they stand."""
    return [canary for canary in CANARIES if canary.text == f"use {canary.secret} for it"]


@pytest.mark.invariant("I-20")
def test_no_canary_that_is_recorded_reaches_the_disk(house: House) -> None:
    for canary in CANARIES:
        house.memory.record(canary.text)
        house.memory.record("done", role="tool", tool_name="Bash", tool_input=canary.text, exit_status=0)
        house.memory.record(
            json.dumps({"stdout": canary.text, "code": 0}).encode(),
            role="tool",
            channel="import",
            tool_name="Bash",
            tool_input=json.dumps({"command": f"run it\n{canary.text}"}),
            exit_status=0,
        )
    house.memory.record(MANY, role="tool", tool_name="Read")
    assert house.leaks() == {}


@pytest.mark.invariant("I-20")
def test_no_canary_in_a_note_a_revision_or_a_pin_reaches_the_disk(house: House) -> None:
    house.memory.index()
    for number, canary in enumerate(CANARIES):
        note = house.memory.remember(f"{number}: {canary.text}", about=["app.py::start"], proof=f"run {canary.text}")
        assert f"taken out: {canary.kind}" in note.receipt
        house.memory.revise(note.id, f"{number} again: {canary.text}")
        house.memory.pin(f"{number}: never say {canary.text}")
    for canary in shaped():
        if len(canary.secret) <= 60:
            house.memory.remember("It is in the tag", tags=[canary.secret], kind="note", actor="agent")
        note = house.memory.remember(f"It is in the cause of {canary.name}")
        house.memory.revise(note.id, f"It was in the cause of {canary.name}", cause=f"because of {canary.secret}")
    assert house.leaks() == {}


@pytest.mark.invariant("I-20")
def test_no_canary_in_a_file_reaches_the_disk(house: House) -> None:
    write_files(house.root)
    done = house.memory.index()
    assert done.parsed >= 6
    house.memory.remember("The settings are read at the start", about=["settings.json", "keys.py"])
    assert house.leaks() == {}
    assert b"[redacted: github token]" in house.store.read_bytes() + house.wal.read_bytes()
    # The same when a file is read again because it changed, also by an answer.
    for name in ("settings.json", "keys.py"):
        (house.root / name).write_text((house.root / name).read_text().replace("first", "second"))
    house.memory.stale()
    house.memory.recall("settings")
    house.memory.index(paths=["keys.py", ".env"])
    assert house.leaks() == {}


def write_files(root: Path) -> None:
    """Put every canary into a file of each sort in which it may stand."""
    chosen = shaped()
    (root / "settings.json").write_text(
        json.dumps({"name": "first", "all": {f"use_{number}": one.secret for number, one in enumerate(chosen)}})
    )
    (root / "texts.json").write_text(json.dumps({f"text_{number}": one.text for number, one in enumerate(CANARIES)}))
    (root / "settings.yaml").write_text("".join(f"use_{n}:\n  - {one.secret}\n" for n, one in enumerate(chosen)))
    lines = [f'USE_{number} = "{one.secret}"\n"""The one called {one.secret}"""\n' for number, one in enumerate(chosen)]
    functions = [
        f'def call_{number}(value="{one.secret}"):\n    """Ask with {one.secret}."""\n'
        for number, one in enumerate(chosen)
    ]
    (root / "keys.py").write_text("FIRST = 'first'\n" + "".join((*lines, *functions)))
    (root / "keys.ts").write_text(
        "".join(f'export const use{n}: string = "{one.secret}";\n' for n, one in enumerate(chosen))
    )
    env = [one.text for one in CANARIES if one.name.startswith("env")]
    (root / "deploy.env").write_text("".join(env))
    (root / ".env").write_text("".join(env))
    (root / "db.ini").write_text("[db]\n" + "".join(one.text for one in CANARIES if one.name == "aws secret") + "\n")
    (root / "Makefile").write_text("".join(f"run{n}:\n\tuse {one.secret}\n" for n, one in enumerate(chosen)))


@pytest.mark.invariant("I-20")
def test_no_canary_in_a_commit_message_an_export_or_a_backup_reaches_the_disk(house: House) -> None:
    commit(house.root, "Begin\n\n" + MANY)
    for canary in CANARIES[:20]:
        commit(house.root, f"Say it\n\n{canary.text}")
    assert house.memory.import_git().recorded == 21
    house.memory.record(MANY)
    house.memory.export(house.folder / "memory.jsonl", facts=True)
    house.memory.store.backup(house.folder / "copy.db")
    assert house.leaks() == {}


@pytest.mark.invariant("I-20")
def test_no_canary_given_to_the_command_line_reaches_the_disk(house: House) -> None:
    place = ["--project", str(house.root), "--store", str(house.store)]

    def call(*arguments: str) -> str:
        done = CliRunner().invoke(cli, [*place, *arguments], input=MANY)
        assert done.exit_code == 0, done.output
        return done.output

    said = call("record", "-")
    assert "taken out: " in said
    assert "github token" in said
    call("remember", "-")
    call("pin", "All of it:\n" + "\n".join(canary.text for canary in CANARIES[:30]))
    assert json.loads(call("record", "<private>all of it</private>", "--json"))["outcome"] == "withheld"
    assert "withheld: nothing was kept" in call("record", "<private>all of it</private>")
    assert house.leaks() == {}


@pytest.mark.invariant("I-20")
def test_no_canary_that_a_host_reports_reaches_the_disk(house: House) -> None:
    hooks.ask(house.store, "UserPromptSubmit", hooks.prompt(house.root, MANY))
    hooks.ask(house.store, "PostToolUse", hooks.bash(house.root, MANY, tool_input={"command": MANY}))
    assert house.leaks(log=False) == {}
    until = time.monotonic() + 30
    while len(episodes := recorded(house.memory)) < 2:
        assert time.monotonic() < until, "what the hooks captured is not in the record"
        time.sleep(0.05)
    assert all("[redacted: github token]" in episode.text for episode in episodes)
    assert house.leaks() == {}


def recorded(memory: Memory) -> list[Episode]:
    memory.stale()  # what is captured is taken in before anything is answered
    with memory.store.read() as view:
        return list(view.episodes.all(memory.project))


def test_the_scan_finds_what_is_there(house: House) -> None:
    house.memory.record("so that there is a log")
    secret = next(canary.secret for canary in CANARIES if canary.name == "github p")
    (house.folder / "a.log").write_text(f"..{secret}..")
    (house.folder / "b.log").write_text(f"..{secret.lower()}..")
    assert house.leaks() == {"a.log": ["github p"], "b.log": ["github p"]}


def test_a_note_about_a_value_turns_stale_when_the_secret_is_rotated(house: House) -> None:
    old, new = (one.secret for one in shaped() if one.name in ("github p", "github o"))
    (house.root / "conf.json").write_text(json.dumps({"deploy": {"token": old}}))
    house.memory.index()
    note = house.memory.remember("The deploy token belongs to the robot", about=["conf.json::deploy.token"])
    assert note.anchors[-1].value == "[redacted: token]"
    (house.root / "conf.json").write_text(json.dumps({"deploy": {"token": new}}))
    report = house.memory.stale()
    assert [(one.verdict.state, one.verdict.change) for one in report.notes] == [(State.STALE, Change.VALUE)]
    assert new not in repr(report)


def test_what_is_private_is_refused_as_a_note_and_as_a_pin(house: House) -> None:
    for write in (house.memory.remember, house.memory.pin):
        with pytest.raises(EmptyText):
            write("<private>only this</private>")
    note = house.memory.remember("Deploys are on Fridays <private>because of Ada</private>")
    assert "taken out: private" in note.receipt
    assert house.memory.pin("Never <private>x</private> on Fridays").text == "Never [private] on Fridays"
