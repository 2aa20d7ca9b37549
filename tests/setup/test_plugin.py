"""The plugin for Claude Code has the documented shape and does what `moored setup claude-code` does."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from moored.hosts.claude_code import ADAPTER, setup
from moored.hosts.edits import Hooks, Member, Whole, asset
from moored.setup import site

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "plugin"
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def read(*parts: str) -> Any:
    return json.loads(ROOT.joinpath(*parts).read_text(encoding="utf-8"))


def test_the_marketplace_names_its_owner_and_a_plugin_that_is_there() -> None:
    market = read(".claude-plugin", "marketplace.json")
    assert NAME.fullmatch(market["name"])
    assert market["owner"]["name"]
    [plugin] = market["plugins"]
    source = ROOT / plugin["source"]
    assert plugin["source"].startswith("./")
    assert json.loads((source / ".claude-plugin" / "plugin.json").read_text())["name"] == plugin["name"]


def test_the_manifest_has_the_fields_that_are_documented_and_no_others() -> None:
    manifest = read("plugin", ".claude-plugin", "plugin.json")
    assert NAME.fullmatch(manifest["name"])
    assert manifest.keys() <= {
        "name",
        "version",
        "description",
        "author",
        "homepage",
        "repository",
        "license",
        "keywords",
    }
    assert f'version = "{manifest["version"]}"' in (ROOT / "pyproject.toml").read_text()
    assert set(manifest["author"]) == {"name"}


def test_the_plugin_has_the_hooks_the_server_and_the_skill_that_set_up_installs() -> None:
    edits = [edit for target in setup(site.here(None, site.Command.PATH)).targets for edit in target.edits]
    [hooks] = [edit for edit in edits if isinstance(edit, Hooks)]
    [server] = [edit for edit in edits if isinstance(edit, Member)]
    [skill] = [edit for edit in edits if isinstance(edit, Whole)]
    assert read("plugin", "hooks", "hooks.json") == {"hooks": {event: [one] for event, one in hooks.elements.items()}}
    assert read("plugin", ".mcp.json")["mcpServers"]["moored"].items() <= server.value.items()
    assert (PLUGIN / "skills" / "moored" / "SKILL.md").read_text() == skill.text


def test_every_hook_is_a_list_of_groups_with_a_list_of_commands() -> None:
    for event, groups in read("plugin", "hooks", "hooks.json")["hooks"].items():
        assert event in ADAPTER.moments
        for group in groups:
            assert group.keys() <= {"matcher", "hooks"}
            for call in group["hooks"]:
                assert call["type"] == "command"
                assert call["command"] == f"moored-hook claude-code {event}"
                assert 0 < call["timeout"] <= 600


def test_the_skill_is_within_what_every_host_takes() -> None:
    head, body = asset("SKILL.md").removeprefix("---\n").split("\n---\n", 1)
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    assert fields.keys() == {"name", "description"}
    assert fields["name"] == "moored"
    assert len(fields["description"]) <= 1024
    assert len(body) < 3000
    for tool in ("recall", "remember", "record", "pin", "stale", "revise"):
        assert f"**{tool}**" in body
