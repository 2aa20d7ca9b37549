"""`moored setup` is one command that works, says what it did, and can be taken back."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

CODEX = (".codex/config.toml", ".codex/hooks.json", ".agents/skills/moored/SKILL.md")


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The home folder of the test, on a machine that has git and no host."""
    programs = tmp_path / "programs"
    programs.mkdir()
    git = shutil.which("git")
    assert git
    (programs / "git").symlink_to(git)
    monkeypatch.setenv("PATH", str(programs))
    return Path(os.environ["HOME"])


def test_what_is_found_is_set_up_and_the_project_begun(call, home: Path, repository: Path) -> None:
    (home / ".codex").mkdir()
    done = call("setup")
    assert done.code == 0
    assert done.out.startswith("Codex: set up\n")
    assert "/hooks" in done.out
    assert "2 files looked at, 2 read" in done.out
    assert "moored import auto" in done.out
    assert all((home / name).is_file() for name in CODEX)
    assert call("status").code == 0
    again = call("setup", "--no-index")
    assert "Codex: set up already\n" in again.out
    taken = call("unsetup")
    assert taken.out.startswith("Codex: taken out\n")
    assert not any((home / name).exists() for name in CODEX)
    assert (home / ".codex").is_dir()
    assert call("status").code == 0
    assert call("unsetup").out == "moored is set up in no host.\n"


def test_where_no_host_is_the_way_on_is_said(call, home: Path) -> None:
    done = call("setup", "--no-index")
    assert (done.code, "moored setup other" in done.out) == (0, True)
    snippet = call("setup", "other", "--no-index")
    assert json.loads(snippet.out.split("\n", 1)[1])["mcpServers"]["moored"]["args"] == ["serve"]


def test_a_folder_that_is_no_project_is_not_read(call, home: Path, project: Path) -> None:
    done = call("setup")
    assert "is no project" in done.out
    assert call("status").code == 3
    (project / ".moored.toml").write_text("")
    assert "is no project" not in call("setup").out
    assert call("status").code == 0


def test_the_history_and_the_transcripts_are_imported_when_asked(call, home: Path, repository: Path) -> None:
    folder = home / ".claude" / "projects" / "courier"
    folder.mkdir(parents=True)
    line = {
        "type": "user",
        "uuid": "u1",
        "parentUuid": None,
        "sessionId": "s1",
        "cwd": str(repository),
        "timestamp": "2026-03-01T10:00:00.000Z",
        "message": {"role": "user", "content": "Why are packets sent three times?"},
    }
    (folder / "s1.jsonl").write_text(json.dumps(line) + "\n")
    done = call("setup", "--import", "--json").json["project"]["imported"]
    assert (done["transcripts"], done["events"], done["commits"]) == (1, 1, 2)
    for operation in done["operations"]:
        assert call("undo", operation).code == 0
    assert call("setup", "--json").json["project"]["imported"] is None


def test_a_refused_host_is_named_and_the_others_are_set_up(call, home: Path) -> None:
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text("broken = = 1\n")
    done = call("setup", "codex", "cursor", "--no-index")
    assert done.code == 2
    assert f"Codex: refused\n  {home / '.codex' / 'config.toml'}, it is not TOML" in done.out
    assert "line 1" in done.out
    assert "Cursor: set up\n" in done.out
    assert not (home / ".codex" / "hooks.json").exists()
    outcomes = {
        one["host"]: one["outcome"] for one in call("setup", "codex", "cursor", "--no-index", "--json").json["hosts"]
    }
    assert outcomes == {"codex": "refused", "cursor": "set up already"}


def test_a_dry_run_shows_the_difference_and_writes_nothing(call, home: Path, project: Path) -> None:
    (home / ".cursor").mkdir()
    config = home / ".cursor" / "mcp.json"
    config.write_text('{"mcpServers": {}}\n')
    done = call("setup", "--dry-run")
    assert "Cursor: would be set up\n" in done.out
    assert f"--- {config}\n+++ {config}\n@@" in done.out
    assert '-{"mcpServers": {}}' in done.out
    assert config.read_text() == '{"mcpServers": {}}\n'
    assert list((home / ".cursor").iterdir()) == [config]
    call("setup", "--no-index")
    taken = call("unsetup", "--dry-run")
    assert "Cursor: would be taken out\n" in taken.out
    assert "moored" in config.read_text()


def test_a_project_is_set_up_in_its_own_files(call, home: Path, project: Path) -> None:
    done = call("setup", "claude-code", "--project", "--no-index")
    assert "can be shared" in done.out
    assert (project / ".mcp.json").is_file()
    assert not (home / ".claude").exists()
    shared = call("setup", "claude-code", "--project", "--no-index", "--command", "path")
    assert "can be shared" not in shared.out
    assert json.loads((project / ".mcp.json").read_text())["mcpServers"]["moored"]["command"] == "moored"
    assert call("unsetup", "--user").out == "Claude Code: not set up\n"
    assert "taken out" in call("unsetup", "--project").out
    assert not (project / ".mcp.json").exists()


def test_an_unknown_host_is_answered_with_the_known_ones(call, home: Path) -> None:
    done = call("setup", "claude", "--no-index")
    assert done.code == 3
    assert "Did you mean: claude-code?" in done.err
