"""The words that call moored, and the hosts that are found."""

from __future__ import annotations

import json
import os
import shlex
import sys
import sysconfig
from dataclasses import replace
from pathlib import Path

import pytest

from lab.machine import Machine
from moored.errors import NotFound
from moored.setup import known, site


def test_hosts_call_this_installation_by_its_full_path() -> None:
    here = site.here(None)
    assert here.hook == (str(Path(sysconfig.get_path("scripts")) / "moored-hook"),)
    assert os.access(here.server[0], os.X_OK)
    assert shlex.split(here.command("codex", "Stop")) == [*here.hook, "codex", "Stop"]


def test_hosts_call_moored_by_its_name_or_through_uvx_when_asked() -> None:
    assert site.here(None, site.Command.PATH).stdio() == {"command": "moored", "args": ["serve"]}
    uvx = site.here(None, site.Command.UVX)
    assert uvx.stdio() == {"command": "uvx", "args": ["--from", "moored", "moored", "serve"]}
    assert uvx.command("codex", "Stop") == "uvx --from moored moored-hook codex Stop"


def test_plugins_call_moored_through_uvx_too(machine: Machine) -> None:
    uvx = replace(machine.site(), hook=site.words("moored-hook", site.Command.UVX))
    for host in ("opencode", "omp"):
        [shim] = [one for one in known.setup_of(host, uvx).targets if one.file.suffix == ".js"]
        assert f'spawn(HOOK, ["--from", "moored", "moored-hook", "{host}", event]' in shim.edits[0].text
        assert 'const HOOK = "uvx"' in shim.edits[0].text


def test_an_installation_without_its_commands_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sysconfig, "get_path", lambda _: str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "moored")])
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NotFound, match="moored-hook"):
        site.installed("moored-hook")
    (tmp_path / "moored-hook").write_text("")
    assert site.installed("moored-hook") == tmp_path / "moored-hook"


def test_an_installation_in_a_cache_of_uv_is_known() -> None:
    assert site.is_fleeting("/home/ada/.cache/uv/archive-v0/x1/bin/moored-hook")
    assert not site.is_fleeting("/home/ada/.local/share/uv/tools/moored/bin/moored-hook")


def test_a_path_of_windows_is_quoted_and_keeps_no_backslash() -> None:
    line = site.quote_windows((r"C:\Users\Jane Doe\venv\Scripts\moored-hook.exe", "cursor", "stop"))
    assert line == '"C:/Users/Jane Doe/venv/Scripts/moored-hook.exe" cursor stop'


def test_hosts_are_found_by_their_folder_or_their_program(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = machine.home / "bin"
    programs.mkdir()
    monkeypatch.setenv("PATH", str(programs))
    assert list(known.on_this_machine(machine.site())) == []
    (machine.home / ".codex").mkdir()
    (programs / "opencode").write_text("#!/bin/sh\n")
    (programs / "opencode").chmod(0o755)
    assert [host for host, _ in known.on_this_machine(machine.site())] == ["codex", "opencode"]


def test_a_host_that_nobody_knows_is_answered_with_those_that_are_near() -> None:
    with pytest.raises(NotFound, match="claude-code") as caught:
        known.setup_of("claude", site.here(None))
    assert caught.value.near == ("claude-code",)


def test_folders_that_the_environment_moved_are_followed(machine: Machine) -> None:
    moved = machine.home / "else where"
    for host, variable in (("claude-code", "CLAUDE_CONFIG_DIR"), ("codex", "CODEX_HOME"), ("vscode", "COPILOT_HOME")):
        setup = known.setup_of(host, machine.site(**{variable: str(moved)}))
        assert any(target.file.is_relative_to(moved) for target in setup.targets), host
    claude = known.setup_of("claude-code", machine.site(CLAUDE_CONFIG_DIR=str(moved)))
    assert moved / ".claude.json" in [target.file for target in claude.targets]


def test_user_settings_of_vs_code_are_where_the_system_has_them(machine: Machine) -> None:
    for system, folder in (("darwin", "Library/Application Support/Code"), ("win32", "AppData/Roaming/Code")):
        setup = known.setup_of("vscode", replace(machine.site(), system=system))
        assert setup.targets[0].file == machine.home / folder / "User" / "mcp.json"


def test_the_plugin_beside_a_set_up_is_warned_of(machine: Machine) -> None:
    settings = machine.home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text("{}")
    assert not any("plugin" in hint for hint in machine.setup("claude-code").hints)
    settings.write_text('{"enabledPlugins": {"moored@moored": true}}')
    assert any("claude plugin disable moored" in hint for hint in machine.setup("claude-code").hints)


def test_a_file_with_comments_is_preferred_where_opencode_has_one(machine: Machine) -> None:
    folder = machine.home / ".config" / "opencode"
    folder.mkdir(parents=True)
    (folder / "opencode.jsonc").write_text("{}")
    (folder / "opencode.json").write_text("{}")
    assert machine.setup("opencode").targets[0].file == folder / "opencode.jsonc"


def test_antigravity_gets_its_own_file_of_servers_where_it_is(machine: Machine) -> None:
    def files(scope: str) -> list[str]:
        return [str(target.file.relative_to(machine.home)) for target in machine.setup("gemini", scope).targets]

    assert ".gemini/config/mcp_config.json" not in files("user")
    (machine.home / ".gemini" / "antigravity-cli").mkdir(parents=True)
    assert files("user")[-1] == ".gemini/config/mcp_config.json"
    assert files("project")[-1].endswith(".agents/mcp_config.json")


def test_any_other_client_is_told_what_to_write(machine: Machine) -> None:
    assert json.loads(known.snippet(machine.site())) == {
        "mcpServers": {"moored": {"command": machine.site().server[0], "args": ["serve"]}}
    }
