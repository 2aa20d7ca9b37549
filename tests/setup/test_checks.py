"""The doctor says whether hosts still call this moored, and what keeps them from it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from moored.setup import checks, known, runs, site
from moored.setup.site import Command


@pytest.fixture
def home() -> Path:
    return Path(os.environ["HOME"])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "journal" / "setup"


def set_up(folder: Path, *hosts: str, project: Path | None = None, command: Command = Command.INSTALLED) -> None:
    chosen = [(host, known.setup_of(host, site.here(project, command))) for host in hosts]
    assert not any(one.refused for one in runs.set_up(chosen, folder, project=project, dry_run=False))


def states(folder: Path) -> dict[str, str]:
    return {check.name: check.state for check in checks.examine(folder)}


def test_where_no_host_is_set_up_all_is_well(folder: Path) -> None:
    assert states(folder) == {"set-up": "ok"}
    assert not folder.exists()


def test_what_was_just_set_up_is_well(folder: Path, tmp_path: Path) -> None:
    hosts = [host for host in known.HOSTS if host != "codex"]
    set_up(folder, *hosts)
    set_up(folder, "cursor", project=tmp_path)
    assert states(folder) == {f"set-up {host}": "ok" for host in hosts} | {f"set-up cursor in {tmp_path}": "ok"}


@pytest.mark.parametrize("host", [host for host in known.HOSTS if host != "codex"])
def test_hooks_that_call_a_program_which_is_gone_are_a_problem(folder: Path, host: str) -> None:
    with pytest.MonkeyPatch.context() as elsewhere:
        elsewhere.setattr(site, "installed", lambda name: Path(f"/nowhere/it's/{name}"))
        set_up(folder, host)
    (check,) = checks.examine(folder)
    assert (check.state, "/nowhere/it's/moored-hook" in check.detail) == ("problem", True)
    assert f"moored setup {host}" in check.remedy


def test_hooks_by_name_need_their_program_on_the_path(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_up(folder, "gemini", command=Command.PATH)
    program = tmp_path / "bin" / "moored-hook"
    program.parent.mkdir()
    monkeypatch.setenv("PATH", str(program.parent))
    assert states(folder) == {"set-up gemini": "problem"}
    program.write_text("")
    program.chmod(0o755)
    assert states(folder) == {"set-up gemini": "ok"}


def test_entries_that_somebody_took_out_are_named(folder: Path, home: Path) -> None:
    set_up(folder, "claude-code")
    settings = home / ".claude" / "settings.json"
    settings.write_text("{}")
    (check,) = checks.examine(folder)
    assert (check.state, str(settings) in check.detail) == ("warning", True)


def test_a_file_that_cannot_be_understood_is_named(folder: Path, home: Path) -> None:
    set_up(folder, "cursor")
    (home / ".cursor" / "hooks.json").write_text("{")
    (check,) = checks.examine(folder)
    assert (check.state, "hooks.json" in check.detail) == ("problem", True)


def test_a_journal_that_cannot_be_read_is_a_problem(folder: Path) -> None:
    set_up(folder, "cursor")
    (folder / "journal.json").write_text("{")
    assert states(folder) == {"set-up": "problem"}


def test_hooks_that_codex_does_not_trust_are_counted(folder: Path, home: Path) -> None:
    hooks, config = home / ".codex" / "hooks.json", home / ".codex" / "config.toml"
    hooks.parent.mkdir()
    hooks.write_text('{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "theirs"}]}]}}')
    set_up(folder, "codex")
    (check,) = checks.examine(folder)
    assert (check.state, check.detail.startswith("8 of 8 hooks")) == ("warning", True)
    names = ["session_start", "user_prompt_submit", "post_tool_use", "pre_compact", "session_end"]
    names += ["subagent_start", "subagent_stop"]
    keys = [f"{hooks}:{name}:0:0" for name in names]
    before = config.read_text()
    config.write_text(before + "".join(f'[hooks.state.{json.dumps(key)}]\ntrusted_hash = "sha256:1"\n' for key in keys))
    assert checks.examine(folder)[0].detail.startswith("1 of 8 hooks")
    own = f"{hooks}:stop:1:0"
    config.write_text(config.read_text() + f'[hooks.state.{json.dumps(own)}]\ntrusted_hash = "sha256:1"\n')
    assert states(folder) == {"set-up codex": "ok"}
    config.write_text("[features]\nhooks = false\n" + config.read_text())
    assert "turned off" in checks.examine(folder)[0].detail
