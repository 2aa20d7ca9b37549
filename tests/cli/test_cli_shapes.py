"""The JSON of every command has the keys that docs/cli.md gives, no more and no fewer."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

DOCUMENT = Path(__file__).parents[2] / "docs" / "cli.md"
SEND = "net/session.py::Session.send"


def documented() -> dict[str, list[Any]]:
    """The examples below each heading of the document."""
    found: dict[str, list[Any]] = {}
    for section in re.split(r"^### moored ", DOCUMENT.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        name = section.split("\n", 1)[0].strip()
        found[name] = [json.loads(block) for block in re.findall(r"```json\n(.*?)\n```", section, re.DOTALL)]
    return found


def differences(shown: Any, real: Any, where: str = "") -> list[str]:
    """Where two documents differ in their keys. An empty list says nothing of what its entries would be."""
    if isinstance(shown, dict) and isinstance(real, dict):
        if any(key.startswith("<") for key in shown):
            return []
        found = [f"{where}.{key}" for key in shown.keys() ^ real.keys()]
        for key in shown.keys() & real.keys():
            found += differences(shown[key], real[key], f"{where}.{key}")
        return found
    if isinstance(shown, list) and isinstance(real, list):
        return [line for item in real for line in (differences(shown[0], item, f"{where}[]") if shown else [])]
    if isinstance(shown, dict | list) != isinstance(real, dict | list) and real is not None and shown is not None:
        return [f"{where} is of another sort"]
    return []


def test_every_shape_is_as_it_is_documented(call, repository: Path, tmp_path: Path) -> None:
    source = repository / "net" / "session.py"
    (repository / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    real: dict[str, list[Any]] = {}

    def ask(name: str, *arguments: str) -> Any:
        done = call(*arguments, "--json")
        assert done.code == 0, (name, done.err)
        real.setdefault(name, []).append(done.json)
        return done.json

    ask("init", "init")
    ask("index", "index")
    result = ["--role", "tool", "--tool", "bash", "--tool-input", "make test", "--exit-status", "0"]
    episode = ask("record", "record", '{"passed": 41}', *result)["episode"]
    text = "Sending is tried three times, see `Session.sned`"
    note = ask("remember", "remember", text, "--about", SEND, "--proof", "make test")["id"]
    ask("recall", "recall", "how often is sending tried", "--budget", "60")
    ask("brief", "brief")
    ask("show", "show", note)
    ask("show", "show", episode)
    ask("show", "show", SEND)
    source.write_text(source.read_text().replace("continue", "pass"))
    ask("stale", "stale")
    ask("pin", "pin", "Never touch `Session.send`")
    ask("affected", "affected")
    ask("revise", "revise", note, "Sending is tried again silently")
    ask("history", "history", note)
    ask("history", "history", SEND)
    ask("notes", "notes")
    ask("rate", "rate", note, "useful")
    ask("explain", "explain", note)
    ask("symbol", "symbol", "Session")
    ask("impact", "impact", "Session.send")
    ask("map", "map")
    pin = ask("pins", "pins")["pins"][0]["id"]
    ask("unpin", "unpin", pin)
    call("record", "I prefer pnpm over npm.")
    ask("profile", "profile")
    ask("remind", "remind", "Rotate the key first", "--when", "editing net/session.py")
    call("record", "When we touch net/session.py, remember to rotate the key.")
    proposal = call("remind", "--proposed", "--json").json["reminders"][0]["id"]
    reminder = ask("reminders accept", "reminders", "accept", proposal)["id"]
    ask("reminders list", "reminders", "list")
    ask("reminders snooze", "reminders", "snooze", reminder, "tomorrow")
    ask("reminders done", "reminders", "done", reminder)
    call("remember", "Sending may be tried ten times", "--tag", "draft")
    call("rule", "add", "boost", "tag=draft and kind=note")
    rule = ask("rule add", "rule", "add", "forbid", "tag=draft", "--because", "drafts mislead")["id"]
    ask("rule list", "rule", "list")
    ask("rule test", "rule", "test", "how often is sending tried")
    ask("rule remove", "rule", "remove", rule)
    call("remember", "The gate listens on port 5432.")
    call("remember", "The gate listens on port 5433.")
    disputed = ask("disputes", "disputes")["disputes"][0]
    ask("resolve", "resolve", disputed["id"], disputed["newer"]["id"])
    limit = call("remember", "Sending is tried 3 times", "--about", "LIMIT", "--insist", "--json").json["id"]
    source.write_text(source.read_text().replace("LIMIT = 3", "LIMIT = 5"))
    proposed = ask("review", "review")["proposals"][0]["id"]
    ask("review", "review", "--accept", proposed)
    ask("protect", "protect", limit, "--because", "agreed with the auditors")
    ask("unprotect", "unprotect", limit)
    ask("alias add", "alias", "add", "Kubernetes", "k8s")
    ask("alias list", "alias", "list")
    ask("alias remove", "alias", "remove", "Kubernetes", "k8s")
    forgotten = call("remember", "Sending is tried three times a day", "--about", SEND, "--json").json["id"]
    ask("forget", "forget", forgotten, "--hard", "--yes")
    ask("forget", "forget", "--query", "how often is sending tried")
    operation = ask("import git", "import", "git")["operation"]
    ask("seed", "seed")
    ask("import claude-code", "import", "claude-code", str(_transcript(tmp_path)))
    ask("operations", "operations")
    ask("undo", "undo", operation)
    ask("status", "status")
    ask("doctor", "doctor")
    ask("export", "export", str(tmp_path / "memory.jsonl"))
    ask("export", "export", "--bundle", str(tmp_path / "memory.zip"))
    ask("import bundle", "import", "bundle", str(tmp_path / "memory.zip"))
    copy = ask("backup", "backup")["file"]
    ask("restore", "restore", copy)
    ask("encrypt", "encrypt", "--key-file", str(tmp_path / "store.key"))
    ask("rekey", "rekey", "--key-file", str(tmp_path / "next.key"))
    ask("decrypt", "decrypt")
    ask("setup", "setup", "codex", "--import")
    ask("unsetup", "unsetup")

    shapes = documented()
    for name, answers in real.items():
        assert len(shapes[name]) == len(answers), f"docs/cli.md has another number of shapes of {name}"
        for shown, answer in zip(shapes[name], answers, strict=True):
            assert differences(shown, answer) == [], f"moored {name}"


def _transcript(folder: Path) -> Path:
    """A transcript with something of every kind in it: one that is left, a bad line, an unknown record."""
    path = folder / "transcripts" / "s.jsonl"
    path.parent.mkdir()
    said = {"type": "user", "uuid": "u", "sessionId": "s", "message": {"role": "user", "content": "hello"}}
    path.write_text(json.dumps(said) + '\n{\n{"type": "moon"}\n{"type": "summary"}\n')
    (path.parent / "broken.jsonl").symlink_to(folder / "nowhere")
    return path.parent


def test_every_command_is_documented(call) -> None:
    listed = set(re.findall(r"^  (\w+)  ", call("--help").out, re.MULTILINE))
    named = {name.split()[0] for name in documented()}
    assert {"init", "bench", "completion"} <= listed
    assert listed == named


def test_differences_are_found_at_any_depth() -> None:
    shown = {"a": [{"b": {"c": 1}}], "d": {"<kind>": 1}}
    assert differences(shown, {"a": [{"b": {"c": 2}}], "d": {"x": 1, "y": 2}}) == []
    assert sorted(differences(shown, {"a": [{"b": {"e": 2}}], "d": {}})) == [".a[].b.c", ".a[].b.e"]
    assert differences(shown, {"a": [], "d": 3}) == [".d is of another sort"]
